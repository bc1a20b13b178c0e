"""Signed commits: where the user's git signs, what lands is signed, or nothing is begun."""

from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.repository.commit import require_signature
from factory.repository.target import Refused
from factory.system.git.client import Git
from factory.system.process.capture import capture
from tests.support.repositories import files_of, git, make_repo
from tests.support.runs import Scene


@pytest.fixture
def signing(tmp_path: Path) -> Path:
    """A repository whose user signs with an SSH key without a passphrase."""
    return sign_with(make_repo(tmp_path / "repo"), tmp_path / "key", "")


def sign_with(repo: Path, key: Path, passphrase: str) -> Path:
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "ada", "-f", str(key)]
    assert capture(argv, cwd=None, env={"PATH": "/usr/bin:/bin"}).ok
    allowed = key.with_name("allowed")
    allowed.write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    for name, value in {
        "gpg.format": "ssh",
        "user.signingKey": str(key),
        "commit.gpgSign": "true",
        "gpg.ssh.allowedSignersFile": str(allowed),
    }.items():
        git(repo, "config", name, value)
    return repo


def test_what_lands_is_signed_where_the_user_s_commits_are(signing: Path) -> None:
    scene = Scene(signing)

    assert scene.run().ending.exit_code == ExitCode.PASS

    assert git(signing, "log", "-2", "--format=%G?").split() == ["G", "N"]


def test_a_key_that_asks_for_a_passphrase_is_refused_before_a_model_is_asked(tmp_path: Path) -> None:
    repo = sign_with(make_repo(tmp_path / "repo"), tmp_path / "key", "secret words")
    scene = Scene(repo)

    ending = scene.run().ending

    assert (ending.exit_code, scene.asked) == (ExitCode.REFUSED, 0)
    assert "commit.gpgSign is set, and a commit can't be signed unattended" in ending.message
    assert "load the key into an agent" in ending.hint


def test_a_program_that_waits_for_a_person_is_not_waited_for(signing: Path, tmp_path: Path) -> None:
    program = tmp_path / "waits"
    program.write_text("#!/bin/sh\nsleep 600\n")
    program.chmod(0o755)
    git(signing, "config", "gpg.ssh.program", str(program))

    with pytest.raises(Refused, match="no signature came within"):
        require_signature(Git.open(signing), "HEAD", seconds=1)


def test_trying_a_signature_leaves_nothing(signing: Path) -> None:
    before = files_of(signing / ".git")

    require_signature(Git.open(signing), "HEAD")

    assert files_of(signing / ".git") == before
