"""Parts of a tree as one line of text, spelt the same way however they were laid out. Pure."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import text

if TYPE_CHECKING:
    from tree_sitter import Node

BLANK: Final = " "
"""A token that stands for a blank."""

_CLOSING: Final = (")", "]", "}", ">")
"""In front of these, a comma says nothing."""

_WORD: Final = re.compile(r"\w+")
_LONGEST_PLAIN: Final = 400
"""The longest text that is compared with a pattern."""

_compiled = cache(re.compile)


def plain(node: "Node", pattern: str, names: Mapping[str, str]) -> str:
    """A part that is written as it is spelt, as most are, without a walk; empty for any other.

    Args:
        node: the part.
        pattern: matches what a walk would spell just as it is written; compiled at its first use, because
            it is large.
        names: what names become.
    """
    said = " ".join(text(node).split()).replace("( ", "(").replace(", )", ")")
    if len(said) > _LONGEST_PLAIN or node.has_error or _compiled(pattern).fullmatch(said) is None:
        return ""
    return _WORD.sub(lambda word: names.get(word[0], word[0]), said) if names else said


def tokens(node: "Node", parts: "Callable[[Node], Iterable[Node | str] | None]") -> list[str]:
    """The words and signs of a part, comments left out; walks without recursion.

    Args:
        node: the part.
        parts: what stands for a node instead of its children; None for those.
    """
    made: list[str] = []
    waiting: list[Node | str] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            made.append(part)
        elif not part.is_extra:
            instead = parts(part)
            inside = part.children if instead is None else list(instead)
            waiting.extend(reversed(inside))
            if not inside and instead is None:
                made.append(text(part).strip() or ";")
    return made


def joined(words: Iterable[str], around: Collection[str], behind: Collection[str]) -> str:
    """Tokens in one line: blanks between words, and where signs have some.

    Args:
        words: the tokens.
        around: signs with a blank on both sides.
        behind: signs with a blank behind them.
    """
    line = ""
    last = BLANK
    listed = list(words)
    for word, following in zip(listed, [*listed[1:], ""], strict=True):
        if word == "," and following[:1] in _CLOSING:
            continue
        is_apart = (
            word in around or last in around or last in behind or (_is_word(last[-1:]) and _is_word(word))
        )
        if word == BLANK or (is_apart and last != BLANK and line):
            line = f"{line.rstrip()} "
        if word != BLANK:
            line += word
        last = word
    return line.strip()


def _is_word(text: str) -> bool:
    return text[:1].isalnum() or text[:1] in ("_", "$", '"', "'")
