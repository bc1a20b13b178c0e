"""What a person reads after `factory reset`. Pure."""

from collections.abc import Sequence
from pathlib import Path

from factory.builds.state.reset import Reset
from factory.report.figures import in_one_line


def told_reset(done: Sequence[Reset], ledger: Path) -> str:
    """What was reset, a line for each work order, and what follows.

    Args:
        done: what was done.
        ledger: where the answers are remembered.
    """
    if not done:
        return "of no work order that failed an answer is remembered, so nothing was reset"
    lines = []
    for one in done:
        count = f"{one.answers} answer{'s' if one.answers != 1 else ''}"
        told = f"{count} retired" if one.answers else "no answer is remembered"
        lines.append(f"{in_one_line(one.order_id)}: {told}")
    if any(one.answers for one in done):
        lines.append(f"  the next build asks anew; what was paid still counts, see {ledger / 'retired'}")
    return "\n".join(lines)
