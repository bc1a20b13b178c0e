"""What whoever watches a build is told beside its events: what is done right now. Values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from factory.gates.step import Step


@dataclass(frozen=True)
class Doing:
    """What is done now.

    Attributes:
        order_id: for which work order; empty for the base that all start from.
        step: what; None if nothing is done any more.
    """

    order_id: str
    step: Step | None


Watch: TypeAlias = Callable[[Doing], None]
"""Told what is done now. Who watches a build is told by the thread of its loop alone."""


def nobody(_doing: Doing) -> None:
    """Nobody watches."""
