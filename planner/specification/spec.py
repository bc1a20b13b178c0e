"""A specification as the planner knows it: the text that the model is shown, and the ids that it gives."""

from dataclasses import dataclass
from functools import cached_property

from factory.contract.canonical import sha256_hex
from factory.specification.quotations import Passage
from factory.specification.units import Outline
from planner.specification.lines import SpecLines
from planner.specification.numbered import Numbered, between, numbered, shortened


@dataclass(frozen=True)
class GivenRequirement:
    """A requirement that the specification itself names.

    Attributes:
        id: its id, which the plan keeps.
        first: the line of the specification's text where it begins, counted from 1.
        last: the line where it ends.
    """

    id: str
    first: int
    last: int


@dataclass(frozen=True)
class Spec:
    """A specification.

    Attributes:
        text: what the model is shown; quotes and line numbers refer to it.
        sha256: the hash of the bytes it was read from.
        given: the requirements that it names; empty for one that is only text.
        beside: the lines, first and last, of each thing that it demands beside those.
    """

    text: str
    sha256: str
    given: tuple[GivenRequirement, ...] = ()
    beside: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of_text(cls, text: str) -> "Spec":
        """A specification that was read from `text` in UTF-8."""
        return cls(text, sha256_hex(text.encode("utf-8")))

    @cached_property
    def lines(self) -> SpecLines:
        """Its lines; if it names its requirements, those alone are normative."""
        chosen = tuple((given.first, given.last) for given in self.given)
        return SpecLines(self.text, chosen if self.given else None)

    @cached_property
    def passages(self) -> dict[str, Passage]:
        """The text of each requirement that it names, by id."""
        ids = (given.id for given in self.given)
        return dict(zip(ids, self.lines.normative, strict=True)) if self.given else {}

    @cached_property
    def outline(self) -> Outline:
        """Its pieces."""
        return Outline.of(self.text)

    @cached_property
    def numbered(self) -> tuple[Numbered, ...]:
        """The requirements that it numbers, with their quotes; of data all that it has."""
        if self.given:
            return tuple(
                Numbered(name, shortened(passage.text), (passage.text,))
                for name, passage in self.passages.items()
            )
        return numbered(self.lines, self.outline)

    def passages_between(self, first: int, last: int) -> tuple[str, ...]:
        """What is said from one line to another, piece by piece."""
        return tuple(between(self.lines, self.outline, first, last))

    @cached_property
    def demands(self) -> tuple[Passage, ...]:
        """All that it asks for: its normative passages, and what it demands beside its requirements."""
        return (*self.lines.normative, *(self.lines.between(first, last) for first, last in self.beside))
