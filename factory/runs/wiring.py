"""One run with all that it is given, and the nodes of its graph, each bound to what it touches."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

from factory.attempt.failure import Failure
from factory.attempt.prompt import TEMPLATE_NAME
from factory.attempt.routing import Nodes
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.configuration.document import Configuration
from factory.contract.identity import contract_hash, run_id
from factory.contract.work_order import WorkOrder
from factory.gates.baseline_report import BaselineReport
from factory.gates.bench import Bench
from factory.gates.checks.registry import Part, registry
from factory.llm.port import Model
from factory.llm.spending.prices import Price
from factory.repository.target import Target
from factory.runs.facts import sandbox_record, settings_record
from factory.runs.nodes.finalize import finalize
from factory.runs.nodes.land import land_attempt
from factory.runs.nodes.po import examine
from factory.runs.nodes.proof import prove
from factory.runs.nodes.se import propose
from factory.runs.nodes.tr import apply
from factory.runs.ports import Ports
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import RunDocument
from factory.runs.settings import AttemptSettings
from factory.system.process.stop import Stop
from factory.system.sandbox.port import Terms
from factory.system.templates import template_path
from factory.system.terminal.console import visible


@dataclass(frozen=True)
class Run:
    """One work order on one baseline.

    Attributes:
        order: the work order.
        target: where it starts and lands.
        folder: where its artifacts go.
        settings: how it is attempted.
        configuration: the repository's own.
        ports: what it touches beside the repository.
        terms: the sandbox of every command; None for none.
        known: what the baseline already failed, if that is accepted.
        in_place: whether it works in the user's checkout; None for a build, which never does.
        lands: whether a passed attempt is landed; else it only counts as passed.
        entered: told the node and the state when the graph enters a node.
        stop: ends it when another thread asks for that.
    """

    order: WorkOrder
    target: Target
    folder: RunFolder
    settings: AttemptSettings
    configuration: Configuration
    ports: Ports
    terms: Terms | None
    known: BaselineReport | None = None
    in_place: bool | None = None
    lands: bool = True
    entered: Callable[[str, RunState], None] = lambda _node, _state: None
    stop: Stop | None = None

    @cached_property
    def contract(self) -> str:
        """The work order's contract hash."""
        return contract_hash(self.order)

    @cached_property
    def run_id(self) -> str:
        """Its name."""
        return run_id(self.order, self.target.baseline)

    @property
    def price(self) -> Price | None:
        """What the user, or else the repository, says that the model costs."""
        return self.settings.price_under(self.configuration)

    @property
    def checks(self) -> tuple[Part, ...]:
        """What an attempt must pass."""
        declares = bool(self.order.provides or self.order.consumes)
        return registry(self.configuration, self.known, interfaces=declares)

    @property
    def document(self) -> RunDocument:
        """What is recorded of it before it starts."""
        return RunDocument(
            run_id=self.run_id,
            contract=self.contract,
            baseline=self.target.baseline,
            branch=self.target.branch,
            repository=visible(str(self.target.git.common_dir)),
            pid=os.getpid(),
            sandbox=sandbox_record(self.terms),
            settings=settings_record(self.settings, in_place=self.in_place),
        )

    def bench(self, checkout: Checkout) -> Bench:
        """The checkout, with what its commands get."""
        return self.ports.bench(checkout, self.settings, self.terms, self.stop)

    def entering(self, node: str, state: RunState) -> None:
        """What comes before each node.

        Raises:
            Stopped: `stop` asked for it.
        """
        if self.stop is not None:
            self.stop.heed()
        self.entered(node, state)

    def nodes(self, bench: Bench, model: Model) -> Nodes:
        """The nodes of its graph, each bound to what it touches.

        Args:
            bench: where the attempts work.
            model: who proposes.
        """
        order, settings, checks = self.order, self.settings, self.checks
        checkout, folder, progress = bench.checkout, self.folder, self.ports.progress
        return {
            "se": partial(
                propose,
                order=order,
                settings=settings,
                template=template_path(TEMPLATE_NAME).read_text("utf-8"),
                model=model,
                checks=checks,
                checkout=checkout,
                folder=folder,
                progress=progress,
            ),
            "tr": partial(apply, order=order, checkout=checkout, folder=folder, progress=progress),
            "po": partial(examine, order=order, bench=bench, checks=checks, folder=folder, progress=progress),
            "proof": partial(
                prove,
                order=order,
                settings=settings,
                bench=bench,
                checks=checks,
                folder=folder,
                progress=progress,
            ),
            "finalize": partial(
                finalize,
                land=self._land(checkout) if self.lands else None,
                max_attempts=settings.max_attempts,
                checkout=checkout,
                folder=folder,
                progress=progress,
            ),
        }

    def _land(self, checkout: Checkout) -> Callable[[RunState], str | Failure]:
        return partial(
            land_attempt,
            order=self.order,
            run_id=self.run_id,
            target=self.target,
            checkout=checkout,
            folder=self.folder,
            progress=self.ports.progress,
        )
