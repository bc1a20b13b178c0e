"""Points out code by which a process ends, or its judge is changed or noticed. Pure.

Such code may be right, so nothing follows from it: a person is told where to look.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import Grammar, line_of, parse, text, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS: Final = frozenset({"function_declaration", "function_item"})
_ASSIGNMENTS: Final = frozenset(
    {"assignment_expression", "augmented_assignment_expression", "assignment_statement"}
)


@dataclass(frozen=True)
class Unusual:
    """What a person is pointed to in the sources of a language.

    Attributes:
        ends: the functions that end a process.
        mains: the functions in which a command line may do that.
        calls: further functions that are pointed out.
        judges: the names whose members nobody changes.
        words: names, or texts, by which code notices that it is tested.
        macros: calls of macros, word for word, by which it does.
        defined: why functions of a name are pointed out.
    """

    ends: Collection[str]
    mains: Collection[str] = ("main",)
    calls: Collection[str] = ()
    judges: Collection[str] = ()
    words: Collection[str] = ()
    macros: Collection[str] = ()
    defined: Mapping[str, str] = field(default_factory=dict)


def conspicuous(grammar: Grammar, unusual: Unusual, data: bytes) -> tuple[tuple[int, str], ...]:
    """The lines of a source that a person should look at, and why; none where it can't be read.

    Args:
        grammar: the source's.
        unusual: what is pointed out.
        data: its bytes.
    """
    root = parse(grammar, data).root
    nodes = walk(root) if root is not None else ()
    found = ((line_of(node), _why(node, unusual)) for node in nodes)
    return tuple(sorted({(line, why) for line, why in found if why}))


def _why(node: "Node", unusual: Unusual) -> str:
    kind = node.type
    if kind == "call_expression":
        called = text(node.child_by_field_name("function")).removeprefix("::").removeprefix("std::")
        if called in unusual.calls or (called in unusual.ends and not _is_in_main(node, unusual)):
            return f"calls {called}"
    elif kind in _ASSIGNMENTS:
        changed = text(node.child_by_field_name("left"))
        if changed.partition(".")[0].partition("[")[0] in unusual.judges and changed not in unusual.judges:
            return f"changes {changed}"
    elif kind in _FUNCTIONS:
        return unusual.defined.get(text(node.child_by_field_name("name")), "")
    elif kind == "macro_invocation" and (called := "".join(text(node).split())) in unusual.macros:
        return f"asks {called}"
    elif node.child_count == 0 and (word := text(node).strip("\"'`")) in unusual.words:
        return f"reads {word}"
    return ""


def _is_in_main(node: "Node", unusual: Unusual) -> bool:
    """Whether the innermost function around a node that has a name is where a command line ends."""
    around: Node | None = node
    while around is not None and around.type not in _FUNCTIONS:
        around = around.parent
    return around is not None and text(around.child_by_field_name("name")) in unusual.mains
