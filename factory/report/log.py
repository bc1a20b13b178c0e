"""A build in a log: plain lines, few enough to be read. What a terminal shows is in `live`."""

from pathlib import Path

from factory.builds.state.machine import BuildPhase
from factory.builds.state.model import BuildState
from factory.builds.state.plan_record import read_plan_record
from factory.builds.watch import Doing
from factory.contract.strict_json import JsonObject
from factory.gates.step import Occasion, Step, StepKind
from factory.plans.diagnostics.render import counted
from factory.report.transitions import render_event
from factory.system.terminal.console import Console


class Log:
    """A line for each transition; and one when what has passed is proven, which may take the longest.

    Args:
        console: where the lines go, on standard error.
        out: the build's directory.
        mutants: how many changes of what was written are tried at most.
    """

    def __init__(self, console: Console, out: Path, mutants: int) -> None:
        self._console = console
        self._out = out
        self._mutants = mutants
        self._given: frozenset[str] = frozenset()
        self._without_code: frozenset[str] = frozenset()
        self._attempts: dict[str, int] = {}
        self._proving: set[str] = set()

    def progress(self, text: str) -> None:
        """Something that is no event."""
        self._console.progress(text)

    def event(self, state: BuildState, event: JsonObject) -> None:
        """An event, and the state after it."""
        if event.get("event") == "build" and event.get("after") == BuildPhase.RUNNING:
            # On the disk before anything is announced.
            record = read_plan_record(self._out)
            self._given = record.given if record is not None else frozenset()
            self._without_code = record.without_code if record is not None else frozenset()
        if event.get("event") == "work_order":
            order_id = str(event["work_order"])
            self._attempts[order_id] = state.order(order_id).attempt
            self._proving.discard(order_id)
        for line in render_event(state, event, self._given):
            self._console.progress(line)

    def doing(self, doing: Doing) -> None:
        """A log stays calm: of all that is done it tells when the proof of an attempt begins."""
        step, order_id = doing.step, doing.order_id
        if step is None or order_id in self._proving or order_id not in self._attempts:
            return
        what = self._proof(step, has_code=order_id not in self._without_code)
        if what:
            self._proving.add(order_id)
            self._console.progress(f"{order_id}: attempt {self._attempts[order_id]}, proving: {what}")

    def _proof(self, step: Step, *, has_code: bool) -> str:
        """What a proof that begins with this step consists of, as far as it is known; empty if none does."""
        if step.occasion is Occasion.SECOND_PASS:
            then = f", then up to {_changes(self._mutants)}" if self._mutants and has_code else ""
            return f"acceptance once more{then}"
        return _changes(step.total) if step.kind is StepKind.MUTANT else ""


def _changes(count: int) -> str:
    return f"{counted(count, 'change')} of its code"
