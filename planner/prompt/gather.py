"""What a prompt of the planner says beside the specification, within a limit of tokens; what is left out.

What there is comes from `units`, the words around it from `words`. Tokens are those of
`estimate_tokens`, one for every two bytes: more than a model counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from factory.contract.note import Note, notes_hash
from factory.contract.work_order import VERIFY_SCRIPT
from factory.llm.port import Message, estimate_tokens
from planner.diagnostics.diagnostic import one_line, quote
from planner.prompt.file_listing import NEW, file_listing
from planner.prompt.fit import Shown, fitted
from planner.prompt.units import Part, units
from planner.prompt.words import AGAIN, HEAD, OF_A_REPOSITORY, WITHOUT_A_VERIFY_SCRIPT
from planner.repository.sources import Sources

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

_SHARES: Final[Mapping[Part, int]] = {Part.FILES: 4, Part.SOURCE: 8}
"""Parts that take a part of the limit at most, so that they leave room for those that follow."""

_RESERVED_TOKENS: Final = 300
"""Set aside for the sentences on what was left out, and for the last one."""

_TOLD: Final = 3
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


def gather(
    sources: Sources,
    notes: Sequence[Note],
    spec: str | None,
    limit: int,
    *,
    is_new: bool = True,
) -> Context:
    """What a prompt says beside the specification.

    Args:
        sources: the repository as it is now.
        notes: what the user hands over.
        spec: the specification, if it is at hand: the modules that it speaks of come first.
        limit: the limit in tokens; 0 for nothing at all.
        is_new: whether the plan is to be made, not revised.
    """
    found_units = units(sources, notes, spec, limit)
    head = HEAD + (OF_A_REPOSITORY if sources.files else "")
    if is_new and found_units[Part.TESTS] and VERIFY_SCRIPT not in sources.files:
        head += WITHOUT_A_VERIFY_SCRIPT
    files = file_listing(sources.files, limit // _SHARES[Part.FILES])
    left = limit - _RESERVED_TOKENS - estimate_tokens(head) - files.tokens
    parts: list[Shown] = []
    for part, found in found_units.items():
        shown = fitted(part, found, min(left, limit // _SHARES.get(part, 1)))
        left -= shown.tokens
        if shown.names or shown.left_out or shown.unreadable:
            parts.append(shown)
    texts = [one.text for one in parts if one.text]
    message, tokens = None, files.tokens
    if texts:
        # What is revised is said after this, and ends the question.
        end = [AGAIN] if is_new else []
        message = Message(role="user", content="\n\n".join([head, *texts, *_gaps(parts), *end]))
        tokens += estimate_tokens(message.content)
    if sources.files:
        parts.insert(0, files)
    return Context(message, limit, tokens, files.text, tuple(parts), notes_hash(notes))


def told(context: Context) -> tuple[str, ...]:
    """What the user hears of it, a line each."""
    if not context.parts or not context.limit:
        return ()
    tokens = ", ".join(f"{one.part} {one.tokens:,} ({len(one.names)})" for one in context.parts)
    lines = [f"context: about {context.tokens:,} of {context.limit:,} tokens: {tokens}"]
    shortened = [_listed(one.part, one.shortened) for one in context.parts if one.shortened]
    if shortened:
        lines.append(f"context: only the names in {'; '.join(shortened)}")
    left_out = [_listed(one.part, one.left_out) for one in context.parts if one.left_out]
    left_out += [quote(name) for one in context.parts for name in one.cut]
    if left_out:
        lines.append(f"context: no room for {'; '.join(left_out)}")
    if shortened or left_out:
        lines.append(f"context: --context-tokens {2 * context.limit} doubles the room")
    unreadable = [one for part in context.parts for one in part.unreadable]
    lines += [f"context: {quote(name)} is not shown: {one_line(why)}" for name, why in unreadable[:_TOLD]]
    if len(unreadable) > _TOLD:
        lines.append(f"context: {len(unreadable) - _TOLD} more files can't be read")
    return tuple(lines)


def recorded_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a record has them: harmless, the first hundred, and how many more there are."""
    more = len(names) - _RECORDED
    return (*(one_line(name) for name in names[:_RECORDED]), *([f"… and {more} more"] if more > 0 else []))


def _gaps(parts: Sequence[Shown]) -> list[str]:
    """What the model is told of what it does not see."""
    gaps = {
        "There was only room for the names in": [(one.part, len(one.shortened)) for one in parts],
        "There was no room for": [(one.part, len(one.left_out)) for one in parts],
        "What can't be read as text or as Python is not shown:": [
            (one.part, len(one.unreadable)) for one in parts
        ],
    }
    counted = {
        words: ", ".join(_counted(part, count) for part, count in found if count)
        for words, found in gaps.items()
    }
    sentences = [f"{words} {found}." for words, found in counted.items() if found]
    return [" ".join(sentences)] if sentences else []


def _listed(part: Part, names: Sequence[str]) -> str:
    more = ", …" if len(names) > _TOLD else ""
    return f"{_counted(part, len(names))} ({', '.join(quote(name) for name in names[:_TOLD])}{more})"


def _counted(part: Part, count: int) -> str:
    one, several = _KINDS[part]
    return f"{count} {one if count == 1 else several}"
