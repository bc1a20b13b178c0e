"""What a run is given: how work orders are attempted, and what that touches beside the repository."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from factory.checkout.workspace import Checkout
from factory.configuration.document import Configuration
from factory.contract.note import Note
from factory.gates.bench import Bench
from factory.llm.port import Model, Parameters
from factory.llm.spending.prices import Price
from factory.system.clock import Clock
from factory.system.process.environment import gate_environment
from factory.system.process.stop import Stop
from factory.system.sandbox.port import Terms


class AttemptSettings(BaseModel):
    """How work orders are attempted; made once, from the command line, and handed on.

    Attributes:
        max_attempts: how many attempts model defects may spend.
        parameters: how the model is asked.
        timeout_seconds: the time limit of each command that is run.
        passed_variables: further environment variables that commands may see.
        llm: the model as the user named it, for the record.
        price: what the user says that the model costs; None to look it up.
        red_probe: whether acceptance commands must fail before the work is done.
        mutants: how many mutants of the written lines are tried; 0 for none.
        kill_threshold: the percentage of them that the checks must notice; None to record it only.
        notes: what the user wants the model to know, as it was read at the start.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_attempts: int
    parameters: Parameters
    timeout_seconds: float
    passed_variables: tuple[str, ...] = ()
    llm: str = ""
    price: Price | None = None
    red_probe: bool = True
    mutants: int = 0
    kill_threshold: int | None = None
    notes: tuple[Note, ...] = ()

    def price_under(self, configuration: Configuration) -> Price | None:
        """What the user, or else the repository, says that the model costs."""
        if self.price is not None or configuration.price is None:
            return self.price
        return Price(configuration.price.input, configuration.price.output)


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
