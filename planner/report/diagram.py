"""Draws the dependencies of a plan: Mermaid, DOT, JSON. Titles come from a model and are escaped."""

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, assert_never

from factory.contract.strict_json import JsonValue
from factory.contract.work_order import Plan
from factory.system.terminal.console import one_line

_LABEL_CHARS: Final = 60
_PLAIN_PUNCTUATION: Final = frozenset(" .,-_/()+'!")


class GraphFormat(StrEnum):
    """A language for graphs."""

    MERMAID = "mermaid"
    DOT = "dot"
    JSON = "json"


def draw(plan: Plan, dependencies: Sequence[Sequence[str]], graph_format: GraphFormat) -> str:
    """The work orders as nodes, an arrow from each to those that depend on it; no final line break.

    Args:
        plan: the plan.
        dependencies: for each work order the ids of those it depends on.
        graph_format: the language.
    """
    match graph_format:
        case GraphFormat.MERMAID:
            return _mermaid(plan, dependencies)
        case GraphFormat.DOT:
            return _dot(plan, dependencies)
        case GraphFormat.JSON:
            return _json(plan, dependencies)
        case _ as never:
            assert_never(never)


def _mermaid(plan: Plan, dependencies: Sequence[Sequence[str]]) -> str:
    lines = ["flowchart TD"]
    for order in plan.work_orders:
        lines.append(f'    {_node(order.id)}["{order.id}: {_entities(_label(order.title))}"]')
    for order, needed in zip(plan.work_orders, dependencies, strict=True):
        lines.extend(f"    {_node(earlier)} --> {_node(order.id)}" for earlier in needed)
    return "\n".join(lines)


def _dot(plan: Plan, dependencies: Sequence[Sequence[str]]) -> str:
    lines = ["digraph plan {", "    node [shape=box];"]
    for order in plan.work_orders:
        lines.append(f'    "{order.id}" [label="{order.id}: {_dot_text(_label(order.title))}"];')
    for order, needed in zip(plan.work_orders, dependencies, strict=True):
        lines.extend(f'    "{earlier}" -> "{order.id}";' for earlier in needed)
    return "\n".join([*lines, "}"])


def _json(plan: Plan, dependencies: Sequence[Sequence[str]]) -> str:
    orders: list[JsonValue] = [
        {"id": order.id, "title": order.title, "depends_on": list(needed)}
        for order, needed in zip(plan.work_orders, dependencies, strict=True)
    ]
    return json.dumps({"work_orders": orders}, indent=2)


def _label(title: str) -> str:
    return title if len(title) <= _LABEL_CHARS else title[: _LABEL_CHARS - 1] + "…"


def _node(order_id: str) -> str:
    # A hyphen in a node's name reads like the beginning of an arrow.
    return order_id.replace("-", "")


def _entities(text: str) -> str:
    return "".join(
        character if character.isalnum() or character in _PLAIN_PUNCTUATION else f"#{ord(character)};"
        for character in one_line(text)
    )


def _dot_text(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')
