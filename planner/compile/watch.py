"""What whoever watches a compile is told while it goes on. Values; nothing is decided by them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from factory.llm.port import Usage
from factory.plans.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True)
class Asked:
    """The model is asked now; in one attempt it may be more than once.

    Attributes:
        attempt: in which attempt, from 1.
    """

    attempt: int


@dataclass(frozen=True)
class Answered:
    """It has answered, and the answer is looked at.

    Attributes:
        usage: what the answer used.
        from_ledger: whether it had been stored before.
    """

    usage: Usage
    from_ledger: bool


@dataclass(frozen=True)
class Judged:
    """An answer was checked.

    Attributes:
        attempt: of which attempt.
        diagnostics: what was found.
        is_json: whether the answer could be read at all.
    """

    attempt: int
    diagnostics: tuple[Diagnostic, ...]
    is_json: bool


Happening: TypeAlias = Asked | Answered | Judged
Watch: TypeAlias = Callable[[Happening], None]


def nobody(_happening: Happening) -> None:
    """Nobody watches."""
