"""`python -m factory`, `planner` and `workorder` run no module and no program of the current directory."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

# What the two commands use, and further modules that they or their libraries might look for.
INSTALLED = (
    "pydantic", "pydantic_core", "typing_extensions", "annotated_types", "rich", "yaml", "langgraph",
    "langchain_core", "openai", "markdown_it", "genai_prices", "pygments", "tomli", "colorama", "httpx",
)  # fmt: skip
PROGRAMS = ("git", "bwrap", "find", "chown", "touch", "python", "sh", "tput", "uname")

LEAVE_A_MARK = "import os\nopen(os.environ['MARKS'], 'a').write(__name__ + '\\n')\nraise SystemExit(99)\n"

STATUS = ("factory", "status", "--out", "runs")
DOCTOR = ("factory", "doctor", "--json")
CHECK = ("planner", "check", "plan.json")
OF_BOTH = ("workorder", "plan", "check", "plan.json")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory as the user is in; `marks` beside it names what was run that must not be."""
    folder = tmp_path / "built"
    (folder / "runs").mkdir(parents=True)
    (folder / "plan.json").write_text(json.dumps({"work_orders": []}))
    return folder


def start(place: Path, words: Sequence[str], **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a program in the directory."""
    own = {**os.environ, "MARKS": str(place.parent / "marks"), **environment}
    return subprocess.run(words, cwd=place, env=own, capture_output=True, timeout=60, check=False)


def marks(place: Path) -> str:
    """What was run that must not be."""
    file = place.parent / "marks"
    return file.read_text() if file.exists() else ""


def plant(place: Path, *folders: str) -> None:
    """Put a module of each name and a program of each name into the directory.

    What Python itself has imported before any module that `-m` names is left out: that is beyond reach.
    """
    probe = place / "probe"
    probe.mkdir()
    (probe / "__init__.py").touch()
    (probe / "__main__.py").write_text("import sys\nprint(*sys.modules)\n")
    before = {
        name.partition(".")[0]
        for name in start(place, [sys.executable, "-m", "probe"]).stdout.decode().split()
    }
    modules = ({*INSTALLED, *sys.stdlib_module_names}) - before
    assert {"pydantic", "typing", "json", "argparse", "subprocess"} <= modules
    for folder in (place, *(place / name for name in folders)):
        folder.mkdir(exist_ok=True)
        for name in modules:
            (folder / f"{name}.py").write_text(LEAVE_A_MARK)
        for name in ("rich", "json"):
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(LEAVE_A_MARK)
        for name in PROGRAMS:
            (folder / name).write_text(
                f"#!/bin/sh\necho program {name} >> {place.parent / 'marks'}\nexit 99\n"
            )
            (folder / name).chmod(0o755)


@pytest.mark.parametrize("command", [STATUS, DOCTOR, CHECK, OF_BOTH], ids=" ".join)
def test_nothing_of_the_current_directory_is_run(place: Path, command: tuple[str, ...]) -> None:
    words = [sys.executable, "-m", *command]
    expected = start(place, words)
    plant(place, "lib")

    for path in ({}, {"PYTHONPATH": os.pathsep.join((".", "", "lib"))}):
        # An entry that is empty stands for the current directory, as a relative one does.
        ended = start(place, words, PATH=os.pathsep.join((".", "", "lib", os.environ["PATH"])), **path)

        assert marks(place) == ""
        assert (ended.returncode, ended.stdout, ended.stderr) == (
            expected.returncode, expected.stdout, expected.stderr
        )  # fmt: skip


@pytest.mark.parametrize("command", [STATUS, CHECK], ids=" ".join)
def test_the_console_command_runs_nothing_of_it_either(place: Path, command: tuple[str, ...]) -> None:
    plant(place)
    # What the installed script says.
    script = f"import sys; from {command[0]}.__main__ import main; sys.exit(main(sys.argv[1:]))"

    ended = start(place, [sys.executable, "-P", "-c", script, *command[1:]], PYTHONPATH=".")

    assert marks(place) == ""
    assert ended.returncode != 99


def test_what_is_planted_would_be_run(place: Path) -> None:
    plant(place)

    start(place, [sys.executable, "-m", "factory.cli"])

    assert marks(place) != ""
