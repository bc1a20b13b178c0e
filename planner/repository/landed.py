"""What a branch tells of a plan: which commits landed its work orders, what they wrote, what it started from.

Only reads.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.identity import contract_trailers
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Plan, WorkOrder
from factory.people.skips import skip_of, skips_of
from factory.plans.states.locks import files_to_come
from factory.plans.states.sources import NO_SOURCES, Sources
from factory.system.git.client import Git
from factory.system.git.commits import (
    KILL_SCORE,
    REMOVED_TESTS,
    VERDICT,
    Commit,
    changed_files,
    files_before,
    landing_commits,
)
from planner.repository.sources import committed_sources, present_sources, sources_of_one

_KILL_SCORE: Final = re.compile(
    r"acceptance (\d{1,9}) of \d{1,9}, verification (\d{1,9}) of \d{1,9}", re.ASCII
)


class NoSuchBranch(WorkorderError):
    """A revision that the repository does not have."""


@dataclass(frozen=True)
class Landing:
    """A commit that landed a work order, and how well that is proven.

    Attributes:
        commit: its full id.
        verdict: how it is known that the acceptance commands passed: `report`, `completion` or `exit-code`,
            the weakest of them; empty if the commit does not say.
        kill_score: how many changes of what was written acceptance and verification noticed; empty if none
            were tried.
        removed_tests: how many tests that passed before it removed; empty if none.
    """

    commit: str
    verdict: str = ""
    kill_score: str = ""
    removed_tests: str = ""

    @property
    def known_by(self) -> str:
        """How it is known that it was done, a clause; empty if the commit does not say."""
        return f"by {self.verdict.replace('-', ' ')}" if self.verdict else ""

    @property
    def removal(self) -> str:
        """That tests which passed before are gone, a clause; empty if none are."""
        count = self.removed_tests
        return f"removed tests: {count}" if count.isascii() and count.isdigit() and len(count) < 10 else ""

    @property
    def weakness(self) -> str:
        """That acceptance by itself noticed no change; empty if nothing is known of that."""
        numbers = _KILL_SCORE.fullmatch(self.kill_score)
        is_weak = numbers is not None and int(numbers[1]) == 0 < int(numbers[2])
        return f"weak acceptance: {self.kill_score}" if is_weak else ""

    @property
    def silence(self) -> str:
        """That changes were tried and nothing noticed one; empty if something did or nothing is known."""
        numbers = _KILL_SCORE.fullmatch(self.kill_score)
        is_silent = numbers is not None and int(numbers[1]) == 0 == int(numbers[2])
        return f"not proven: {self.kill_score}" if is_silent else ""


@dataclass(frozen=True)
class LandedPlan:
    """A repository that holds a part of a plan's results.

    Attributes:
        commits: the commit that landed each work order, by the work order's id, in the plan's order.
        written: the files that it changed, by the work order's id.
        files: the tracked files that the plan starts from: those of now without those that work orders added,
            and those that locking the repository's packages adds.
        sources: the repository as it is now, with what has landed.
    """

    commits: Mapping[str, str]
    written: Mapping[str, frozenset[str]]
    files: frozenset[str]
    sources: Sources

    def writes(self, plan: Plan) -> tuple[frozenset[str], ...]:
        """For each work order of the plan the files that it has written or, not landed, may write."""
        return tuple(self.written.get(order.id, frozenset(order.allowed_files)) for order in plan.work_orders)


NOTHING_LANDED: Final = LandedPlan({}, {}, frozenset(), NO_SOURCES)
"""Where no repository was named."""


def landings(repo: Path, plan: Plan, branch: str | None = None) -> dict[str, Landing]:
    """The newest landing of each work order that has landed with its present contract, by id.

    Args:
        repo: the root of the repository.
        plan: the plan.
        branch: where to look; None for the checkout's HEAD.

    Returns:
        The landings, the newest first.

    Raises:
        NotARepository: `repo` is not the root of a git work tree.
        NoSuchBranch: `branch` names no commit.
        GitError: git failed.
    """
    git = Git.open(repo)
    return {
        name: Landing(
            commit.id, commit.trailers[VERDICT], commit.trailers[KILL_SCORE], commit.trailers[REMOVED_TESTS]
        )
        for name, commit in _commits(git, plan.work_orders, _tip(git, branch)).items()
    }


def left_out(repo: Path, plan: Plan) -> dict[str, str]:
    """Why a person leaves work orders out, by their ids.

    Raises:
        NotARepository: `repo` is not the root of a git work tree.
        FileProblem, BadJson, BadDocument: what is left out can't be read.
    """
    skips = skips_of(Git.open(repo).common_dir)
    return {order.id: skip.reason for order in plan.work_orders if (skip := skip_of(skips, order))}


def landed_plan(
    repo: Path, plan: Plan | None, branch: str | None = None, project: RepoPath | None = None
) -> LandedPlan:
    """What a repository holds of a plan, and what the plan starts from there.

    What the user committed, before or in between, is a part of what it starts from. Without a branch that is
    the checkout with its tracked files, as for a plan that is new.

    Args:
        repo: the root of the repository.
        plan: the plan; None for one that can't be read, of which nothing has landed.
        branch: where to look; None for the checkout.
        project: the directory that is the only project; None to ask the configuration.

    Raises:
        NotARepository: `repo` is not the root of a git work tree.
        NoSuchBranch: `branch` names no commit.
        WorkorderError: no file of the repository lies in the directory of the project.
        GitError: git failed.
    """
    git = Git.open(repo)
    tip = _tip(git, branch)
    orders = () if plan is None else plan.work_orders
    landed = {name: commit.id for name, commit in _commits(git, orders, tip).items()}
    changed = changed_files(git, landed.values())
    sources = present_sources(repo) if branch is None or tip is None else committed_sources(git, tip)
    before = files_before(sources.files, [changed[commit] for commit in landed.values()])
    of_one = sources_of_one(sources, project)
    return LandedPlan(
        commits={order.id: landed[order.id] for order in orders if order.id in landed},
        written={name: frozenset(changed[commit]) for name, commit in landed.items()},
        files=before | files_to_come(of_one),
        sources=of_one,
    )


def _commits(git: Git, orders: Sequence[WorkOrder], tip: str | None) -> dict[str, Commit]:
    if tip is None:
        return {}
    contracts = {order.id: contract_trailers(order) for order in orders}
    return landing_commits(git, tip, contracts)


def _tip(git: Git, branch: str | None) -> str | None:
    """The commit to look at; None if the repository has none."""
    tip = git.commit_id(branch if branch is not None else "HEAD")
    if tip is None and branch is not None:
        raise NoSuchBranch("there is no such branch", where=f"--branch {branch}")
    return tip
