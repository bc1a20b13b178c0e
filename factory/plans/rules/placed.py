"""Parts of a plan with their places in the document, for what is said of them."""

from dataclasses import dataclass

from factory.contract.work_order import Requirement, WorkOrder
from factory.plans.commands.programs import Reading, read_command
from factory.plans.commands.words import UnsplittableCommand


@dataclass(frozen=True)
class PlacedOrder:
    """A work order that matches the schema, with its index in the document."""

    index: int
    order: WorkOrder

    @property
    def pointer(self) -> str:
        """Its place in the document."""
        return f"/work_orders/{self.index}"


@dataclass(frozen=True)
class PlacedRequirement:
    """A requirement that matches the schema, with its index in the document."""

    index: int
    requirement: Requirement

    @property
    def pointer(self) -> str:
        """Its place in the document."""
        return f"/requirements/{self.index}"


@dataclass(frozen=True)
class PlacedCommand:
    """A command of the document: an acceptance command, or that of the verify contract.

    Attributes:
        pointer: its place in the document.
        index: the index of its work order; None for the verify contract.
        text: the command.
        reading: the command seen through; None if it can't be split into words.
        problem: why it can't be read or followed, as what is said of the command; empty if it can.
    """

    pointer: str
    index: int | None
    text: str
    reading: Reading | None
    problem: str

    @classmethod
    def read(cls, pointer: str, index: int | None, text: str, directory: str = "") -> "PlacedCommand":
        """The command of that text, read; it runs in that directory of the repository."""
        try:
            reading = read_command(text, directory)
        except UnsplittableCommand as error:
            return cls(pointer, index, text, None, f"can't be split into words: {error}")
        return cls(pointer, index, text, reading, reading.problem)
