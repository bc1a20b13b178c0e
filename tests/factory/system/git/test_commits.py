"""What commits say and change, whatever somebody wrote into their messages."""

from pathlib import Path

import pytest

from factory.system.git.client import Git
from factory.system.git.commits import (
    changed_files,
    commits_naming,
    landing_commits,
    landing_of_run,
    latest_commits,
    work_order_that_wrote,
)
from tests.support.repositories import commit_files, git, make_repo

REAL = "WO-01: x\n\nWork-Order: WO-01\nContract: c0ffee\nRun-Id: r1\n"
REAL_TRAILERS = {
    "Work-Order": "WO-01",
    "Contract": "c0ffee",
    "Run-Id": "r1",
    "Verdict": "",
    "Kill-Score": "",
    "Removed-Tests": "",
}
WANTED = {"WO-01": ("c0ffee",)}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", {"a.txt": "1\n"})


def commit(repo: Path, message: str) -> str:
    git(repo, "commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--message", message)
    return git(repo, "rev-parse", "HEAD")


def test_a_commit_tells_its_trailers_and_its_parent(repo: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    made = commit(repo, REAL)

    (landing,) = commits_naming(Git.open(repo), "HEAD")

    assert (landing.id, landing.parent) == (made, first)
    assert landing.trailers == REAL_TRAILERS
    assert commits_naming(Git.open(repo), "refs/heads/main") == (landing,)
    assert landing_of_run(Git.open(repo), "HEAD", "r1") == made
    assert landing_of_run(Git.open(repo), "HEAD", "r2") is None


def test_the_newest_commit_of_a_work_order_counts_reverted_or_not(repo: Path) -> None:
    contracts = {"WO-01": ("older", "c0ffee"), "WO-02": ("dec0de",)}
    commit(repo, REAL)
    commit(repo, REAL.replace("c0ffee", "dec0de"))
    (repo / "a.txt").write_text("2\n")
    git(repo, "add", "a.txt")
    newest = commit(repo, REAL)
    git(repo, "revert", "--no-edit", newest)

    landings = landing_commits(Git.open(repo), "HEAD", contracts)

    assert {name: commit.id for name, commit in landings.items()} == {"WO-01": newest}


@pytest.mark.parametrize(
    "message",
    [
        REAL.replace("Contract", "Work-Order: WO-02\nContract"),
        REAL.replace("Run-Id", "Contract: dec0de\nRun-Id"),
        REAL.replace("WO-01\n", "WO-01\n and more\n"),
        REAL.replace("Run-Id: r1\n", "Run-Id: r1\nContract:\n more\n"),
        # What other readers of lines take for the end of one.
        REAL.replace("WO-01\n", "WO-01\v\n"),
        REAL.replace("WO-01\n", "WO-01\u2028WO-02\n"),
        REAL.replace("WO-01\n", "WO-01\x1c\n"),
        REAL.replace("WO-01\n", "WO-01%x00\n"),
        REAL + "\nand a word after them\n",
    ],
)
def test_words_that_only_look_like_a_landing_are_none(repo: Path, message: str) -> None:
    commit(repo, message.replace("WO-01: x", "x"))
    trailers = [commit.trailers for commit in commits_naming(Git.open(repo), "HEAD")]
    assert len(trailers) <= 1 and REAL_TRAILERS not in trailers
    assert landing_commits(Git.open(repo), "HEAD", WANTED) == {}


def test_no_message_hides_the_commits_below_it(repo: Path) -> None:
    made = commit(repo, REAL)
    for words in ("Contract: \n", "x\n\nContract: a\rContract: b\n", "x\n\nWork-Order:\nContract: c\n\n\n"):
        commit(repo, words)
    assert landing_commits(Git.open(repo), "HEAD", WANTED)["WO-01"].id == made


def test_the_work_order_that_wrote_a_file_last_is_told(repo: Path) -> None:
    commit_files(repo, {"b.txt": "1", "[ab].txt": "1"}, REAL)
    commit_files(repo, {"a.txt": "mine"}, "a user's own")
    opened = Git.open(repo)
    assert work_order_that_wrote(opened, "HEAD", "b.txt") == "WO-01"
    assert work_order_that_wrote(opened, "HEAD", "[ab].txt") == "WO-01"
    assert work_order_that_wrote(opened, "HEAD", "a.txt") is None
    assert work_order_that_wrote(opened, "HEAD", "missing.txt") is None


def test_first_parents_are_followed_and_a_merge_and_a_root_have_no_one_parent(repo: Path) -> None:
    root = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "--quiet", "-b", "other")
    commit(repo, REAL)
    git(repo, "checkout", "--quiet", "main")
    mine = commit(repo, "By hand")
    git(repo, "merge", "--quiet", "--no-edit", "other")
    merge = git(repo, "rev-parse", "HEAD")

    commits = latest_commits(Git.open(repo), "HEAD", 9)

    assert [(commit.id, commit.parent) for commit in commits] == [(merge, ""), (mine, root), (root, "")]
    assert [commit.id for commit in latest_commits(Git.open(repo), "HEAD", 2)] == [merge, mine]


def test_files_are_told_with_what_happened_to_them(repo: Path) -> None:
    root = git(repo, "rev-parse", "HEAD")
    second = commit_files(repo, {"a.txt": "2\n", "M": "", "a\nb\u00e9": "", "x": "1\n"})
    git(repo, "mv", "x", "y")
    third = commit_files(repo, {})
    empty = commit(repo, "Nothing")

    changes = changed_files(Git.open(repo), [third, root, empty, second])

    assert changes == {
        third: {"x": "D", "y": "A"},
        # Of a shallow clone everything would be new.
        root: {},
        empty: {},
        second: {"M": "A", "a\nb\u00e9": "A", "a.txt": "M", "x": "A"},
    }
    assert list(changes) == [third, root, empty, second]
    assert list(changes[second]) == ["M", "a\nb\u00e9", "a.txt", "x"]
    assert changed_files(Git.open(repo), []) == {}
