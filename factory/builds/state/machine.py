"""The state machine of a build and of its work orders, in one table each. Pure.

A transition that is not in the table is a bug, not a user's mistake: it raises. The states of a work order
map onto a run's nodes: SE is `generating` in the first attempt and `patching` in a later one, TR and PO are
`testing`, and so is a passed attempt that waits for its turn to land; finalize decides what follows.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeVar


class BuildPhase(StrEnum):
    """Where a build stands."""

    INIT = "init"
    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class OrderPhase(StrEnum):
    """Where a work order stands."""

    PENDING = "pending"
    GENERATING = "generating"
    TESTING = "testing"
    PATCHING = "patching"
    LANDED = "landed"
    FAILED = "failed"
    BLOCKED = "blocked"
    SKIPPED = "skipped"


UNDER_WAY: Final = (OrderPhase.GENERATING, OrderPhase.TESTING, OrderPhase.PATCHING)
"""The states of a work order that has begun and has not ended."""

BUILD_TRANSITIONS: Final[Mapping[BuildPhase, frozenset[BuildPhase]]] = {
    # → interrupted: it is refused before anything is begun.
    BuildPhase.INIT: frozenset({BuildPhase.RUNNING, BuildPhase.INTERRUPTED}),
    # running → running: the process was killed and the build is started again.
    BuildPhase.RUNNING: frozenset(
        {BuildPhase.RUNNING, BuildPhase.COMPLETE, BuildPhase.FAILED, BuildPhase.INTERRUPTED}
    ),
    # An ended build is resumed: with more attempts, more money, or another plan.
    BuildPhase.COMPLETE: frozenset({BuildPhase.RUNNING, BuildPhase.INTERRUPTED}),
    BuildPhase.FAILED: frozenset({BuildPhase.RUNNING, BuildPhase.INTERRUPTED}),
    BuildPhase.INTERRUPTED: frozenset({BuildPhase.RUNNING, BuildPhase.INTERRUPTED}),
}

ORDER_TRANSITIONS: Final[Mapping[OrderPhase, frozenset[OrderPhase]]] = {
    # pending → landed: its commit is found on the branch.
    OrderPhase.PENDING: frozenset(
        {
            OrderPhase.GENERATING,
            OrderPhase.LANDED,
            OrderPhase.FAILED,
            OrderPhase.BLOCKED,
            OrderPhase.SKIPPED,
        }
    ),
    # → pending: the build was interrupted, or a dependency has to be made again.
    OrderPhase.GENERATING: frozenset(
        {OrderPhase.TESTING, OrderPhase.PATCHING, OrderPhase.FAILED, OrderPhase.BLOCKED, OrderPhase.PENDING}
    ),
    OrderPhase.TESTING: frozenset(
        {
            OrderPhase.PATCHING,
            OrderPhase.LANDED,
            OrderPhase.FAILED,
            OrderPhase.BLOCKED,
            OrderPhase.PENDING,
        }
    ),
    OrderPhase.PATCHING: frozenset(
        {OrderPhase.TESTING, OrderPhase.PATCHING, OrderPhase.FAILED, OrderPhase.BLOCKED, OrderPhase.PENDING}
    ),
    # landed → pending: the plan was replaced by one with another contract, or the branch was moved back.
    OrderPhase.LANDED: frozenset({OrderPhase.PENDING}),
    OrderPhase.FAILED: frozenset({OrderPhase.PENDING}),
    OrderPhase.BLOCKED: frozenset({OrderPhase.PENDING}),
    # skipped → pending: every pass asks anew what a person leaves out.
    OrderPhase.SKIPPED: frozenset({OrderPhase.PENDING}),
}

PhaseT = TypeVar("PhaseT", BuildPhase, OrderPhase)


class IllegalTransition(Exception):
    """A transition that the table does not allow: a bug in the build."""


def next_build_phase(current: BuildPhase, wanted: BuildPhase) -> BuildPhase:
    """`wanted`, if the table allows it after `current`.

    Raises:
        IllegalTransition: it does not.
    """
    return _allowed(BUILD_TRANSITIONS, current, wanted)


def next_order_phase(current: OrderPhase, wanted: OrderPhase) -> OrderPhase:
    """`wanted`, if the table allows it after `current`.

    Raises:
        IllegalTransition: it does not.
    """
    return _allowed(ORDER_TRANSITIONS, current, wanted)


def _allowed(table: Mapping[PhaseT, frozenset[PhaseT]], current: PhaseT, wanted: PhaseT) -> PhaseT:
    if wanted not in table[current]:
        raise IllegalTransition(f"{current} → {wanted}")
    return wanted
