"""`state.json` of a build as a document: a view for people and programs, never the truth: that is in git.

Pure. Where it is kept is in `records`; which transitions there are, in `machine`.
"""

from collections.abc import Collection, Iterable
from typing import Annotated, Final

from pydantic import Field

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure
from factory.builds.state.attempts import AttemptRecord, Record, Spending
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.order import OrderState
from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.identity import contract_hash, plan_hash
from factory.contract.work_order import Plan
from factory.llm.spending.prices import Price, Prices

SCHEMA_VERSION: Final = 1


class Ended(Record):
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


class ModelShare(Record):
    """What one of the models that were asked has done.

    Attributes:
        model: its name with its adapter's.
        landed: how many work orders landed as it wrote them.
        failed: how many of its attempts failed.
        spent: what all its answers used.
        useful: the part of it that landed, or may still land.
        wasted: the part of it that came to nothing.
    """

    model: str
    landed: int
    failed: int
    spent: Spending
    useful: Spending
    wasted: Spending


class BuildState(Record):
    """Where a build stands.

    Attributes:
        schema_version: of this document.
        build_id: first 16 hex digits of SHA-256 over the plan's hash, the branch and the base.
        plan_hash: SHA-256 of the plan without computed fields.
        spec_hash: SHA-256 of the specification, if the plan tells.
        repository: the git directory.
        branch: where it lands.
        base: the commit that it starts from.
        accepted_configuration: the files of the user's configuration whose change a person accepted, in this
            pass or in an earlier one.
        price: what an answer costs, as the latest pass knows it; None if it does not.
        prices: of several models that are asked, what each costs, by their names.
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
    accepted_configuration: tuple[str, ...] = Field(default=(), exclude_if=lambda paths: not paths)
    price: Price | None = None
    prices: dict[str, Price] = Field(default_factory=dict, exclude_if=lambda value: not value)
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

    def accepting(self, paths: Iterable[str]) -> "BuildState":
        """With further files that a person accepted."""
        accepted = tuple(sorted({*self.accepted_configuration, *paths}))
        return self.model_copy(update={"accepted_configuration": accepted})

    def order(self, order_id: str) -> OrderState:
        """The state of one work order."""
        return next(order for order in self.orders if order.id == order_id)

    def with_order(self, changed: OrderState) -> "BuildState":
        """With one work order in another state."""
        orders = tuple(changed if order.id == changed.id else order for order in self.orders)
        return self.model_copy(update={"orders": orders})

    @property
    def known_prices(self) -> Prices:
        """What answers cost, as the latest pass knows it."""
        return Prices(self.price, self.prices)

    @property
    def by_model(self) -> tuple[ModelShare, ...]:
        """What each model that was asked has done for the build, by name."""
        attempts = {
            "spent": [attempt for order in self.orders for run in order.runs for attempt in run.attempts],
            "useful": [attempt for order in self.orders for attempt in order.useful_attempts],
            "wasted": [attempt for order in self.orders for attempt in order.wasted_attempts],
        }
        landed = [
            attempt.model
            for order in self.orders
            if order.state is OrderPhase.LANDED
            for attempt in order.useful_attempts
        ]
        names = sorted({attempt.model for attempt in attempts["spent"] if attempt.model})
        return tuple(
            ModelShare(
                model=name,
                landed=landed.count(name),
                failed=sum(
                    attempt.model == name and attempt.stage is not None for attempt in attempts["spent"]
                ),
                **{
                    kind: Spending.on(attempt for attempt in some if attempt.model == name)
                    for kind, some in attempts.items()
                },
            )
            for name in names
        )

    @property
    def has_begun(self) -> bool:
        """Whether a work order has landed, or was attempted."""
        return any(
            order.state is OrderPhase.LANDED or any(run.attempts for run in order.runs)
            for order in self.orders
        )

    @property
    def spent(self) -> Spending:
        """What all work orders used."""
        return Spending.on(self.attempts)

    @property
    def attempts(self) -> tuple[AttemptRecord, ...]:
        """All that was tried."""
        return tuple(attempt for order in self.orders for run in order.runs for attempt in run.attempts)

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


def plan_difference(before: BuildState, plan: Plan, landed: Collection[str] = frozenset()) -> tuple[str, ...]:
    """How a plan differs from the one that a build was started with, a line each.

    Args:
        before: the build.
        plan: the plan.
        landed: the ids of work orders that have landed as they are now, perhaps in other words.
    """
    old = {order.id: order.contract for order in before.orders}
    new = {order.id: contract_hash(order) for order in plan.work_orders}
    differences = [f"{order_id} is gone" for order_id in old if order_id not in new]
    for order_id, contract in new.items():
        if order_id not in old:
            differences.append(f"{order_id} is new")
        elif old[order_id] != contract and order_id not in landed:
            differences.append(f"{order_id} has another contract")
    if not differences and before.plan_hash != plan_hash(plan):
        differences.append("its requirements, its overview or its verification differ")
    return tuple(differences)
