"""What is known beside the specification, as one value; and what the user and the records are told of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from factory.llm.port import Message
from factory.plans.diagnostics.diagnostic import quote
from factory.system.terminal.console import one_line
from planner.prompt.parts import Part, Shown

NEW: Final = "(no files: the repository is new)"
"""Stands in the place of the files' names."""

_KINDS: Final[Mapping[Part, tuple[str, str]]] = {
    Part.FILES: ("file", "files"),
    Part.AGENTS: ("AGENTS.md", "AGENTS.md files"),
    Part.README: ("README", "READMEs"),
    Part.NOTES: ("note", "notes"),
    Part.CONFIGURATION: ("configuration file", "configuration files"),
    Part.SOURCE: ("definition", "definitions"),
    Part.OUTLINE: ("module", "modules"),
    Part.TESTS: ("test module", "test modules"),
}

_MOST_NAMED: Final = 3
_RECORDED: Final = 100


@dataclass(frozen=True)
class Context:
    """What is known beside the specification.

    Attributes:
        message: what the model is told; None if there is nothing to tell.
        limit: the limit in tokens.
        tokens: what the message and the listing take of it.
        listing: the names of the repository's files.
        parts: what became of each part that has something.
        notes_sha256: the hash of the notes; None without notes.
    """

    message: Message | None = None
    limit: int = 0
    tokens: int = 0
    listing: str = NEW
    parts: tuple[Shown, ...] = ()
    notes_sha256: str | None = None


NOTHING: Final = Context()
"""Where nothing is known."""


def render_context(context: Context) -> tuple[str, ...]:
    """What the user hears of it, a line each."""
    if not context.parts or not context.limit:
        return ()
    tokens = ", ".join(f"{kind.part} {kind.tokens:,} ({len(kind.names)})" for kind in context.parts)
    lines = [f"context: about {context.tokens:,} of {context.limit:,} tokens: {tokens}"]
    shortened = [_listed(kind.part, kind.shortened) for kind in context.parts if kind.shortened]
    if shortened:
        lines.append(f"context: only the names in {'; '.join(shortened)}")
    left_out = [_listed(kind.part, kind.left_out) for kind in context.parts if kind.left_out]
    if left_out:
        lines.append(f"context: no room for {'; '.join(left_out)}")
    cut = [quote(name) for kind in context.parts for name in kind.cut]
    if cut:
        lines.append(f"context: left out, as one file has a share of the room: {'; '.join(cut)}")
    if shortened or left_out or cut:
        lines.append(f"context: --context-tokens {2 * context.limit} doubles the room")
    unreadable = [path for part in context.parts for path in part.unreadable]
    lines += [
        f"context: {quote(name)} is not shown: {one_line(why)}" for name, why in unreadable[:_MOST_NAMED]
    ]
    if len(unreadable) > _MOST_NAMED:
        lines.append(f"context: {len(unreadable) - _MOST_NAMED} more files can't be read")
    return tuple(lines)


def recorded_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a record has them: harmless, the first hundred, and how many more there are."""
    more = len(names) - _RECORDED
    return (*(one_line(name) for name in names[:_RECORDED]), *([f"… and {more} more"] if more > 0 else []))


def counted(part: Part, count: int) -> str:
    """So many of what a part consists of."""
    singular, several = _KINDS[part]
    return f"{count} {singular if count == 1 else several}"


def _listed(part: Part, names: Sequence[str]) -> str:
    more = ", …" if len(names) > _MOST_NAMED else ""
    return f"{counted(part, len(names))} ({', '.join(quote(name) for name in names[:_MOST_NAMED])}{more})"
