"""What the branch says about a plan: which work orders are done, and what a build starts from. Only reads."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from factory.build.trees import Changes, changes
from factory.contract.canonical import contract_hash
from factory.contract.work_order import Plan
from factory.system.git import Git

_KEYS: Final = ("Work-Order", "Contract", "Run-Id")
_FORMAT: Final = "%x00".join(
    ("%H", "%P", *(f"%(trailers:key={key},valueonly,unfold,separator=%x2C)" for key in _KEYS))
)
_FIELDS: Final = 2 + len(_KEYS)


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
        found = self.landed[order_id]
        return changes(git, found.parent, found.commit)


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
    contracts = {order.id: contract_hash(order) for order in plan.work_orders}
    landed: dict[str, Landed] = {}
    for order_id, contract, found in _commits(git, tip, "--fixed-strings", "--grep=Contract: "):
        if contracts.get(order_id) == contract:
            landed.setdefault(order_id, found)
    base, above = tip, []
    for order_id, contract, found in _commits(git, tip, "--first-parent", f"--max-count={len(contracts)}"):
        own = contracts.get(order_id) == contract and landed.get(order_id) == found
        if not own or not found.parent:
            break
        above.append(order_id)
        base = found.parent
    return History(tip, base, landed, tuple(reversed(above)))


def _commits(git: Git, tip: str, *chosen: str) -> list[tuple[str, str, Landed]]:
    """Work order, contract and the rest of each commit, the newest first; empty texts where it has none."""
    listing = git.output("log", *chosen, f"--format={_FORMAT}", tip, "--")
    found = []
    for line in os.fsdecode(listing).split("\n"):
        fields = line.split("\0")
        if len(fields) == _FIELDS:
            commit, parents, order_id, contract, run_id = fields
            # What merges two lines is none of ours.
            parent = "" if " " in parents else parents
            found.append((order_id, contract, Landed(commit, parent, run_id)))
    return found
