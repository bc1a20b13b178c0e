"""The choice of a sandbox: the strongest that works, and never silently a weaker one than was asked for."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from factory.system.sandbox.levels.advice import KNOWN, advice_for
from factory.system.sandbox.levels.choose import choose, levels
from factory.system.sandbox.port import SandboxRefused


def program(folder: Path, source: str) -> dict[str, str]:
    """An environment whose only `bwrap` is a script."""
    folder.mkdir()
    bwrap = folder / "bwrap"
    bwrap.write_text(f"#!/bin/sh\n{source}\n")
    bwrap.chmod(0o755)
    return {"PATH": f"{folder}:{os.defpath}"}


FAILING = 'test "$1" = --version && echo "bubblewrap 0.11.0" && exit 0\necho "bwrap: {}" >&2\nexit 1'


def test_none_has_to_be_allowed() -> None:
    with pytest.raises(SandboxRefused) as refusal:
        choose("none", allow_unsandboxed=False, environment=os.environ)

    assert "--allow-unsandboxed" in refusal.value.hint
    assert choose("none", allow_unsandboxed=True, environment=os.environ).level == "none"


def test_the_strongest_that_works_is_taken() -> None:
    working = [level.sandbox for level in levels(os.environ) if level.sandbox is not None]
    if not working:
        pytest.skip("no sandbox works here")

    chosen = choose("auto", allow_unsandboxed=False, environment=os.environ)

    assert chosen == working[0]
    assert chosen.version


def test_a_missing_program_is_told_with_how_to_install_it() -> None:
    with pytest.raises(SandboxRefused) as refusal:
        choose("bwrap", allow_unsandboxed=True, environment={"PATH": "/nowhere"})

    assert "bubblewrap is not installed" in refusal.value.message
    assert "\n        apt-get install bubblewrap\n" in refusal.value.hint


def test_a_program_at_a_relative_place_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "echo bubblewrap 0.8.0")
    monkeypatch.chdir(tmp_path)

    level = next(levels({"PATH": "bin:./bin"}))

    assert (level.sandbox, level.reason) == (None, "bubblewrap is not installed")


def test_an_old_version_is_refused(tmp_path: Path) -> None:
    environment = program(tmp_path / "bin", "echo bubblewrap 0.6.1")

    level = next(levels(environment))

    assert (level.sandbox, "0.6.1" in level.reason, "0.8.0" in level.reason) == (None, True, True)


@pytest.mark.parametrize("advice", KNOWN, ids=lambda advice: advice.sign)
def test_a_known_complaint_is_explained(advice: object, tmp_path: Path) -> None:
    known = next(candidate for candidate in KNOWN if candidate is advice)
    environment = program(tmp_path / "bin", FAILING.format(known.sign))

    with pytest.raises(SandboxRefused) as refusal:
        choose("bwrap", allow_unsandboxed=False, environment=environment)

    assert f"bwrap: {known.reason}; bwrap-noproc: {known.reason}" in refusal.value.message
    assert all(line in refusal.value.hint for line in known.remedies)


def test_what_bubblewrap_says_itself_is_recognised() -> None:
    complaints = {
        "bwrap: No permissions to create new namespace, likely because the kernel does not allow it": 0,
        "bwrap: No permissions to creating new namespace, likely because the kernel does not allow it": 0,
        "bwrap: Failed to make / slave: Operation not permitted": 1,
        "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded": 2,
        "bwrap: setting up uid map: Permission denied": 3,
        "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted": 4,
        "bwrap: setting up uid map: Operation not permitted": 5,
        "bwrap: Can't mount proc on /newroot/proc: Operation not permitted": 6,
        "bwrap: cannot open /proc/sys/user/max_user_namespaces: Read-only file system": 7,
        "bwrap: Creating new namespace failed: Resource temporarily unavailable": 8,
    }

    assert {text: KNOWN.index(advice_for(text)) for text in complaints} == complaints


def test_an_unknown_complaint_is_passed_on() -> None:
    assert advice_for("first\nbwrap: something new\n").reason == "bwrap: something new"


def test_what_cannot_protect_the_users_own_git_directory_is_not_taken_in_place() -> None:
    with pytest.raises(SandboxRefused, match=r"can't protect the \.git"):
        choose("landlock", allow_unsandboxed=False, environment=os.environ, in_place=True)


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="gives up root's rights")
def test_a_root_without_rights_is_told_so_and_gets_what_still_works() -> None:
    words = ["setpriv", "--bounding-set", "-all", "--", sys.executable, "-m", "factory", "doctor", "--json"]

    done = subprocess.run(words, capture_output=True, text=True)

    observations = {finding["name"]: finding["found"] for finding in json.loads(done.stdout)["findings"]}
    assert "CAP_CHOWN" in observations["sandbox bwrap"] or observations["sandbox bwrap"].startswith("works")
    assert done.returncode == (0 if observations["sandbox landlock"].startswith("works") else 1)


def test_trying_leaves_nothing_behind(temporary_files: Path) -> None:
    list(levels(os.environ))

    assert list(temporary_files.iterdir()) == []
