"""A Python source by the offsets of its bytes, and the operators in it, which `ast` doesn't place."""

import ast
import re
from bisect import bisect_right
from typing import Final

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_BETWEEN_OPERANDS: Final = re.compile(rb"#[^\r\n]*|(?P<operator>and|or|not|in|is|[-+*/%@&|^<>=!]+)")
"""Between two operands stand their operator, brackets, comments and ends of lines."""


class SourceText:
    """A source by offsets of its UTF-8 bytes, which is how `ast` counts columns; and its operators.

    Args:
        source: a text that `ast` can parse.
    """

    def __init__(self, source: str) -> None:
        self.data = source.encode("utf-8")
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(self.data))]

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Where a node begins."""
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Where a node ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def line(self, offset: int) -> int:
        """The number of the line that holds an offset."""
        return bisect_right(self._starts, offset)

    def written(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        return self.data[self.start(node) : self.end(node)].decode("utf-8")

    def replaced(self, start: int, end: int, new: str) -> str:
        """The source with another text between two offsets."""
        return (self.data[:start] + new.encode("utf-8") + self.data[end:]).decode("utf-8")

    def operators(self, left: ast.expr, right: ast.expr) -> list[tuple[int, int, str]]:
        """The words of the operator between two operands, each with where it begins and ends."""
        gap = _BETWEEN_OPERANDS.finditer(self.data, self.end(left), self.start(right))
        return [(*word.span(), word[0].decode("ascii")) for word in gap if word["operator"]]
