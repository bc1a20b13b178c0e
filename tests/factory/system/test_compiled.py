"""Programs of ours are started as the interpreter keeps them compiled, where that fits their source."""

import os
import py_compile
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from factory.system.compiled import compiled
from factory.system.process import reaper
from factory.system.sandbox.levels import enter


def a_program(folder: Path) -> Path:
    program = folder / "program.py"
    program.write_text("print('first')\n")
    return program


def test_what_was_compiled_is_started_in_the_place_of_its_source(tmp_path: Path) -> None:
    program = a_program(tmp_path)
    py_compile.compile(str(program), doraise=True)

    started = compiled(program)

    assert started.suffix == ".pyc"
    printed = subprocess.run([sys.executable, "-I", "-S", started], capture_output=True, check=True)
    assert printed.stdout == b"first\n"


def test_whatever_name_it_has(tmp_path: Path) -> None:
    program = a_program(tmp_path)
    py_compile.compile(str(program), doraise=True)
    named = tmp_path / "elsewhere.py"
    named.write_bytes(compiled(program).read_bytes())

    printed = subprocess.run([sys.executable, "-I", "-S", named], capture_output=True, check=True)

    assert printed.stdout == b"first\n"


@pytest.mark.parametrize(
    "what", ["other size", "other time", "other python", "no file", "cut off", "by hash"]
)
def test_what_does_not_fit_the_source_is_not_started(tmp_path: Path, what: str) -> None:
    program = a_program(tmp_path)
    checked = py_compile.PycInvalidationMode
    mode = checked.UNCHECKED_HASH if what == "by hash" else checked.TIMESTAMP
    kept = Path(str(py_compile.compile(str(program), doraise=True, invalidation_mode=mode)))
    was = program.stat().st_mtime
    match what:
        case "other size":
            program.write_text("print('the second')\n")
            os.utime(program, (was, was))
        case "other time":
            os.utime(program, (was + 2, was + 2))
        case "other python":
            kept.write_bytes(b"\0\0" + kept.read_bytes()[2:])
        case "no file":
            kept.unlink()
        case "cut off":
            kept.write_bytes(kept.read_bytes()[:9])

    assert compiled(program) == program


def test_an_interpreter_that_keeps_nothing_starts_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.implementation, "cache_tag", None)

    assert compiled(a_program(tmp_path)) == tmp_path / "program.py"


@pytest.mark.parametrize("module", [reaper, enter])
def test_those_that_start_with_every_command_are_kept(module: ModuleType, tmp_path: Path) -> None:
    # given an interpreter that has imported it and keeps what it compiles in a folder of its own
    asked = f"import sys, {module.__name__} as program; from pathlib import Path"
    asked += "; from factory.system.compiled import compiled; print(compiled(Path(program.__file__)).suffix)"

    done = subprocess.run(
        [sys.executable, "-X", f"pycache_prefix={tmp_path}", "-c", asked],
        env={"PATH": os.defpath, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == ".pyc\n"
