"""A source as a tree of its grammar: bounded in size and work, walked without recursion. Pure.

Sources are hostile: what is too large, or costs too much, ends in a problem that is told. The work is counted
in steps of the parser, not in seconds, so that the same source always ends the same way.
"""

import functools
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Node

Grammar = Callable[[], object]
"""Loads a grammar, such as `tree_sitter_go.language`; it is called once."""

MAX_SOURCE_BYTES: Final = 250_000
"""The longest source that is read. To recover from errors costs a hundred times what valid code does, most of
it in few of the parser's steps: 12 µs a byte in the worst of some hundred random sources, three seconds for a
source of this size. Outlines, which are made of many sources, are made of shorter ones alone."""

_STEPS: Final = 500
_STEPS_A_BYTE: Final = 0.08
"""The parser's steps, counted by hundreds: dense valid code needs up to 0.06 a byte, what is read again and
again needs more with every byte."""

_CHUNK: Final = 1 << 12


@dataclass(frozen=True)
class Tree:
    """A source and its tree.

    Attributes:
        data: its bytes.
        root: its tree, which may hold errors; None where the parser gave up.
        problem: why it can't be read, or not all of it, as what is said of the file; empty if it can.
        line: the line of the first error, from 1; 0 if there is none.
    """

    data: bytes
    root: "Node | None"
    problem: str = ""
    line: int = 0


def parse(grammar: Grammar, data: bytes) -> Tree:
    """The tree of a source; a tree with a problem still shows what could be read of it."""
    if len(data) > MAX_SOURCE_BYTES:
        return Tree(data, None, f"is longer than {MAX_SOURCE_BYTES:,} bytes")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Tree(data, None, f"is not UTF-8 at line {line}", line)
    from tree_sitter import Parser

    parser = Parser(_loaded(grammar))
    progress = _Progress(_STEPS + int(_STEPS_A_BYTE * len(data)))
    try:
        tree = parser.parse(lambda offset, _: data[offset : offset + _CHUNK], progress_callback=progress)
    except ValueError:
        line = data.count(b"\n", 0, progress.offset) + 1
        return Tree(data, None, f"can't be read near line {line}", line)
    if not tree.root_node.has_error:
        # The same tree once more, which costs little: now it has its text at hand.
        tree = parser.parse(data, tree)
    root = tree.root_node
    if not root.has_error:
        return Tree(data, root)
    line = min((node.start_point.row for node in errors(root)), default=0) + 1
    return Tree(data, root, f"can't be read at line {line}", line)


def walk(node: "Node", without: Collection[str] = ()) -> "Iterator[Node]":
    """A node and all below it, in the order of the text, but nothing inside of a kind in `without`."""
    waiting = [node]
    while waiting:
        reached = waiting.pop()
        yield reached
        if reached.type not in without:
            waiting.extend(reversed(reached.children))


def errors(root: "Node") -> "Iterator[Node]":
    """The nodes that stand for what the grammar doesn't know, or misses."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            waiting.extend(reversed(node.children))


def text(node: "Node | None") -> str:
    """What is written there; empty for none."""
    written = None if node is None else node.text
    return "" if written is None else written.decode("utf-8")


def line_of(node: "Node") -> int:
    """The number of the line where a node begins, from 1."""
    return node.start_point.row + 1


class _Progress:
    """Counts the parser's steps and stops it when there are too many."""

    def __init__(self, most: int) -> None:
        self.offset = 0
        self._left = most

    def __call__(self, offset: int, _: bool) -> bool:
        self.offset = offset
        self._left -= 1
        return self._left < 0


@functools.cache
def _loaded(grammar: Grammar) -> "Language":
    from tree_sitter import Language

    return Language(grammar())
