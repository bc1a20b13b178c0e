"""What a build came to, in a few lines at its end: time, price, retries, what no check noticed, what next."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from factory.builds.settings import Built
from factory.builds.state.attempts import AttemptRecord, unpriced
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.plan_record import read_plan_record
from factory.report.figures import dollars, in_one_line, spent
from factory.report.remarks import render_remarks
from factory.repository.onward import Onward
from factory.runs.record.files import KILL_PROOF, WORK_ORDER
from factory.runs.record.folder import attempts_in
from factory.system.terminal.console import duration, listed, one_line


def render_totals(
    built: Built,
    out: Path,
    seconds: float,
    around: Onward | None = None,
    remarks: Sequence[str] = (),
    repo: Path | None = None,
) -> str:
    """The lines; empty if nothing was begun.

    Args:
        built: how the build ended.
        out: its directory.
        seconds: how long this pass took.
        around: where the branch may go on from here.
        remarks: those that were not told yet.
        repo: the repository, where that is not the current directory.
    """
    state = built.state
    if state is None or not state.has_begun:
        return ""
    report = f"factory report --out {shlex.quote(str(out))}"
    lines = [*_lines(state, out, seconds), *render_remarks(remarks)]
    if all(order.state in (OrderPhase.LANDED, OrderPhase.SKIPPED) for order in state.orders):
        lines += _next(state.branch, report, around or Onward(), repo)
    return "\n".join([*lines, f"to show it: {report} --html report.html"])


def _lines(state: BuildState, out: Path, seconds: float) -> Iterator[str]:
    yield from _fates(state)
    attempts = _attempts(state, out)
    failed = sum(attempt.stage is not None for attempt in attempts)
    line = f"took {duration(seconds)}; all calls of factory build for this plan used {spent(state.spent)}"
    without = unpriced(state.attempts)
    if dollars(state.spent) and without:
        line += f", and {without} answer{'s have' if without != 1 else ' has'} no known price"
    retried = sum(attempt.attempt > 1 for attempt in attempts)
    again = f", {retried} were retries" if retried > 1 else ", 1 was a retry" if retried else ""
    count = f"{len(attempts)} attempt{'s' if len(attempts) != 1 else ''}"
    yield f"{line}; {count}{again}, {failed} failed"
    yield from _survivors(state, out)
    yield from _accepted(state, out)


def _attempts(state: BuildState, out: Path) -> list[AttemptRecord]:
    """All that was tried, without what the plan gave and what passed: nobody was asked for that."""
    record = read_plan_record(out)
    given = record.given if record is not None else ()
    return [
        attempt
        for order in state.orders
        for run in order.runs
        for attempt in run.attempts
        if not (attempt.passed and order.id in given)
    ]


def _fates(state: BuildState) -> Iterator[str]:
    """What has landed and what has not, and why; nothing where all has."""
    others = [order for order in state.orders if order.state is not OrderPhase.LANDED]
    if others:
        names = listed([f"{order.id} ({order.state})" for order in others])
        yield f"landed: {len(state.orders) - len(others)} of {len(state.orders)}; not: {names}"


def _next(branch: str, report: str, around: Onward, repo: Path | None) -> Iterator[str]:
    """What to do with a branch that holds all: look, then merge it, push it, or propose it."""
    name = shlex.quote(in_one_line(branch))
    place = "" if repo is None else shlex.quote(in_one_line(str(repo)))
    git = f"git -C {place}" if place else "git"
    is_apart = around.checked_out not in ("", branch)
    yield f"next: {git} log --stat {name}"
    if is_apart:
        yield f"to merge it into {in_one_line(around.checked_out)}: {git} merge {name}"
    if around.remote:
        remote = shlex.quote(in_one_line(around.remote))
        yield f"to push it: {git} push {remote} {name}"
        if is_apart and around.forge == "github":
            body = f"{report} --markdown report.md"
            opens = f"gh pr create --head {name} --title {name} -F"
            opened = f'(cd {place} && {opens} "$OLDPWD/report.md")' if place else f"{opens} report.md"
            yield f"to open a pull request: {body} && {opened}"
        if is_apart and around.forge == "gitlab":
            yield f"to open a merge request: {git} push -o merge_request.create {remote} {name}"


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
