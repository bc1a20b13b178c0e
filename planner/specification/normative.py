"""Tells which sentences of a specification ask for something: by their words alone, and in English.

It would rather miss one than name one that asks for nothing. A sentence that only describes ("the result is
sorted") counts in a list item, not in running text.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from factory.specification.quotations import LINE_BREAK, Passage, Words
from planner.specification.blocks import Block, blocks

_MODALS: Final = frozenset({"must", "mustn't", "shall", "shan't", "should", "shouldn't", "will", "won't"})
_SPEAKERS: Final = frozenset({"we", "i", "you", "document", "specification", "section", "chapter"})
"""What these will do is no behaviour of a product."""

# fmt: off
_VERBS: Final = frozenset({
    "accept", "add", "allow", "always", "avoid", "be", "choose", "compute", "convert", "create", "delete",
    "deny", "detect", "disallow", "don't", "enable", "enforce", "ensure", "expose", "forbid", "generate",
    "guarantee", "handle", "ignore", "implement", "include", "keep", "let", "make", "never", "normalise",
    "normalize", "omit", "parse", "preserve", "prevent", "provide", "raise", "reject", "refuse", "remove",
    "replace", "require", "retain", "send", "skip", "treat", "validate", "verify", "write",
})
"""Words that begin an order, whatever follows."""

_VERBS_AND_NOUNS: Final = frozenset({
    "build", "call", "check", "count", "display", "do", "emit", "end", "exit", "fail", "format", "give",
    "leave", "limit", "list", "load", "log", "open", "order", "output", "print", "put", "quote", "read",
    "record", "report", "return", "run", "save", "set", "show", "sort", "start", "stop", "store", "support",
    "test", "use",
})
"""Words that begin an order if what follows can't follow a noun."""

_OBJECTS: Final = frozenset({
    "a", "all", "an", "any", "at", "both", "each", "either", "every", "everything", "exactly", "in", "it",
    "its", "no", "not", "nothing", "one", "only", "that", "the", "their", "them", "these", "this", "those",
    "two", "with", "without",
})

_ABBREVIATIONS: Final = frozenset({
    "approx.", "ca.", "cf.", "e.g.", "eg.", "etc.", "fig.", "i.e.", "ie.", "incl.", "max.", "min.", "no.",
    "resp.", "vs.",
})
# fmt: on

_CLOSING: Final = ")]}\"'*_`\u201d\u2019"
_OPENING: Final = "([{\"'*_`\u201c\u2018"
_LINK_ONLY: Final = re.compile(r"\[[^\]]*\]\([^)]*\)")
_ASIDE: Final = re.compile(r"\W*(?:for example|for instance|e\.g\.|see|note|such as|this is because)\b", re.I)
_HEADING_WORDS: Final = 4
_CELL_WORDS: Final = 3
"""How long a sentence in a table is at least: "Must" and "Should have" are priorities."""


def normative_passages(text: str, words: Words) -> tuple[Passage, ...]:
    """The sentences of a specification that ask for something, in order.

    Args:
        text: the specification, Markdown or plain text.
        words: its words.

    Returns:
        The sentences of list items, asides left out, and every other sentence with a modal verb (must,
        shall, should, will, may not) or an imperative, also in the cells of tables.
    """
    passages = []
    for block in blocks(LINE_BREAK.split(text)):
        indices = [index for line in block.lines for index in words.of_line.get(line, ())]
        written = [words.all[index].written for index in indices]
        for start, stop in _normative(block, written):
            passages.append(words.passage(indices[start:stop]))
    return tuple(passages)


def _normative(block: Block, written: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the normative sentences of a block begin and end among its words."""
    if _LINK_ONLY.fullmatch(" ".join(written)):
        return
    if block.is_row:
        yield from _in_cells(written)
        return
    for start, stop in _sentences(written):
        sentence = written[start:stop]
        if stop == len(written) and block.introduces and _is_introduction(block, sentence):
            continue
        if asks(sentence) or (block.is_item and (start == 0 or not _ASIDE.match(" ".join(sentence)))):
            yield start, stop


def _in_cells(written: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The same, among the words of a row of a table."""
    begin = 0
    for index in range(len(written) + 1):
        if index == len(written) or written[index] == "|":
            for start, stop in _sentences(written[begin:index]):
                sentence = [word.strip("|") for word in written[begin + start : begin + stop]]
                if len(sentence) >= _CELL_WORDS and asks(sentence):
                    yield begin + start, begin + stop
            begin = index + 1


def _is_introduction(block: Block, sentence: Sequence[str]) -> bool:
    last = sentence[-1].rstrip("*_")
    return last.endswith(":") or (block.is_item and len(sentence) <= _HEADING_WORDS and last[-1:] not in ".!")


def asks(sentence: Sequence[str]) -> bool:
    """Whether a sentence of running text, as its words, has a modal verb or is an order."""
    if sentence and sentence[-1].rstrip(_CLOSING).endswith("?"):
        return False
    words = [_plain(word) for word in _without_code(sentence)]
    words = [word for word in words if word]
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word in _MODALS and not (word in ("will", "should") and before in _SPEAKERS):
            return True
        if word == "may" and after == "not":
            return True
    if len(words) < 2:
        return False
    first, second = words[0], words[1]
    if first in ("do", "please"):
        return second == "not" or second in _VERBS or second in _VERBS_AND_NOUNS
    return first in _VERBS or (first in _VERBS_AND_NOUNS and (second in _OBJECTS or second == _CODE))


_CODE: Final = "`"


def _without_code(sentence: Sequence[str]) -> Iterator[str]:
    """The words, with one sign in place of each piece of code."""
    inside = False
    for word in sentence:
        ticks = word.count("`")
        if not inside and not ticks:
            yield word
        elif not inside:
            yield _CODE
        inside ^= ticks % 2 == 1


def _sentences(written: Sequence[str]) -> Iterator[tuple[int, int]]:
    start = 0
    inside_code = False
    for index, word in enumerate(written):
        inside_code ^= word.count("`") % 2 == 1
        following = written[index + 1] if index + 1 < len(written) else ""
        if not following or (not inside_code and _ends(word, following)):
            yield start, index + 1
            start = index + 1


def _ends(word: str, following: str) -> bool:
    bare = word.rstrip(_CLOSING)
    if not bare.endswith((".", "!", "?")) or bare.lower().lstrip(_OPENING) in _ABBREVIATIONS:
        return False
    if re.fullmatch(r"[A-Z]\.", bare):
        return False
    begins = following.lstrip(_OPENING)[:1]
    return following[:1] == "`" or begins.isupper() or begins.isdecimal()


def _plain(word: str) -> str:
    if word == _CODE:
        return word
    return word.replace("\u2019", "'").strip(".,;:!?()[]{}\"'*_\u201c\u201d\u2018").lower()
