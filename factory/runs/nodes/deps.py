"""What the nodes of one run may touch, handed to each of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.note import Note
from factory.contract.work_order import WorkOrder
from factory.gates.checks.registry import Part
from factory.llm.port import Model, Parameters
from factory.repository.target import Target
from factory.runs.record.folder import RunFolder
from factory.system.process.stop import Stop
from factory.system.sandbox.port import Terms


@dataclass(frozen=True)
class Deps:
    """The outside world of one run.

    Attributes:
        order: the work order.
        run_id: the run's name.
        contract: the work order's contract hash.
        target: where it lands.
        checkout: where the attempts work.
        model: who proposes.
        parameters: how the model is asked.
        template: the system text of the prompt.
        folder: where artifacts go.
        gate_environment: the environment of every command.
        timeout_seconds: the time limit of every command.
        checks: what an attempt must pass.
        max_attempts: how many attempts model defects may spend.
        progress: tells the user what happens now.
        lands: whether a passed attempt is landed; else it only counts as passed.
        entered: told the node and the state when the graph enters a node.
        mutants: how many mutants of the written lines are tried; 0 for none.
        kill_threshold: the percentage of them that the checks must notice; None to record it only.
        terms: the sandbox of every command; None for none.
        notes: what the user wants the model to know.
        stop: ends the run when another thread asks for that; None if none will.
    """

    order: WorkOrder
    run_id: str
    contract: str
    target: Target
    checkout: Checkout
    model: Model
    parameters: Parameters
    template: str
    folder: RunFolder
    gate_environment: Mapping[str, str]
    timeout_seconds: float
    checks: tuple[Part, ...]
    max_attempts: int
    progress: Callable[[str], None]
    lands: bool
    entered: Callable[[str, RunState], None]
    mutants: int
    kill_threshold: int | None
    terms: Terms | None
    notes: tuple[Note, ...]
    stop: Stop | None
