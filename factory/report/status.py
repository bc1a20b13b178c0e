"""`factory status`: where a build stands, told from its state to a person. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from factory.builds.state.attempts import AttemptRecord, RunEntry, Spending
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.contract.canonical import dump
from factory.contract.strict_json import JsonObject
from factory.report.figures import dollars, in_one_line, share_of, spent
from factory.report.workers import WorkersTrial, render_shares, render_trial
from factory.system.terminal.console import visible

_TITLE_CHARS: Final = 50
_MESSAGE_CHARS: Final = 200
_MODEL_CHARS: Final = 80
_NOTHING: Final = Spending()


@dataclass(frozen=True)
class Beside:
    """What is told beside the state of the build.

    Attributes:
        others: what answers for work orders of other plans used, as the ledger has it.
        unanswered: what calls without an answer can have used.
        trials: those that workers ran, by the ids of runs.
        since: what people did after the build ended, by the ids of work orders.
    """

    others: Spending
    unanswered: Spending
    trials: Mapping[str, Sequence[WorkersTrial]] = field(default_factory=dict)
    since: Mapping[str, str] = field(default_factory=dict)


def render_status(state: BuildState, beside: Beside, *, running: bool, attempts: bool = False) -> str:
    """The text.

    Args:
        state: of the build, with what only the ledger tells.
        beside: what is told beside that.
        running: whether a process is at work on it.
        attempts: whether each attempt gets a line.
    """
    lines = [
        f"{_standing(state, running=running)}, last change {state.updated}",
        f"  build {state.build_id} of the plan {state.plan_hash[:12]}"
        + (f", specification {state.spec_hash[:12]}" if state.spec_hash else ""),
        f"  on {in_one_line(state.branch)} of {in_one_line(state.repository)}, base {state.base[:12]}",
    ]
    if state.ended is not None:
        # Of what a program said each line stays one, further in than ours.
        first, *more = visible(state.ended.message).splitlines() or [""]
        lines += [f"  {in_one_line(first)}", *(f"    {line.strip()}" for line in more)]
        if state.ended.hint:
            lines.append(f"  hint: {in_one_line(state.ended.hint)}")
    lines += ["", *_orders(state, beside, attempts=attempts), "", *_spending(state, beside)]
    shares = render_shares(trial for trials in beside.trials.values() for trial in trials)
    if shares:
        lines.append(f"workers {shares}")
    return "\n".join(lines)


def status_document(state: BuildState, beside: Beside, *, running: bool) -> JsonObject:
    """The same for a program: the state, `running`, `spent`, and its parts `useful`, `wasted` and `open`."""
    whole = dump(state)
    assert isinstance(whole, dict)
    return {
        **whole,
        "running": running,
        "spent": dump(state.spent),
        "useful": dump(state.useful),
        "wasted": dump(state.wasted),
        "open": dump(state.open),
        "by_model": [dump(share) for share in state.by_model],
        "others": dump(beside.others),
        "unanswered": dump(beside.unanswered),
        "since": dict(beside.since),
        "trials": {run: [dump(trial) for trial in trials] for run, trials in beside.trials.items()},
    }


def _was_killed(state: BuildState, *, running: bool) -> bool:
    """Whether the state says that the build goes on, and no process does it."""
    return state.state in (BuildPhase.INIT, BuildPhase.RUNNING) and not running


def _standing(state: BuildState, *, running: bool) -> str:
    if _was_killed(state, running=running):
        return "killed: no process is at work; build again to go on, nothing that was paid is paid again"
    if running and state.state not in (BuildPhase.INIT, BuildPhase.RUNNING):
        return f"{state.state}, and a process is at work on it"
    return str(state.state)


def _orders(state: BuildState, beside: Beside, *, attempts: bool) -> list[str]:
    rows = [
        (
            in_one_line(order.id),
            str(order.state),
            _attempts(order),
            order.commit[:12] if order.commit else "",
            _tokens(order.spent),
            dollars(order.spent),
            _cut(in_one_line(order.title), _TITLE_CHARS),
        )
        for order in state.orders
    ]
    header = ("", "state", "attempts", "commit", "tokens in/out", "cost", "title")
    # What no work order has needs no column.
    kept = [index for index, name in enumerate(header) if not name or any(row[index] for row in rows)]
    table = [tuple(line[index] for index in kept) for line in (header, *rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(kept))]
    text = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    ]
    lines = [text[0]]
    for order, row in zip(state.orders, text[1:], strict=True):
        lines.append(row)
        if attempts:
            for run in order.runs:
                lines += [f"       {_attempt(run, attempt)}" for attempt in run.attempts]
                lines += [f"         {render_trial(trial)}" for trial in beside.trials.get(run.run_id, ())]
        if order.id in beside.since:
            lines.append(f"       {beside.since[order.id]} since; the next build takes that up")
            continue
        failure = order.last_failure
        if failure is not None and order.state is not OrderPhase.LANDED:
            message = _cut(in_one_line(failure.message), _MESSAGE_CHARS)
            lines.append(f"       {failure.stage} ({failure.failure_class}): {message}")
    return lines


def _attempt(run: RunEntry, attempt: AttemptRecord) -> str:
    end = f"failed at {attempt.stage}" if attempt.stage is not None else "not ended"
    if attempt.passed:
        end = "passed"
    by = f" by {_cut(in_one_line(attempt.model), _MODEL_CHARS)}" if attempt.model else ""
    return f"{in_one_line(run.run_id)} attempt {attempt.attempt}: {end}{by}, {spent(Spending.on([attempt]))}"


def _attempts(order: OrderState) -> str:
    made = sum(len(run.attempts) for run in order.runs)
    return str(max(made, order.attempt) or "")


def _tokens(spending: Spending) -> str:
    if not spending.input_tokens and not spending.output_tokens:
        return ""
    return f"{spending.input_tokens:,} / {spending.output_tokens:,}"


def _spending(state: BuildState, beside: Beside) -> list[str]:
    lines = [
        f"spent   {spent(state.spent)}",
        f"useful  {spent(state.useful)}",
        f"wasted  {spent(state.wasted)}",
    ]
    shares = state.by_model
    if len(shares) > 1:
        lines += [
            f"  by    {_cut(in_one_line(share.model), _MODEL_CHARS)}: {share_of(share)}" for share in shares
        ]
    if state.open != _NOTHING:
        lines.append(
            f"open    {spent(state.open)}: of attempts that have not ended; nothing of it is paid again"
        )
    if beside.others != _NOTHING:
        what = "for second opinions and what is not in this plan; limits count it"
        lines.append(f"others  {spent(beside.others)}: {what}")
    if beside.unanswered != _NOTHING:
        lines.append(
            f"unknown up to {spent(beside.unanswered)}: of calls without an answer, which may be paid;"
            " limits count it"
        )
    return lines


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
