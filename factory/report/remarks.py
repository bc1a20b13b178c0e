"""The remarks on a build's work orders: told as soon as they come, and at its end those of which none was."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.contract.strict_json import JsonObject
from factory.runs.record.remarks import remarks_in

_MOST_REMARKS: Final = 20

_ANSWERED: Final = (OrderPhase.TESTING, OrderPhase.PATCHING, OrderPhase.LANDED, OrderPhase.FAILED)
"""The states that a work order comes into when there may be another answer."""


class Remarks:
    """What of the remarks in a build's directory has been told, so that each is told once.

    Args:
        out: the directory.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._told: set[str] = set()

    def news(self, state: BuildState, event: JsonObject) -> list[str]:
        """The lines that came with an event; from now on they are told.

        Args:
            state: the state after the event.
            event: as in `events.jsonl`.
        """
        if event.get("event") != "work_order" or event.get("after") not in _ANSWERED:
            return []
        lines = self._untold(state.order(str(event["work_order"])), latest=1)
        self._told.update(lines)
        return lines

    def left(self, state: BuildState) -> list[str]:
        """The lines that were not told, such as those of an earlier pass."""
        return list(dict.fromkeys(line for order in state.orders for line in self._untold(order)))

    def _untold(self, order: OrderState, latest: int = 0) -> list[str]:
        """Those of its latest runs; of all its runs if no number is given."""
        runs = dict.fromkeys(run.run_id for run in order.runs[-latest:])
        return [line for line in remarks_in(self._out / run for run in runs) if line not in self._told]


def render_remarks(lines: Sequence[str]) -> list[str]:
    """The lines as they stand at an end: not all of them, where there are many."""
    shown = [f"  {line}" for line in lines[:_MOST_REMARKS]]
    more = len(lines) - _MOST_REMARKS
    return [*shown, f"  {more} more remarks: factory show tells them"] if more > 0 else shown
