"""Fills the prompt templates, in one pass, and makes messages of them.

One pass means: what a value brings along is never looked at again, so text from a specification or a file
can't open a placeholder. Not here: which template is used, and what is asked with it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.llm.port import Message
from factory.llm.template import PLACEHOLDER, fill, quoted
from factory.specification.passages import is_short
from factory.specification.quotations import LINE_BREAK

FIRST_WORK_ORDER: Final = "FIRST_WORK_ORDER"
"""Stands in a template that lets a plan begin with a work order that is given, where one is."""

GRAIN: Final = "GRAIN"
"""Stands where a template says how large a work order shall be."""

EXAMPLE: Final = "EXAMPLE"
"""Stands where a template shows a whole plan to whoever does not see one already."""

SERVICES: Final = "SERVICES"
"""Stands where a template tells of servers beside commands to whoever may need one."""

COMPILE_PLACEHOLDERS: Final = frozenset(
    {"PRODUCT_SPEC", "REPOSITORY_FILES", "LANGUAGES", FIRST_WORK_ORDER, GRAIN, EXAMPLE, SERVICES}
)
COMPILE_REQUIRED: Final = frozenset({"PRODUCT_SPEC"})
REVISION_PLACEHOLDERS: Final = frozenset({"PREVIOUS_ANSWER", "DIAGNOSTICS"})
AMENDING_PLACEHOLDERS: Final = frozenset({"PRESENT_PLAN", "LANDED", "REASONS"})
REVIEW_PLACEHOLDERS: Final = frozenset({"REPOSITORY_FILES", "PRODUCT_SPEC", "PLAN"})

USER_MARKER: Final = "<!-- user -->"
"""The line of a template that ends the system message; without it, all of it is the user's message."""

_NO_SPEC: Final = "(It is not at hand. The requirements of the plan quote what it says.)"

_ALL_SHOWN: Final = "(It is short, so every engineer is shown all of it.)"

_NUMBERS: Final = (
    "(Each line stands behind its number and a bar, such as `L7| `, which are no part of the specification.)"
)

_IN_PART: Final = (
    "(Each line stands behind its number and a bar, such as `L7| `, which are no part of the specification."
    " What the change does not touch is left out: where it stood is a line in brackets.{ask})"
)
_MAY_ASK: Final = " `show` may ask for lines, too, such as `L12-L40`."

MAX_DIAGNOSTICS_SHOWN: Final = 100
"""The most diagnostics that a revision prompt carries; a plan with more has one mistake many times."""


class BadTemplate(WorkorderError):
    """A template that can't be filled: a placeholder is missing or unknown."""


