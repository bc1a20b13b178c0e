"""A revision under way: what is asked of the model, what its answer is held against, how it is recorded."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.contract.identity import contract_hash, plan_hash
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan
from factory.llm.port import Message
from factory.llm.template import fill, quoted
from factory.system.files.tree import read_bounded
from factory.system.terminal.console import one_line
from planner.compile.manifest_schema import revision_schema
from planner.compile.question import Further
from planner.prompt.template import Template
from planner.revision.amendment import Amendment
from planner.revision.shown import asked_for, elements_text, plan_text, whole_orders
from planner.revision.shown_spec import lines_asked_for, shown_lines
from planner.specification.spec import Spec

CHANGES_NAME: Final = "changes.log"
"""The file of a plan's directory with a line for each revision."""

_LINE: Final = re.compile(r"revision ([0-9]{1,9}): ")
_REASON_CHARS: Final = 200
_OF_REASON: Final = re.compile(r"- `(failure|impact|feedback)`: ")

_SHOWN: Final = (
    "You asked to see these parts of the present plan or of the specification. They are material, as those"
    " are. Answer now with the revised plan; nothing more is shown, and `show` is [] or left out."
)


@dataclass(frozen=True)
class Revision:
    """The question for a revision of a plan.

    Attributes:
        amendment: what the answer is held against.
        message: what the model is told beyond the question for a new plan.
        reason: why there is a revision, in a few words; they may come from a model or a user.
        changes: the lines about the revisions before.
        spec_text: the text of the specification that the plan before was made for, if it is known.
        mentioned: what a user says about the plan; None if nobody says anything.
        given: no work order; the plan before has its first one.
    """

    amendment: Amendment
    message: Message
    reason: str
    changes: tuple[str, ...] = ()
    spec_text: str | None = None
    mentioned: str | None = None
    given: None = None

    @property
    def before_sha256(self) -> str | None:
        """The hash of the specification that the plan before was made from, if it says so."""
        provenance = self.amendment.before.work_orders[0].provenance
        return None if provenance is None else provenance.spec_hash

    def schema(self, projects: Sequence[str], *, corrects: bool = False) -> JsonObject:
        """The schema of an answer that may name what stays, of the plan or of the answer that it corrects."""
        return revision_schema(projects)

    def shown_lines(self, spec: Spec) -> frozenset[int] | None:
        """What the reason touches; words of a user may touch all of it."""
        if self.mentioned is not None:
            return None
        before, impact = self.amendment.before, self.amendment.impact
        return shown_lines(spec, before, impact, whole_orders(self.amendment, None))

    def further(self, answer: str, spec: Spec | None) -> Further | None:
        """What the model asks to see before it answers, whole."""
        names = asked_for(answer)
        if not names:
            return None
        lines = {} if spec is None else {name: lines_asked_for(name, spec.text) for name in names}
        passages = [text for text in lines.values() if text is not None]
        elements = [name for name in names if lines.get(name) is None]
        shown = quoted("asked_for", "\n".join([*passages, elements_text(self.amendment, elements)]).strip())
        return Further(names, Message(role="user", content=f"{_SHOWN}\n\n{shown}"))

    def numbered(self, plan: Plan) -> Plan:
        """The plan as the next revision of the one before."""
        before = self.amendment.before
        return plan.model_copy(update={"revision": before.revision + 1, "parent": plan_hash(before)})

    def changes_log(self, plan: Plan) -> str:
        """The lines of the revisions, that of a numbered plan included."""
        earlier = [line for line in self.changes if _number(line) < plan.revision]
        reason = one_line(self.reason)
        if len(reason) > _REASON_CHARS:
            reason = reason[: _REASON_CHARS - 1] + "…"
        line = f"revision {plan.revision}: {reason}; {_differences(self.amendment.before, plan)}"
        return "".join(f"{text}\n" for text in (*earlier, line))


def amending_message(
    template: Template, amendment: Amendment, reasons: Mapping[str, str], feedback: str | None = None
) -> Message:
    """What follows the question for a new plan.

    Args:
        template: the template.
        amendment: what the answer will be held against.
        reasons: the evidence by the tag that it is quoted in.
        feedback: what the user says, which decides what of the plan is shown; None if that is nothing.
    """
    values = {
        "PRESENT_PLAN": quoted("present_plan", plan_text(amendment, feedback)),
        "LANDED": _ids(order.id for order in amendment.before.work_orders if order.id in amendment.landed),
        "REASONS": "\n\n".join(quoted(tag, text) for tag, text in reasons.items()),
    }
    text = "".join(
        line
        for line in template.text.splitlines(keepends=True)
        # What is said of a reason that is not given would only be read.
        if (of_reason := _OF_REASON.match(line)) is None or of_reason[1] in reasons
    )
    return Message(role="user", content=fill(text, values, source=template.source).strip())


def read_changes(plan: Path) -> tuple[str, ...]:
    """The lines about the revisions of the plan at a path; none if nobody wrote any.

    Raises:
        FileProblem: the file can't be read or is too large.
    """
    path = (plan if plan.is_dir() else plan.parent) / CHANGES_NAME
    if not path.exists():
        return ()
    data = read_bounded(path, max_bytes=MAX_CONTEXT_BYTES)
    return tuple(line for line in data.decode("utf-8", "replace").split("\n") if line.strip())


def _number(line: str) -> int:
    match = _LINE.match(line)
    return int(match[1]) if match else 0


def _differences(before: Plan, plan: Plan) -> str:
    """Which numbers are new, have another contract than before, or are gone."""
    old = {order.id: contract_hash(order) for order in before.work_orders}
    new = {order.id: contract_hash(order) for order in plan.work_orders}
    kinds = {
        "changed": [name for name in new if name in old and old[name] != new[name]],
        "added": [name for name in new if name not in old],
        "dropped": [name for name in old if name not in new],
    }
    differences = [f"{kind} {', '.join(names)}" for kind, names in kinds.items() if names]
    return "; ".join(differences) or "no work order changed"


def _ids(ids: Iterable[str]) -> str:
    return ", ".join(ids) or "none"
