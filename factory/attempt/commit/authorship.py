"""Who made what lands, as the trailers of its commit say it. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from factory.contract.errors import WorkorderError

_MAX_GENERATOR: Final = 200
_MAX_CO_AUTHOR: Final = 200
_CO_AUTHOR: Final = re.compile(r"[^<>]*[^<>\s] <[^<>\s@]+@[^<>\s@]+>")


class BadCoAuthor(WorkorderError):
    """Somebody whom no commit can name."""


@dataclass(frozen=True)
class Authorship:
    """Who made the files of a commit.

    Attributes:
        generated_by: the model, as `message.generator` says it, or `plan`; empty if that is not known,
            or a person did.
        by_person: whether a person did.
        widened: the files that a person wrote although the work order does not list them, sorted.
        co_authors: whom the user wants to be named beside themselves.
    """

    generated_by: str = ""
    by_person: bool = False
    widened: tuple[str, ...] = ()
    co_authors: tuple[str, ...] = ()

    @property
    def trailers(self) -> str:
        """A line for each; a text that is not ours is kept to its line."""
        lines = [f"Generated-By: {one_line(self.generated_by)[:_MAX_GENERATOR]}"] if self.generated_by else []
        lines += ["Author-Kind: person"] if self.by_person else []
        lines += [f"Widened-Scope: {path}" for path in self.widened]
        return "".join(f"{line}\n" for line in lines)

    @property
    def last_trailers(self) -> str:
        """Those that come after all others, as hosts expect it."""
        return "".join(f"Co-authored-by: {name}\n" for name in self.co_authors)


NOBODY: Final = Authorship()
"""Where nobody is named."""


def co_authors(texts: Sequence[str]) -> tuple[str, ...]:
    """People, or programs, as `Co-authored-by` names them, each once.

    Args:
        texts: each as `Name <address>`.

    Raises:
        BadCoAuthor: one is written otherwise.
    """
    for text in texts:
        if len(text) > _MAX_CO_AUTHOR or not text.isprintable() or not _CO_AUTHOR.fullmatch(text.strip()):
            raise BadCoAuthor(
                "is no name with an address",
                where=f"--co-author {text[:_MAX_CO_AUTHOR]!r}",
                hint='write it as git does: "Name <name@example.org>"',
            )
    return tuple(dict.fromkeys(text.strip() for text in texts))


def one_line(text: str) -> str:
    """A text without anything that could end its line."""
    return " ".join(printable(text).split())


def printable(text: str) -> str:
    """A text with spaces for what can't be seen."""
    return "".join(character if character.isprintable() else " " for character in text)
