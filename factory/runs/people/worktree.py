"""A worktree and a branch of a person's own, with what a failed attempt proposed, and what they must know."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from factory.attempt.failure import Failure
from factory.configuration.committed import file_at
from factory.configuration.guarded_parts import Guard
from factory.contract.identity import contract_trailers
from factory.contract.proposal import WriteProposal
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Plan, WorkOrder
from factory.people.adoptions import OPENED_FOLDER, Opened, keep_opened, opened_in
from factory.repository.target import Refused, Target, require_outside
from factory.runs.nodes.tr import write_all
from factory.runs.people.brief import render_brief
from factory.runs.record.files import FAILURE_BRIEF, PROPOSAL, RUN
from factory.runs.record.folder import attempts_in
from factory.system.files.tree import Tree, write_atomic
from factory.system.git.client import Git
from factory.system.git.commits import landing_commits
from factory.system.terminal.console import one_line

_BRANCH: Final = "workorder"


@dataclass(frozen=True)
class Failed:
    """What came of an attempt that failed.

    Attributes:
        proposal: the last one that could be read; None if there is none.
        failure: why it failed; None if that is not known.
    """

    proposal: WriteProposal | None = None
    failure: Failure | None = None

    @classmethod
    def latest(cls, run: Path | None, contract: str) -> "Failed":
        """That of a run of a contract; nothing of another contract, or without a run."""
        record = RUN.read_sound(run) if run is not None else None
        if run is None or record is None or record.contract != contract:
            return cls()
        attempts = [path for _, path in reversed(attempts_in(run))]
        proposals = (PROPOSAL.read_sound(path) for path in attempts)
        failures = (FAILURE_BRIEF.read_sound(path) for path in attempts)
        return cls(next(filter(None, proposals), None), next(filter(None, failures), None))


@dataclass(frozen=True)
class Worktree:
    """What was opened.

    Attributes:
        opened: for the record.
        written: the proposed files that are there.
        left_out: why others are not, by their paths.
        brief: the file that tells what is to be done.
    """

    opened: Opened
    written: tuple[str, ...]
    left_out: dict[str, str]
    brief: Path


def open_worktree(
    goal: Target,
    order: WorkOrder,
    plan: Plan | None,
    failed: Failed,
    *,
    out: Path,
    at: Path | None,
    accepted: frozenset[RepoPath],
    author: str,
    adopt: str,
    now: Callable[[], str],
) -> Worktree:
    """Give a person a worktree on the branch's tip, where their work is to land.

    Args:
        goal: the branch.
        order: the work order.
        plan: the plan that it is a part of; None if there is none at hand.
        failed: what the last attempt came to.
        out: the output directory.
        at: where the worktree is to be; None for a place in the output directory.
        accepted: the files of the user's configuration whose change a person accepted.
        author: whose it is.
        adopt: the command that takes it.
        now: the time, for the record.

    Raises:
        Refused: the work order has landed, is open already, or there is no place for it.
        GitError, FileProblem: git failed, or the disk does not take it.
    """
    git = goal.git
    _refuse_done(goal, order, out)
    place = require_outside(at if at is not None else out / OPENED_FOLDER / order.id, git, "the worktree")
    place.parent.mkdir(parents=True, exist_ok=True)
    branch = _free_branch(git, order.id)
    git.output("worktree", "add", "--quiet", "-b", branch, str(place), goal.baseline)
    opened = Opened(
        work_order=order.id,
        place=str(place),
        branch=branch,
        base=goal.baseline,
        author=author,
        said=now(),
    )
    keep_opened(out, opened)
    guard = Guard(partial(file_at, git, goal.baseline), accepted)
    written, left_out = _apply(failed.proposal, order, Tree(place), guard)
    brief = out / OPENED_FOLDER / f"{order.id}.txt"
    text = render_brief(order, plan, opened, failed.failure, written, left_out, adopt)
    write_atomic(brief, text.encode("utf-8", "backslashreplace"))
    return Worktree(opened, written, left_out, brief)


def _refuse_done(goal: Target, order: WorkOrder, out: Path) -> None:
    landed = landing_commits(goal.git, goal.baseline, {order.id: contract_trailers(order)}).get(order.id)
    if landed is not None:
        raise Refused(f"{order.id} has landed as {landed.id[:12]}", where=goal.branch)
    opened = opened_in(out, order.id)
    if opened is not None:
        raise Refused(
            f"{order.id} is open already, by {one_line(opened.author)}",
            where=one_line(opened.place),
            hint="adopt what is there; or remove it by `git worktree remove`, and its branch"
            f" {opened.branch} by `git branch -D`, to begin anew",
        )


def _apply(
    proposal: WriteProposal | None, order: WorkOrder, files: Tree, guard: Guard
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Write what was proposed, each file by itself, by the door that every proposal goes through."""
    written: list[str] = []
    left_out: dict[str, str] = {}
    for write in proposal.writes if proposal is not None else ():
        result = write_all(WriteProposal(summary="", writes=(write,)), order, files, guard)
        if isinstance(result, Failure):
            left_out[write.path] = result.description
        else:
            written += result
    return tuple(written), left_out


def _free_branch(git: Git, order_id: str) -> str:
    names = (f"{_BRANCH}/{order_id}" + (f"-{number}" if number > 1 else "") for number in count(1))
    return next(name for name in names if git.commit_id(f"refs/heads/{name}") is None)
