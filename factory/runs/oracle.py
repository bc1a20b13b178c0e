"""Asks for a second opinion on the values that acceptance commands expect, from the requirements alone.

What is asked and what follows from the answer is decided in `attempt.oracle`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.attempt.oracle import (
    ORACLE_SCHEMA_NAME,
    ORACLE_TEMPLATE,
    Disagreement,
    disagreements,
    disputed,
    opinions_schema,
    question,
    read_opinions,
)
from factory.contract.documents import BadDocument
from factory.contract.strict_json import BadJson
from factory.contract.work_order import Requirement, WorkOrder
from factory.gates.step import Begins, Step, StepKind, unwatched
from factory.llm.port import FinishReason, Model, Parameters, ProviderError, Request
from factory.llm.spending.budget import BudgetReached
from factory.llm.template import transcript
from factory.plans.commands.expectations import Expectation, expectations
from factory.runs.record.files import OPINIONS_FOLDER
from factory.runs.record.folder import AttemptFolder, RunFolder
from factory.system.templates import template_path

_ASSERTION: Final = "AssertionError"


@dataclass(frozen=True)
class Oracle:
    """Whom a run asks for a second opinion, and on what.

    Attributes:
        order: the work order.
        requirements: those that it takes, with the specification's words; without any there is no opinion.
        model: who is asked.
        parameters: how.
        folder: where questions and answers go.
        progress: tells the user what happens now.
        begins: told what is done now.
    """

    order: WorkOrder
    requirements: Sequence[Requirement]
    model: Model
    parameters: Parameters
    folder: RunFolder
    progress: Callable[[str], None]
    begins: Begins = unwatched

    def dispute(self) -> Failure | None:
        """The first value that the work order's commands expect and that is disputed; None if none is."""
        for command in self.order.acceptance_commands:
            failure = self._dispute(command)
            if failure is not None:
                return failure
        return None

    def review(self, failure: Failure) -> Failure:
        """A failure of an attempt, or the plan's defect that it is instead.

        In question is only a comparison with a literal of the plan, where everything before it has passed:
        the verification, with the tests of the implementer.
        """
        is_comparison = (
            failure.stage is Stage.ACCEPTANCE_FAILED
            and failure.failure_class is FailureClass.MODEL_DEFECT
            and failure.where in self.order.acceptance_commands
            and failure.excerpt.rstrip().rpartition("\n")[2].startswith(_ASSERTION)
        )
        return (self._dispute(failure.where, failure.excerpt) if is_comparison else None) or failure

    def _dispute(self, command: str, printed: str = "") -> Failure | None:
        expected = expectations(command)
        if not expected or not self.requirements:
            return None
        number = self.order.acceptance_commands.index(command) + 1
        self.progress(f"asking for a second opinion on the values of acceptance command {number}")
        self.begins(Step(StepKind.OPINION, command))
        differences = self._differences(expected, number)
        return disputed(command, differences, self.requirements, printed) if differences else None

    def _differences(self, expected: Sequence[Expectation], number: int) -> tuple[Disagreement, ...]:
        """Where the model has another opinion; nowhere if it gives none that can be used."""
        messages = question(template_path(ORACLE_TEMPLATE).read_text("utf-8"), self.requirements, expected)
        request = Request(
            purpose="oracle",
            messages=messages,
            schema_name=ORACLE_SCHEMA_NAME,
            answer_schema=opinions_schema(),
            parameters=self.parameters,
            # The same question has the same answer in every attempt.
            attempt=1,
        )
        artifacts = AttemptFolder(self.folder.path / OPINIONS_FOLDER)
        artifacts.path.mkdir(parents=True, exist_ok=True)
        artifacts.text(f"question_{number}.txt", transcript(messages))
        try:
            answer = self.model.complete(request)
            artifacts.text(f"answer_{number}.txt", answer.text)
            if answer.finish_reason is not FinishReason.STOP:
                self.progress("the second opinion was broken off, and counts for nothing")
                return ()
            return disagreements(expected, read_opinions(answer.text))
        except (ProviderError, BudgetReached, BadJson, BadDocument) as error:
            self.progress(f"there is no second opinion: {error.headline}")
            return ()
