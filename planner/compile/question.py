"""What a model is asked for: a new plan. The other question, a revision, is in `amending`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan, WorkOrder
from factory.llm.port import Message
from planner.compile.manifest_schema import correction_schema, manifest_schema
from planner.revision.amendment import Amendment
from planner.specification.spec import Spec


@dataclass(frozen=True)
class Further:
    """What a model asked to see before it answers.

    Attributes:
        names: the ids of what it asked for, as it gave them.
        message: what it is shown.
    """

    names: tuple[str, ...]
    message: Message


class Question(Protocol):
    """In what the question for a new plan and that for a revision differ."""

    @property
    def amendment(self) -> Amendment | None:
        """What the answer is held against; None for a new plan."""

    @property
    def given(self) -> WorkOrder | None:
        """The work order that the plan begins with and that the model only names; None for none."""

    @property
    def message(self) -> Message | None:
        """What the model is told beyond the question for a new plan."""

    @property
    def before_sha256(self) -> str | None:
        """The hash of the specification that the plan before was made from, if there is one."""

    @property
    def spec_text(self) -> str | None:
        """The text of that specification, if it is known."""

    def schema(self, projects: Sequence[str], *, corrects: bool = False) -> JsonObject:
        """The JSON schema of the answers, where work orders name one of these projects.

        Args:
            projects: the directories of these.
            corrects: whether the answer corrects one.
        """

    def shown_lines(self, spec: Spec) -> frozenset[int] | None:
        """The numbers of the specification's lines that the model is shown; None for all."""

    def further(self, answer: str, spec: Spec | None) -> Further | None:
        """What an answer asks to see, instead of being one; None of one that asks for nothing."""

    def numbered(self, plan: Plan) -> Plan:
        """The plan with its number among the revisions."""

    def changes_log(self, plan: Plan) -> str | None:
        """The record of changes of a numbered plan; None if it has none."""


@dataclass(frozen=True)
class NewPlan:
    """A plan where there was none.

    Attributes:
        given: the work order that it begins with; None if the model writes all of them.
    """

    given: WorkOrder | None = None
    amendment: None = None
    message: None = None
    before_sha256: None = None
    spec_text: None = None

    def schema(self, projects: Sequence[str], *, corrects: bool = False) -> JsonObject:
        """The schema of a whole plan, or of one that says what changes."""
        return correction_schema(projects) if corrects else manifest_schema(projects)

    def shown_lines(self, spec: Spec) -> None:
        """All of it is planned."""

    def further(self, answer: str, spec: Spec | None) -> None:
        """Nothing: there is no plan to look at."""

    def numbered(self, plan: Plan) -> Plan:
        """The plan itself."""
        return plan

    def changes_log(self, plan: Plan) -> None:
        """Nothing changed."""


NEW_PLAN: Final = NewPlan()
