"""What a run touches beside the repository: the model, the clock, the environment, the sandbox."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from factory.checkout.workspace import Checkout
from factory.configuration.document import Configuration
from factory.gates.bench import Bench
from factory.gates.environment import gate_environment
from factory.llm.port import Model
from factory.llm.spending.prices import Price
from factory.runs.settings import AttemptSettings
from factory.system.clock import Clock
from factory.system.process.stop import Stop
from factory.system.sandbox.port import Terms


@dataclass(frozen=True)
class Ports:
    """What an execution touches beside the repository.

    Attributes:
        model: makes the model when everything else is known to be in order. It heeds the stop, if there is
            one; the price is what the repository says that the model costs.
        clock: the time, for records.
        progress: tells the user what happens now.
        environment: the factory's own environment variables.
        terms: finds the sandbox that works here, told whether commands work in the user's own checkout, and
            what the repository configures.
    """

    model: Callable[[Stop | None, Price | None], Model]
    clock: Clock
    progress: Callable[[str], None]
    environment: Mapping[str, str]
    terms: Callable[[bool, Configuration], Terms | None] = lambda _in_place, _configuration: None

    def bench(
        self, checkout: Checkout, settings: AttemptSettings, terms: Terms | None, stop: Stop | None
    ) -> Bench:
        """A checkout, and how commands are run in it."""
        environment = gate_environment(
            self.environment,
            home=checkout.home,
            temporary=checkout.temporary,
            passed=settings.passed_variables,
        )
        return Bench(checkout, environment, settings.timeout_seconds, terms, stop)