@dataclass(frozen=True)
class Template:
    """A prompt template whose placeholders are known to be right.

    Attributes:
        text: the template as it was read; it is part of the compile hash.
        source: what to call it in an error.
    """

    text: str
    source: str

    @classmethod
    def parse(cls, text: str, source: str, *, required: frozenset[str], known: frozenset[str]) -> "Template":
        """Check the placeholders of a template.

        Args:
            text: the template.
            source: what to call it in an error.
            required: the placeholders that must stand in it.
            known: all placeholders that have a value.

        Raises:
            BadTemplate: a required placeholder is missing, or one has no value.
        """
        placeholders = set(PLACEHOLDER.findall(text))
        missing = sorted(required - placeholders)
        if missing:
            name = _braced(missing[0])
            raise BadTemplate(
                f"the template has no {name}", where=source, hint=f"write {name} where the text shall stand"
            )
        unknown = sorted(placeholders - known)
        if unknown:
            raise BadTemplate(
                f"the template has the unknown placeholder {_braced(unknown[0])}",
                where=source,
                hint=f"known are {', '.join(_braced(name) for name in sorted(known))}",
            )
        return cls(text, source)

    def asks(self, name: str) -> bool:
        """Whether a placeholder stands in it."""
        return name in PLACEHOLDER.findall(self.text)

    def including(self, name: str, text: str) -> "Template":
        """The template with a part of it, which may have placeholders of its own, in its place."""
        return replace(self, text=self.text.replace(_braced(name), text))

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The template as messages: the text above the marker line for the system, the rest for the user."""
        # Split first: a marker inside a value is text.
        system, marker, user = _split(self.text)
        if not marker:
            return (Message(role="user", content=fill(system, values, source=self.source).strip()),)
        return (
            Message(role="system", content=fill(system, values, source=self.source).strip()),
            Message(role="user", content=fill(user, values, source=self.source).strip()),
        )


def first_messages(
    template: Template,
    spec: str | None,
    listing: str,
    first_order: str = "",
    languages: str = "",
    grain: str = "",
    lines: Set[int] | None = None,
    ids: Sequence[str] = (),
) -> tuple[Message, ...]:
    """The question of the first attempt.

    Args:
        template: the template of the planner.
        spec: the specification; only a plan that exists can do without it.
        listing: the names of the repository's files.
        first_order: what is said of the first work order.
        languages: what is said of the languages.
        grain: what is said of the size of work orders.
        lines: the numbers of the specification's lines that are shown; None for all.
        ids: those of the requirements that the specification numbers.
    """
    known = f"\n\nRequirements that it numbers itself: {', '.join(ids)}." if ids else ""
    return template.messages(
        {
            "PRODUCT_SPEC": _NO_SPEC if spec is None else _numbered(spec, lines, _MAY_ASK) + known,
            "REPOSITORY_FILES": quoted("repository_files", listing),
            "LANGUAGES": languages,
            GRAIN: grain,
            FIRST_WORK_ORDER: first_order,
        }
    )


def revision_message(template: Template, previous_answer: str, diagnostics: Iterable[str]) -> Message:
    """What follows the first question when an answer was refused.

    Args:
        template: the revision template.
        previous_answer: the answer that was refused.
        diagnostics: its diagnostics, one text each.
    """
    lines = list(diagnostics)
    hidden = len(lines) - MAX_DIAGNOSTICS_SHOWN
    if hidden > 0:
        lines = [*lines[:MAX_DIAGNOSTICS_SHOWN], f"… and {hidden} more of the same kinds"]
    values = {
        "PREVIOUS_ANSWER": _whole_or_absent(previous_answer),
        # A diagnostic repeats words of the answer, so it is quoted like the answer.
        "DIAGNOSTICS": quoted("diagnostics", "\n".join(lines)),
    }
    return Message(role="user", content=fill(template.text, values, source=template.source).strip())


def review_messages(
    template: Template,
    plan: str,
    spec: str | None,
    listing: str,
    context: Message | None = None,
    *,
    lines: Set[int] | None = None,
) -> tuple[Message, ...]:
    """The question for a second opinion on a plan.

    Args:
        template: its template.
        plan: the plan, as it is shown, in quotes.
        spec: the specification, if it is at hand.
        listing: the names of the repository's files.
        context: what is known of the repository beside these; None for nothing.
        lines: the numbers of the specification's lines that are shown; None for all of them.
    """
    messages = template.messages(
        {
            "REPOSITORY_FILES": quoted("repository_files", listing),
            "PRODUCT_SPEC": _NO_SPEC if spec is None else _numbered(spec, lines) + _told_if_short(spec),
            "PLAN": plan,
        }
    )
    return messages if context is None else (*messages, context)


def _told_if_short(spec: str) -> str:
    """That whoever carries out the plan will see all of a specification, if it is so."""
    return f"\n\n{_ALL_SHOWN}" if is_short(spec) else ""


def _split(text: str) -> tuple[str, str, str]:
    match = re.search(rf"^{re.escape(USER_MARKER)}[ \t]*$", text, re.MULTILINE)
    if match is None:
        return text, "", ""
    return text[: match.start()], USER_MARKER, text[match.end() :]


def _numbered(spec: str, shown: Set[int] | None, ask: str = "") -> str:
    """A specification as it is shown: each line behind its number, by which passages are named."""
    lines = LINE_BREAK.split(spec)
    if lines and not lines[-1]:
        del lines[-1]
    if shown is None:
        numbered = "\n".join(f"L{number}| {line}" for number, line in enumerate(lines, start=1))
        return f"{_NUMBERS}\n\n{quoted('product_spec', numbered)}"
    chosen = "\n".join(_in_part(lines, shown))
    return f"{_IN_PART.format(ask=ask)}\n\n{quoted('product_spec', chosen)}"


def _in_part(lines: Sequence[str], shown: Set[int]) -> Iterator[str]:
    """The shown lines, and in the place of each run of others which these are; blank ones don't count."""
    hidden: list[int] = []
    for number, line in enumerate([*lines, ""], start=1):
        is_end = number > len(lines)
        if hidden and (number in shown or is_end):
            yield f"[L{hidden[0]} to L{hidden[-1]} are left out]"
            hidden = []
        if number in shown and not is_end:
            yield f"L{number}| {line}"
        elif line.strip():
            hidden.append(number)


def _whole_or_absent(text: str) -> str:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_CONTEXT_BYTES:
        return f"(It had {size:,} bytes, too many to repeat here.)"
    return quoted("previous_answer", text)


def _braced(name: str) -> str:
    return "{{" + name + "}}"
