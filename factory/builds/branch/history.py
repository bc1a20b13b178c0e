"""What the branch says about a plan: which work orders are done, and what a build starts from. Only reads."""

from collections.abc import Mapping
from dataclasses import dataclass

from factory.contract.identity import contract_trailers
from factory.contract.work_order import Plan
from factory.system.git.changes import Changes, changes
from factory.system.git.client import Git
from factory.system.git.commits import RUN_ID, landing_commits, latest_commits


@dataclass(frozen=True)
class Landed:
    """A commit that holds a work order's result."""

    commit: str
    parent: str
    run_id: str


@dataclass(frozen=True)
class History:
    """Where a plan stands on a branch.

    Attributes:
        tip: the branch's newest commit.
        base: the newest commit that no work order of this plan made: what the build starts from.
        landed: the newest commit of each work order that is done.
        above_base: those of them that came after the base, in the order of their landing.
    """

    tip: str
    base: str
    landed: Mapping[str, Landed]
    above_base: tuple[str, ...]

    def made_by(self, git: Git, order_id: str) -> Changes:
        """What a work order of `above_base` changed."""
        landed = self.landed[order_id]
        return changes(git, landed.parent, landed.commit)


def history(git: Git, tip: str, plan: Plan) -> History:
    """Read the branch.

    A work order counts as done if a commit that `tip` reaches names it and its contract. The base is found by
    going back from the tip over the commits that this plan's work orders made; so a commit of the user's in
    between is part of what the rest of the build starts from.

    Args:
        git: the repository.
        tip: the branch's newest commit.
        plan: the plan.
    """
    contracts = {order.id: contract_trailers(order) for order in plan.work_orders}
    landed = {
        name: Landed(commit.id, commit.parent, commit.trailers[RUN_ID])
        for name, commit in landing_commits(git, tip, contracts).items()
    }
    ours = {made.commit: order_id for order_id, made in landed.items()}
    base, above = tip, []
    for commit in latest_commits(git, tip, len(contracts)):
        if commit.id not in ours or not commit.parent:
            break
        above.append(ours[commit.id])
        base = commit.parent
    return History(tip, base, landed, tuple(reversed(above)))
