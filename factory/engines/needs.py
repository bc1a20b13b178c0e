"""What trials need of a worker, and what a worker says that it has, by the names that both sides use.

A worker has one trial at a time, so one of each is enough; of memory it tells the bytes.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from factory.engines.message import peer
from factory.system.sandbox.policy import render_bytes

Amounts = Mapping[str, float]
"""How much there is, or must be, by name: Dask calls that resources."""

MEMORY: Final = "memory"
SANDBOX: Final = "sandbox-"
PROGRAM: Final = "program-"


def needs_of(level: str, programs: Sequence[str] = (), memory_bytes: int = 0) -> dict[str, float]:
    """What a worker must have for trials.

    Args:
        level: their sandbox; empty for none.
        programs: those of languages that their commands start.
        memory_bytes: how much memory they may take; 0 for what there is.
    """
    return having(peer(), levels=[level] if level else [], programs=programs, memory_bytes=memory_bytes)


def having(
    versions: str, *, levels: Sequence[str], programs: Sequence[str], memory_bytes: int
) -> dict[str, float]:
    """What there is, or must be.

    Args:
        versions: see `peer`.
        levels: sandboxes.
        programs: those of languages.
        memory_bytes: of memory; 0 if nothing is said of it.
    """
    names = (versions, *(f"{SANDBOX}{level}" for level in levels), *(f"{PROGRAM}{name}" for name in programs))
    return dict.fromkeys(names, 1.0) | ({MEMORY: float(memory_bytes)} if memory_bytes else {})


def lacking(has: Amounts, needs: Amounts) -> list[str]:
    """Of what is needed what is not there, or not enough of it, for people, by name."""
    return [described(name, amount) for name, amount in sorted(needs.items()) if has.get(name, 0.0) < amount]


def described(name: str, amount: float) -> str:
    """Something that is needed, for people."""
    if name == MEMORY:
        return f"{render_bytes(int(amount))} of memory"
    return name.removeprefix(PROGRAM)
