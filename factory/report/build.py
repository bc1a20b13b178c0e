"""What a person, or a program, sees of a build while it goes on, and at its end."""

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TextIO

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import FailureClass
from factory.builds.settings import Built
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.unrecorded import Remembered
from factory.builds.watch import Doing
from factory.contract.strict_json import JsonObject
from factory.llm.ledger.store import Ledger
from factory.llm.spending.budget import Limits
from factory.report.endings import FAILED, render_next_steps, render_repair
from factory.report.figures import in_one_line, output_lines
from factory.report.log import Log
from factory.report.remarks import Remarks, render_remarks
from factory.runs.record.events import EVENTS_FILE, latest_events
from factory.system.clock import SystemClock
from factory.system.terminal.console import Console, listed

_MOST_FAILED: Final = 3
"""Of how many failed work orders, beside the first, it is told what can be done."""
_WHY_CHARS: Final = 300


class Face(Protocol):
    """One way to show a build."""

    def progress(self, text: str) -> None: ...

    def event(self, state: BuildState, event: JsonObject) -> None: ...

    def doing(self, doing: Doing) -> None: ...


class View:
    """Shows a build, and never disturbs it: a reader that has gone away is no reason to stop.

    Args:
        face: how; None to show nothing.
        naming: names commands as who reads has called them.
        remarks: those of the build; each is told when it comes. None where that is left to the end.
    """

    def __init__(
        self, face: Face | None, naming: Callable[[str], str], remarks: Remarks | None = None
    ) -> None:
        self._face = face
        self._naming = naming
        self._remarks = remarks

    def progress(self, text: str) -> None:
        """Something that is no event."""
        self._show(lambda face: face.progress(self._naming(text)))

    def event(self, state: BuildState, event: JsonObject) -> None:
        """An event, and the state after it."""
        self._show(lambda face: face.event(state, event))
        if self._remarks is not None:
            lines = self._remarks.news(state, event)
            self._show(lambda face: [*map(face.progress, lines)])

    def doing(self, doing: Doing) -> None:
        """What is done now."""
        self._show(lambda face: face.doing(doing))

    def _show(self, show: Callable[[Face], object]) -> None:
        if self._face is not None:
            try:
                show(self._face)
            except OSError:
                self._face = None


@contextmanager
def view(
    console: Console,
    terminal: TextIO | None,
    *,
    quiet: bool,
    as_json: bool,
    out: Path,
    repository: str,
    ledger: Path,
    limits: Limits,
    mutants: int,
    remarks: Remarks,
) -> Iterator[View]:
    """The view that fits where the user is and what they asked for.

    Args:
        console: standard output and standard error.
        terminal: where a picture can be drawn again and again, if there is such a place.
        quiet: nothing is shown.
        as_json: each event is a line of JSON on standard output, and nothing else is shown.
        out: the build's directory.
        repository: the repository, as the state of a build names it.
        ledger: where answers are remembered.
        limits: what may be spent.
        mutants: how many changes of what was written are tried at most.
        remarks: those of the build, to be told unless only events or only the result are wanted.
    """
    if as_json:
        yield View(_JsonLines(console), console.naming)
    elif quiet:
        yield View(None, console.naming)
    elif terminal is None:
        yield View(Log(console, out, mutants), console.naming, remarks)
    else:
        # Only here: it takes a tenth of a second, and a build in a log needs none of it.
        from factory.report.live.earlier import taken_before
        from factory.report.live.view import Known, LiveView

        known = Known(
            limits,
            Remembered.of(Ledger(ledger)),
            latest_events(out / EVENTS_FILE),
            taken_before(out, repository),
        )
        with LiveView(terminal, SystemClock(), known) as live:
            yield View(live, console.naming, remarks)


@dataclass(frozen=True)
class _JsonLines:
    """Events for a program; ASCII, so that nothing is escaped a second time."""

    console: Console

    def progress(self, text: str) -> None:
        pass

    def event(self, _state: BuildState, event: JsonObject) -> None:
        self.console.result(json.dumps(event, sort_keys=True))

    def doing(self, doing: Doing) -> None:
        """A program learns of what is lasting."""


def render_build(built: Built, out: Path, remarks: Sequence[str] = ()) -> str:
    """The last lines of a build: what happened, who must act, where to look.

    Args:
        built: how it ended.
        out: its directory.
        remarks: those that are to be told here.
    """
    ended = built.ended
    lines = [ended.message]
    if ended.failure is not None and ended.failure.excerpt:
        lines += output_lines(ended.failure.excerpt, "  ")
    if ended.hint:
        lines.append(f"  hint: {ended.hint}")
    if ended.contract is not None:
        lines.append(f"  contract: {ended.work_order} {ended.contract[:12]}")
    if built.state is not None:
        folder = out / ended.run_id if ended.run_id else out
        lines.append(f"  artifacts: {folder}")
        lines += render_remarks(remarks)
        lines += render_repair(folder)
    if ended.exit_code in FAILED:
        if ended.work_order is not None:
            is_of_plan = ended.exit_code == ExitCode.PLAN_DEFECT
            lines += render_next_steps(ended.work_order, out, of_plan=is_of_plan)
        lines += _others_failed(built.state, ended.work_order, out) if built.state is not None else ()
    return "\n".join(lines)


def _others_failed(state: BuildState, told: str | None, out: Path) -> Iterator[str]:
    """What can be done about what failed beside the work order of which that is told, or about all of it."""
    failed = [order for order in state.orders if order.state is OrderPhase.FAILED]
    others = [order for order in failed if order.id != told]
    for order in others[:_MOST_FAILED]:
        why = order.last_failure
        message = "" if why is None else f", at {why.stage}: {in_one_line(why.message)[:_WHY_CHARS]}"
        yield f"{order.id} failed, too{message}"
        is_of_plan = why is not None and why.failure_class is FailureClass.PLAN_DEFECT
        yield from render_next_steps(order.id, out, of_plan=is_of_plan)
        yield from render_repair(out / order.runs[-1].run_id) if order.runs else ()
    if len(others) > _MOST_FAILED:
        names = listed([order.id for order in others[_MOST_FAILED:]])
        yield f"the same can be done about what failed beside these: {names}"
    if failed:
        yield f"  to have the model asked anew: factory reset --out {shlex.quote(str(out))}"
