"""Where checks run: a checkout, and how commands are run in it. The context of each check is made here."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from factory.checkout.workspace import Checkout
from factory.contract.work_order import WorkOrder
from factory.gates.check import CheckContext
from factory.gates.execute import Executor
from factory.gates.landing_tree import LandingTree
from factory.system.process.stop import Stop
from factory.system.sandbox.port import Terms


@dataclass(frozen=True)
class Bench:
    """A checkout, and how commands are run in it.

    Attributes:
        checkout: where they run.
        environment: their whole environment.
        timeout_seconds: the time limit of each that has none of its own.
        terms: the sandbox that confines them, and what they get in it; None starts them as they are.
        stop: ends a command when another thread asks for that; None if none will.
    """

    checkout: Checkout
    environment: Mapping[str, str]
    timeout_seconds: float
    terms: Terms | None = None
    stop: Stop | None = None

    def context(self, order: WorkOrder, tree: str, folder: Path) -> CheckContext:
        """What the checks of an attempt may use.

        Args:
            order: the work order.
            tree: git's id of the tree that lands if they pass.
            folder: where artifacts go.
        """
        return self._context(order, tree, folder, exempt=order.verify_exempt)

    def baseline_context(self, folder: Path, *, exempt: bool) -> CheckContext:
        """What checks of the baseline may use, where nothing is promised yet.

        Args:
            folder: where artifacts go.
            exempt: whether the files can't be verified as a whole yet.
        """
        return self._context(None, self.checkout.baseline, folder, exempt=exempt)

    def _context(self, order: WorkOrder | None, tree: str, folder: Path, *, exempt: bool) -> CheckContext:
        checkout = self.checkout
        return CheckContext(
            order=order,
            exempt=exempt,
            tree=checkout.tree,
            landing=LandingTree(checkout.git, tree),
            execute=Executor(checkout, self.environment, self.timeout_seconds, folder, self.stop, self.terms),
            temporary=checkout.temporary,
            folder=folder,
        )
