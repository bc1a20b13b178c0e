"""Which pieces of one part of what is known have room in a prompt, and what became of the others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from factory.contract.repo_path import RepoPath
from factory.llm.port import estimate_tokens
from factory.llm.template import quoted
from factory.plans.states.projects import project_of
from planner.prompt.parts import Part, Piece, Shown, Unit
from planner.prompt.projects.message import heading
from planner.prompt.words import ABOUT

_IN_ONE_QUOTATION: Final[Mapping[Part, str]] = {Part.OUTLINE: "outline", Part.TESTS: "tests"}

_NOT_WORTH_A_LOOK: Final = 40
"""With fewer tokens left, nothing more is read."""

_MAX_READ: Final = 2_000
"""How many modules are read to fill a prompt."""


def fitted(part: Part, units: Sequence[Unit], limit: int, projects: Sequence[RepoPath] = ()) -> Shown:
    """What of a part is shown: its units that fit, the most important first, whole.

    Args:
        part: the part.
        found: its units, the most important first.
        limit: the room in tokens, what stands above them included.
        projects: those of the repository, below whose names outlines stand.
    """
    of_python = all(unit.name.endswith(".py") for unit in units)
    left = limit - estimate_tokens(_framed(part, [], of_python=of_python))
    if part in _IN_ONE_QUOTATION and projects:
        left -= sum(
            estimate_tokens(f"{heading(f'{project}/', projects)}\n\n") for project in (*projects, ".")
        )
    detailed = _detailed(units, left)
    pieces: dict[str, Piece] = {}
    left_out: list[str] = []
    unreadable: list[tuple[str, str]] = []
    for number, unit in enumerate(units):
        if left < _NOT_WORTH_A_LOOK or number >= _MAX_READ:
            left_out += [rest.name for rest in units[number:]]
            break
        opened = unit.open() if unit.name in detailed or unit.short is None else unit.short()
        if opened.problem:
            unreadable.append((unit.name, opened.problem))
        tokens = _cost(opened)
        if tokens <= left:
            pieces[unit.name] = opened
            left -= tokens
        elif not opened.problem:
            left_out.append(unit.name)
    shown = {name: piece for name, piece in sorted(pieces.items()) if piece.text}
    readable = [name for name, piece in shown.items() if not piece.problem]
    texts = [piece.text for piece in shown.values()]
    if part in _IN_ONE_QUOTATION and projects:
        texts = list(_by_project(shown, projects))
    text = _framed(part, texts, of_python=of_python) if shown else ""
    return Shown(
        part,
        text,
        estimate_tokens(text),
        tuple(readable),
        tuple(name for name in readable if name not in detailed),
        tuple(piece.without for piece in shown.values() if piece.without),
        tuple(left_out),
        tuple(unreadable),
    )


def _by_project(shown: Mapping[str, Piece], projects: Sequence[RepoPath]) -> Iterator[str]:
    """The pieces of each project below its name, then those of none."""
    for project in (*projects, None):
        texts = [piece.text for name, piece in shown.items() if project_of(name, projects) == project]
        if texts:
            yield heading(f"{project}/" if project is not None else "", projects)
            yield from texts


def _detailed(units: Sequence[Unit], room: int) -> frozenset[str]:
    """The names of the units that are shown with details.

    All, if there is room for it; else the most important that take half of it, so that the other half can
    say what else there is.
    """
    everything = frozenset(unit.name for unit in units)
    if not any(unit.short for unit in units):
        return everything
    chosen: set[str] = set()
    total, left = 0, room // 2
    for unit in units[:_MAX_READ]:
        if total > room and left < _NOT_WORTH_A_LOOK:
            break
        tokens = _cost(unit.open())
        total += tokens
        if tokens <= left:
            chosen.add(unit.name)
            left -= tokens
    return everything if total <= room else frozenset(chosen)


def _cost(piece: Piece) -> int:
    return estimate_tokens(f"{piece.text}\n\n") if piece.text else 0


def _framed(part: Part, pieces: Sequence[str], *, of_python: bool) -> str:
    tag = _IN_ONE_QUOTATION.get(part)
    body = "\n\n".join(pieces)
    about = ABOUT[part] if of_python else ABOUT[part].replace("Python modules", "sources")
    return f"{about}\n\n{quoted(tag, body) if tag else body}"
