"""Which builds a directory holds, by the names that addresses have for them, and whether one has changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from factory.builds.state.file import STATE_FILE
from factory.people.hints import HINTS_FILE
from factory.runs.record.events import EVENTS_FILE
from factory.runs.record.files import RUN

ITSELF: Final = "this"
"""What the only build is called where the directory itself is its own."""


def builds_in(root: Path) -> dict[str, Path]:
    """The builds and directories of runs, by name: the directory itself, or those directly in it."""
    if _holds_one(root):
        return {ITSELF: root}
    return {path.name: path for path in sorted(root.iterdir()) if path.is_dir() and _holds_one(path)}


def mark(out: Path) -> tuple[tuple[str, int, int], ...]:
    """What is another value once something has been written to the records of a build."""
    return tuple(_marks(out))


def _holds_one(path: Path) -> bool:
    return (path / STATE_FILE).is_file() or next(path.glob(f"*/{RUN.name}"), None) is not None


def _marks(out: Path) -> Iterator[tuple[str, int, int]]:
    files = [out / name for name in (STATE_FILE, EVENTS_FILE, HINTS_FILE)]
    for path in (*files, *sorted(out.glob(f"*/{EVENTS_FILE}"))):
        try:
            known = path.stat()
        except OSError:
            continue
        yield str(path), known.st_mtime_ns, known.st_size
