"""Which commands a program of ours runs, and with which words."""

import shlex
from typing import Any

import pytest

from factory.gates.verdict.rewrite import Rewritten, rewritten


def rewrite(command: str) -> Rewritten | None:
    return rewritten(
        shlex.split(command),
        is_own=lambda module, searched: module in ("app", searched),
        is_script=lambda file: file == "app.py",
        interpreter=lambda word: ("/env/bin/python", f"/env/bin/{word}") if word == "pytest" else None,
    )


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("python -m pytest", {"runner": "pytest", "before": ("python",), "arguments": ()}),
        ("python3.12 -m pytest -q a.py::b", {"before": ("python3.12",), "arguments": ("-q", "a.py::b")}),
        ("/env/bin/python3 -mpytest -q", {"before": ("/env/bin/python3",), "arguments": ("-q",)}),
        ("python -W error -X dev -Bu -m pytest", {"before": ("python", "-W", "error", "-X", "dev", "-Bu")}),
        (
            "python -Werror -c 1 2",
            {"runner": "code", "before": ("python", "-Werror"), "arguments": ("1", "2")},
        ),
        ("python -cpass", {"runner": "code", "arguments": ("pass",)}),
        ("python -I -c ''", {"before": ("python", "-I"), "arguments": ("",)}),
        ("pytest -q", {"runner": "pytest", "before": ("/env/bin/python",), "script": "/env/bin/pytest"}),
        ("env A=b timeout 5 python -m pytest", {"before": ("env", "A=b", "timeout", "5", "python")}),
        ("env PYTHONPATH=src A=b python -m pytest", {"before": ("env", "A=b", "python"), "searched": "src"}),
        ("timeout 1.5m pytest", {"before": ("timeout", "1.5m", "/env/bin/python")}),
        ("python -m unittest -q", {"runner": "unittest", "arguments": ("-q",)}),
        ("python -m app.tool x", {"runner": "module", "arguments": ("app.tool", "x")}),
        (
            "python -B app.py -m x",
            {"runner": "script", "before": ("python", "-B"), "arguments": ("app.py", "-m", "x")},
        ),
        ("env PYTHONPATH=src python -m src", {"runner": "module", "searched": "src"}),
    ],
)
def test_a_program_of_ours_runs_what_the_words_name(command: str, facts: dict[str, Any]) -> None:
    ours = rewrite(command)

    assert ours is not None
    assert {name: getattr(ours, name) for name in facts} == facts


@pytest.mark.parametrize(
    "command",
    [
        "true", "env", "env A=b", "timeout 5", "timeout -k 1 5 python -m pytest", "env -i python -m pytest",
        "python", "python -", "python a.py -m pytest", "python -V", "python -i -c 1", "python -Bc 1",
        "python -c", "python -m", "python -W", "python -m json.tool x", "python -m pytest --version",
        "pytest --help", "py.test", "bash -c 'python -m pytest'", "nice python -m pytest",
        "python --check-hash-based-pycs always -m pytest", "python -x -m pytest", "pythonw -m pytest",
    ],
)  # fmt: skip
def test_of_other_commands_the_exit_code_is_all_there_is(command: str) -> None:
    assert rewrite(command) is None


def test_the_words_name_no_file_and_hold_no_secret() -> None:
    ours = rewrite("env PYTHONPATH=src python -B -m pytest -q a.py")

    assert ours is not None
    assert ours.words((7, 8, 9)) == (
        *("env", "python", "-B", "-c"),
        "exec(compile(__import__('posix').read(9,1<<24),'<workorder>','exec'),{'__name__':'<workorder>'})",
        *("7,8,9", "src", "", "-q", "a.py"),
    )
