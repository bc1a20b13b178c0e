"""Splits a command into words as `shlex.split` does, and remembers how each character was quoted.

Commands run without a shell, so whether a `|` was quoted decides if it was meant as an operator. What the
words mean is in `programs`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_PIECE: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+)|'(?P<single>[^']*)'|"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"|\\(?P<escaped>.)"""
    r"""|(?P<bare>[^ \t\r\n'"\\]+)""",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_SEPARATOR: Final = re.compile(r"(?P<separator>[;&|()`]+)|(?P<redirection>[0-9]*[<>]+[&|]?)")

BARE: Final = "b"
DOUBLE: Final = "d"
QUOTED: Final = "q"


class UnsplittableCommand(ValueError):
    """A command that can't be split into words."""


@dataclass(frozen=True)
class Word:
    """One word of a command.

    Attributes:
        text: the word as the program receives it.
        marks: one letter for each character of `text`: `b` not quoted, `d` in double quotes, where a shell
            would still substitute, `q` in single quotes or escaped.
        breaks_line: whether a line break stands between the previous word and this one, or an escaped line
            break in the word itself.
    """

    text: str
    marks: str
    breaks_line: bool = False

    @property
    def bare(self) -> str:
        """The text with every quoted character replaced by NUL."""
        return self._only(BARE)

    @property
    def substitutable(self) -> str:
        """The text with every character replaced by NUL that a shell would take literally."""
        return self._only(BARE + DOUBLE)

    def part(self, start: int, end: int) -> "Word":
        """The characters from `start` to before `end` as a word of its own."""
        return Word(self.text[start:end], self.marks[start:end])

    def _only(self, kept: str) -> str:
        if not self.marks.strip(kept):
            return self.text
        return "".join(
            character if mark in kept else "\0" for character, mark in zip(self.text, self.marks, strict=True)
        )


def split_words(command: str) -> tuple[Word, ...]:
    """The words of `command`; their texts are those of `shlex.split`.

    Raises:
        UnsplittableCommand: a quotation is not closed, or the command ends in a backslash.
    """
    words: list[Word] = []
    text: list[str] = []
    marks: list[str] = []
    in_word = breaks_line = False
    position = 0
    while position < len(command):
        piece = _PIECE.match(command, position)
        if piece is None:
            raise UnsplittableCommand(_fault(command[position]))
        position = piece.end()
        if (space := piece["space"]) is not None:
            if in_word:
                words.append(Word("".join(text), "".join(marks), breaks_line))
                text, marks, in_word, breaks_line = [], [], False, False
            breaks_line = breaks_line or ("\n" in space and bool(words))
            continue
        in_word = True
        breaks_line = breaks_line or piece["escaped"] == "\n"
        for part, mark in _unquoted(piece):
            text.append(part)
            marks.append(mark * len(part))
    if in_word:
        words.append(Word("".join(text), "".join(marks), breaks_line))
    return tuple(words)


def simple_commands(words: tuple[Word, ...]) -> tuple[tuple[str, ...], ...]:
    """The commands that a shell would make of `words`, cut at its operators, redirections left out."""
    commands: list[tuple[str, ...]] = []
    current: list[str] = []
    is_target = False

    def cut() -> None:
        if current:
            commands.append(tuple(current))
            current.clear()

    for word in words:
        if word.breaks_line:
            cut()
        start = 0
        for separator in _SEPARATOR.finditer(word.bare):
            if separator.start() > start:
                if not is_target:
                    current.append(word.text[start : separator.start()])
                is_target = False
            if separator["separator"] is not None:
                cut()
                is_target = False
            else:
                is_target = True
            start = separator.end()
        if start < len(word.text) or not word.text:
            if not is_target:
                current.append(word.text[start:])
            is_target = False
    cut()
    return tuple(commands)


def _unquoted(piece: re.Match[str]) -> Iterator[tuple[str, str]]:
    if (bare := piece["bare"]) is not None:
        yield bare, BARE
    elif (single := piece["single"]) is not None:
        yield single, QUOTED
    elif (escaped := piece["escaped"]) is not None:
        yield escaped, QUOTED
    elif (double := piece["double"]) is not None:
        start = 0
        for escape in _ESCAPE.finditer(double):
            yield double[start : escape.start()], DOUBLE
            character = escape[1]
            # Like shlex: only a quote and a backslash lose the backslash before them.
            yield (character, QUOTED) if character in '"\\' else (escape[0], QUOTED)
            start = escape.end()
        yield double[start:], DOUBLE


def _fault(character: str) -> str:
    return (
        "it ends in a backslash" if character == "\\" else f"the quotation that {character} opens has no end"
    )
