"""What is done right now, as a value, for who watches: nothing is decided by it, or recorded."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class StepKind(StrEnum):
    """What is done in a step."""

    PREPARING = "preparing"
    PROBE = "probe"
    ASKING = "asking"
    OPINION = "second opinion"
    CHECK = "check"
    ACCEPTANCE = "acceptance"
    MUTANT = "mutant"
    WAITING = "waiting"
    TRIAL = "trial"


class Occasion(StrEnum):
    """Why checks run: for an attempt, once more to see whether they are stable, on the tip to be."""

    ATTEMPT = ""
    SECOND_PASS = "second pass"  # noqa: S105, it is no password
    LANDING = "on the tip"


@dataclass(frozen=True)
class Step:
    """What is done now. Its subject may be text of a model: who shows it makes it harmless.

    Attributes:
        kind: what is done.
        subject: whom or what it is about: a command, a check's name, a model, a changed line; of waiting, the
            work order that lands before; of a trial elsewhere, what it is and which worker has it. Empty if
            there is nothing to name.
        number: which of several it is, from 1; 0 if it is the only one.
        total: how many there are.
        occasion: why checks run.
    """

    kind: StepKind
    subject: str = ""
    number: int = 0
    total: int = 0
    occasion: Occasion = Occasion.ATTEMPT


Begins: TypeAlias = Callable[[Step], None]
"""Told when a step begins; called in any thread, must be quick and must not raise."""


def unwatched(_step: Step) -> None:
    """Nobody watches."""
