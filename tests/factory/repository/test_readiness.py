"""What must hold in a repository before a model is paid, and what a user is told who has not got there."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repositories import commit_files, files_of, git, make_repo, write_files
from tests.support.runs import Scene, summary_of


def a_merge(repo: Path) -> None:
    _diverge(repo)
    _fails(repo, "merge", "other")


def a_clean_merge(repo: Path) -> None:
    git(repo, "switch", "--quiet", "--create", "other")
    commit_files(repo, {"other.txt": "x\n"})
    git(repo, "switch", "--quiet", "main")
    commit_files(repo, {"mine.txt": "x\n"})
    git(repo, "merge", "--quiet", "--no-commit", "other")


def a_rebase(repo: Path) -> None:
    _diverge(repo)
    _fails(repo, "rebase", "other")


def a_cherry_pick(repo: Path) -> None:
    _diverge(repo)
    _fails(repo, "cherry-pick", "other")


def a_revert(repo: Path) -> None:
    commit_files(repo, {"a.txt": "1\n"})
    commit_files(repo, {"a.txt": "2\n"})
    _fails(repo, "revert", "--no-edit", "HEAD~1")


def a_bisection(repo: Path) -> None:
    for number in range(4):
        commit_files(repo, {"a.txt": f"{number}\n"})
    git(repo, "bisect", "start", "HEAD", "HEAD~3")


def a_changed_file(repo: Path) -> None:
    write_files(repo, {"README.md": "changed\n"})


def a_staged_file(repo: Path) -> None:
    write_files(repo, {"README.md": "changed\n"})
    git(repo, "add", "README.md")


def a_deleted_file(repo: Path) -> None:
    (repo / "README.md").unlink()


def an_untracked_file(repo: Path) -> None:
    write_files(repo, {"notes/draft one.txt": "mine\n"})


def an_unreadable_name(repo: Path) -> None:
    (repo / os.fsdecode(b"new\nline \xff.txt")).write_text("mine\n")


def a_detached_head(repo: Path) -> None:
    git(repo, "checkout", "--quiet", "--detach")


@pytest.mark.parametrize(
    ("state", "message", "hint"),
    [
        (a_merge, "a merge is in progress", "finish it or abort it"),
        (a_clean_merge, "a merge is in progress", "finish it or abort it"),
        (a_rebase, "a rebase is in progress", "finish it or abort it"),
        (a_cherry_pick, "a cherry-pick is in progress", "finish it or abort it"),
        (a_revert, "a revert is in progress", "finish it or abort it"),
        (a_bisection, "a bisection is in progress", "finish it or abort it"),
        (a_changed_file, "the checkout is not clean: M README.md", "commit or stash"),
        (a_staged_file, "the checkout is not clean: M  README.md", "commit or stash"),
        (a_deleted_file, "the checkout is not clean: D README.md", "commit or stash"),
        (an_untracked_file, "the checkout is not clean: ?? notes/draft one.txt", "untracked"),
        (an_unreadable_name, r"the checkout is not clean: ?? new\nline \udcff.txt", "untracked"),
        (a_detached_head, "HEAD is detached", "name one with --branch"),
    ],
)
def test_a_run_is_refused_while_the_checkout_is_not_in_order(
    tmp_path: Path, state: Callable[[Path], None], message: str, hint: str
) -> None:
    # given
    repo = make_repo(tmp_path / "repo")
    state(repo)
    before = snapshot(repo)
    scene = Scene(repo)
    # when
    finished = scene.run()
    # then
    assert finished.ending.exit_code == 2
    assert finished.ending.outcome == "refused"
    assert message in finished.ending.message
    assert hint in finished.ending.hint
    assert scene.asked == 0
    assert snapshot(repo) == before
    if finished.folder is not None:
        assert message in str(summary_of(finished)["message"])


def test_a_branch_that_is_being_rebased_is_not_landed_on(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "worktree", "add", "--quiet", "../elsewhere")
    _diverge(tmp_path / "elsewhere", "elsewhere")
    _fails(tmp_path / "elsewhere", "rebase", "other")
    scene = Scene(repo)

    finished = scene.run(branch="elsewhere")

    assert finished.ending.exit_code == 2
    assert "the branch elsewhere is being rebased" in finished.ending.message
    assert scene.asked == 0


def test_many_untracked_files_are_counted_and_not_all_named(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    write_files(repo, {f"draft{number}.txt": "" for number in range(8)})

    message = Scene(repo).run().ending.message

    assert message.endswith("?? draft4.txt and 3 more")


@pytest.mark.parametrize("role", ["AUTHOR", "COMMITTER"])
def test_an_unknown_identity_is_refused_before_a_model_is_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    # given only the other half of an identity
    repo = make_repo(tmp_path / "repo")
    git(repo, "config", "--unset", "user.name")
    git(repo, "config", "--unset", "user.email")
    git(repo, "config", "user.useConfigOnly", "true")
    other = "COMMITTER" if role == "AUTHOR" else "AUTHOR"
    monkeypatch.setenv(f"GIT_{other}_NAME", "Ada")
    monkeypatch.setenv(f"GIT_{other}_EMAIL", "ada@example.org")
    scene = Scene(repo)
    # when
    finished = scene.run()
    # then
    assert finished.ending.exit_code == 2
    assert "git does not know who commits" in finished.ending.message
    assert "git config user.name" in finished.ending.hint
    assert scene.asked == 0


def test_another_git_at_work_in_the_checkout_is_waited_for_and_then_named(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    (repo / ".git" / "index.lock").touch()
    scene = Scene(repo)

    finished = scene.run()

    assert finished.ending.exit_code == 2
    assert "another git is at work in the checkout" in finished.ending.message
    assert (repo / ".git" / "index.lock").exists()
    assert scene.asked == 0


def snapshot(repo: Path) -> tuple[dict[str, bytes], str, str, str]:
    """Everything of a repository that a run that is refused must leave alone."""
    return (
        files_of(repo),
        git(repo, "status", "--porcelain", "--ignored"),
        git(repo, "for-each-ref"),
        git(repo, "rev-parse", "--symbolic-full-name", "HEAD"),
    )


def _diverge(repo: Path, branch: str = "main") -> None:
    git(repo, "switch", "--quiet", "--create", "other")
    commit_files(repo, {"a.txt": "theirs\n"})
    git(repo, "switch", "--quiet", branch)
    commit_files(repo, {"a.txt": "ours\n"})


def _fails(repo: Path, *arguments: str) -> None:
    with pytest.raises(AssertionError, match=f"git {arguments[0]}"):
        git(repo, *arguments)
