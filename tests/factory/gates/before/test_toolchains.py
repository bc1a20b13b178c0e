"""Programs that commands start must be there, and start, before anything is paid."""

import os
import shutil
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.contract.work_order import WorkOrder
from factory.gates.before.toolchains import needed_programs
from tests.support.repositories import VERIFY_PASSES, a_work_order, make_repo
from tests.support.runs import Scene

NOT_CHOSEN = "error: rustup could not choose a version of cargo to run, because one wasn't specified"


def order(*commands: str) -> WorkOrder:
    return WorkOrder.model_validate({**a_work_order(), "acceptance_commands": commands})


@pytest.mark.parametrize(
    ("commands", "files", "needed"),
    [
        (["env A=1 timeout 5 cargo test --offline", "python -m pytest"], [], ("cargo",)),
        (
            ["npm test", "node tool.js", "gofmt -l ."],
            ["scripts/verify.sh", "go.mod", "a.go"],
            ("node", "npm"),
        ),
        (["true"], ["go.mod", "a.go"], ("go",)),
        (["true"], ["app.py", "static/app.js"], ()),
        (["unbalanced 'quote"], ["app.py"], ()),
    ],
)
def test_commands_and_the_default_verification_say_what_is_needed(
    commands: list[str], files: list[str], needed: tuple[str, ...]
) -> None:
    has_script = "scripts/verify.sh" in files
    assert needed_programs([order(*commands)], files, has_script, lambda _path: None) == needed


@pytest.mark.parametrize("there", [True, False])
def test_a_program_that_is_missing_or_does_not_start_is_refused_before_a_model_is_asked(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    others = os.environ["PATH"] if there else ""
    for name in ("bash", "git", "python3", "rm"):
        (programs / name).symlink_to(str(shutil.which(name)))
    if there:
        (programs / "cargo").write_text(f'#!/bin/sh\necho "{NOT_CHOSEN}" >&2\nexit 1\n')
        (programs / "cargo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{others}".rstrip(os.pathsep))
    scene = Scene(make_repo(tmp_path / "repo", VERIFY_PASSES), acceptance_commands=["cargo test --offline"])

    finished = scene.run()

    assert finished.ending.exit_code is ExitCode.ENVIRONMENT, finished.ending
    assert (NOT_CHOSEN if there else "cargo is not installed") in finished.ending.message
    assert "apt-get install cargo" in finished.ending.hint
    assert scene.asked == 0
