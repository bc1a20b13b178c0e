"""Checkouts are handed out to threads, used again, and gone at the end, also after a kill."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from factory.checkout.leftovers import remove_leftovers
from factory.checkout.pool import Checkouts
from factory.contract.repo_path import RepoPath
from factory.system.git.client import Git
from tests.support.repositories import commit_files, files_of, git, make_repo, write_files

ROOT = Path(__file__).parents[3]


@pytest.fixture
def commits(tmp_path: Path) -> list[str]:
    """Commits of the repository `repo`, each with one more file."""
    repo = make_repo(tmp_path / "repo")
    return [
        git(repo, "rev-parse", "HEAD"),
        *(commit_files(repo, {f"d{n % 2}/{n}.txt": f"{n}\n"}) for n in range(4)),
    ]


def notes(repo: Path) -> list[str]:
    return sorted(path.name for path in (repo / ".git" / "workorder").iterdir())


def expected_files(repo: Path, commit: str) -> set[str]:
    return set(git(repo, "ls-tree", "-r", "--name-only", commit).splitlines())


def test_a_checkout_is_used_again(tmp_path: Path, commits: list[str], temporary_files: Path) -> None:
    repo = tmp_path / "repo"
    with Checkouts(Git.open(repo)) as checkouts:
        with checkouts.at(commits[0]) as first:
            write_files(first.root, {"left": "x\n", "d0/left": "x\n"})
        with checkouts.at(commits[3]) as second:
            assert second is first
            assert set(files_of(second.root)) == expected_files(repo, commits[3])
            with checkouts.at(commits[1]) as third:
                assert third is not second
            assert len(notes(repo)) == 2
        # The one that is there already.
        with checkouts.at(commits[1]) as fourth:
            assert fourth is third
        assert len(list(temporary_files.iterdir())) == 2

    assert list(temporary_files.iterdir()) == []
    assert notes(repo) == []


def test_one_is_cleaned_ahead_and_again_after_its_next_use(tmp_path: Path, commits: list[str]) -> None:
    repo = tmp_path / "repo"
    with Checkouts(Git.open(repo)) as checkouts:
        checkouts.clean_ahead(commits[0])
        with checkouts.at(commits[0]) as first:
            write_files(first.root, {"left": "x\n"})
        checkouts.clean_ahead(commits[3])
        assert set(files_of(first.root)) == expected_files(repo, commits[3])
        cleaned = (first.root / ".git").stat()

        with checkouts.at(commits[3]) as second:
            assert second is first
            # It was not put back once more.
            assert os.path.samestat((second.root / ".git").stat(), cleaned)
            write_files(second.root, {"left": "x\n"})
        with checkouts.at(commits[3]) as third:
            assert set(files_of(third.root)) == expected_files(repo, commits[3])
        checkouts.clean_ahead(commits[3])
        with checkouts.at(commits[1]) as fourth:
            assert fourth is first
            assert set(files_of(fourth.root)) == expected_files(repo, commits[1])


def test_one_in_which_nothing_was_staged_can_be_handed_out_as_it_is(
    tmp_path: Path, commits: list[str]
) -> None:
    with Checkouts(Git.open(tmp_path / "repo")) as checkouts:
        with checkouts.at(commits[0]) as first:
            assert not first.is_used
        checkouts.note_clean(first)
        made = (first.root / ".git").stat()

        with checkouts.at(commits[0]) as second:
            assert second is first
            assert os.path.samestat((second.root / ".git").stat(), made)
            second.stage([])
            assert second.is_used
        with checkouts.at(commits[0]) as third:
            assert not third.is_used


def test_threads_share_them(tmp_path: Path, commits: list[str], temporary_files: Path) -> None:
    # given eight threads that want checkouts at the same moment, again and again
    repo = tmp_path / "repo"
    together = threading.Barrier(8)
    expected = {commit: expected_files(repo, commit) for commit in commits}

    def work(number: int) -> set[Path]:
        used = set()
        for turn in range(3):
            if turn < 2:
                together.wait(timeout=60)
            commit = commits[(number + turn) % len(commits)]
            with checkouts.at(commit) as opened:
                assert set(files_of(opened.root)) == expected[commit]
                path = RepoPath.parse(f"new/{number}.py")
                write_files(opened.root, {path: f"{number}\n"})
                tree = opened.stage([path])
                assert opened.changed_since_staging() == ()
                assert git(repo, "cat-file", "blob", f"{tree}:{path}") == f"{number}"
                opened.restore()
                (opened.root / "left").touch()
                used.add(opened.root)
        return used

    # when
    with Checkouts(Git.open(repo)) as checkouts, ThreadPoolExecutor(8) as threads:
        used = set().union(*threads.map(work, range(8)))
    # then
    assert len(used) <= 8
    assert list(temporary_files.iterdir()) == []
    assert notes(repo) == []
    assert git(repo, "status", "--porcelain") == ""


def test_an_ordinary_failure_gives_it_back_and_an_interruption_does_not(
    tmp_path: Path, commits: list[str], temporary_files: Path
) -> None:
    with Checkouts(Git.open(tmp_path / "repo")) as checkouts:
        with pytest.raises(ValueError, match="x"), checkouts.at(commits[0]) as first:
            raise ValueError("x")
        with pytest.raises(KeyboardInterrupt), checkouts.at(commits[0]) as second:
            raise KeyboardInterrupt
        assert second is first
        assert list(temporary_files.iterdir()) == []
        with checkouts.at(commits[0]) as third:
            assert third is not first


def test_a_commit_that_does_not_exist_leaves_nothing(
    tmp_path: Path, commits: list[str], temporary_files: Path
) -> None:
    with Checkouts(Git.open(tmp_path / "repo")) as checkouts:
        with checkouts.at(commits[0]):
            pass
        with pytest.raises(Exception, match="git"), checkouts.at("0" * 40):
            pass
        assert list(temporary_files.iterdir()) == []
        with checkouts.at(commits[1]) as opened:
            assert set(files_of(opened.root)) == expected_files(tmp_path / "repo", commits[1])


ENDLESS = """
import sys
import tempfile
from pathlib import Path
from factory.checkout.pool import Checkouts
from factory.system.git.client import Git
# When it is asked first, it tries the directory with a file of its own.
tempfile.gettempdir()
git = Git.open(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    with Checkouts(git) as checkouts:
        with checkouts.at(sys.argv[2]), checkouts.at(sys.argv[3]):
            pass
        with checkouts.at(sys.argv[2]):
            pass
"""


@pytest.mark.parametrize("milliseconds", [0, 10, 40, 120])
def test_nothing_stays_after_a_kill(
    tmp_path: Path, commits: list[str], temporary_files: Path, milliseconds: int
) -> None:
    # given a process that makes, moves and removes checkouts, and is killed
    repo = tmp_path / "repo"
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, repo, commits[0], commits[4]],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        threading.Event().wait(milliseconds / 1000)
        process.send_signal(signal.SIGKILL)
        # What it started has a session of its own and ends by itself: it holds the pipe no longer then.
        process.stdout.read()
    # when
    remove_leftovers(Git.open(repo))
    # then
    assert list(temporary_files.iterdir()) == []
    assert notes(repo) == []


def test_leftovers_of_killed_runs_are_removed_and_nothing_else(tmp_path: Path, temporary_files: Path) -> None:
    # given notes that name a leftover, one of another directory, and things that are none of ours
    repo = make_repo(tmp_path / "repo")
    ours, foreign = temporary_files / "workorder-1234", tmp_path / "workorder-demo"
    link, other = temporary_files / "workorder-link", temporary_files / "something"
    gone = temporary_files / "workorder-gone"
    for folder in (ours, foreign, other):
        write_files(folder, {"checkout/file": "x"})
    link.symlink_to(foreign)
    folder = repo / ".git" / "workorder"
    names = {"1234": ours, "demo": foreign, "link": link, "something": other, "gone": gone}
    write_files(folder, {f"checkout-{name}": os.fsencode(path) for name, path in names.items()})
    write_files(folder, {"checkout-empty": "", ".checkout-5678.abc.tmp": "/half", ".landing.json.x.tmp": "{"})
    # when
    removed = remove_leftovers(Git.open(repo))
    # then
    assert removed == 1
    assert not ours.exists()
    assert foreign.exists()
    assert link.is_symlink()
    assert other.exists()
    # One in another directory waits for a run that uses that directory.
    assert notes(repo) == ["checkout-demo"]
