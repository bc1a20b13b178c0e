"""Finds quotes in a text: which of its words a quote stands for, whatever its line breaks and list markers.

Text and quote are compared as words, in Unicode's composed form, with straight quotation marks and plain
hyphens. Letter case counts. Not here: which passages ask for something (`normative`).
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")

MAX_PLACES: Final = 100
"""The most places at which one quote is found."""

_MAX_STEPS: Final = 1_000
_NEAREST_WORDS: Final = 400
_RAREST: Final = 1_000_000
_MARKER: Final = re.compile(
    r"\s*(?:>\s*)*(?:(?:[-*+•]|[0-9]{1,9}[.)]|#{1,6})(?:\s+|$)(?:\[[ xX]\]\s+)?|[-=*_]{3,}\s*$)?"
)
_WORD: Final = re.compile(r"\S+")
_PUNCTUATION: Final = ".,;:!?()[]{}\"'*_`"
_CLOSING: Final = ")]}\"'*_`\u201d\u2019"
_FOLDED: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        "\u2026": "...",
        # Soft hyphen, zero-width characters and the byte order mark are not seen.
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"),
    }
)


@dataclass(frozen=True)
class Word:
    """A word of a text.

    Attributes:
        written: as it stands there.
        folded: as it is compared.
        line: its line, counted from 1.
        column: how many characters of the line stand before it.
        is_marker: whether it is the marker of a list item, heading or quotation at the beginning of a line.
    """

    written: str
    folded: str
    line: int
    column: int
    is_marker: bool


@dataclass(frozen=True)
class Passage:
    """A piece of a text: whole words.

    Attributes:
        first: the line of its first word, counted from 1.
        last: the line of its last word.
        text: its words without markers, on one line.
        words: the indices of those words in `Words.all`.
    """

    first: int
    last: int
    text: str
    words: tuple[int, ...]


class Words:
    """The words of a text, ready to be searched.

    Attributes:
        all: every word, in order.
        of_line: the indices of the words of each line, markers left out.
    """

    def __init__(self, text: str) -> None:
        self.all = _words(text)
        self.of_line: dict[int, list[int]] = {}
        for index, word in enumerate(self.all):
            if not word.is_marker:
                self.of_line.setdefault(word.line, []).append(index)
        folded = [(index, word.folded) for index, word in enumerate(self.all)]
        self._said = _Sequence([(index, text) for index, text in folded if not self.all[index].is_marker])
        self._written = _Sequence(folded)
        self._located: dict[str, tuple[tuple[Passage, ...], frozenset[int]]] = {}

    def places(self, quote: str) -> tuple[Passage, ...]:
        """Where `quote` stands, at most `MAX_PLACES` places in order; empty if nowhere.

        A quote begins and ends at the borders of words. Markers of lists count only if it is not found
        without them.
        """
        return self._locate(quote)[0]

    def held(self, quote: str) -> frozenset[int]:
        """The indices of the words that `quote` holds whole, but for punctuation around them.

        The words at its ends may be parts of words of the text: "in 2" stands in "in 2.5 s", and holds "in".
        """
        return self._locate(quote)[1]

    def _locate(self, quote: str) -> tuple[tuple[Passage, ...], frozenset[int]]:
        """The places of a quote, and the words that it holds there."""
        passages = self._located.get(quote)
        if passages is None:
            words = _words(quote)
            sought = [word.folded for word in words if not word.is_marker]
            ranges = self._said.ranges(sought)
            if sought and not ranges:
                sought = [word.folded for word in words]
                ranges = self._written.ranges(sought)
            held = frozenset(
                index
                for indices in ranges
                for index, word in zip(indices, sought, strict=True)
                if self.all[index].folded.strip(_PUNCTUATION) == word.strip(_PUNCTUATION)
            )
            passages = tuple(self.passage(indices) for indices in ranges), held
            self._located[quote] = passages
        return passages

    @cached_property
    def _bare(self) -> "_Sequence":
        return _Sequence(self._here)

    @cached_property
    def _here(self) -> list[tuple[int, str]]:
        return _bare_words(self.all)

    @cached_property
    def _often(self) -> Counter[str]:
        return Counter(word for _, word in self._here)

    def respelt(self, quote: str) -> tuple[Passage, ...]:
        """Where the letters and digits of `quote` stand in whatever case: the first `MAX_PLACES` places.

        Words without any, such as a dash, don't belong to these passages.
        """
        ranges = self._bare.ranges([bare for _, bare in _bare_words(_words(quote))])
        return tuple(self.passage(indices) for indices in ranges)

    def nearest(self, quote: str) -> Passage | None:
        """The passage that shares most words with `quote`, rare words counting more than frequent ones.

        It lies between two headings, or in one. None if no passage of about the quote's length shares half of
        its words.
        """
        sought = [bare for _, bare in _bare_words(_words(quote))]
        wanted = Counter(sought[:_NEAREST_WORDS])
        length = wanted.total() * 5 // 4 + 1
        here, often = self._here, self._often
        window = Counter[str]()
        shared = weight = most = begin = end = enough = start = 0
        for position, (index, word) in enumerate(here):
            if position and self._sections[index] != self._sections[here[position - 1][0]]:
                window.clear()
                shared = weight = 0
                start = position
            window[word] += 1
            if window[word] <= wanted[word]:
                shared, weight = shared + 1, weight + _RAREST // often[word]
            if position - start >= length:
                leaving = here[position - length][1]
                if window[leaving] <= wanted[leaving]:
                    shared, weight = shared - 1, weight - _RAREST // often[leaving]
                window[leaving] -= 1
            if weight > most:
                most, end, enough = weight, position + 1, shared
                begin = max(start, end - length)
        if not enough or enough * 2 < wanted.total():
            return None
        indices = _without_surplus(here[begin:end], wanted)
        # With what stands between them, such as a dash: this is to be copied.
        return self.passage(self._with_whole_numbers(indices[0], indices[-1]))

    def _with_whole_numbers(self, first: int, last: int) -> range:
        """The words from `first` to `last`, and the parts of a number in several words that stand beside."""
        while first > 0 and self._goes_on(first - 1) and self._is_number(first - 1):
            first -= 1
        while last + 1 < len(self.all) and self._goes_on(last) and self._is_number(last + 1):
            last += 1
        return range(first, last + 1)

    def _is_number(self, index: int) -> bool:
        return any(character.isdigit() for character in self.all[index].written)

    @cached_property
    def _sections(self) -> tuple[int, ...]:
        """For each word how many headings, and texts between headings, begin before it."""
        headings = {
            word.line - (word.written[0] != "#")
            for word in self.all
            if word.is_marker and (not word.written.strip("#") or re.fullmatch("=+|-{3,}", word.written))
        }
        sections: list[int] = []
        section = last = 0
        for word in self.all:
            if word.line != last and (word.line in headings or last in headings):
                section += 1
            last = word.line
            sections.append(section)
        return tuple(sections)

    def sentence(self, passage: Passage) -> Passage:
        """A passage with what stands around it up to the ends of its sentences, items or paragraphs."""
        first, last = passage.words[0], passage.words[-1]
        while first > 0 and self._goes_on(first - 1):
            first -= 1
        while last + 1 < len(self.all) and self._goes_on(last):
            last += 1
        return self.passage(range(first, last + 1))

    def _goes_on(self, index: int) -> bool:
        word, following = self.all[index], self.all[index + 1]
        ends = word.written.rstrip(_CLOSING).endswith((".", "!", "?"))
        return not ends and not following.is_marker and following.line <= word.line + 1

    def passage(self, indices: Iterable[int]) -> Passage:
        """The passage of these words, at least one; markers among them don't belong to it."""
        kept = tuple(indices)
        plain = tuple(index for index in kept if not self.all[index].is_marker) or kept
        return Passage(
            first=self.all[plain[0]].line,
            last=self.all[plain[-1]].line,
            text=" ".join(self.all[index].written for index in plain),
            words=plain,
        )


