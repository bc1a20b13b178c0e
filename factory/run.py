"""The one way a work order is executed: preflight → graph → landing, and a record of however it ends."""

import gc
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from factory.artifacts import RunFolder
from factory.checkouts import checkout
from factory.contract.canonical import contract_hash, run_id
from factory.contract.documents import read_document
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import WorkOrder
from factory.exit_codes import ExitCode
from factory.failure import Failure
from factory.landable import unlandable_path
from factory.landing import recover
from factory.leftovers import remove_leftovers
from factory.llm.ledger_file import DamagedLedger
from factory.llm.meter import Meter
from factory.llm.port import Model, Parameters, ProviderError
from factory.llm.prices import Price
from factory.nodes.deps import Deps
from factory.prompt import TEMPLATE_NAME
from factory.repository import (
    NotRestored,
    Target,
    landed_commit,
    outside,
    require_ready,
    state_folder,
    target,
)
from factory.routing import exit_code
from factory.run_record import Ending, RunRecord, complete_killed_runs, refused, str_without_hint
from factory.state import RunState
from factory.system.clock import Clock
from factory.system.console import visible
from factory.system.environment import gate_environment
from factory.system.files import FileProblem, read_bounded
from factory.system.git import Git, GitError
from factory.system.lock import exclusive
from factory.system.signals import Interrupted, shielded
from factory.system.templates import template_path
from factory.working_in_place import restore_in_place


@dataclass(frozen=True)
class RunSettings:
    """What the user asked for.

    Attributes:
        repo: the repository's root.
        work_order: the work order's file.
        out: the directory that gets the run's folder.
        branch: the branch to land on; None for the one checked out.
        max_attempts: how many attempts model defects may spend.
        parameters: how the model is asked.
        timeout_seconds: the time limit of each command that is run.
        in_place: whether to work in the user's checkout.
        delete_ignored: whether ignored files may be deleted when working in place.
        passed_variables: further environment variables that commands may see.
        ledger: the directory in which answers are remembered, if that is known; it must not be in the
            repository.
        llm: the model as the user named it, for the record.
        price: what the user says that the model costs; None to look it up.
    """

    repo: Path
    work_order: Path
    out: Path
    branch: str | None
    max_attempts: int
    parameters: Parameters
    timeout_seconds: float
    in_place: bool
    delete_ignored: bool
    passed_variables: tuple[str, ...]
    ledger: Path | None = None
    llm: str = ""
    price: Price | None = None


@dataclass(frozen=True)
class Outside:
    """What a run touches beside the repository.

    Attributes:
        model: makes the model when everything else is known to be in order.
        clock: the time, for records.
        progress: tells the user what happens now.
        environment: the factory's own environment variables.
    """

    model: Callable[[], Model]
    clock: Clock
    progress: Callable[[str], None]
    environment: Mapping[str, str]


@dataclass(frozen=True)
class Finished:
    """How it ended, and where its record is; None if there is none, because it was refused too early."""

    ending: Ending
    folder: Path | None


def run_work_order(settings: RunSettings, world: Outside) -> Finished:
    """Execute one work order.

    Every expected ending is returned, also a refusal; only a bug raises, after it was recorded.
    """
    try:
        order = load_work_order(settings.work_order)
        git = Git.open(settings.repo)
        out = outside(settings.out, git)
        if settings.ledger is not None:
            outside(settings.ledger, git, "the ledger")
        with exclusive(state_folder(git) / "lock", f"factory run {order.id}"):
            _clean_up(git, out, settings, world)
            return _recorded_run(order, target(git, settings.branch), out, settings, world)
    except Interrupted as signal:
        return Finished(_interrupted(signal, None), None)
    except NotRestored as error:
        return Finished(_not_restored(error), None)
    except GitError as error:
        return Finished(_environment(error), None)
    except WorkorderError as error:
        return Finished(refused(error), None)
    except OSError as error:
        return Finished(_environment(error), None)


def load_work_order(path: Path) -> WorkOrder:
    """Read a work order from its file.

    Raises:
        FileProblem: it can't be read.
        BadJson, BadDocument: it is not a work order; every problem is named.
    """
    return read_document(
        WorkOrder,
        read_bounded(path),
        str(path),
        hint="`planner check` explains what a work order must look like",
    )


def _clean_up(git: Git, out: Path, settings: RunSettings, world: Outside) -> None:
    """Finish or undo what killed runs left."""
    for message in (recover(git), restore_in_place(git, in_place=settings.in_place)):
        if message:
            world.progress(message)
    remove_leftovers(git)
    complete_killed_runs(out, visible(str(git.common_dir)), world.clock, partial(_landed_by, git))


def _landed_by(git: Git, facts: JsonObject) -> str | None:
    """The commit of the run with these facts."""
    ref = f"refs/heads/{facts.get('branch')}"
    trailers = {"Run-Id": str(facts.get("run_id")), "Contract": str(facts.get("contract"))}
    return landed_commit(git, ref, trailers) if git.commit_id(ref) else None


def _recorded_run(
    order: WorkOrder, goal: Target, out: Path, settings: RunSettings, world: Outside
) -> Finished:
    contract = contract_hash(order)
    name = run_id(order, goal.baseline)
    folder = RunFolder(out / name, world.clock)
    record = RunRecord.start(folder, order, _facts(name, contract, goal, settings))
    meter = Meter()
    try:
        ending = _run(order, contract, name, goal, folder, settings, world, meter)
    except Interrupted as signal:
        ending = _interrupted(signal, _landed_by(goal.git, record.facts))
    except BaseException as error:
        expected = _expected(error)
        if expected is None:
            record.end(Ending("internal_error", ExitCode.INTERNAL, repr(error)), meter.usage, meter.calls)
            raise
        ending = expected
    with shielded():
        record.end(ending, meter.usage, meter.calls, meter.cost_usd(settings.price))
    return Finished(ending, folder.path)


