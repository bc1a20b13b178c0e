"""Sources whose statements leave a file as their mark when they are executed; see `Language.marked`. Pure."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from factory.languages.trees.tree import Grammar, parse

if TYPE_CHECKING:
    from tree_sitter import Node


def marked(
    grammar: Grammar,
    blocks: Collection[str],
    source: str,
    marks: Mapping[int, str],
    statement: Callable[[str], str],
) -> str | None:
    """The source with a statement before the innermost one of each line; None if there is none of them.

    Args:
        grammar: the source's.
        blocks: kinds whose named children are statements.
        source: the text.
        marks: by the number of a line, the path of the file that is made.
        statement: what makes the file, by its path; it ends in what separates statements.

    Returns:
        None if the source can't be read, or no line of `marks` is in a statement.
    """
    tree = parse(grammar, source.encode("utf-8"))
    if tree.root is None or tree.problem:
        return None
    places: dict[int, str] = {}
    for line, path in sorted(marks.items()):
        place = _place(tree.root, blocks, line - 1)
        if place is not None:
            places[place] = places.get(place, "") + statement(path)
    if not places:
        return None
    data = tree.data
    for place, written in sorted(places.items(), reverse=True):
        data = data[:place] + written.encode("utf-8") + data[place:]
    return None if parse(grammar, data).problem else data.decode("utf-8")


def _place(root: "Node", blocks: Collection[str], row: int) -> int | None:
    """Where the innermost statement begins that a line is part of."""
    places: list[int] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        for child in node.named_children:
            if child.start_point.row <= row <= child.end_point.row and not child.is_extra:
                waiting.append(child)
                if node.type in blocks and child.type != "label":
                    places.append(child.start_byte)
    return max(places, default=None)
