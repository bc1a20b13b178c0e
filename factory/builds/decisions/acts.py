"""What a build does about a message, in the order given: each act is whole before the next. Pure values."""

from dataclasses import dataclass
from typing import TypeAlias

from factory.attempt.failure import Failure
from factory.builds.decisions.messages import NodeEntered
from factory.builds.decisions.tasks import Result, Retry
from factory.builds.state.attempts import RunEntry
from factory.builds.state.machine import OrderPhase


@dataclass(frozen=True)
class StartAttempts:
    """Start a work order.

    Attributes:
        order_id: the work order.
        on: the work orders whose results it starts from, in the plan's order.
        retry: the attempt before, if that failed when it was to land: then it starts from the branch's tip.
    """

    order_id: str
    on: tuple[str, ...]
    retry: Retry | None


@dataclass(frozen=True)
class StopTask:
    """Ask the task of a work order to stop."""

    order_id: str


@dataclass(frozen=True)
class StopEverything:
    """Ask every task to stop, and every later one, too."""


@dataclass(frozen=True)
class Keep:
    """Keep what a work order has made, for those that start from it and for its landing."""

    order_id: str
    result: Result


@dataclass(frozen=True)
class Merge:
    """Make the candidate; answered by `Merged` or `Collided` before any other message.

    Attributes:
        order_id: the work order.
        result: what its attempts came to.
        on: the work order whose candidate it is made on; None for the branch's tip.
    """

    order_id: str
    result: Result
    on: str | None


@dataclass(frozen=True)
class Examine:
    """Run the gates on the candidate."""

    order_id: str


@dataclass(frozen=True)
class Land:
    """Land what is first; answered by `LandingSucceeded` or `LandingRefused` before any other message."""

    order_id: str


@dataclass(frozen=True)
class RecordPhase:
    """A work order goes into another state."""

    order_id: str
    phase: OrderPhase


@dataclass(frozen=True)
class RecordNode:
    """A work order goes into the state that belongs to a node."""

    phase: OrderPhase
    entered: NodeEntered


@dataclass(frozen=True)
class RecordRun:
    """What was tried in a run, and why it failed if it did."""

    order_id: str
    run: RunEntry
    failure: Failure | None


@dataclass(frozen=True)
class RecordLanding:
    """A work order has landed."""

    order_id: str
    run_id: str
    commit: str


@dataclass(frozen=True)
class RetellFailure:
    """A run that had passed has failed after all."""

    run_id: str
    message: str
    failure: Failure


Act: TypeAlias = (
    StartAttempts
    | StopTask
    | StopEverything
    | Keep
    | Merge
    | Examine
    | Land
    | RecordPhase
    | RecordNode
    | RecordRun
    | RecordLanding
    | RetellFailure
)
