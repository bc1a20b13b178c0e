#!/usr/bin/env python3
"""What an attempt and a landing cost in repositories of different sizes, beside one look of git at its files.

    .venv/test/bin/python scripts/bench/large_repo.py [ROUNDS] [FILES…]

The floor is `git diff-files --quiet` in the checkout, from the same rounds: it asks for the times of every
tracked file and reads none. To make the first checkout and to remove it is in proportion to the repository;
nothing else may be, beyond a few such looks. Checkouts belong to the user that the sandbox runs commands as,
as in a run with `--sandbox auto`. A landing has a checkout of its own, the user's: its floor is there.

Beside putting a checkout back stand the ways to have another one instead, its removal counted: made anew, its
files written by as many processes as there are CPUs, and copied from one that is there, by reference where
the file system can. The last two leave out what makes a directory of files a checkout.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from pathlib import Path

from measure import CHECKOUT, machine, median, milliseconds, table, taking_turns

sys.path.insert(0, str(CHECKOUT))

from factory.checkout.leftovers import scratch_directory
from factory.checkout.pool import Checkouts
from factory.checkout.throw_away import ThrowAwayCheckout
from factory.contract.repo_path import RepoPath
from factory.repository.landing import land
from factory.repository.target import target
from factory.system.git.client import Git
from factory.system.sandbox.levels.choose import choose
from factory.system.sandbox.port import Sandbox

SIZES = (1_000, 10_000, 100_000)
FILES_IN_A_DIRECTORY = 20
MOVED, LANDED = 5, 3


def main(rounds: int, sizes: Iterable[int]) -> None:
    """Measure and print a table for each size."""
    sandbox = choose("auto", allow_unsandboxed=False, environment=os.environ)
    print(f"{machine()}, {'as root' if os.geteuid() == 0 else 'as an ordinary user'}, {sandbox.level}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            repo = _generate(Path(folder) / "repo", size)
            _print(size, _measured(repo, size, rounds, sandbox))


def _print(size: int, times: dict[str, list[float]]) -> None:
    floor = median(times["floor"])
    rows = [
        [name, milliseconds(median(seconds)), f"{median(seconds) / floor:.1f}"]
        for name, seconds in times.items()
    ]
    print(f"\n{size:,} files in {-(-size // FILES_IN_A_DIRECTORY):,} directories")
    print(table(["", "median", "of the floor"], rows))


def _measured(repo: Path, size: int, rounds: int, sandbox: Sandbox) -> dict[str, list[float]]:
    git = Git.open(repo)
    first, second = (_commit(git, size, MOVED, text) for text in ("one", "two"))
    with Checkouts(git, sandbox) as checkouts:
        start = time.perf_counter()
        with checkouts.at(first) as opened:
            created = time.perf_counter() - start
            # Git reads the files that are as new as its index; a model takes longer to answer than that.
            time.sleep(1.1)
            number = count()
            commits = count()
            actions = {
                "floor": partial(_timed, partial(git_quietly, opened.git)),
                "a command": partial(_after_a_command, opened, number),
                "stage and restore": partial(_failed_attempt, opened, number),
                "put back": partial(_put_back, opened, number),
                "made anew": partial(_made_anew, git, first, sandbox),
                "written anew in parallel": partial(_written_in_parallel, git, first),
                "copied anew": partial(_copied, git, opened),
                f"move, {MOVED} files differ": partial(_move, opened, (first, second)),
                f"landing, {LANDED} files": partial(_landing, git, size, commits),
                "beside it: floor in the user's": partial(_timed, partial(git_quietly, git)),
            }
            times = taking_turns(actions, rounds)
        start = time.perf_counter()
    removed = time.perf_counter() - start
    return {**times, "once: creation": [created], "once: removal": [removed]}


def git_quietly(git: Git) -> None:
    """The floor."""
    git.call("diff-files", "--quiet")


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _write(opened: ThrowAwayCheckout, number: "count[int]") -> list[RepoPath]:
    paths = [RepoPath.parse(_name(place)) for place in range(2)] + [RepoPath.parse("new/file.py")]
    for path in paths:
        place = opened.root / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"attempt = {next(number)}\n")
    return paths


def _failed_attempt(opened: ThrowAwayCheckout, number: "count[int]") -> float:
    paths = _write(opened, number)
    seconds = _timed(lambda: opened.stage(paths))
    (opened.root / _name(0)).with_name("left").touch()
    return seconds + _timed(opened.restore)


def _put_back(opened: ThrowAwayCheckout, number: "count[int]") -> float:
    opened.stage(_write(opened, number))
    (opened.root / _name(0)).with_name("left").touch()
    return _timed(opened.restore)


def _made_anew(git: Git, commit: str, sandbox: Sandbox) -> float:
    def anew() -> None:
        with scratch_directory(git) as scratch:
            ThrowAwayCheckout(git, scratch, commit, sandbox.owner_of)

    return _timed(anew)


def _written_in_parallel(git: Git, commit: str) -> float:
    def anew() -> None:
        with scratch_directory(git) as scratch:
            (scratch / "files").mkdir()
            opened = git.with_work_tree(scratch / "files", scratch / "index")
            opened.output("-c", "checkout.workers=0", "read-tree", "--reset", "-u", commit)

    return _timed(anew)


def _copied(git: Git, opened: ThrowAwayCheckout) -> float:
    copy = [*("cp", "--archive", "--reflink=auto"), str(opened.root)]

    def anew() -> None:
        with scratch_directory(git) as scratch:
            subprocess.run([*copy, str(scratch)], check=True)

    return _timed(anew)


def _after_a_command(opened: ThrowAwayCheckout, number: "count[int]") -> float:
    opened.stage(_write(opened, number))
    seconds = _timed(opened.changed_since_staging)
    opened.restore()
    return seconds


def _move(opened: ThrowAwayCheckout, commits: tuple[str, str]) -> float:
    return _timed(lambda: opened.move_to(commits[opened.baseline == commits[0]]))


def _landing(git: Git, size: int, number: "count[int]") -> float:
    goal = target(git, None)
    commit = _commit(git, size, LANDED, f"landing {next(number)}")
    return _timed(lambda: land(goal, commit))


def _commit(git: Git, size: int, files: int, text: str) -> str:
    """A commit on top of the branch, in which some files have another text."""
    head = git.text("rev-parse", "HEAD")
    index = git.with_index(git.common_dir / "bench.index")
    index.output("read-tree", head)
    blob = git.text("hash-object", "-w", "--stdin", stdin=text.encode())
    # Spread over the repository.
    places = range(0, size, max(1, size // files))
    entries = "".join(f"100644 {blob}\t{_name(place)}\n" for place in list(places)[:files])
    index.output("update-index", "--index-info", stdin=entries.encode())
    identity = {f"GIT_{who}_{what}": "bench" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return index.text("commit-tree", index.text("write-tree"), "-p", head, "-m", text, env=identity)


def _name(place: int) -> str:
    folder = place // FILES_IN_A_DIRECTORY
    return f"part_{folder // 50:03d}/module_{folder % 50:02d}/file_{place:06d}.py"


def _generate(repo: Path, size: int) -> Path:
    def run(*arguments: str, stdin: bytes = b"") -> None:
        subprocess.run(["git", *arguments], input=stdin, check=True, stdout=subprocess.DEVNULL)

    run("init", "--quiet", "--initial-branch=main", "--template=", str(repo))
    stream = [b"commit refs/heads/main\ncommitter bench <bench> 1700000000 +0000\ndata 5\nfirst\n"]
    for place in range(size):
        text = f"# {place}\n".encode() + b"value = 1\n" * 40
        stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (_name(place).encode(), len(text), text))
    run("-C", str(repo), "fast-import", "--quiet", stdin=b"".join(stream))
    run("-C", str(repo), "reset", "--quiet", "--hard")
    return repo


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(numbers[0] if numbers else 5, numbers[1:] or SIZES)
