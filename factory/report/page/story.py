"""What the folders of a build or a run tell, as values that a report is written from.

Only reads. What is damaged, or was written by another version, is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.attempt.failure import Failure
from factory.attempt.outcome import RunOutcome
from factory.builds.state.attempts import AttemptRecord, Spending
from factory.builds.state.file import STATE_FILE, require_state
from factory.builds.state.model import BuildState
from factory.contract.errors import WorkorderError
from factory.contract.work_order import WorkOrder
from factory.gates.check import CheckResult, CommandResult, Probed
from factory.report.figures import spent
from factory.report.show import ended_how
from factory.runs.record.files import (
    ANSWER,
    ANSWER_TEXT,
    CHANGES,
    CHECK_RESULTS,
    FAILURE_BRIEF,
    KILL_PROOF,
    LANDING_FOLDER,
    PASSAGES,
    PROBE,
    PROMPT_TEXT,
    PROPOSAL,
    RUN,
    SECOND_PASS,
    SUMMARY,
    WORK_ORDER,
    WRITE_RESULT,
)
from factory.runs.record.folder import attempts_in
from factory.runs.record.model import ProofResult, RunDocument, RunSummary, SecondPassResult
from factory.system.files.tree import FileProblem, read_bounded

_DONE: Final = (RunOutcome.LANDED, RunOutcome.ALREADY_LANDED)
_MOST_BYTES: Final = 20_000_000


@dataclass(frozen=True)
class Text:
    """A text file of an attempt, its middle left out if it is long.

    Attributes:
        name: what it is.
        text: what it holds, or the beginning and the end of it.
        path: the file.
        left_out: how many characters are not shown.
    """

    name: str
    text: str
    path: Path
    left_out: int


@dataclass(frozen=True)
class Command:
    """A command that was run.

    Attributes:
        text: as it stands in the plan.
        end: how it ended, such as `exit 1`.
        passed: whether that is a pass.
        seconds: elapsed time.
        known_by: how it can be known that it passed; empty if it did not.
        output: the beginning and the end of what it printed.
        path: the file with all of it; None if there is none.
    """

    text: str
    end: str
    passed: bool
    seconds: float
    known_by: str
    output: str
    path: Path | None


@dataclass(frozen=True)
class Check:
    """A check of an attempt: its name, whether it passed, what is to be said of it, and its commands."""

    name: str
    passed: bool
    note: str
    commands: tuple[Command, ...]


@dataclass(frozen=True)
class Attempt:
    """An attempt, or its gates once more on the tip of the branch.

    Attributes:
        title: which it is.
        model: who answered; empty if nobody did.
        usage: what the answer used; empty if that is not known.
        summary: what the model said of it.
        remarks: what the model wants people to know.
        written: the files that it wrote.
        checks: the checks, in order.
        again: how the second pass of acceptance ended; None without one.
        proof: what became of the mutants; None without any.
        failure: why it failed; None if it passed, or goes on.
        texts: its prompt and answer.
        diff: what it changed; None if nothing is known.
    """

    title: str
    model: str
    usage: str
    summary: str
    remarks: tuple[str, ...]
    written: tuple[str, ...]
    checks: tuple[Check, ...]
    again: SecondPassResult | None
    proof: ProofResult | None
    failure: Failure | None
    texts: tuple[Text, ...]
    diff: Text | None


@dataclass(frozen=True)
class Run:
    """A run of a work order.

    Attributes:
        folder: its folder.
        record: how it began.
        summary: how it ended; None if it goes on, or was killed.
        probe: what its acceptance commands did before the work.
        attempts: its attempts, and those on the tip of the branch.
    """

    folder: Path
    record: RunDocument
    summary: RunSummary | None
    probe: tuple[Probed, ...]
    attempts: tuple[Attempt, ...]

    @property
    def failure(self) -> Failure | None:
        """Why its last attempt failed, or the run itself."""
        ended = self.summary.failure if self.summary is not None else None
        return ended or next((attempt.failure for attempt in reversed(self.attempts)), None)


@dataclass(frozen=True)
class Order:
    """A work order.

    Attributes:
        id: its id.
        title: its title.
        state: where it stands, such as `landed`.
        commit: the commit that landed it; empty without one.
        used: what it used; empty if nothing.
        contract: what was ordered; None if it was never begun.
        runs: what was tried, the earliest first.
        lines: for each of its requirements the lines of the specification that it quotes, first and last.
    """

    id: str
    title: str
    state: str
    commit: str
    used: str
    contract: WorkOrder | None
    runs: tuple[Run, ...]
    lines: dict[str, tuple[tuple[int, int], ...]]

    @property
    def is_done(self) -> bool:
        """Whether it has landed."""
        return self.state == "landed"

    @property
    def failure(self) -> Failure | None:
        """Why it has not landed, as far as its latest run tells."""
        return self.runs[-1].failure if self.runs and not self.is_done else None


@dataclass(frozen=True)
class Story:
    """What is reported.

    Attributes:
        out: the directory that it is about.
        title: what it is called.
        outcome: how it ended, or where it stands, in a sentence.
        hint: who must do what next; empty if nothing is to be done.
        is_well: whether everything has landed.
        facts: what else is known of the whole, by name.
        orders: the work orders, in the plan's order.
    """

    out: Path
    title: str
    outcome: str
    hint: str
    is_well: bool
    facts: dict[str, str]
    orders: tuple[Order, ...]

    @property
    def failed(self) -> tuple[Order, ...]:
        """The work orders that failed."""
        return tuple(order for order in self.orders if order.failure is not None)


def read_story(out: Path, most_characters: int) -> Story:
    """What a directory tells.

    Args:
        out: the output directory of a build or of runs, or the folder of one run.
        most_characters: how much of each prompt, answer and diff is taken.

    Raises:
        WorkorderError: it is none of these, or the state of the build is damaged.
    """
    if (out / STATE_FILE).exists():
        return _of_build(out, require_state(out), most_characters)
    folders = [out] if (out / RUN.name).exists() else [path.parent for path in out.glob(f"*/{RUN.name}")]
    runs = sorted(_runs(folders, most_characters), key=lambda run: (run.record.started, run.folder.name))
    if not runs:
        raise WorkorderError(
            "holds no build and no run",
            where=str(out),
            hint="name what `factory build` or `factory run` got as --out, or the folder of one run",
        )
    return _of_runs(out, runs)


def _of_build(out: Path, state: BuildState, most: int) -> Story:
    orders = []
    for order in state.orders:
        runs = tuple(_runs((out / run.run_id for run in order.runs), most))
        used = spent(order.spent) if order.spent != Spending() else ""
        contract = next((read for run in reversed(runs) if (read := _contract(run.folder))), None)
        orders.append(
            Order(
                order.id,
                order.title,
                str(order.state),
                order.commit or "",
                used,
                contract,
                runs,
                _lines(runs),
            )
        )
    landed = sum(order.is_done for order in orders)
    ended = state.ended
    facts = {
        "branch": state.branch,
        "base": state.base[:12],
        "plan": state.plan_hash[:12],
        "used": spent(state.spent),
        "of that wasted": spent(state.wasted) if state.wasted != Spending() else "nothing",
        "last change": state.updated,
    }
    return Story(
        out=out,
        title="Build",
        outcome=ended.message if ended is not None else f"{landed} of {len(orders)} work orders have landed",
        hint=ended.hint if ended is not None else "",
        is_well=landed == len(orders),
        facts=facts,
        orders=tuple(orders),
    )


def _of_runs(out: Path, runs: list[Run]) -> Story:
    by_order: dict[str, list[Run]] = {}
    for run in runs:
        by_order.setdefault(run.record.work_order, []).append(run)
    orders = tuple(_order_of(name, tuple(by_order[name])) for name in sorted(by_order))
    last = runs[-1].summary
    landed = sum(order.is_done for order in orders)
    unknown = "it goes on, or was killed"
    single = last.message if last is not None else unknown
    return Story(
        out=out,
        title="Run" if len(orders) == 1 else "Runs",
        outcome=single if len(orders) == 1 else f"{landed} of {len(orders)} work orders have landed",
        hint=last.hint if last is not None and len(orders) == 1 else "",
        is_well=landed == len(orders),
        facts={"branch": runs[-1].record.branch, "last start": runs[-1].record.started},
        orders=orders,
    )


def _order_of(name: str, runs: tuple[Run, ...]) -> Order:
    landed = next(
        (run.summary for run in reversed(runs) if run.summary and run.summary.outcome in _DONE), None
    )
    last = runs[-1].record.outcome if runs[-1].summary is None else runs[-1].summary.outcome
    state = "landed" if landed is not None else str(last or "not ended")
    made = Spending.on(
        AttemptRecord.of(summary) for run in runs if run.summary for summary in run.summary.attempts
    )
    return Order(
        id=name,
        title=runs[-1].record.title,
        state=state,
        commit=(landed.commit or "") if landed is not None else "",
        used=spent(made) if made != Spending() else "",
        contract=_contract(runs[-1].folder),
        runs=runs,
        lines=_lines(runs),
    )


def _contract(folder: Path) -> WorkOrder | None:
    return WORK_ORDER.read_sound(folder)


def _lines(runs: Iterable[Run]) -> dict[str, tuple[tuple[int, int], ...]]:
    """The lines that the latest prompt with any showed."""
    shown = [
        record
        for run in runs
        for _, attempt in attempts_in(run.folder)
        if (record := PASSAGES.read_sound(attempt)) is not None
    ]
    return dict(shown[-1].lines) if shown else {}


def _runs(folders: Iterable[Path], most: int) -> Iterator[Run]:
    for folder in folders:
        record = RUN.read_sound(folder)
        if record is None:
            continue
        probe = PROBE.read_sound(folder)
        attempts = [_attempt(f"attempt {number}", path, most) for number, path in attempts_in(folder)]
        attempts += [
            _attempt(f"attempt {number} again, on the branch's tip", path, most)
            for number, path in attempts_in(folder / LANDING_FOLDER)
        ]
        commands = () if probe is None else probe.commands
        yield Run(folder, record, SUMMARY.read_sound(folder), commands, tuple(attempts))


def _attempt(title: str, folder: Path, most: int) -> Attempt:
    answer, proposal = ANSWER.read_sound(folder), PROPOSAL.read_sound(folder)
    written = WRITE_RESULT.read_sound(folder)
    parts = [results.read_sound(folder) for results in CHECK_RESULTS.values()]
    texts = (_text("prompt", folder / PROMPT_TEXT, most), _text("answer", folder / ANSWER_TEXT, most))
    usage = (
        ""
        if answer is None
        else (f"{answer.usage.input_tokens:,} tokens in, {answer.usage.output_tokens:,} out")
    )
    return Attempt(
        title=title,
        model="" if answer is None else answer.model,
        usage=usage,
        summary="" if proposal is None else proposal.summary,
        remarks=() if proposal is None else proposal.remarks,
        written=() if written is None else written.written,
        checks=tuple(_check(check, folder) for part in parts if part is not None for check in part.checks),
        again=SECOND_PASS.read_sound(folder),
        proof=KILL_PROOF.read_sound(folder),
        failure=FAILURE_BRIEF.read_sound(folder),
        texts=tuple(text for text in texts if text is not None),
        diff=_text("changes", folder / CHANGES, most),
    )


def _check(check: CheckResult, folder: Path) -> Check:
    note = check.note if check.gates else f"reports only{'; ' if check.note else ''}{check.note}"
    commands = tuple(_command(command, folder) for command in check.commands)
    return Check(check.name, check.failure is None, note, commands)


def _command(command: CommandResult, folder: Path) -> Command:
    passed = command.exit_code == 0 and not command.shortcoming
    path = folder / command.output_file
    return Command(
        text=command.command,
        end=ended_how(command) + (f", proves nothing: {command.shortcoming}" if command.shortcoming else ""),
        passed=passed,
        seconds=command.seconds,
        known_by=f"by {command.verdict}" if passed else "",
        output=command.excerpt,
        path=path if command.output_bytes and path.is_file() else None,
    )


def _text(name: str, path: Path, most: int) -> Text | None:
    """A file, cut in its middle; None if it is not there, or can't be read."""
    try:
        whole = (
            read_bounded(path, max_bytes=_MOST_BYTES).decode("utf-8", "replace") if path.is_file() else None
        )
    except FileProblem:
        return None
    if whole is None:
        return None
    if len(whole) <= most:
        return Text(name, whole, path, 0)
    # At line ends, so that what is left reads as lines.
    head = whole[: most * 2 // 3].rpartition("\n")[0] or whole[: most * 2 // 3]
    tail = whole[-most // 3 :].partition("\n")[2] or whole[-most // 3 :]
    left_out = len(whole) - len(head) - len(tail)
    return Text(name, f"{head}\n\n… {left_out:,} characters are left out …\n\n{tail}", path, left_out)
