"""Acceptance that passes once, and not where something that must not matter differs, proves nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from factory.report.show import show_run
from factory.system.sandbox.levels import bwrap
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.port import Terms
from tests.support.answers import a_proposal
from tests.support.repositories import files_of, make_repo
from tests.support.runs import Scene, read_object

SEED = "def first():\n    return list({'a', 'b', 'c', 'd', 'e'})\n"
ZONE = "import time\n\n\ndef offset():\n    return time.strftime('%z', time.localtime(0))\n"
USER = 'test "$LOGNAME" = workorder\n'
PLACE = 'test "$(basename "$TMPDIR")" = tmp\n'
ORDER = "made = []\n\n\ndef test_a():\n    made.append(1)\n\n\ndef test_b():\n    assert made\n"
IN_CLASS = (
    "class TestStory:\n    made = []\n\n    def test_a(self):\n        self.made.append(1)\n\n"
    "    def test_b(self):\n        assert self.made\n"
)


def check(tmp_path: Path, files: dict[str, str], *commands: str, **order: object) -> Scene:
    return Scene(
        make_repo(tmp_path / "repo"),
        [a_proposal(files)] * 2,
        allowed_files=list(files),
        acceptance_commands=list(commands),
        **order,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("files", "command", "by"),
    [
        ({"app.py": ZONE}, "python -c \"import app; assert app.offset() == '+0000'\"", "time zone"),
        ({"app.sh": USER}, "sh app.sh", "user's name"),
        ({"app.sh": PLACE}, "sh app.sh", "directory for temporary files"),
        ({"test_app.py": ORDER}, "python -m pytest -q test_app.py", "order of tests"),
    ],
)
def test_what_must_not_matter_and_does_is_named(
    tmp_path: Path, files: dict[str, str], command: str, by: str
) -> None:
    scene = check(tmp_path, files, command)

    finished = scene.run(second_pass=True, max_attempts=1)

    failure = finished.ending.failure
    assert failure is not None
    assert (finished.ending.exit_code, failure.where) == (1, command)
    assert f"with another {by}" in failure.message
    assert finished.folder is not None
    document = read_object(finished.folder / "attempt_1" / "second_pass.json")
    assert (document["stable"], document["changed_by"]) == (False, [by])
    assert f"again: acceptance fails with another {by}" in show_run(finished.folder)


def test_another_hash_seed_is_another_order_of_sets(tmp_path: Path) -> None:
    asked = [sys.executable, "-c", f"{SEED}\nprint(first())"]
    said = subprocess.run(asked, env={"PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=True)
    scene = check(
        tmp_path, {"app.py": SEED}, f'python -c "import app; assert app.first() == {said.stdout.strip()}"'
    )

    ending = scene.run(second_pass=True, max_attempts=1).ending

    assert ending.exit_code == 1
    assert ending.failure is not None
    assert "with another hash seed" in ending.failure.message


def test_what_passes_again_lands_and_what_the_passes_leave_does_not(tmp_path: Path) -> None:
    files = {"app.py": "VALUE = 1\n", "test_story.py": IN_CLASS}
    scene = check(
        tmp_path, files, "mkdir made", "python -m pytest -q test_story.py", "python -c 'import app'"
    )

    finished = scene.run(second_pass=True)

    assert finished.ending.exit_code == 0
    assert {*files} <= {*files_of(scene.repo)}
    assert finished.folder is not None
    document = read_object(finished.folder / "attempt_1" / "second_pass.json")
    assert document["stable"] is True
    assert "again: acceptance passes with another hash seed" in show_run(finished.folder)


def test_what_the_verification_builds_is_there_in_the_second_pass(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"scripts/verify.sh": "cp app.py built.py || true\n"})
    scene = Scene(
        repo,
        [a_proposal({"app.py": "VALUE = 1\n"})],
        allowed_files=["app.py"],
        acceptance_commands=["python -c 'import built'"],
    )

    assert scene.run(second_pass=True).ending.exit_code == 0


A_USER = 1_900_000_006


BWRAP = next((level.sandbox for level in levels(os.environ) if level.name == "bwrap"), None)


@pytest.mark.skipif(BWRAP is None, reason="bubblewrap does not work here")
def test_another_user_is_another_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert BWRAP is not None
    monkeypatch.setattr(bwrap, "throw_away_user", lambda _root: A_USER)
    # Each time it has a name, and may write.
    source = (
        "import os, pwd\n\n\ndef who():\n    user = os.getuid()\n"
        "    open('mine', 'w').write(pwd.getpwuid(user).pw_name)\n    return user\n"
    )
    command = f'python -c "import app; assert app.who() in {{{A_USER}, {os.getuid()}, 1000}}"'
    scene = check(tmp_path, {"app.py": source}, command)

    finished = scene.run(second_pass=True, max_attempts=1, terms=Terms(BWRAP))

    assert finished.folder is not None
    document = read_object(finished.folder / "attempt_1" / "second_pass.json")
    assert document["changed_by"] == ["user's number"]
    assert finished.ending.exit_code == 1
