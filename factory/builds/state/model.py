"""`state.json` of a build as a document: a view for people and programs, never the truth: that is in git.

Pure. Where it is kept is in `records`; which transitions there are, in `machine`.
"""

from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, FailureClass, Stage
from factory.attempt.summary import AttemptSummary
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.contract.canonical import canonical_json, contract_hash, plan_hash, sha256_hex
from factory.contract.work_order import Plan, WorkOrder
from factory.llm.port import Usage
from factory.llm.spending.prices import Price
from factory.system.terminal.console import visible

SCHEMA_VERSION: Final = 1

RETIRED: Final = ".retired-"
"""What the name of a run holds whose answers were set aside, so that the model is asked anew."""

_EXCERPT_CHARS: Final = 500


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LastFailure(_Record):
    """Why the latest failed attempt of a work order failed.

    Attributes:
        stage: where.
        failure_class: who must act.
        message: what was wrong.
        excerpt: the end of what the command printed, if a command failed.
    """

    stage: Stage
    failure_class: FailureClass
    message: str
    excerpt: str = ""

    @classmethod
    def of(cls, failure: Failure) -> "LastFailure":
        """The short form of a failure."""
        return cls(
            stage=failure.stage,
            failure_class=failure.failure_class,
            # Names of files may hold bytes that no text can.
            message=visible(failure.told),
            excerpt=failure.excerpt[-_EXCERPT_CHARS:],
        )


class AttemptRecord(_Record):
    """One attempt.

    Attributes:
        attempt: its number, from 1.
        passed: whether its gates passed, those of the landing included.
        stage: where it failed; None if it has not, or if it has not ended.
        answer: the ledger's name of its answer; None without one.
        input_tokens: of its answer, the cached ones included; 0 without an answer.
        output_tokens: of its answer.
        cost_usd: what the answer cost; None if no price is known.
    """

    attempt: int
    passed: bool
    stage: Stage | None = None
    answer: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    @classmethod
    def of(cls, summary: AttemptSummary) -> "AttemptRecord":
        """The short form of an attempt's summary."""
        return cls(
            attempt=summary.attempt,
            passed=summary.passed,
            stage=summary.failure.stage if summary.failure else None,
            answer=summary.answer,
            input_tokens=summary.usage.input_tokens if summary.usage else 0,
            output_tokens=summary.usage.output_tokens if summary.usage else 0,
            cost_usd=summary.cost_usd,
        )

    @property
    def ended(self) -> bool:
        """Whether it passed or failed: it is not under way, and was not cut off."""
        return self.passed or self.stage is not None

    def priced(self, price: Price | None) -> "AttemptRecord":
        """With what its answer cost at that price."""
        used = Usage(input_tokens=self.input_tokens, output_tokens=self.output_tokens)
        cost = None if price is None or self.answer is None else float(round(price.of(used), 6))
        return self.model_copy(update={"cost_usd": cost})


class RunEntry(_Record):
    """The attempts of one run folder: one work order on one baseline."""

    run_id: str
    attempts: tuple[AttemptRecord, ...]


