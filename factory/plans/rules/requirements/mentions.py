"""Which words of a requirement a work order mentions: by their beginnings, in any form of the word."""

import re
from typing import Final

from factory.contract.work_order import WorkOrder
from factory.specification.labels import ids_named

_WORD: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BEGINNING: Final = 5
# fmt: off
_EMPTY: Final = frozenset({
    "a", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "each", "for",
    "from", "has", "have", "if", "in", "into", "is", "it", "its", "may", "must", "no", "nor", "not",
    "of", "on", "one", "only", "or", "shall", "should", "so", "some", "such", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "to", "was", "were", "what", "when",
    "where", "which", "who", "whose", "will", "with", "without",
})
# fmt: on
"""Words that say nothing of what is asked for."""


def beginnings(text: str) -> frozenset[str]:
    """The beginnings of the words of a text that say something; names are taken apart."""
    words = (word.lower() for word in _WORD.findall(_HUMP.sub(" ", text)))
    return frozenset(word[:_BEGINNING] for word in words if word not in _EMPTY)


def mentioned(order: WorkOrder) -> frozenset[str]:
    """The beginnings of the words that whoever implements a work order reads."""
    texts = (order.title, order.intent, order.notes or "", *order.acceptance_commands, *order.provides)
    return beginnings(" ".join((*texts, *order.allowed_files)))


def names_requirement(order: WorkOrder, name: str) -> bool:
    """Whether the intent or the notes of a work order name a requirement by its id."""
    return bool(ids_named(f"{order.intent}\n{order.notes or ''}", [name]))
