"""The port of trials: whoever asks does not know on which machine they run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from factory.gates.trial import PartResult
from factory.trials.conditions import Conditions
from factory.trials.request import TrialAnswer, TrialRequest


def ignore_beginning(_part: str) -> None:
    """Nobody listens."""


def ignore_end(_part: PartResult) -> None:
    """Nobody listens."""


class Trials(Protocol):
    """Runs trials; several threads may ask at once."""

    @property
    def are_elsewhere(self) -> bool:
        """Whether they run on other machines, which see for themselves what starts there."""
        ...

    def ask(
        self,
        request: TrialRequest,
        conditions: Conditions,
        folder: Path,
        begins: Callable[[str], None] = ignore_beginning,
        ended: Callable[[PartResult], None] = ignore_end,
    ) -> TrialAnswer:
        """Run one trial.

        Args:
            request: what is asked. For `Examine` and the questions about a base the checkout holds already
                what is judged; for the others it is put there.
            conditions: where and how.
            folder: gets the evidence: what commands printed; made if it is missing.
            begins: gets the name of each part of an examination before it runs.
            ended: gets what each part has found.

        Raises:
            WorkorderError: it can't be run, for a reason that is not what is tried.
            Stopped: the bench's stop asked for it.
        """
        ...

    def ask_all(
        self, requests: Sequence[tuple[TrialRequest, Path]], conditions: Conditions
    ) -> list[TrialAnswer]:
        """Run several trials that do not depend on each other; their answers in the same order.

        Args:
            requests: what is asked, and where the evidence of each goes.
            conditions: where and how.

        Raises:
            WorkorderError, Stopped: as `ask` raises them; the others are given up then.
        """
        ...
