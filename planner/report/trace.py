"""The matrix of a trace as text, JSON or Markdown. Titles and commands come from a model and are escaped."""

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, assert_never

from factory.contract.strict_json import JsonObject, JsonValue
from factory.system.terminal.console import one_line
from factory.system.terminal.markdown import escaped
from planner.plan.trace import Trace, TracedOrder

_COMMIT_CHARS: Final = 12
_LINE_CHARS: Final = 160
_LOST: Final = "not in the specification"
_WITHDRAWN: Final = "withdrawn: the specification asks for it no more"


class TraceFormat(StrEnum):
    """How a trace is written."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def write_trace(trace: Trace, trace_format: TraceFormat, source: str) -> str:
    """The matrix without a final line break.

    Args:
        trace: the matrix.
        trace_format: how it is written.
        source: the name of the specification.
    """
    match trace_format:
        case TraceFormat.TEXT:
            return "\n".join(_text(trace, source))
        case TraceFormat.JSON:
            return json.dumps(_json(trace, source), indent=2)
        case TraceFormat.MARKDOWN:
            return "\n".join(_markdown(trace))
        case _ as never:
            assert_never(never)


def counts(trace: Trace) -> str:
    """How much is covered, in one line."""
    normative = sum(line.normative for line in trace.lines)
    covered = normative - len(trace.uncovered)
    text = (
        f"{covered} of {normative} normative lines are quoted,"
        f" {len(trace.requirements)} requirements{_withdrawn(trace)}, {len(trace.work_orders)} work orders"
    )
    if trace.with_commits:
        text += f", {sum(order.landing is not None for order in trace.work_orders)} landed"
    return text


def _text(trace: Trace, source: str) -> Iterator[str]:
    shown: dict[str, str] = {}
    for line in trace.lines:
        yield f"{one_line(source)}:{line.passage.first}  {_shortened(line.passage.text)}"
        if not line.covered:
            yield "  (hardly quoted)" if line.requirements else "  (no requirement quotes this)"
        for name in line.requirements:
            yield from _requirement_text(trace, name, shown, f"see line {line.passage.first}")
    for title, lost in (
        (_LOST, [traced for traced in trace.requirements if not traced.lines and not traced.withdrawn]),
        (_WITHDRAWN, [traced for traced in trace.requirements if traced.withdrawn]),
    ):
        if lost:
            yield title
        for requirement in lost:
            yield from _requirement_text(trace, requirement.id, shown, "see above")
    free = [order for order in trace.work_orders if not order.requirements]
    if free:
        yield "without a requirement"
        for order in free:
            yield from _order_text(trace, order, "  ")


def _withdrawn(trace: Trace) -> str:
    number = sum(requirement.withdrawn for requirement in trace.requirements)
    return f" ({number} withdrawn)" if number else ""


def _requirement_text(trace: Trace, name: str, shown: dict[str, str], place: str) -> Iterator[str]:
    """A requirement with its work orders where it comes first; later, where that was."""
    if name in shown:
        yield f"  {name}  ({shown[name]})"
        return
    shown[name] = place
    requirement = next(traced for traced in trace.requirements if traced.id == name)
    yield f"  {name}  {_shortened(requirement.text)}"
    if not requirement.work_orders:
        yield "    (no work order takes this)"
    for order in trace.work_orders:
        if order.id in requirement.work_orders:
            yield from _order_text(trace, order, "    ")


def _order_text(trace: Trace, order: TracedOrder, indent: str) -> Iterator[str]:
    yield f"{indent}{order.id}  {_shortened(order.title)}{_landed(trace, order)}"
    for command in order.acceptance_commands:
        yield f"{indent}  $ {_shortened(command)}"


def _landed(trace: Trace, order: TracedOrder) -> str:
    if not trace.with_commits:
        return ""
    landing = order.landing
    if landing is None:
        return f"  [skipped: {_shortened(order.skipped)}]" if order.skipped else "  [not landed]"
    parts = (
        landing.commit[:_COMMIT_CHARS],
        one_line(landing.known_by),
        landing.weakness,
        landing.silence,
        landing.removal,
    )
    return f"  [{', '.join(filter(None, parts))}]"


def _json(trace: Trace, source: str) -> JsonObject:
    lines: list[JsonValue] = [
        {
            "first": line.passage.first,
            "last": line.passage.last,
            "text": line.passage.text,
            "normative": line.normative,
            "covered": line.covered,
            "requirements": list(line.requirements),
        }
        for line in trace.lines
    ]
    requirements: list[JsonValue] = [
        {
            "id": requirement.id,
            "text": requirement.text,
            "lines": list(requirement.lines),
            "misquoted": list(requirement.misquoted),
            "work_orders": list(requirement.work_orders),
            "withdrawn": requirement.withdrawn,
        }
        for requirement in trace.requirements
    ]
    orders: list[JsonValue] = [
        {
            "id": order.id,
            "title": order.title,
            "requirements": list(order.requirements),
            "acceptance_commands": list(order.acceptance_commands),
            "commit": order.landing.commit if order.landing else None,
            "verdict": order.landing.verdict if order.landing else None,
            "kill_score": order.landing.kill_score if order.landing else None,
            "skipped": order.skipped or None,
            "weak_acceptance": bool(order.landing and order.landing.weakness),
            "not_proven": bool(order.landing and order.landing.silence),
            "removed_tests": int(order.landing.removed_tests)
            if order.landing and order.landing.removal
            else 0,
        }
        for order in trace.work_orders
    ]
    return {"spec": source, "lines": lines, "requirements": requirements, "work_orders": orders}


def _markdown(trace: Trace) -> Iterator[str]:
    """A table, a row for each line, requirement and work order that belong together."""
    columns = ["Line", "Specification", "Requirement", "Work order", "Acceptance"]
    columns += ["Commit", "Known"] if trace.with_commits else []
    yield _row(columns)
    yield _row(["---"] * len(columns))
    for line in trace.lines:
        begin = [str(line.passage.first), _cell(line.passage.text)]
        if not line.requirements:
            yield _row([*begin, *_cells(trace, "**none**", None)])
        for name in line.requirements:
            for order in _takers(trace, name):
                yield _row([*begin, *_cells(trace, name, order)])
    for requirement in trace.requirements:
        if not requirement.lines:
            for order in _takers(trace, requirement.id):
                place = _WITHDRAWN if requirement.withdrawn else _LOST
                yield _row(["—", place, *_cells(trace, requirement.id, order)])
    for order in trace.work_orders:
        if not order.requirements:
            yield _row(["", "", *_cells(trace, "—", order)])


def _takers(trace: Trace, name: str) -> tuple[TracedOrder | None, ...]:
    """The work orders that take a requirement; one None if there is none."""
    return tuple(order for order in trace.work_orders if name in order.requirements) or (None,)


def _cells(trace: Trace, name: str, order: TracedOrder | None) -> list[str]:
    cells = [name, f"{order.id} {_cell(order.title)}", _commands(order)] if order else [name, "—", ""]
    if trace.with_commits:
        landing = order.landing if order else None
        cells.append(f"`{landing.commit[:_COMMIT_CHARS]}`" if landing else "—")
        known = (
            filter(None, (landing.known_by, landing.weakness, landing.silence, landing.removal))
            if landing
            else ()
        )
        cells.append(_cell("; ".join(known)) or _skipped(order))
    return cells


def _skipped(order: TracedOrder | None) -> str:
    return f"skipped: {_cell(order.skipped)}" if order is not None and order.skipped else ""


def _commands(order: TracedOrder) -> str:
    return "<br>".join(_cell(command) for command in order.acceptance_commands)


def _cell(text: str) -> str:
    """The beginning of a text without meaning in Markdown."""
    return escaped(_shortened(text))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _shortened(text: str) -> str:
    return one_line(text if len(text) <= _LINE_CHARS else text[: _LINE_CHARS - 1] + "…")
