"""What a person reads after `factory reset`. Pure."""

from collections.abc import Sequence
from pathlib import Path

from factory.builds.state.reset import Reset
from factory.report.figures import in_one_line


def render_reset(done: Sequence[Reset], ledger: Path) -> str:
    """What was reset, a line for each work order, and what follows.

    Args:
        done: what was done.
        ledger: where the answers are remembered.
    """
    if not done:
        return "of no work order that failed an answer is remembered, so nothing was reset"
    lines = []
    for reset in done:
        count = f"{reset.answers} answer{'s' if reset.answers != 1 else ''}"
        outcome = f"{count} retired" if reset.answers else "no answer is remembered"
        lines.append(f"{in_one_line(reset.order_id)}: {outcome}")
    if any(reset.answers for reset in done):
        lines.append(f"  the next build asks anew; what was paid still counts, see {ledger / 'retired'}")
    return "\n".join(lines)
