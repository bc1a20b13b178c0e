"""Executes a plan: preflight → loop → ending. Resuming, after whatever ended a build, is building again."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.builds.branch.history import History, history
from factory.builds.code_map import write_code_map
from factory.builds.endings import interruption, loop_ending, refusal
from factory.builds.execution import PlanExecution
from factory.builds.footing import Footing, find_footing
from factory.builds.settings import BuildSettings, Built
from factory.builds.state.file import load_state
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import BuildState, Ended
from factory.builds.state.records import Records
from factory.builds.state.resumption import require_same, state_to_start_from
from factory.contract.canonical import dump
from factory.contract.documents import BadDocument, schema_problems
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan
from factory.repository.target import Refused, require_outside, state_folder, target
from factory.runs.inputs import Ports, sandbox_record
from factory.runs.preflight import clean_up
from factory.system.files.lock import exclusive
from factory.system.git.client import Git
from factory.system.plan_files import read_plan
from factory.system.process.signals import Interrupted, shielded
from factory.system.terminal.console import visible


def build(settings: BuildSettings, ports: Ports, listener: Callable[[BuildState, JsonObject], None]) -> Built:
    """Execute all work orders of a plan that have not landed.

    Every expected ending is returned, also a refusal; only a bug raises.

    Args:
        settings: what the user asked for.
        ports: what executions touch beside the repository.
        listener: gets each event, with the state after it.
    """
    try:
        plan = _load_plan(settings.plan)
        git = Git.open(settings.repo)
        out = require_outside(settings.out, git)
        if settings.ledger is not None:
            require_outside(settings.ledger, git, "the ledger")
        out.mkdir(parents=True, exist_ok=True)
        with (
            exclusive(state_folder(git) / "lock", "factory build") as held,
            exclusive(out / "lock", "factory build", "this output directory"),
        ):
            git = replace(git, lock=held)
            clean_up(git, out, settings.ledger, ports, in_place=False)
            execution = _prepare(plan, git, out, settings, ports, listener)
            return execution if isinstance(execution, Built) else _execute(execution)
    except (Interrupted, WorkorderError, OSError) as error:
        return Built(refusal(error), None)


def _load_plan(path: Path) -> Plan:
    """Read a plan; whether it is a good one is for `planner check`.

    Args:
        path: a manifest, or a directory that holds one or its work orders.

    Raises:
        NoPlan, BadJson, FileProblem: there is none that can be read.
        BadDocument: it is not a plan; every problem is named.
        Refused: its work orders can't be told apart.
    """
    value = read_plan(path)
    problems = schema_problems(Plan, value)
    if problems:
        raise BadDocument(str(path), problems, "`planner check` explains what a plan must look like")
    plan = Plan.model_validate(value)
    seen: set[str] = set()
    for order in plan.work_orders:
        if order.id in seen:
            raise Refused(f"holds {order.id} twice", where=str(path), hint="`planner check` says more")
        seen.add(order.id)
        for dependency in order.depends_on or ():
            if dependency not in seen or dependency == order.id:
                raise Refused(
                    f"{order.id} depends on {dependency}, which does not come before it",
                    where=str(path),
                    hint="compile the plan again, or leave out depends_on: then all earlier ones count",
                )
    return plan


def _prepare(
    plan: Plan,
    git: Git,
    out: Path,
    settings: BuildSettings,
    ports: Ports,
    listener: Callable[[BuildState, JsonObject], None],
) -> PlanExecution | Built:
    """Go on from an earlier pass, or begin; what the branch holds is on record then.

    Returns:
        What is to be executed; or the ending, if something refuses that before anything is announced.
    """
    before = None if settings.rebuild_state else load_state(out)
    goal = target(git, settings.branch)
    past = history(git, goal.baseline, plan)
    require_same(before, plan, goal, out, accept_plan=settings.accept_plan)
    state = state_to_start_from(plan, before, past, goal, out, ports.clock.now())
    state = state.accepting(settings.attempts.accepted_configuration)
    records = Records(state, out, ports.clock, lambda event: listener(records.state, event))
    try:
        footing = find_footing(plan, goal, past, settings, ports)
    except (Interrupted, WorkorderError, OSError) as error:
        _record_landed(records, past)
        ended = interruption(error)
        records.build(BuildPhase.INTERRUPTED, ended)
        return Built(ended, records.state)
    records.build(BuildPhase.RUNNING)
    _record_landed(records, past)
    _record_footing(records, footing)
    return PlanExecution(plan, goal, past, records, out, settings, ports, footing)


def _record_footing(records: Records, footing: Footing | None) -> None:
    if footing is not None:
        records.priced(footing.price)
        used = sandbox_record(footing.terms)
        records.event("sandbox", used=dump(used) if used else None)


def _record_landed(records: Records, past: History) -> None:
    for order in records.state.orders:
        landed = past.landed.get(order.id)
        if landed is not None and order.state is not OrderPhase.LANDED:
            records.order(
                order.id,
                OrderPhase.LANDED,
                commit=landed.commit,
                landed_run=landed.run_id,
                last_failure=None,
            )


def _execute(execution: PlanExecution) -> Built:
    records, goal = execution.records, execution.goal
    try:
        halt = execution.run()
        tip = goal.git.commit_id(goal.ref) or goal.baseline
        past = history(goal.git, tip, execution.plan)
        write_code_map(goal.git, execution.plan, past, execution.out)
    except (Interrupted, WorkorderError, OSError) as error:
        ended, phase = interruption(error), BuildPhase.INTERRUPTED
    except BaseException as error:
        bug = Ended(exit_code=ExitCode.INTERNAL, message=visible(repr(error)))
        records.build(BuildPhase.INTERRUPTED, bug)
        raise
    else:
        ended, phase = loop_ending(records.state, halt)
    # What a signal asks for now has come about.
    with suppress(Interrupted), shielded():
        records.build(phase, ended)
    return Built(ended, records.state)
