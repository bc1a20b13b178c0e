"""What a passed attempt made, on its way through the landing queue."""

from dataclasses import dataclass, replace

from factory.attempt.commit_message import commit_message
from factory.attempt.failure import Failure, Stage
from factory.builds.branch.trees import Changes, Trees, tree_of
from factory.builds.worker import LandingTask, Result
from factory.contract.canonical import contract_hash
from factory.contract.work_order import WorkOrder
from factory.repository.target import Target
from factory.system.terminal.console import listed


@dataclass(frozen=True)
class Candidate:
    """What a passed attempt made.

    Attributes:
        order: the work order.
        result: of its task.
        made: the change from its base.
        merged: the tree that it makes of the tip, once its gates have passed on that, too.
        commit: the commit with that tree.
    """

    order: WorkOrder
    result: Result
    made: Changes
    merged: str | None = None
    commit: str | None = None

    def on_tip(self, goal: Target, trees: Trees) -> "Candidate":
        """The candidate with the commit that it would be on the branch as it is now.

        Raises:
            GitError: git failed.
        """
        assert self.result.proposal is not None
        merged = trees.with_changes(tree_of(goal.git, goal.baseline), self.made)
        summary = self.result.proposal.summary
        message = commit_message(self.order, summary, contract_hash(self.order), self.result.run_id)
        commit = goal.git.text(
            "commit-tree", merged, "-p", goal.baseline, "-F", "-", stdin=message.encode("utf-8")
        )
        return replace(self, merged=merged, commit=commit)

    def landing_task(self) -> LandingTask:
        """The task that runs the gates on the merged tree."""
        assert self.commit is not None
        assert self.merged is not None
        return LandingTask(
            order=self.order,
            run_id=self.result.run_id,
            attempt=self.result.attempt,
            candidate=self.commit,
            tree=self.merged,
        )


def stale(paths: tuple[str, ...]) -> Failure:
    """Why a candidate can't land whose files another work order has written meanwhile."""
    return Failure.model_defect(
        Stage.STALE_CONTEXT,
        f"a work order that landed before wrote the same files: {listed(paths)}",
        where=paths[0],
        hint="propose the change again, for the files as they are now",
    )
