"""A specification by its lines: which of them ask for something, and which a quote stands for.

Pure; for rules, the trace and the analysis of what a changed specification affects. All line numbers are
counted from 1, and are those of the text that the model is shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from factory.specification.quotations import Passage, Words, is_marker
from planner.specification.normative import normative_passages


@dataclass(frozen=True)
class SpecLines:
    """A text with its words and its normative passages.

    Attributes:
        text: the text.
        chosen: the lines, first and last, of the passages that are normative, each behind one word that
            names it; None if that is to be found out from the text.
    """

    text: str
    chosen: tuple[tuple[int, int], ...] | None = None

    @cached_property
    def words(self) -> Words:
        """The words of the text."""
        return Words(self.text)

    @cached_property
    def normative(self) -> tuple[Passage, ...]:
        """The passages that ask for something, in order."""
        if self.chosen is None:
            return normative_passages(self.text, self.words)
        return tuple(self._named(first, last) for first, last in self.chosen)

    def between(self, first: int, last: int) -> Passage:
        """All that is said from one line to another; there must be something."""
        return self.words.passage(self._inside(first, last))

    def places(self, quote: str) -> tuple[Passage, ...]:
        """Where a quote stands; empty if it is not in the text. See `Words.places`."""
        return self.words.places(quote)

    def lines(self, quote: str) -> tuple[int, ...]:
        """The numbers of the lines that a quote stands for, in order; empty if it is not in the text."""
        return tuple(
            sorted({self.words.all[index].line for place in self.places(quote) for index in place.words})
        )

    def asks_for(self, quote: str) -> bool:
        """Whether a quote stands somewhere where something is asked for, at least in part."""
        return any(word in self._passage_of for place in self.places(quote) for word in place.words)

    def respelt(self, quote: str) -> Passage | None:
        """The first place where what is asked for is a quote but for letter case and punctuation, if any."""
        for place in self.words.respelt(quote):
            said = frozenset(place.words)
            asked = {self._passage_of[word] for word in said if word in self._passage_of}
            rest = {index for number in asked for index in self.normative[number].words} - said
            if asked and not any(map(str.isalnum, "".join(self.words.all[index].folded for index in rest))):
                return place
        return None

    def nearest(self, quote: str) -> Passage | None:
        """The passage most like a quote that is not in the text; None if nothing is like it."""
        return self.words.nearest(quote)

    def covered(self, quotes: Iterable[str]) -> frozenset[int]:
        """The indices of the words that any of the quotes stands for."""
        return frozenset(index for quote in quotes for place in self.places(quote) for index in place.words)

    def held(self, quotes: Iterable[str]) -> frozenset[int]:
        """The indices of the words that any of the quotes holds whole, but for punctuation around them."""
        return frozenset(index for quote in quotes for index in self.words.held(quote))

    def uncovered(self, quotes: Iterable[str]) -> tuple[Passage, ...]:
        """The normative passages of which the quotes together hold less than half of the words."""
        quoted = self.covered(quotes)
        return tuple(passage for passage in self.normative if not is_covered(passage, quoted))

    @cached_property
    def _passage_of(self) -> dict[int, int]:
        """For the index of each word that is in a normative passage, the number of that passage."""
        return {index: number for number, passage in enumerate(self.normative) for index in passage.words}

    def _named(self, first: int, last: int) -> Passage:
        inside = self._inside(first, last)
        said = inside[1:]
        # Behind the name, too, the marker of a list or title is none of the words that a quote must hold.
        while said and is_marker(self.words.all[said[0]].written):
            said = said[1:]
        return self.words.passage(said or inside[1:] or inside)

    def _inside(self, first: int, last: int) -> list[int]:
        return [index for line in range(first, last + 1) for index in self.words.of_line.get(line, ())]


def is_covered(passage: Passage, quoted: frozenset[int]) -> bool:
    """Whether at least half of the passage's words are among the `quoted` ones."""
    return 2 * sum(index in quoted for index in passage.words) >= len(passage.words)