class _Sequence:
    """Some words of a text in one string, with the way back from its characters.

    Args:
        words: the index of each word in the text, and what it is compared as.
    """

    def __init__(self, words: Sequence[tuple[int, str]]) -> None:
        self._indices = [index for index, _ in words]
        self._text = " ".join(text for _, text in words)
        self._starts: list[int] = []
        at = 0
        for _, text in words:
            self._starts.append(at)
            at += len(text) + 1

    def ranges(self, sought: list[str]) -> list[Sequence[int]]:
        """The indices of the words at each place where the `sought` words stand."""
        quote, text = " ".join(sought), self._text
        ranges: list[Sequence[int]] = []
        at = text.find(quote) if quote else -1
        for _ in range(_MAX_STEPS):
            if at < 0 or len(ranges) == MAX_PLACES:
                break
            end = at + len(quote)
            if not (_inside_word(text, at) or _inside_word(text, end)):
                first = bisect_right(self._starts, at) - 1
                last = bisect_right(self._starts, end - 1)
                ranges.append(self._indices[first:last])
            at = text.find(quote, at + 1)
        return ranges


def folded_words(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared, markers left out."""
    return tuple(word.folded for word in _words(text) if not word.is_marker)


def is_marker(written: str) -> bool:
    """Whether a word would be the marker of a list item, heading or quotation at the beginning of a line."""
    marker = _MARKER.match(f"{written} ")
    return marker is not None and marker.end() > len(written)


def _words(text: str) -> tuple[Word, ...]:
    words = []
    for number, line in enumerate(LINE_BREAK.split(text), start=1):
        marker = _MARKER.match(line)
        begin = marker.end() if marker else 0
        for first, last, is_marker in ((0, begin, True), (begin, len(line), False)):
            for match in _WORD.finditer(line, first, last):
                folded = unicodedata.normalize("NFC", match[0]).translate(_FOLDED)
                if folded:
                    words.append(Word(match[0], folded, number, match.start(), is_marker))
    return tuple(words)


def _without_surplus(span: list[tuple[int, str]], wanted: Counter[str]) -> list[int]:
    """The indices of a span's words, without those at its ends that are not wanted, or not so often."""
    there = Counter(word for _, word in span)
    first, last = 0, len(span)
    while there[span[last - 1][1]] > wanted[span[last - 1][1]]:
        last -= 1
        there[span[last][1]] -= 1
    while there[span[first][1]] > wanted[span[first][1]]:
        there[span[first][1]] -= 1
        first += 1
    return [index for index, _ in span[first:last]]


def _inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _bare_words(words: Sequence[Word]) -> list[tuple[int, str]]:
    """The words that have letters or digits, by index: those alone, and without their case."""
    return [
        (index, bare)
        for index, word in enumerate(words)
        if not word.is_marker
        and (bare := "".join(character for character in word.folded.lower() if character.isalnum()))
    ]
