"""What earlier builds of the same repository took, as their directories beside this one tell. For a view."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from factory.builds.state.file import STATE_FILE, StateCorrupt, load_state
from factory.report.live.pace import Pace, Taken
from factory.runs.record.events import EVENTS_FILE, latest_events

_MOST_BUILDS: Final = 5
"""How many of the latest are looked at."""


def taken_before(out: Path, repository: str) -> tuple[Taken, ...]:
    """What work orders took that landed in these builds, the latest build last.

    Args:
        out: the directory of the build that begins.
        repository: its repository, as the state of a build names it.
    """
    return tuple(taken for place in reversed(list(_beside(out, repository))) for taken in _taken(place))


def _beside(out: Path, repository: str) -> Iterator[Path]:
    """The directories of these builds, the latest first."""
    try:
        states = [
            path for path in out.resolve().parent.glob(f"*/{STATE_FILE}") if path.parent != out.resolve()
        ]
        latest = sorted(states, key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for path in latest[:_MOST_BUILDS]:
        with suppress(StateCorrupt, OSError):
            state = load_state(path.parent)
            if state is not None and state.repository == repository:
                yield path.parent


def _taken(place: Path) -> tuple[Taken, ...]:
    pace = Pace()
    pace.read(latest_events(place / EVENTS_FILE))
    return pace.landed
