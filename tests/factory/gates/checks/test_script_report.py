"""The tests that pass where a script of the repository's own runs pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from factory.gates.checks.script_report import ScriptReport
from tests.support.repositories import write_files
from tests.support.results import Paths

A, B = "def test_a():\n    pass\n\n\ndef test_red():\n    assert False\n", "def test_b():\n    pass\n"
RUN = f"'{sys.executable}' -m pytest -q -p no:cacheprovider"


@pytest.mark.parametrize(
    ("script", "passed"),
    [
        (f"{RUN} test_a.py; {RUN} test_b.py", ("test_a.py::test_a", "test_b.py::test_b")),
        (f"export PYTHONPATH=src; {RUN} --junitxml=own.xml test_b.py", None),
        ("true", None),
        ("echo '<?xml ' > \"$TMPDIR\"/pytest_reports", None),
        # More than a pipe holds: nobody waits.
        ("head -c 60000000 /dev/zero > \"$TMPDIR\"/pytest_reports", None),
    ],
)  # fmt: skip
def test_every_session_counts(script: str, passed: tuple[str, ...] | None, tmp_path: Path) -> None:
    root, temporary = tmp_path / "repo", tmp_path / "a temporary"
    temporary.mkdir()
    write_files(root, {"scripts/verify.sh": script, "test_a.py": A, "test_b.py": B})
    given = {
        **os.environ,
        "TMPDIR": str(temporary),
        "PYTEST_ADDOPTS": "--tb=no",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }

    with ScriptReport(temporary) as report:
        subprocess.run(
            ["bash", "scripts/verify.sh"],
            cwd=root,
            env={**given, **report.variables(given)},
            check=False,
            timeout=60,
            capture_output=True,
        )

    assert report.passed_tests(Paths(["test_a.py", "test_b.py"])) == passed
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("files", "passed"),
    [
        (["tests/test_a.py", "other/tests/test_a.py"], ("tests/test_a.py::test_a",)),
        (["back/tests/test_a.py", "back/tests/test_b.py"], ("back/tests/test_a.py::test_a",)),
        # In one of two projects, and nobody knows in which.
        (["one/tests/test_a.py", "two/tests/test_a.py"], None),
        (["src/a.py"], ()),
    ],
)
def test_files_are_found_wherever_a_session_ran(
    files: list[str], passed: tuple[str, ...] | None, tmp_path: Path
) -> None:
    case = '<testcase classname="tests.test_a" name="test_a[1]" file="tests/test_a.py"/>'
    with ScriptReport(tmp_path) as report:
        (tmp_path / "pytest_reports").write_text(f'<?xml version="1.0"?><testsuite>{case}</testsuite>')

    assert report.passed_tests(Paths(files)) == passed
