"""Which pieces of one part of what is known have room in a prompt, and what became of the others."""

from collections.abc import Mapping, Sequence
from typing import Final

from factory.llm.port import estimate_tokens
from factory.llm.template import quoted
from planner.prompt.parts import Part, Piece, Shown, Unit
from planner.prompt.words import ABOUT

_IN_ONE_QUOTATION: Final[Mapping[Part, str]] = {Part.OUTLINE: "outline", Part.TESTS: "tests"}

_NOT_WORTH_A_LOOK: Final = 40
"""With fewer tokens left, nothing more is read."""

_MAX_READ: Final = 2_000
"""How many modules are read to fill a prompt."""


def fitted(part: Part, units: Sequence[Unit], limit: int) -> Shown:
    """What of a part is shown: its units that fit, the most important first, whole.

    Args:
        part: the part.
        found: its units, the most important first.
        limit: the room in tokens, what stands above them included.
    """
    of_python = all(unit.name.endswith(".py") for unit in units)
    left = limit - estimate_tokens(_framed(part, [], of_python=of_python))
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
    text = _framed(part, [piece.text for piece in shown.values()], of_python=of_python) if shown else ""
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
