"""The time of day and elapsed time, for records only: no decision depends on them."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> str:
        """The time as ISO 8601 in UTC with milliseconds, such as `2026-03-01T12:00:00.000Z`."""
        ...

    def monotonic(self) -> float:
        """Seconds since an arbitrary point; never goes back."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> str:
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def monotonic(self) -> float:
        return time.monotonic()
