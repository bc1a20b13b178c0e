"""A Python source by the offsets of its bytes, and the operators in it, which `ast` doesn't place."""

import ast
import io
import re
import tokenize
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_OPERATOR_TOKENS: Final = frozenset({"and", "or", "not", "in", "is"})


class SourceText:
    """A source by offsets of its UTF-8 bytes, which is how `ast` counts columns; and its operators.

    Args:
        source: a text that `ast` can parse.

    Raises:
        tokenize.TokenError: it can't be split into tokens.
    """

    def __init__(self, source: str) -> None:
        self.data = source.encode("utf-8")
        self._starts = [0, *(found.end() for found in re.finditer(rb"\r\n|\r|\n", self.data))]
        self._operators: list[tuple[int, int, str]] = []
        lines = [source[start:end] for start, end in _line_spans(source)]
        for token in tokenize.generate_tokens(io.StringIO(source, newline="").readline):
            if token.type == tokenize.OP or token.string in _OPERATOR_TOKENS:
                row, column = token.start
                start = self._starts[row - 1] + len(lines[row - 1][:column].encode("utf-8"))
                self._operators.append((start, start + len(token.string), token.string))

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
        return bisect_left(self._starts, offset + 1)

    def written(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        return self.data[self.start(node) : self.end(node)].decode("utf-8")

    def replaced(self, start: int, end: int, new: str) -> str:
        """The source with another text between two offsets."""
        return (self.data[:start] + new.encode("utf-8") + self.data[end:]).decode("utf-8")

    def operators(self, start: int, end: int) -> list[tuple[int, int, str]]:
        """The operators and brackets between two offsets, each with its own."""
        first = bisect_left(self._operators, (start, 0, ""))
        return self._operators[first : bisect_left(self._operators, (end, 0, ""))]


def _line_spans(source: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _LINE_END.finditer(source):
        yield start, found.end()
        start = found.end()
    yield start, len(source)