def _expected(error: BaseException) -> Ending | None:
    """The ending that an error means; None if it is a bug."""
    match error:
        case NotRestored():
            return _not_restored(error)
        case GitError() | FileProblem() | OSError():
            return _environment(error)
        case ProviderError():
            return Ending("stopped", ExitCode.PROVIDER, str_without_hint(error), error.hint)
        case DamagedLedger():
            return Ending("stopped", ExitCode.STATE_CORRUPT, str_without_hint(error), error.hint)
        case WorkorderError():
            return refused(error)
        case _:
            return None


def _run(
    order: WorkOrder,
    contract: str,
    name: str,
    goal: Target,
    folder: RunFolder,
    settings: RunSettings,
    world: Outside,
    meter: Meter,
) -> Ending:
    trailers = {"Work-Order": order.id, "Contract": contract}
    landed = landed_commit(goal.git, goal.ref, trailers) if goal.exists else None
    if landed is not None:
        return Ending(
            "already_landed", ExitCode.PASS, f"{order.id} has landed before as {landed[:12]}", commit=landed
        )
    require_ready(goal, in_place=settings.in_place, may_delete_ignored=settings.delete_ignored)
    template = template_path(TEMPLATE_NAME).read_text("utf-8")
    model = meter.metered(world.model())
    with checkout(goal, in_place=settings.in_place) as opened:
        problem = unlandable_path(order, opened.git, goal)
        if problem is not None:
            return _stopped(problem, ())
        deps = Deps(
            order=order,
            run_id=name,
            contract=contract,
            target=goal,
            checkout=opened,
            model=model,
            parameters=settings.parameters,
            template=template,
            folder=folder,
            gate_environment=gate_environment(
                world.environment,
                home=opened.home,
                temporary=opened.temporary,
                passed=settings.passed_variables,
            ),
            timeout_seconds=settings.timeout_seconds,
            max_attempts=settings.max_attempts,
            progress=world.progress,
        )
        folder.begin()
        return _ending(order, goal, _imported_graph()(deps))


def _imported_graph() -> Callable[[Deps], RunState]:
    """The graph; importing its library takes most of a second, so it waits until everything else is right.

    Without collecting garbage meanwhile, and with what is imported set aside for good, a run is a fifth of a
    second shorter: nothing of it is garbage before the process ends.
    """
    gc.disable()
    try:
        from factory.graph import execute
    finally:
        gc.freeze()
        gc.enable()
    return execute


def _ending(order: WorkOrder, goal: Target, state: RunState) -> Ending:
    attempts = tuple(state["attempts"])
    if state.get("verdict") == "landed":
        commit = state["commit"]
        assert commit is not None
        message = f"{order.id} landed on {goal.branch} as {commit[:12]}"
        return Ending("landed", ExitCode.PASS, message, commit=commit, attempts=attempts)
    failure = Failure.model_validate(state["failure"])
    if state.get("verdict") == "failed":
        hint = (
            "read the failure briefs; raise --max-attempts, ask another model, or make the work order clearer"
        )
        spent = f"{len(attempts)} attempt{'s are' if len(attempts) > 1 else ' is'} spent"
        message = f"{order.id} failed: {spent}, the last at {failure.stage}: {failure.told}"
        return Ending("failed", ExitCode.FAIL, message, hint, failure, attempts=attempts)
    return _stopped(failure, attempts)


def _stopped(failure: Failure, attempts: tuple[JsonObject, ...]) -> Ending:
    message = f"{failure.failure_class.replace('_', ' ')} at {failure.stage}: {failure.told}"
    return Ending("stopped", exit_code(failure), message, failure.hint, failure, attempts=attempts)


def _interrupted(signal: Interrupted, landed: str | None) -> Ending:
    if landed is not None:
        message = f"ended by {signal}, after it had landed {landed[:12]}"
        return Ending("interrupted", signal.exit_code, message, commit=landed)
    return Ending(
        "interrupted", signal.exit_code, f"ended by {signal}; nothing is left half done", "run again to go on"
    )


def _not_restored(error: NotRestored) -> Ending:
    return Ending("not_restored", ExitCode.NOT_RESTORED, str_without_hint(error), error.hint)


def _environment(error: WorkorderError | OSError) -> Ending:
    hint = error.hint if isinstance(error, WorkorderError) else ""
    message = str_without_hint(error) if isinstance(error, WorkorderError) else str(error)
    return Ending(
        "stopped",
        ExitCode.ENVIRONMENT,
        message,
        hint or "see whether the disk is full or a permission is missing",
    )


def _facts(name: str, contract: str, goal: Target, settings: RunSettings) -> JsonObject:
    return {
        "run_id": name,
        "contract": contract,
        "baseline": goal.baseline,
        "branch": goal.branch,
        "repository": visible(str(goal.git.common_dir)),
        "pid": os.getpid(),
        "settings": {
            "llm": visible(settings.llm),
            "max_attempts": settings.max_attempts,
            "timeout_seconds": settings.timeout_seconds,
            "in_place": settings.in_place,
            "temperature": settings.parameters.temperature,
            "max_output_tokens": settings.parameters.max_output_tokens,
        },
    }
