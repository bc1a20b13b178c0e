"""What a person reads of the environments that are kept. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from factory.environments.cache import Entry
from factory.report.figures import in_one_line


def render_entries(folder: Path, entries: Sequence[Entry], sizes: Sequence[int]) -> str:
    """What is kept, a line for each environment.

    Args:
        folder: where.
        entries: the environments.
        sizes: how many bytes each of them takes.
    """
    if not entries:
        return f"no environments are kept in {in_one_line(str(folder))}"
    width = max(len(entry.name) for entry in entries)
    lines = [
        f"  {in_one_line(entry.name):{width}}  {_megabytes(size):>10}  last used {_day(entry.last_used)}"
        for entry, size in zip(entries, sizes, strict=True)
    ]
    count = f"{len(entries)} environment{'s' if len(entries) != 1 else ''}"
    return "\n".join((in_one_line(str(folder)), *lines, f"{count}, {_megabytes(sum(sizes))}"))


def render_pruned(removed: Sequence[Entry], in_use: Sequence[Entry]) -> str:
    """What was removed, and what could not be, because it is used at this moment."""
    lines = [f"removed {in_one_line(entry.name)}" for entry in removed]
    lines += [f"in use, so it stays: {in_one_line(entry.name)}" for entry in in_use]
    return "\n".join(lines or ["there was nothing to remove"])


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
