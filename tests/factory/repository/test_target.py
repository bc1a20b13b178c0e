"""Which repositories a run starts in, and what a user is told about the others."""

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from factory.repository.target import checkout_of, target
from factory.system.git.client import Git
from factory.system.git.commits import landing_commits
from tests.support.repositories import (
    VERIFY_PASSES,
    git,
    make_repo,
    write_files,
    write_work_order,
)
from tests.support.runs import Scene, summary_of


def no_directory(tmp_path: Path) -> Path:
    return tmp_path / "nowhere"


def no_repository(tmp_path: Path) -> Path:
    (tmp_path / "plain").mkdir()
    return tmp_path / "plain"


def a_subdirectory(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo") / "scripts"


def the_git_directory(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo") / ".git"


def a_bare_repository(tmp_path: Path) -> Path:
    make_repo(tmp_path / "repo")
    git(tmp_path, "clone", "--quiet", "--bare", "repo", "bare.git")
    return tmp_path / "bare.git"


def no_commit(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", {})


@pytest.mark.parametrize(
    ("place", "message", "hint"),
    [
        (no_directory, "nowhere: is not a directory", ""),
        (no_repository, "plain: is not a git repository", "git init"),
        (a_subdirectory, "lies inside the repository", "name the repository's root"),
        (the_git_directory, "lies inside a git directory", "name the checkout"),
        (a_bare_repository, "is a bare repository", "git worktree add"),
        (no_commit, "the repository has no commit", "make a first commit"),
    ],
)
def test_a_place_that_is_no_checkout_with_a_commit_is_refused(
    tmp_path: Path, place: Callable[[Path], Path], message: str, hint: str
) -> None:
    scene = Scene(make_repo(tmp_path / "some" / "other"))
    scene.repo = place(tmp_path)

    finished = scene.run()

    assert finished.ending.exit_code == 2
    assert message in finished.ending.message
    assert hint in finished.ending.hint
    assert scene.asked == 0
    assert finished.folder is None


def test_a_damaged_repository_is_the_environments_fault(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    (repo / ".git" / "index").write_bytes(b"not an index")

    finished = Scene(repo).run()

    assert finished.ending.exit_code == 8
    assert "git status failed" in finished.ending.message


def test_what_stands_in_the_way_of_our_own_files_is_no_bug_of_ours(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    (repo / ".git" / "workorder").write_text("a file of somebody else")

    finished = Scene(repo).run()

    assert finished.ending.exit_code == 8
    assert "workorder" in finished.ending.message


def test_an_old_git_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # given a git that does not know newer options, and prints them
    repo = make_repo(tmp_path / "repo")
    _fake_git(
        tmp_path / "bin",
        'case "$*" in\n'
        '  *rev-parse*) printf "false\\ntrue\\n\\n/x/.git\\nfalse\\n--path-format=absolute\\n.git\\n" ;;\n'
        '  version) echo "git version 2.25.1" ;;\n'
        "esac\n",
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    # when
    finished = Scene(repo).run()
    # then
    assert finished.ending.exit_code == 8
    assert "git version 2.25.1 is too old; 2.31 or newer is needed" in finished.ending.message


def test_a_missing_git_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    finished = scene.run()

    assert finished.ending.exit_code == 8
    assert "git is not installed" in finished.ending.message


def test_a_repository_of_somebody_else_is_refused_with_gits_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo(tmp_path / "repo")
    _fake_git(
        tmp_path / "bin", "echo \"fatal: detected dubious ownership in repository at '/x'\" >&2; exit 128\n"
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    ending = Scene(repo).run().ending

    assert ending.exit_code == 2
    assert "dubious ownership" in ending.message
    assert "git init" not in ending.hint


@pytest.mark.parametrize("inside", ["out", ".git/out", "link/out"])
def test_the_output_directory_must_lie_outside_the_repository(tmp_path: Path, inside: str) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitignore": "out\n"})
    (tmp_path / "link").symlink_to(repo)
    scene = Scene(repo)
    scene.out = (tmp_path if inside.startswith("link") else repo) / inside

    finished = scene.run()

    assert finished.ending.exit_code == 2
    assert "the output directory lies inside the repository" in finished.ending.message
    assert not scene.out.exists()


@pytest.mark.parametrize("below", ["", "out"])
def test_the_output_directory_must_be_one(tmp_path: Path, below: str) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    write_files(tmp_path, {"file": "mine\n"})
    scene.out = tmp_path / "file" / below

    finished = scene.run()

    assert finished.ending.exit_code == 2
    assert finished.ending.message == f"{tmp_path / 'file'}: is not a directory"
    assert scene.asked == 0


def test_the_ledger_and_temporary_files_must_lie_outside_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitignore": "tmp\n"})
    scene = Scene(repo)

    assert "the ledger lies inside" in scene.run(ledger=repo / "ledger").ending.message

    (repo / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(repo / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    ending = scene.run().ending
    assert ending.exit_code == 2
    assert "TMPDIR" in ending.message


@pytest.mark.parametrize("branch", ["-x", "a..b", "a b", "HEAD", "@", "x.lock", ""])
def test_what_is_no_branch_name_is_refused(tmp_path: Path, branch: str) -> None:
    finished = Scene(make_repo(tmp_path / "repo")).run(branch=branch)

    assert finished.ending.exit_code == 2
    assert "is not a branch name" in finished.ending.message
    assert "git branch" in finished.ending.hint


def test_a_branch_is_named_by_its_short_name(tmp_path: Path) -> None:
    finished = Scene(make_repo(tmp_path / "repo")).run(branch="refs/heads/main")

    assert finished.ending.exit_code == 2
    assert finished.ending.hint == "say 'main'"


def test_a_branch_below_a_branch_is_refused_before_a_model_is_paid(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))

    finished = scene.run(branch="main/next")

    assert finished.ending.exit_code == 2
    assert "--branch main/next: no branch of that name can be made" in finished.ending.message
    assert scene.asked == 0


def test_a_repository_that_another_run_has_locked_is_refused(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    folder = repo / ".git" / "workorder"
    folder.mkdir()
    scene = Scene(repo)
    with (folder / "lock").open("w") as file:
        # One that lives: what a dead one has started would be waited for.
        file.write(json.dumps({"pid": os.getpid(), "purpose": "factory run WO-07"}))
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)

        finished = scene.run()

    assert finished.ending.exit_code == 2
    message = f"another run is at work in this repository (process {os.getpid()}, factory run WO-07)"
    assert message in finished.ending.message
    assert scene.asked == 0
    # and as soon as its holder is gone, the lock is of no consequence
    assert scene.run().ending.exit_code == 0


def test_one_writer_at_a_time_holds_for_all_checkouts_of_a_repository(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "worktree", "add", "--quiet", "../linked")
    scene = Scene(tmp_path / "linked")
    (repo / ".git" / "workorder").mkdir()
    with (repo / ".git" / "workorder" / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)

        assert "another run is at work" in scene.run().ending.message


def test_a_missing_or_unsafe_work_order_is_refused_first(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    scene.work_order = tmp_path / "nothing.json"
    assert "nothing.json: can't be read" in scene.run().ending.message

    for path, reason in {
        "../outside.py": "the path holds ..",
        "/etc/passwd": "the path is absolute",
        ".git/config": "the path is git's own data",
        ".GIT/hooks/x": "the path is git's own data",
        "sub/.git/config": "the path is git's own data",
        "src/*.py": "glob character",
    }.items():
        write_work_order(scene.work_order, allowed_files=[path])
        finished = scene.run()
        assert finished.ending.exit_code == 2
        assert "/allowed_files/0" in finished.ending.message
        assert reason in finished.ending.message
    scene.work_order.write_text('{"work_orders": []}')
    assert "nothing.json: is a plan, not one work order" in scene.run().ending.message
    scene.work_order = tmp_path / "spec.md"
    scene.work_order.write_text("# A greeter\n")
    assert "spec.md: is no work order, which is JSON" in scene.run().ending.message
    assert scene.asked == 0


def test_a_branch_is_found_in_whichever_work_tree_shows_it(tmp_path: Path) -> None:
    # given a linked work tree whose path holds a line break
    repo = make_repo(tmp_path / "repo")
    linked = tmp_path / "linked\ntree é"
    git(repo, "worktree", "add", "--quiet", str(linked), "-b", "side")
    opened = Git.open(repo)

    checkout = checkout_of(opened, "refs/heads/side")

    assert checkout is not None
    assert checkout.work_tree == linked
    assert checkout_of(opened, "refs/heads/unknown") is None
    # and one whose directory is gone shows nothing any more
    linked.rename(tmp_path / "moved")
    assert checkout_of(opened, "refs/heads/side") is None


def test_the_branch_of_a_bare_repository_is_shown_nowhere(tmp_path: Path) -> None:
    make_repo(tmp_path / "repo")
    git(tmp_path, "clone", "--quiet", "--bare", "repo", "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "--quiet", "../linked", "-b", "side")

    goal = target(Git.open(tmp_path / "linked"), "main")

    assert goal.exists
    assert goal.checkout is None


@pytest.mark.parametrize(
    "name", ["with space", "with\nnewline", 'with "quotes"', "ünïcødé", os.fsdecode(b"\xff\xfe")]
)
def test_a_repository_may_lie_at_any_path(tmp_path: Path, name: str) -> None:
    scene = Scene(make_repo(tmp_path / name / "repo"))

    finished = scene.run()

    assert finished.ending.message.startswith("WO-01 landed on main")
    assert summary_of(finished)["outcome"] == "landed"
    # and so is one that is refused
    write_files(scene.repo, {"draft": ""})
    assert scene.run(branch="next").ending.exit_code == 2


def test_only_trailers_say_that_a_work_order_has_landed(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    wanted = {"WO-01": ("c0ffee",)}
    for message in (
        "Contract: c0ffee\n\nin the body\n\nContract: c0ffee\nnot only trailers here, but a text\nof lines",
        "x\n\nWork-Order: WO-02\nContract: c0ffee\n",
        "x\n\nWork-Order: WO-01\nWork-Order: WO-02\nContract: c0ffee\n",
        "x\n\nWork-Order: WO-01\nContract: c0ffee1\n",
    ):
        git(repo, "commit", "--quiet", "--allow-empty", "--message", message)
    opened = Git.open(repo)
    assert landing_commits(opened, "refs/heads/main", wanted) == {}

    git(
        repo,
        "commit",
        "--quiet",
        "--allow-empty",
        "--message",
        "x\n\nWork-Order: WO-01\nContract: c0ffee\nRun-Id: 1\n",
    )

    assert landing_commits(opened, "refs/heads/main", wanted)["WO-01"].id == git(repo, "rev-parse", "HEAD")


def test_the_users_settings_of_logs_and_trailers_do_not_hide_what_has_landed(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    for name, value in {
        "log.showSignature": "true",
        "trailer.separators": "=#",
        "i18n.logOutputEncoding": "UTF-16",
        "i18n.commitEncoding": "ISO-8859-1",
        "color.ui": "always",
        "core.quotePath": "true",
        "diff.noprefix": "true",
        "status.showUntrackedFiles": "no",
        "log.decorate": "full",
        "format.pretty": "oneline",
    }.items():
        git(scene.repo, "config", name, value)

    assert scene.run().ending.outcome == "landed"
    assert scene.run().ending.outcome == "already_landed"


def _fake_git(folder: Path, script: str) -> None:
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}")
    (folder / "git").chmod(0o755)
