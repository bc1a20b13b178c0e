"""What a build came to, in a few lines at its end: time, price, retries, what no check noticed, what next."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from factory.builds.settings import Built
from factory.builds.state.attempts import unpriced
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.report.figures import dollars, in_one_line, spent
from factory.runs.record.files import KILL_PROOF, WORK_ORDER
from factory.runs.record.folder import attempts_in
from factory.system.terminal.console import duration, one_line


def render_totals(built: Built, out: Path, seconds: float) -> str:
    """The lines; empty if nothing was begun.

    Args:
        built: how the build ended.
        out: its directory.
        seconds: how long this pass took.
    """
    state = built.state
    return "" if state is None or not state.has_begun else "\n".join(_lines(state, out, seconds))


def _lines(state: BuildState, out: Path, seconds: float) -> Iterator[str]:
    attempts = state.attempts
    failed = sum(attempt.stage is not None for attempt in attempts)
    line = f"took {duration(seconds)}; all passes used {spent(state.spent)}"
    without = unpriced(attempts)
    if dollars(state.spent) and without:
        line += f", and {without} answer{'s have' if without != 1 else ' has'} no known price"
    yield f"{line}; {failed} attempt{'s' if failed != 1 else ''} failed"
    yield from _survivors(state, out)
    yield from _accepted(state, out)
    if all(order.state in (OrderPhase.LANDED, OrderPhase.SKIPPED) for order in state.orders):
        branch = shlex.quote(in_one_line(state.branch))
        yield f"next: git log {branch}, git push origin {branch}"
    yield f"to show it: factory report --out {shlex.quote(str(out))} --html report.html"


def _survivors(state: BuildState, out: Path) -> Iterator[str]:
    """What nobody noticed of the changes to what has landed."""
    for order in state.orders:
        if order.state is not OrderPhase.LANDED or order.landed_run is None:
            continue
        proofs = [KILL_PROOF.read_sound(path) for _, path in attempts_in(out / order.landed_run)]
        proof = proofs[-1] if proofs else None
        unnoticed = [fate for fate in proof.fates if fate.killed_by is None] if proof is not None else []
        if proof is not None and unnoticed:
            first = unnoticed[0]
            yield (
                f"{order.id}: no check notices {len(unnoticed)} of {len(proof.fates)} changes, such as"
                f" {one_line(first.path)}:{first.line} ({one_line(first.change)})"
            )


def _accepted(state: BuildState, out: Path) -> Iterator[str]:
    """The warnings that the plan keeps."""
    for order in state.orders:
        contract = WORK_ORDER.read_sound(out / order.landed_run) if order.landed_run is not None else None
        if contract is not None and contract.accepted_warnings:
            codes = ", ".join(sorted({warning.code for warning in contract.accepted_warnings}))
            yield f"{order.id}: the plan accepts {codes}"
