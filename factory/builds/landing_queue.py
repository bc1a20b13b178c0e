"""What work orders have made, on its way to the branch: bases of others, candidates, landings.

A candidate is made on the branch's tip, or on the candidate of the work order before it.

Whose turn it is, and what follows, is for `decisions`. For one thread.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Final

from factory.attempt.commit.authorship import Authorship
from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, Stage
from factory.builds.branch.history import History
from factory.builds.branch.trees import Trees, collisions, tree_of
from factory.builds.decisions.messages import Collided, LandingRefused, LandingSucceeded, Merged
from factory.builds.decisions.tasks import Halt, LandingTask, Result
from factory.builds.passed_tests import PassedTests
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.repository.commit import make_commit, signs
from factory.repository.landing import LandingFailed, land
from factory.repository.target import Target
from factory.system.git.changes import Changes, changes
from factory.system.terminal.console import listed


class LandingQueue:
    """The results of a build's work orders, and the branch that they land on.

    Args:
        goal: the branch.
        history: where the plan stands on it.
        trees: makes bases and candidates.
        environments: the hashes of the environments in which its attempts pass, by the directories of
            projects; None for the root.
        accepted: the files of the user's configuration whose change a person accepted.
        co_authors: whom its commits name beside the user.
        passed: which tests passed on the base and in attempts.
    """

    def __init__(
        self,
        goal: Target,
        history: History,
        trees: Trees,
        environments: Mapping[RepoPath | None, str],
        accepted: Set[RepoPath] = frozenset(),
        co_authors: tuple[str, ...] = (),
        passed: PassedTests | None = None,
    ) -> None:
        self._git: Final = goal.git
        self._signed: Final = signs(goal.git)
        self._goal = replace(goal, baseline=history.tip)
        self._base = history.base
        self._trees = trees
        self._environments = environments
        self._accepted = accepted
        self._co_authors = co_authors
        self._made: dict[str, Changes] = {
            order_id: history.made_by(goal.git, order_id) for order_id in history.above_base
        }
        self._candidates: dict[str, LandingTask] = {}
        self._passed = PassedTests() if passed is None else passed
        self._above_base: tuple[str, ...] = history.above_base
        self._before: dict[str, tuple[str, ...]] = {}
        for order_id, made in self._made.items():
            self._passed.keep(order_id, made, history.landed[order_id].run_id)

    @property
    def tip(self) -> str:
        """The branch's newest commit."""
        return self._goal.baseline

    @property
    def branch(self) -> str:
        """The branch's name."""
        return self._goal.branch

    def candidate(self, order_id: str) -> LandingTask:
        """What was made last to land a work order, and what its gates need."""
        return self._candidates[order_id]

    def keep(self, order_id: str, result: Result) -> None:
        """Keep what a passed attempt has made.

        Raises:
            GitError: git failed.
        """
        assert result.tree is not None
        self._made[order_id] = changes(self._git, result.baseline, result.tree)
        self._passed.keep(order_id, self._made[order_id], result.run_id)

    def base(self, order_id: str, on: Sequence[str]) -> str:
        """The commit that a work order starts from.

        Args:
            order_id: the work order.
            on: those whose results it starts from, in the plan's order.

        Raises:
            GitError: git failed.
        """
        # What landed below the base is in it.
        made = [self._made[name] for name in on if name in self._made]
        return self._trees.base(self._base, made, f"What {order_id} starts from")

    def passed_tests(self, on: Sequence[str] | None) -> tuple[str, ...]:
        """The ids of the tests that passed on a base, as far as reports tell.

        Args:
            on: the work orders whose results it holds, in the plan's order; None for the branch as it is.
        """
        return self._passed.after(self._above_base if on is None else on)

    def merge(self, order: WorkOrder, result: Result, on: str | None) -> Merged | Collided:
        """Make the commit that a passed attempt would be on the branch.

        Args:
            order: the work order.
            result: what its attempts came to.
            on: the work order whose candidate will have landed by then; None for the branch as it is now.

        Raises:
            LandingFailed: the commit can't be signed.
            GitError: git failed.
        """
        made = self._made[order.id]
        below = None if on is None else self.candidate(on)
        parent = self.tip if below is None else below.commit
        colliding = collisions(self._git, parent, made)
        if colliding:
            return Collided(order.id, _stale(colliding))
        assert result.proposal is not None
        tree = self._trees.with_changes(below.tree if below else tree_of(self._git, parent), made)
        commit = make_commit(
            self._git,
            order,
            summaries=result.proposal.summaries,
            run_id=result.run_id,
            known_by=result.known_by,
            environment=self._environments[order.project],
            authorship=Authorship(result.generated_by, co_authors=self._co_authors),
            tree=tree,
            parent=parent,
            accepted=self._accepted,
            scores=result.scores,
            removed=result.removed,
            signed=self._signed,
        )
        self._before[order.id] = self._above_base if on is None else (*self._before[on], on)
        passed = self._passed.after(self._before[order.id])
        self._candidates[order.id] = LandingTask(order, result.run_id, result.attempt, commit, tree, passed)
        return Merged(order.id, proven=tree == result.tree)

    def land(self, order_id: str) -> LandingSucceeded | LandingRefused:
        """Move the branch to the candidate, which was made on its tip.

        Raises:
            GitError: git failed.
        """
        commit = self.candidate(order_id).commit
        try:
            # Nothing that it changed has changed since, or it would have collided.
            land(self._goal, commit, self._made[order_id])
        except LandingFailed as error:
            why = Halt(ExitCode.ENVIRONMENT, error.headline, error.hint)
            return LandingRefused(order_id, why)
        self._above_base = (*self._above_base, order_id)
        del self._candidates[order_id]
        self._goal = replace(self._goal, baseline=commit, exists=True)
        return LandingSucceeded(order_id, commit)


def _stale(paths: tuple[str, ...]) -> Failure:
    """Why a candidate can't land whose files another work order has written meanwhile."""
    return Failure.model_defect(
        Stage.STALE_CONTEXT,
        f"a work order that landed before wrote the same files: {listed(paths)}",
        where=paths[0],
        hint="propose the change again, for the files as they are now",
    )
