"""Reads commits: which work order they say that they landed, and which files they changed.

Only trailers count: the same words elsewhere in a message prove nothing. What follows from it is for others.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from factory.system.git.client import Git, Recorded

WORK_ORDER: Final = "Work-Order"
CONTRACT: Final = "Contract"
RUN_ID: Final = "Run-Id"
VERDICT: Final = "Verdict"
KILL_SCORE: Final = "Kill-Score"
REMOVED_TESTS: Final = "Removed-Tests"
ACCEPTED: Final = "Accepted-Configuration"
"""A SHA-256 and a path: a person accepted that the file has this content."""

_KEYS: Final = (WORK_ORDER, CONTRACT, RUN_ID, VERDICT, KILL_SCORE, REMOVED_TESTS)
# Messages hold no NUL, and unfolded values no line break: no words can pass for another field or commit.
_FORMAT: Final = "%x00".join(
    ("%H", "%P", *(f"%(trailers:key={key},valueonly,unfold,separator=%x2C)" for key in _KEYS))
)


@dataclass(frozen=True)
class Commit:
    """A commit and what it says.

    Attributes:
        id: its full id.
        parent: the full id of its parent; empty if it has none, or several, whose lines it merges.
        trailers: the values of `WORK_ORDER`, `CONTRACT`, `RUN_ID`, `VERDICT`, `KILL_SCORE` and
            `REMOVED_TESTS`; empty where it has none. Several are joined by commas, which is no value that
            anybody looks for.
    """

    id: str
    parent: str
    trailers: Mapping[str, str]


def commits_naming(git: Git, revision: str) -> tuple[Commit, ...]:
    """The commits that `revision` reaches and whose message names a contract, the newest first.

    The message only has the words somewhere: what the trailers say is for the caller to compare.

    Args:
        git: the repository.
        revision: a commit or a ref.

    Raises:
        GitError: git failed.
    """
    recorded = Recorded.of(git, revision)
    return _remembered(recorded) if recorded.is_fixed else _naming(recorded)


def landing_commits(git: Git, revision: str, contracts: Mapping[str, Collection[str]]) -> dict[str, Commit]:
    """The newest commit that `revision` reaches of each work order that has landed with its present contract.

    A commit that reverts one changes nothing about that.

    Args:
        git: the repository.
        revision: a commit or a ref.
        contracts: the values of the trailer `Contract` that count, by the work orders' ids.

    Returns:
        The commits by the work order's id, the newest first.

    Raises:
        GitError: git failed.
    """
    landings: dict[str, Commit] = {}
    for commit in commits_naming(git, revision):
        name = commit.trailers[WORK_ORDER]
        if commit.trailers[CONTRACT] in contracts.get(name, ()):
            landings.setdefault(name, commit)
    return landings


def landing_of_run(git: Git, revision: str, run_id: str) -> str | None:
    """The newest commit that `revision` reaches and that a run landed; None if there is none.

    Raises:
        GitError: git failed.
    """
    commits = commits_naming(git, revision)
    return next((commit.id for commit in commits if commit.trailers[RUN_ID] == run_id), None)


def work_order_that_wrote(git: Git, revision: str, path: str) -> str | None:
    """The work order whose commit is the newest one that changed a file; None if it was no work order's.

    Raises:
        GitError: git failed.
    """
    commits = _log(git, revision, "--max-count=1", paths=(path,))
    return (commits[0].trailers[WORK_ORDER] or None) if commits else None


def latest_commits(git: Git, revision: str, count: int) -> tuple[Commit, ...]:
    """`revision` and what came before it along first parents, the newest first, at most `count`.

    Raises:
        GitError: git failed.
    """
    return _log(git, revision, "--first-parent", f"--max-count={count}")


def last_commit_changing(git: Git, revision: str, paths: Sequence[str]) -> Commit | None:
    """The newest commit that `revision` reaches and that gave one of the files its content; None if none did.

    Raises:
        GitError: git failed.
    """
    return next(iter(_log(git, revision, "--max-count=1", paths=paths)), None)


def accepted_contents(git: Git, revision: str) -> frozenset[str]:
    """The values of all `ACCEPTED` trailers of the commits that `revision` reaches.

    Raises:
        GitError: git failed.
    """
    trailers = f"%(trailers:key={ACCEPTED},valueonly,unfold)"
    grep = ("--fixed-strings", f"--grep={ACCEPTED}: ")
    return frozenset(
        os.fsdecode(git.output("log", *grep, f"--format={trailers}", revision, "--")).splitlines()
    )


def changed_files(git: Git, commits: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """The files that differ between each commit and its parent, by the commit's id.

    A commit with several parents changes nothing here, and neither does one without: of a shallow clone that
    would be every file.

    Args:
        git: the repository.
        commits: full ids.

    Returns:
        For each commit git's letter for what happened (`A` added, `M` modified, `D` deleted, `T` of another
        type) by the file's path, in the order of the paths.

    Raises:
        GitError: git failed.
    """
    asked = tuple(commits)
    by_commit: dict[str, dict[str, str]] = {commit: {} for commit in asked}
    how = ("diff-tree", "--stdin", "-r", "-z", "--no-renames", "--name-status")
    orders = "".join(f"{commit}\n" for commit in asked)
    parts = iter(os.fsdecode(git.output(*how, stdin=orders.encode("ascii"))).split("\0"))
    files: dict[str, str] = {}
    for part in parts:
        # A commit that changed something comes before its files; each letter is followed by a path.
        if len(part) > 1:
            files = by_commit[part]
        elif part:
            files[next(parts)] = part
    return {commit: dict(sorted(files.items())) for commit, files in by_commit.items()}


def files_before(files: frozenset[str], changes: Iterable[Mapping[str, str]]) -> frozenset[str]:
    """The files without those that commits added, as they were before the first of them.

    Args:
        files: the files that there are now.
        changes: what each commit changed, as `changed_files` has it, the newest commit first.
    """
    # How the first of them that touched a file changed it.
    first = {path: how for changed in changes for path, how in changed.items()}
    return files - {path for path, how in first.items() if how == "A"}


def _naming(recorded: Recorded) -> tuple[Commit, ...]:
    return _log(recorded.git, recorded.name, "--fixed-strings", f"--grep={CONTRACT}: ")


# All of a long history is read for it, and a run asks twice of its base.
_remembered = lru_cache(maxsize=1)(_naming)


def _log(git: Git, revision: str, *chosen: str, paths: Sequence[str] = ()) -> tuple[Commit, ...]:
    listing = git.output("log", *chosen, f"--format={_FORMAT}", revision, "--", *paths)
    commits = []
    for line in os.fsdecode(listing).split("\n"):
        commit, *rest = line.split("\0")
        if len(rest) == 1 + len(_KEYS):
            parents, *values = rest
            trailers = dict(zip(_KEYS, values, strict=True))
            commits.append(Commit(commit, "" if " " in parents else parents, trailers))
    return tuple(commits)
