"""A second opinion on a plan: what is asked, and what the answer objects to.

Which objections count is a rule's matter (W220), and what follows from them the loop's.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from factory.contract.documents import BadDocument
from factory.contract.strict_json import BadJson
from factory.contract.work_order import Plan
from factory.llm.port import Message
from factory.llm.template import quoted
from factory.plans.diagnostics.render import counted
from factory.specification.quotations import LINE_BREAK, Passage
from planner.compile.artifacts import REVIEW_ANSWER, REVIEW_PROMPT
from planner.compile.asking import Asking, Form
from planner.compile.ending import End, Outcome
from planner.plan.objections import (
    OBJECTIONS_SCHEMA_NAME,
    Objected,
    Objection,
    objections_schema,
    read_objections,
)
from planner.prompt.context import Context
from planner.prompt.template import Template, review_messages
from planner.revision.amendment import Amendment, content
from planner.revision.shown import changed_orders, changed_text, whole_text
from planner.revision.shown_spec import shown_lines
from planner.specification.spec import Spec

_FORM: Final = Form(
    OBJECTIONS_SCHEMA_NAME, objections_schema(), prompt=REVIEW_PROMPT, answer=REVIEW_ANSWER, reviews=True
)

_AROUND: Final = "*_`[](){}.:"
"""What may stand around the number of a requirement."""

_REVISED: Final = (
    "(It is a revision. Work orders that it changes or adds are shown whole, with their requirements; of the"
    " others, which are as they were or have landed, a line tells the files and interfaces.)"
)


def question(
    template: Template, plan: Plan, spec: Spec | None, context: Context, amendment: Amendment | None = None
) -> tuple[Message, ...]:
    """What is asked for a second opinion; nothing if a revision changes no work order.

    Args:
        template: the template of the question.
        plan: the plan.
        spec: the specification, if it is known.
        context: what is known of the repository.
        amendment: what a revised plan was held against, of which only what it changes is shown whole; None
            of a new plan.
    """
    shown = plan if spec is None else _by_lines(plan, spec)
    lines, said = None, quoted("plan", whole_text(shown))
    if amendment is not None:
        changed = changed_orders(amendment, plan)
        if not changed:
            return ()
        lines = None if spec is None else shown_lines(spec, plan, amendment.impact, changed)
        said = f"{_REVISED}\n\n{quoted('plan', changed_text(shown, changed))}"
    text = None if spec is None else spec.text
    return review_messages(template, said, text, context.listing, context.message, lines=lines)


@dataclass(frozen=True)
class Opinion:
    """What a second opinion said, and of which plan.

    Attributes:
        plan: the plan.
        objections: what it objects to, with or without evidence.
    """

    plan: Plan
    objections: tuple[Objection, ...]

    def unheeded(self, plan: Plan) -> tuple[Objection, ...]:
        """The objections to work orders for which a later plan changes nothing.

        Args:
            plan: the later plan. Where it changes anything, what seems to be lost may be found.
        """
        said, says = _said(self.plan), _said(plan)
        return tuple(
            objection
            for objection in self.objections
            if (said == says if objection.kind is Objected.LOST else _same(objection.order, said, says))
        )


def _said(plan: Plan) -> dict[str, str]:
    """What each work order says; a title, or a reason to keep another warning, answers no objection."""
    beside = {"title": "", "accepted_warnings": ()}
    return {order.id: content(order.model_copy(update=beside)) for order in plan.work_orders}


def _same(order: str, said: Mapping[str, str], says: Mapping[str, str]) -> bool:
    return order in said and said[order] == says.get(order)


def opinion(asking: Asking, number: int, messages: tuple[Message, ...]) -> tuple[Objection, ...] | End:
    """What a model objects to, or why it says nothing that can be read.

    Args:
        asking: who is asked.
        number: the number of the attempt whose answer the plan is.
        messages: see `question`.
    """
    answer = asking.ask(number, messages, _FORM)
    if isinstance(answer, End):
        return answer
    try:
        return read_objections(answer.text)
    except (BadJson, BadDocument) as error:
        return End(Outcome.NOT_JSON, error.headline, error.hint)


def told_again(standing: int) -> str:
    """How much of a second opinion was neither followed nor answered, for a person."""
    return f"{counted(standing, 'objection')} of the second opinion led to nothing, and the plan says not why"


def counted_objections(found: int, said: int) -> str:
    """How much a second opinion objects to, for a person.

    Args:
        found: how many of its objections have evidence.
        said: how many it has.
    """
    if not said:
        return "a second opinion objects to nothing"
    without = f"; {said - found} without evidence left out" if found < said else ""
    return f"a second opinion has {counted(found, 'objection')}{without}"


def _by_lines(plan: Plan, spec: Spec) -> Plan:
    """A plan whose requirements name the lines that they quote whole, and of others say what stands there.

    Its remarks name lines, as their planner did. A plan keeps a quote by its words, so blanks in a row, which
    may be what is specified, are not in it.
    """
    return plan.model_copy(
        update={
            "requirements": tuple(
                requirement.model_copy(
                    update={
                        "quotes": tuple(_named(requirement.id, text, spec) for text in requirement.quotes)
                    }
                )
                for requirement in plan.requirements
            ),
            "remarks": tuple(
                remark.model_copy(
                    update={
                        "quotes": tuple(
                            _in_lines(_numbers(places[0], spec))
                            if (places := spec.lines.places(text))
                            else text
                            for text in remark.quotes
                        )
                    }
                )
                for remark in plan.remarks
            ),
        }
    )


def _numbers(place: Passage, spec: Spec) -> list[int]:
    return [spec.lines.words.all[index].line for index in place.words]


def _in_lines(numbers: Collection[int]) -> str:
    """The name of a passage from the first of some lines to the last."""
    first, last = min(numbers), max(numbers)
    return f"L{first}" if first == last else f"L{first}-L{last}"


def _named(name: str, quote: str, spec: Spec) -> str:
    for place in spec.lines.places(quote):
        numbers = _numbers(place, spec)
        first, last = min(numbers), max(numbers)
        others = {*spec.lines.between(first, last).words} - {*place.words}
        # A requirement that the specification numbers is quoted without its number.
        if all(spec.lines.words.all[index].folded.strip(_AROUND) == name for index in others):
            return _in_lines(numbers)
        written = (word.written for word in spec.lines.words.all[place.words[0] : place.words[-1] + 1])
        lines = "\n".join(LINE_BREAK.split(spec.text)[first - 1 : last])
        found = re.search(r"\s+".join(map(re.escape, written)), lines)
        return quote if found is None else found[0]
    return quote
