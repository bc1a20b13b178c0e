"""That a person has read and approved a plan: an annotated tag, which travels with a push.

Its message names the plan and the contract of each work order that is approved by it, so that of a revision
only what is new needs another. Nothing that a model wrote can make one: commands never see the repository.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.identity import contract_trailers, plan_hash
from factory.contract.work_order import Plan, WorkOrder
from factory.system.git.client import Git, GitError, said

_TAGS: Final = "refs/tags/workorder/approved"
_DIGITS: Final = 12
_SECONDS: Final = 30.0
"""How long a signature may take, where the user's git signs tags."""
_LINE: Final = re.compile(r"^Contract: WO-\d+ (2:[0-9a-f]{64})$", re.ASCII | re.MULTILINE)
_NAMED: Final = 5


class NotApproved(WorkorderError):
    """A plan, or a part of it, that no person has approved."""


@dataclass(frozen=True)
class Approval:
    """What was approved.

    Attributes:
        tag: the name of the tag; empty if nothing was left to approve.
        orders: the work orders that it approves, in the plan's order.
    """

    tag: str
    orders: tuple[WorkOrder, ...]


def approve(git: Git, plan: Plan) -> Approval:
    """Approve what of a plan is not approved yet.

    Args:
        git: the repository; the tag is at the commit that is checked out.
        plan: the plan.

    Raises:
        GitError: the tag can't be made: there is no commit, the user is not known to git, or can't sign.
    """
    new = unapproved(git, plan.work_orders)
    if not new:
        return Approval("", ())
    hashed = plan_hash(plan)
    tag = f"{_TAGS.removeprefix('refs/tags/')}/{hashed[:_DIGITS]}"
    contracts = "".join(f"Contract: {order.id} {contract_trailers(order)[0]}\n" for order in plan.work_orders)
    message = f"Approve the plan {hashed[:_DIGITS]}\n\nPlan: {hashed}\n{contracts}"
    # With force: this plan was approved before, and somebody took a tag away that it needs, too.
    done = git.call(
        "tag", "--annotate", "--force", "--cleanup=verbatim", "--file=-", tag, "HEAD",
        stdin=message.encode(), seconds=_SECONDS,
    )  # fmt: skip
    if not done.ok or done.timed_out:
        raise GitError(f"the tag {tag} can't be made: {said(done)}", where=str(git.work_tree))
    return Approval(tag, new)


def unapproved(git: Git, orders: Sequence[WorkOrder]) -> tuple[WorkOrder, ...]:
    """The work orders whose contract no approval names.

    Raises:
        GitError: git failed.
    """
    approved = _contracts(git)
    return tuple(order for order in orders if contract_trailers(order)[0] not in approved)


def require_approved(git: Git, orders: Sequence[WorkOrder]) -> None:
    """Refuse work orders that nobody has approved.

    Raises:
        NotApproved: one is not.
        GitError: git failed.
    """
    missing = unapproved(git, orders)
    if missing:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        raise NotApproved(
            f"nobody has approved {', '.join(_names(missing))}{more}",
            where=str(git.work_tree),
            hint="read the plan (planner show PLAN), then: planner approve PLAN --repo REPO",
        )


def _names(orders: Iterable[WorkOrder]) -> list[str]:
    return [order.id for order in orders][:_NAMED]


def _contracts(git: Git) -> frozenset[str]:
    listed = git.output("for-each-ref", "--format=%(objecttype)%00%(contents)%00", _TAGS)
    parts = listed.decode("utf-8", "replace").split("\0")
    kinds, messages = parts[::2], parts[1::2]
    return frozenset(
        contract
        for kind, message in zip(kinds, messages, strict=False)
        # A tag without a message of its own shows that of its commit, which a model may have written.
        if kind.strip() == "tag"
        for contract in _LINE.findall(message)
    )
