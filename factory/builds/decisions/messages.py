"""What a build is told, by workers, by its landing queue and by the clock. Pure values."""

from dataclasses import dataclass
from typing import TypeAlias

from factory.attempt.failure import Failure
from factory.builds.decisions.tasks import Halt, Result
from factory.builds.state.attempts import RunEntry


@dataclass(frozen=True)
class Began:
    """The build begins."""


@dataclass(frozen=True)
class NodeEntered:
    """An attempt has come to a node.

    Attributes:
        order_id: the work order.
        node: the node's name.
        attempt: the number of the attempt.
        failure: why the attempt before failed; None without one.
        run: what was tried so far.
    """

    order_id: str
    node: str
    attempt: int
    failure: Failure | None
    run: RunEntry


@dataclass(frozen=True)
class AttemptsEnded:
    """The attempts of a work order on one base have ended, well or not."""

    order_id: str
    result: Result


@dataclass(frozen=True)
class Merged:
    """The candidate of a work order is made: what the branch's tip would be after those before it.

    Attributes:
        order_id: the work order.
        proven: whether its tree is the one that the gates have passed on.
    """

    order_id: str
    proven: bool


@dataclass(frozen=True)
class Collided:
    """No candidate can be made: another work order has written the same files."""

    order_id: str
    failure: Failure


@dataclass(frozen=True)
class ExaminationEnded:
    """The gates have run on a candidate."""

    order_id: str
    result: Result


@dataclass(frozen=True)
class LandingSucceeded:
    """A candidate is the branch's tip."""

    order_id: str
    commit: str


@dataclass(frozen=True)
class LandingRefused:
    """The user's checkout or branch does not take a candidate."""

    order_id: str
    why: Halt


@dataclass(frozen=True)
class DeadlineCame:
    """The time is up."""


Message: TypeAlias = (
    Began
    | NodeEntered
    | AttemptsEnded
    | Merged
    | Collided
    | ExaminationEnded
    | LandingSucceeded
    | LandingRefused
    | DeadlineCame
)
