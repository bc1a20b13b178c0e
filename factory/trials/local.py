"""Trials in the caller's own thread and checkout."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from factory.gates.step import Step, StepKind, unwatched
from factory.gates.trial import PartResult
from factory.trials.conditions import Conditions
from factory.trials.conduct import conduct
from factory.trials.port import ignore_beginning, ignore_end
from factory.trials.request import Mutate, TrialAnswer, TrialRequest


class LocalTrials:
    """Runs each trial where it is asked for, one after the other; see `Trials`."""

    are_elsewhere = False

    def ask(
        self,
        request: TrialRequest,
        conditions: Conditions,
        folder: Path,
        begins: Callable[[str], None] = ignore_beginning,
        ended: Callable[[PartResult], None] = ignore_end,
    ) -> TrialAnswer:
        return conduct(request, conditions, folder, begins, ended)

    def ask_all(
        self, requests: Sequence[tuple[TrialRequest, Path]], conditions: Conditions
    ) -> list[TrialAnswer]:
        # Of the checks of a mutant nobody needs to know which runs.
        unseen = replace(conditions, bench=replace(conditions.bench, begins=unwatched))
        answers = []
        for number, (request, folder) in enumerate(requests, start=1):
            if isinstance(request.question, Mutate):
                changed = ", ".join(request.changed_lines)
                conditions.bench.begins(Step(StepKind.MUTANT, changed, number, len(requests)))
            answers.append(self.ask(request, unseen, folder))
        return answers