class Spending(_Record):
    """Tokens and money.

    Attributes:
        input_tokens: of all answers.
        output_tokens: of all answers.
        cost_usd: of all answers whose price is known, in US dollars; None if there is none.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    @classmethod
    def on(cls, attempts: Iterable[AttemptRecord]) -> "Spending":
        """What these attempts used; an answer that several took from the ledger was paid once."""
        found = {attempt.answer or number: attempt for number, attempt in enumerate(attempts)}.values()
        costs = [attempt.cost_usd for attempt in found if attempt.cost_usd is not None]
        return cls(
            input_tokens=sum(attempt.input_tokens for attempt in found),
            output_tokens=sum(attempt.output_tokens for attempt in found),
            cost_usd=round(sum(costs), 6) if costs else None,
        )


class OrderState(_Record):
    """Where one work order stands.

    Attributes:
        id: the work order's id.
        title: its title.
        contract: its contract hash.
        state: its state.
        attempt: the number of the attempt under way or of the last one; 0 before the first.
        last_failure: why the latest failed attempt failed.
        commit: the commit that holds its result.
        landed_run: the run that the commit came from.
        runs: all that was tried, on this baseline and on earlier ones.
        since: when it came into this state.
    """

    id: str
    title: str
    contract: str
    state: OrderPhase = OrderPhase.PENDING
    attempt: Annotated[int, Field(ge=0)] = 0
    last_failure: LastFailure | None = None
    commit: str | None = None
    landed_run: str | None = None
    runs: tuple[RunEntry, ...] = ()
    since: str

    @classmethod
    def of(cls, order: WorkOrder, since: str) -> "OrderState":
        """A work order that waits."""
        return cls(id=order.id, title=order.title, contract=contract_hash(order), since=since)

    def with_run(self, run: RunEntry) -> "OrderState":
        """With what was tried in a run; an earlier telling of the same run is replaced."""
        others = tuple(entry for entry in self.runs if entry.run_id != run.run_id)
        return self.model_copy(update={"runs": (*others, run)})

    @property
    def spent(self) -> Spending:
        """What it used."""
        return Spending.on(attempt for _, attempt in self._tried)

    @property
    def useful_attempts(self) -> tuple[AttemptRecord, ...]:
        """The attempt that landed, or that may still land."""
        return tuple(attempt for run, attempt in self._tried if self._counts(run, attempt))

    @property
    def wasted_attempts(self) -> tuple[AttemptRecord, ...]:
        """What came to nothing: failed attempts, and what was made again on another baseline."""
        not_wasted = {*self.useful_attempts, *self.open_attempts}
        answers = {attempt.answer for attempt in not_wasted if attempt.answer is not None}
        return tuple(
            attempt
            for run, attempt in self._tried
            if not self._counts(run, attempt)
            and not self._is_open(run, attempt)
            and attempt.answer not in answers
        )

    @property
    def open_attempts(self) -> tuple[AttemptRecord, ...]:
        """What was answered and has not ended; what was cut off there takes the answer from the ledger."""
        ended = {attempt.answer for _, attempt in self._tried if attempt.ended and attempt.answer}
        return tuple(
            attempt
            for run, attempt in self._tried
            if self._is_open(run, attempt) and attempt.answer not in ended
        )

    @property
    def _tried(self) -> tuple[tuple[RunEntry, AttemptRecord], ...]:
        return tuple((run, attempt) for run in self.runs for attempt in run.attempts)

    def _counts(self, run: RunEntry, attempt: AttemptRecord) -> bool:
        return attempt.passed and run.run_id == (self.landed_run if self.commit else self.runs[-1].run_id)

    def _is_open(self, run: RunEntry, attempt: AttemptRecord) -> bool:
        return not attempt.ended and self.commit is None and RETIRED not in run.run_id


class Ended(_Record):
    """How a build ended, for the user.

    Attributes:
        exit_code: the process's exit code.
        message: what happened, in a sentence.
        hint: who must do what next; empty if nothing is to be done.
        work_order: the work order that it ended with; None if it is about all.
        contract: its contract hash.
        run_id: the run whose folder tells more.
        failure: why it failed, with the evidence.
    """

    exit_code: ExitCode
    message: str
    hint: str = ""
    work_order: str | None = None
    contract: str | None = None
    run_id: str | None = None
    failure: Failure | None = None


class BuildState(_Record):
    """Where a build stands.

    Attributes:
        schema_version: of this document.
        build_id: first 16 hex digits of SHA-256 over the plan's hash, the branch and the base.
        plan_hash: SHA-256 of the plan without computed fields.
        spec_hash: SHA-256 of the specification, if the plan tells.
        repository: the git directory.
        branch: where it lands.
        base: the commit that it starts from.
        price: what an answer costs, as the latest pass knows it; None if it does not.
        state: its state.
        ended: how it ended; None while it has not.
        orders: the work orders in the plan's order.
        created: when it was started first.
        updated: when this was written.
    """

    schema_version: Annotated[int, Field(ge=SCHEMA_VERSION, le=SCHEMA_VERSION)] = SCHEMA_VERSION
    build_id: str
    plan_hash: str
    spec_hash: str | None
    repository: str
    branch: str
    base: str
    price: Price | None = None
    state: BuildPhase = BuildPhase.INIT
    ended: Ended | None = None
    orders: tuple[OrderState, ...]
    created: str
    updated: str

    @classmethod
    def of(cls, plan: Plan, *, repository: str, branch: str, base: str, now: str) -> "BuildState":
        """A build of `plan` of which nothing has happened yet."""
        hashed = plan_hash(plan)
        provenance = plan.work_orders[0].provenance
        return cls(
            build_id=sha256_hex(canonical_json([hashed, branch, base]))[:16],
            plan_hash=hashed,
            spec_hash=provenance.spec_hash if provenance else None,
            repository=repository,
            branch=branch,
            base=base,
            orders=tuple(OrderState.of(order, now) for order in plan.work_orders),
            created=now,
            updated=now,
        )

    def order(self, order_id: str) -> OrderState:
        """The state of one work order."""
        return next(order for order in self.orders if order.id == order_id)

    def with_order(self, changed: OrderState) -> "BuildState":
        """With one work order in another state."""
        orders = tuple(changed if order.id == changed.id else order for order in self.orders)
        return self.model_copy(update={"orders": orders})

    @property
    def spent(self) -> Spending:
        """What all work orders used."""
        return Spending.on(attempt for order in self.orders for run in order.runs for attempt in run.attempts)

    @property
    def useful(self) -> Spending:
        """The part of it that landed, or that may still land."""
        return Spending.on(attempt for order in self.orders for attempt in order.useful_attempts)

    @property
    def wasted(self) -> Spending:
        """The part of it that came to nothing."""
        return Spending.on(attempt for order in self.orders for attempt in order.wasted_attempts)

    @property
    def open(self) -> Spending:
        """The part of it whose attempts have not ended."""
        return Spending.on(attempt for order in self.orders for attempt in order.open_attempts)


def plan_difference(before: BuildState, plan: Plan) -> tuple[str, ...]:
    """How a plan differs from the one that a build was started with, a line each."""
    old = {order.id: order.contract for order in before.orders}
    new = {order.id: contract_hash(order) for order in plan.work_orders}
    found = [f"{order_id} is gone" for order_id in old if order_id not in new]
    for order_id, contract in new.items():
        if order_id not in old:
            found.append(f"{order_id} is new")
        elif old[order_id] != contract:
            found.append(f"{order_id} has another contract")
    if not found and before.plan_hash != plan_hash(plan):
        found.append("its requirements, its overview or its verification differ")
    return tuple(found)
