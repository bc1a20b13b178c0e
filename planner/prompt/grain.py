"""How large work orders shall be: the grains, which one suits a model and a specification, and their words.

Pure. Not here: who decides otherwise (`commands.choices`).
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_LINES_OF_A_BYTE: Final = 1 / 3
"""How many lines, tests included, a byte of a specification has led to, about; see docs/performance.md."""

_ORDERS: Final = 2
"""A product is held by a grain if this many of its work orders hold it."""

_ASKS_MODELS: Final = ("command:", "agent:", "acp:")
"""What names a program, whose name says nothing of the model that answers."""

_WEAK: Final = re.compile(
    r"\b(?:mini|nano|lite|flash|haiku|small|tiny|gemma|phi-?\d)|\b\d{1,2}(?:\.\d)?b\b|^(?:ollama|vllm|llamacpp|lmstudio):",
    re.IGNORECASE,
)
_STRONG: Final = re.compile(
    r"claude-(?:opus|sonnet|fable|mythos)|gpt-[5-9]|gemini-[\d.]+-pro|\bo[3-9]\b", re.IGNORECASE
)


class Grain(StrEnum):
    """How large a work order is."""

    FINE = "fine"
    MEDIUM = "medium"
    COARSE = "coarse"


@dataclass(frozen=True)
class _Size:
    """What a work order of a grain writes.

    Attributes:
        lines: how many new lines it has, about, tests included.
        words: what a planner is told of it.
    """

    lines: int
    words: str


_SIZES: Final = {
    Grain.FINE: _Size(
        200,
        "- A work order writes about 200 new lines, tests included, in one to five files. One subject each."
        " Split what needs more than about 400; join what would be less than about twenty.",
    ),
    Grain.MEDIUM: _Size(
        600,
        "- A work order writes about 600 new lines, tests included, in up to ten files: a part of the product"
        " with all of its rules. Split what needs more than about 1,000; join what would be less than about"
        " 150. A product that needs no more than one writes is one work order.",
    ),
    Grain.COARSE: _Size(
        2000,
        "- A work order writes about 2,000 new lines, tests included, in up to twenty-five files: a whole"
        " subsystem. Split what needs more than about 3,000; join what would be less than about 500. A"
        " product of up to about 3,000 is one or two work orders.",
    ),
}


@dataclass(frozen=True)
class ChosenGrain:
    """A grain, and why.

    Attributes:
        grain: the grain.
        reason: why it is this one, for a person.
    """

    grain: Grain
    reason: str

    @property
    def in_words(self) -> str:
        """What was taken, for a person."""
        lines = _SIZES[self.grain].lines
        return f"grain: {self.grain}, about {lines:,} new lines a work order ({self.reason})"


def grain_words(grain: Grain) -> str:
    """What stands for `{{GRAIN}}` in a template."""
    return _SIZES[grain].words


def suited(model: str, spec_bytes: int | None) -> ChosenGrain:
    """The grain for a model and a specification: the smallest that holds the product, if the model can do it.

    Args:
        model: who plans, as `--llm` writes it, or as a recording names it.
        spec_bytes: the size of the specification, in bytes; None if it is not at hand.
    """
    largest, why = _largest(model)
    if spec_bytes is None:
        return ChosenGrain(largest, why)
    product = spec_bytes * _LINES_OF_A_BYTE
    for grain in Grain:
        if grain is largest:
            break
        if product <= _ORDERS * _SIZES[grain].lines:
            return ChosenGrain(grain, f"{_ORDERS} work orders hold what {spec_bytes:,} bytes ask for")
    return ChosenGrain(largest, why)


def _largest(model: str) -> tuple[Grain, str]:
    if not model.startswith(_ASKS_MODELS):
        if _WEAK.search(model):
            return Grain.FINE, f"{model} counts as a small model"
        if _STRONG.search(model):
            return Grain.COARSE, f"{model} counts as a strong model"
    return Grain.MEDIUM, "nothing is known of the model"
