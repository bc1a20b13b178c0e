"""Keeps `state.json` and `events.jsonl` of a build: every transition goes through here, and to the disk.

Both are views. Deleting them loses nothing: the state is derived again from git and the run folders.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from factory.attempt.failure import Failure
from factory.attempt.state import RunState
from factory.attempt.summary import AttemptSummary
from factory.builds.state.attempts import AttemptRecord, LastFailure, RunEntry
from factory.builds.state.file import StateFile
from factory.builds.state.machine import BuildPhase, OrderPhase, next_build_phase, next_order_phase
from factory.builds.state.model import BuildState, Ended
from factory.builds.state.order import OrderState
from factory.contract.canonical import dump
from factory.contract.strict_json import JsonObject, JsonValue
from factory.llm.spending.prices import Prices
from factory.runs.record.events import EVENTS_FILE, EventLog
from factory.runs.record.files import SUMMARY
from factory.system.clock import Clock


def runs_in(out: Path) -> dict[str, list[tuple[RunEntry, Failure | None]]]:
    """What was tried, by contract: of each run folder its attempts and the failure that ended it.

    In the order of their beginning. A folder that is damaged or without a summary is left out.
    """
    summaries = [SUMMARY.read_sound(path.parent) for path in sorted(out.glob(f"*/{SUMMARY.name}"))]
    # One written by another version, or damaged, explains nothing.
    sound = [summary for summary in summaries if summary is not None]
    runs: dict[str, list[tuple[RunEntry, Failure | None]]] = {}
    for summary in sorted(sound, key=lambda summary: (summary.started, summary.contract)):
        entry = RunEntry(run_id=summary.run_id, attempts=attempts_of(summary.attempts))
        runs.setdefault(summary.contract, []).append((entry, summary.failure))
    return runs


class Records:
    """The state of one build, on the disk with every change, or soon after.

    Args:
        state: what it is now.
        out: where `state.json` and `events.jsonl` are.
        clock: the time, for the record.
        listener: gets every event after it was written.
    """

    def __init__(
        self, state: BuildState, out: Path, clock: Clock, listener: Callable[[JsonObject], None]
    ) -> None:
        self.state = state
        self.out = out
        self._clock = clock
        self._listener = listener
        self._file = StateFile(out)
        self._is_written = True
        self._events = EventLog(out / EVENTS_FILE, clock)

    def event(self, kind: str, **facts: JsonValue) -> None:
        """Tell what happened, without a transition."""
        self._listener(self._events.append(kind, **facts))

    def priced(self, prices: Prices) -> None:
        """What answers cost in this pass."""
        self.state = self.state.model_copy(
            update={"price": prices.common, "prices": dict(sorted(prices.by_model.items()))}
        )
        self._write()

    def build(self, phase: BuildPhase, ended: Ended | None = None) -> None:
        """The build goes into another state.

        Raises:
            IllegalTransition: that is not allowed, which is a bug.
        """
        before = self.state.state
        self.state = self.state.model_copy(
            update={"state": next_build_phase(before, phase), "ended": ended, "updated": self._clock.now()}
        )
        self._write()
        self.event("build", before=before, after=phase, ended=dump(ended) if ended else None)

    def order(self, order_id: str, phase: OrderPhase, *, at_once: bool = True, **changes: Any) -> None:
        """A work order goes into another state, with other fields changed at the same time.

        Args:
            order_id: the work order.
            phase: the state.
            at_once: whether the file is to tell it now, and not only with the next `write` or other change.
            changes: the other fields.

        Raises:
            IllegalTransition: that is not allowed, which is a bug.
        """
        now = self._clock.now()
        order = self.state.order(order_id)
        before = order.state
        changed = order.model_copy(update={"state": next_order_phase(before, phase), "since": now, **changes})
        self.state = self.state.with_order(changed).model_copy(update={"updated": now})
        self._is_written = False
        if at_once:
            self.write()
        run_id = changed.landed_run if phase is OrderPhase.LANDED else None
        scores = changed.scores_of(run_id) if run_id is not None else None
        self.event(
            "work_order",
            work_order=order_id,
            before=before,
            after=phase,
            attempt=changed.attempt,
            commit=changed.commit,
            failure=dump(changed.last_failure) if changed.last_failure else None,
            **({"scores": dump(scores)} if scores is not None else {}),
        )

    def tried(self, order_id: str, run: RunEntry, failure: Failure | None) -> None:
        """A run of a work order has ended, or is told anew; its state stays."""
        order = self.state.order(order_id).with_run(run)
        if failure is not None:
            order = order.model_copy(update={"last_failure": LastFailure.of(failure)})
        self.state = self.state.with_order(order).model_copy(update={"updated": self._clock.now()})
        self._write()

    def write(self) -> None:
        """Let the file tell what it does not tell yet."""
        if not self._is_written:
            self._file.save(self.state)
            self._is_written = True

    def _write(self) -> None:
        self._is_written = False
        self.write()


def with_runs(order: OrderState, runs: list[tuple[RunEntry, Failure | None]]) -> OrderState:
    """A work order's state with what the run folders tell."""
    for entry, failure in runs:
        if entry.attempts or failure is not None:
            order = order.with_run(entry)
        if entry.attempts:
            order = order.model_copy(update={"attempt": entry.attempts[-1].attempt})
        if failure is not None:
            order = order.model_copy(update={"last_failure": LastFailure.of(failure)})
    return order


def attempts_of(summaries: Iterable[AttemptSummary]) -> tuple[AttemptRecord, ...]:
    """The short forms of attempts."""
    return tuple(AttemptRecord.of(summary) for summary in summaries)


def attempts_so_far(state: RunState, prices: Prices) -> tuple[AttemptRecord, ...]:
    """The attempts of a run that goes on; the one under way is among them once it is answered."""
    summaries = state["attempts"]
    usage = state.get("usage")
    if usage is not None:
        under_way = AttemptSummary(
            attempt=state["attempt"],
            passed=False,
            answer=state["answer"],
            model=state.get("model", ""),
            usage=usage,
        )
        summaries = (*summaries, under_way)
    return tuple(attempt.priced(prices) for attempt in attempts_of(summaries))
