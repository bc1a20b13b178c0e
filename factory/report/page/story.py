"""What a build or a run did, as values that a report is written from. Pure; `reading` fills them in."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from factory.attempt.failure import Failure
from factory.builds.state.attempts import Spending
from factory.builds.state.model import ModelShare
from factory.contract.work_order import AcceptedWarning, SpecRemark, WorkOrder
from factory.gates.check import Probed
from factory.people.hints import Hint
from factory.plans.diagnostics.diagnostic import Diagnostic
from factory.plans.diagnostics.places import Place
from factory.report.figures import spent
from factory.report.workers import WorkersTrial, render_shares
from factory.runs.record.model import ProofResult, RunDocument, RunSummary, SecondPassResult

_HEADLINE: Final = 240
"""The most characters of a headline."""

StepKind = Literal["before", "answer", "check", "proof"]
Tone = Literal["good", "bad", "going"]


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
        passed: whether that is a pass, or its check accepts it.
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
    """A check of an attempt.

    Attributes:
        name: its name.
        passed: whether it found nothing.
        note: what is to be said of it.
        commands: what it ran.
        part: the part of the checks that it belongs to, such as `acceptance`.
        gates: whether the attempt fails with it.
    """

    name: str
    passed: bool
    note: str
    commands: tuple[Command, ...]
    part: str
    gates: bool


@dataclass(frozen=True)
class Step:
    """Something that took its time.

    Attributes:
        kind: what kind of thing.
        label: what it was, such as a command.
        begin: when it began, in seconds since the epoch.
        end: when it ended.
        passed: whether it went well.
    """

    kind: StepKind
    label: str
    begin: float
    end: float
    passed: bool = True


@dataclass(frozen=True)
class Attempt:
    """An attempt, or its gates once more on the tip of the branch.

    Attributes:
        title: which it is.
        model: who answered; empty if nobody did.
        usage: what the answer used, with its price if that is known; empty if nothing is known.
        summary: what the model said of it.
        remarks: what the model wants people to know.
        written: the files that it wrote.
        checks: the checks, in order.
        again: how the second pass of acceptance ended; None without one.
        proof: what became of the mutants; None without any.
        failure: why it failed; None if it passed, or goes on.
        texts: its prompt and answer.
        diff: what it changed; None if nothing is known.
        steps: what it did when.
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
    steps: tuple[Step, ...] = ()

    @property
    def failing(self) -> tuple[Command, ...]:
        """The commands at which it failed."""
        return tuple(
            command
            for check in self.checks
            if check.gates and not check.passed
            for command in check.commands
            if not command.passed
        )


@dataclass(frozen=True)
class Run:
    """A run of a work order.

    Attributes:
        folder: its folder.
        record: how it began.
        summary: how it ended; None if it goes on, or was killed.
        probe: what its acceptance commands did before the work.
        attempts: its attempts, and those on the tip of the branch.
        before: what was done before the first attempt, and when.
        at_fault: who may be at fault that it failed, and why; empty if nothing is known.
        trials: those that workers of an engine ran.
    """

    folder: Path
    record: RunDocument
    summary: RunSummary | None
    probe: tuple[Probed, ...]
    attempts: tuple[Attempt, ...]
    before: tuple[Step, ...] = ()
    at_fault: str = ""
    trials: tuple[WorkersTrial, ...] = ()

    @property
    def failure(self) -> Failure | None:
        """Why its last attempt failed, or the run itself."""
        ended = self.summary.failure if self.summary is not None else None
        return ended or next((attempt.failure for attempt in reversed(self.attempts)), None)

    @property
    def failing(self) -> tuple[Command, ...]:
        """The commands at which its last attempt failed."""
        return self.attempts[-1].failing if self.attempts else ()


@dataclass(frozen=True)
class Asked:
    """A requirement that a work order takes.

    Attributes:
        id: its id.
        text: the plan's words; empty if the plan is not known.
        quotes: the specification's words.
        lines: the lines of the specification that hold them, first and last; none if that is not known.
    """

    id: str
    text: str
    quotes: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Order:
    """A work order.

    Attributes:
        id: its id.
        title: its title.
        state: where it stands, such as `landed`.
        commit: the commit that landed it; empty without one.
        spending: what it used.
        contract: what was ordered; None if that is not known.
        runs: what was tried, the earliest first.
        asked: the requirements that it takes.
        hints: what people told its attempts.
        left_out: why a person leaves it out; empty if nobody does.
    """

    id: str
    title: str
    state: str
    commit: str
    spending: Spending
    contract: WorkOrder | None
    runs: tuple[Run, ...]
    asked: tuple[Asked, ...] = ()
    hints: tuple[Hint, ...] = ()
    left_out: str = ""

    @property
    def is_done(self) -> bool:
        """Whether it has landed."""
        return self.state == "landed"

    @property
    def used(self) -> str:
        """What it used, in words; empty if nothing."""
        return spent(self.spending) if self.spending != Spending() else ""

    @property
    def is_under_way(self) -> bool:
        """Whether it has begun, and goes on."""
        return self.state in ("generating", "testing", "patching")

    @property
    def failure(self) -> Failure | None:
        """Why it has not landed, as far as its latest run tells; None while it goes on."""
        return self.runs[-1].failure if self.runs and not self.is_done and not self.is_under_way else None

    @property
    def tone(self) -> str:
        """How its state is shown."""
        if self.is_done:
            return "good"
        if self.failure is not None:
            return "bad"
        return "going" if self.is_under_way else "dim"


@dataclass(frozen=True)
class Story:
    """What is reported.

    Attributes:
        out: the directory that it is about.
        title: what it is called.
        outcome: how it ended, or where it stands, in a sentence.
        hint: who must do what next; empty if nothing is to be done.
        tone: whether all is well, something is not, or it goes on.
        exit_code: of the build, or of the latest run; None if it goes on, or was killed.
        branch: where it lands.
        spending: what all of it used.
        facts: what else is known of the whole, by name.
        orders: the work orders, in the plan's order.
        found: what the rules found in the plan; None if that is not known.
        remarks: what the planner noticed about the specification.
        accepted: warnings of the whole plan that it accepts.
        by_model: what each of the models that were asked has done; nothing where that is not known.
    """

    out: Path
    title: str
    outcome: str
    hint: str
    tone: Tone
    exit_code: int | None
    branch: str
    spending: Spending
    facts: dict[str, str]
    orders: tuple[Order, ...]
    found: tuple[tuple[Diagnostic, Place | None], ...] | None = None
    remarks: tuple[SpecRemark, ...] = ()
    accepted: tuple[AcceptedWarning, ...] = ()
    by_model: tuple[ModelShare, ...] = ()

    @property
    def workers(self) -> str:
        """Which workers ran how many trials; empty if none did."""
        return render_shares(trial for order in self.orders for run in order.runs for trial in run.trials)

    @property
    def headline(self) -> str:
        """The outcome in a line that leaves room for what follows."""
        line = self.outcome.strip().partition("\n")[0]
        cut = len(line) > _HEADLINE
        return f"{line[: _HEADLINE - 1]}…" if cut else line

    @property
    def all_landed(self) -> bool:
        """Whether nothing was left out, either."""
        return all(order.is_done for order in self.orders)

    @property
    def failed(self) -> tuple[Order, ...]:
        """The work orders that failed."""
        return tuple(order for order in self.orders if order.failure is not None)
