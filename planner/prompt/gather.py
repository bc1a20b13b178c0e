"""What a prompt of the planner says beside the specification, within a limit of tokens; what is left out.

What there is comes from `units`, the words around it from `words`. Tokens are those of
`estimate_tokens`, one for every two bytes: more than a model counts.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from factory.contract.note import Note, notes_hash
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import VERIFY_SCRIPT, Plan
from factory.languages.port import Language, Verification
from factory.languages.python.language import PYTHON
from factory.languages.table import (
    default_verification,
    languages_in,
)
from factory.llm.port import Message, estimate_tokens
from factory.plans.states.locks import files_to_come
from factory.plans.states.sources import Sources
from planner.prompt.context import Context, counted
from planner.prompt.file_listing import file_listing
from planner.prompt.fit import fitted
from planner.prompt.parts import Part, Shown
from planner.prompt.units import units
from planner.prompt.words import (
    AGAIN,
    HEAD,
    OF_A_REPOSITORY,
    OF_PYTHON,
    WITH_SERVICES,
    WITHOUT_A_VERIFY_SCRIPT,
)

_SHARES: Final[Mapping[Part, int]] = {Part.FILES: 4, Part.SOURCE: 8}
"""Parts that take a part of the limit at most, so that they leave room for those that follow."""

_CONFIGURING: Final = ("workorder.toml", "pyproject.toml")
_SERVICES: Final = re.compile(rb"^\s*\[\[\s*(?:tool\.workorder\.)?services\s*\]\]", re.MULTILINE)

_RESERVED_TOKENS: Final = 300
"""Set aside for the sentences on what was left out, and for the last one."""


def gather(
    sources: Sources,
    notes: Sequence[Note],
    spec: str | None,
    limit: int,
    *,
    before: Plan | None = None,
) -> Context:
    """What a prompt says beside the specification.

    Args:
        sources: the repository as it is now.
        notes: what the user hands over.
        spec: the specification, if it is at hand: the modules that it speaks of come first.
        limit: the limit in tokens; 0 for nothing at all.
        before: the plan that is revised; None for a new one.
    """
    candidates = units(sources, notes, spec, limit)
    # A README alone holds nothing that a plan could change.
    has_code = any(candidates[part] for part in (Part.OUTLINE, Part.TESTS, Part.CONFIGURATION))
    head = HEAD + (OF_A_REPOSITORY if has_code else "")
    scripted = sources.files.union(*(order.allowed_files for order in before.work_orders) if before else ())
    if not sources.projects and VERIFY_SCRIPT not in scripted:
        commands = default_verification(sources.files, sources.read)
        if candidates[Part.TESTS] or any(command.own for command in commands):
            head += WITHOUT_A_VERIFY_SCRIPT.format(
                verification=_verification(commands, languages_in(sources.files))
            )
    if _has_services(sources):
        head += WITH_SERVICES
    files = file_listing(sources.files | files_to_come(sources), limit // _SHARES[Part.FILES])
    left = limit - _RESERVED_TOKENS - estimate_tokens(head) - files.tokens
    parts: list[Shown] = []
    for part, pieces in candidates.items():
        shown = fitted(part, pieces, min(left, limit // _SHARES.get(part, 1)), sources.projects)
        left -= shown.tokens
        if shown.names or shown.left_out or shown.unreadable:
            parts.append(shown)
    of_python = set(languages_in(sources.files)) <= {PYTHON}
    texts = [piece.text for piece in parts if piece.text] if limit else []
    message, tokens = None, files.tokens
    if texts:
        # What is revised is said after this, and ends the question.
        end = [AGAIN] if before is None else []
        message = Message(
            role="user", content="\n\n".join([head, *texts, *_gaps(parts, of_python=of_python), *end])
        )
        tokens += estimate_tokens(message.content)
    if sources.files:
        parts.insert(0, files)
    return Context(message, limit, tokens, files.text, tuple(parts), notes_hash(notes))


def _verification(commands: Sequence[Verification], languages: Sequence[Language]) -> str:
    """What happens after each work order in a repository without a script."""
    if not commands or set(languages) <= {PYTHON}:
        return OF_PYTHON
    return f"these commands run: {', '.join(f'`{command.spoken}`' for command in commands)}"


def _has_services(sources: Sources) -> bool:
    """Whether the repository configures services for its commands."""
    below = f"{sources.alone}/" if sources.alone is not None else ""
    paths = (RepoPath.parse(below + name) for name in _CONFIGURING)
    texts = (sources.read(path) for path in paths if path in sources.files)
    return any(text is not None and _SERVICES.search(text) for text in texts)


def _gaps(parts: Sequence[Shown], *, of_python: bool) -> list[str]:
    """What the model is told of what it does not see."""
    gaps = {
        "There was only room for the names in": [(shown.part, len(shown.shortened)) for shown in parts],
        "There was no room for": [(shown.part, len(shown.left_out)) for shown in parts],
        f"What can't be read as text or {'as Python' if of_python else 'in its language'} is not shown:": [
            (shown.part, len(shown.unreadable)) for shown in parts
        ],
    }
    listed = {
        words: ", ".join(counted(part, count) for part, count in counts if count)
        for words, counts in gaps.items()
    }
    sentences = [f"{words} {names}." for words, names in listed.items() if names]
    return [" ".join(sentences)] if sentences else []
