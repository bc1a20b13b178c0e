"""Executes a plan: preflight → loop → ending. Resuming, after whatever ended a build, is building again."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.builds.branch.history import History, history
from factory.builds.code_map import write_code_map
from factory.builds.endings import interruption, loop_ending, refusal
from factory.builds.execution import PlanExecution
from factory.builds.footing import Footing, find_footing, with_locked_packages
from factory.builds.settings import BuildSettings, Built
from factory.builds.state.attempts import RunEntry
from factory.builds.state.file import load_state
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import BuildState, Ended
from factory.builds.state.order import OrderState
from factory.builds.state.plan_record import record_plan
from factory.builds.state.records import Records, attempts_of
from factory.builds.state.resumption import require_same, state_to_start_from
from factory.builds.watch import Watch, nobody
from factory.contract.canonical import dump
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan
from factory.environments.named import require_named
from factory.plans.states.sources import Sources
from factory.repository.target import require_outside, state_folder, target
from factory.runs.computed_fields import with_computed_fields
from factory.runs.inputs import (
    Ports,
    environment_record,
    projects_record,
    sandbox_record,
    services_record,
)
from factory.runs.preflight import clean_up
from factory.runs.read_plan import load_plan, load_specification
from factory.runs.record.files import SUMMARY
from factory.specification.passages import Specification
from factory.system.files.lock import exclusive
from factory.system.git.client import Git
from factory.system.git.commits import changed_files, files_before
from factory.system.git.committed import committed_files
from factory.system.process.signals import Interrupted, shielded
from factory.system.terminal.console import visible


def build(
    settings: BuildSettings,
    ports: Ports,
    listener: Callable[[BuildState, JsonObject], None],
    watch: Watch = nobody,
) -> Built:
    """Execute all work orders of a plan that have not landed.

    Every expected ending is returned, also a refusal; only a bug raises.

    Args:
        settings: what the user asked for.
        ports: what executions touch beside the repository.
        listener: gets each event, with the state after it.
        watch: told what is done now.
    """
    try:
        plan = load_plan(settings.plan)
        spec = load_specification(settings.plan, plan)
        plan = plan.in_project(settings.attempts.project)
        git = Git.open(settings.repo)
        out = require_outside(settings.out, git)
        if settings.ledger is not None:
            require_outside(settings.ledger, git, "the ledger")
        out.mkdir(parents=True, exist_ok=True)
        with (
            exclusive(state_folder(git) / "lock", "factory build") as held,
            exclusive(out / "lock", "factory build", "this output directory"),
            ExitStack() as used,
        ):
            git = replace(git, lock=held)
            clean_up(git, out, settings.ledger, ports, in_place=False)
            execution = _prepare(plan, spec, git, out, settings, ports, listener, used)
            return execution if isinstance(execution, Built) else _execute(replace(execution, watch=watch))
    except (Interrupted, WorkorderError, OSError) as error:
        return Built(refusal(error), None)


def _prepare(
    plan: Plan,
    spec: Specification | None,
    git: Git,
    out: Path,
    settings: BuildSettings,
    ports: Ports,
    listener: Callable[[BuildState, JsonObject], None],
    used: ExitStack,
) -> PlanExecution | Built:
    """Go on from an earlier pass, or begin; what the branch holds is on record then.

    What it uses is there until `used` is closed.

    Returns:
        What is to be executed; or the ending, if something refuses that before anything is announced.
    """
    before = None if settings.rebuild_state else load_state(out)
    goal = target(git, settings.branch)
    past = history(git, goal.baseline, plan)
    require_same(before, plan, goal, past, out, accept_plan=settings.accept_plan)
    pending = [order for order in plan.work_orders if order.id not in past.landed]
    if pending:
        require_named(pending, plan, spec, git, past.base, settings.attempts.project, ports.progress)
    locked = with_locked_packages(plan, goal, past, out, settings, ports)
    if locked != goal:
        goal, past = locked, history(git, locked.baseline, plan)
    sources = Sources(*committed_files(git, past.tip), settings.attempts.project)
    start = _start(git, sources.files, past)
    plan = with_computed_fields(plan, start, sources, past.landed.keys())
    state = state_to_start_from(plan, before, past, goal, out, ports.clock.now())
    state = state.accepting(settings.attempts.accepted_configuration)
    records = Records(state, out, ports.clock, lambda event: listener(records.state, event))
    record_plan(out, plan)
    try:
        footing = find_footing(plan, goal, past, out, settings, ports, used)
    except (Interrupted, WorkorderError, OSError) as error:
        _record_landed(records, past)
        ended = interruption(error)
        records.build(BuildPhase.INTERRUPTED, ended)
        return Built(ended, records.state)
    records.build(BuildPhase.RUNNING)
    _record_landed(records, past)
    _record_footing(records, footing)
    execution = PlanExecution(plan, spec, goal, past, start, sources, records, out, settings, ports, footing)
    return replace(execution, left=_left(before, records.state, settings.retried))


def _left(before: BuildState | None, state: BuildState, retried: str | None) -> frozenset[str]:
    """The work orders that have failed and are left as they are; none where all are tried anew."""
    if retried is None or before is None:
        return frozenset()
    failed = {order.contract for order in before.orders if order.state is OrderPhase.FAILED}
    return frozenset(
        order.id
        for order in state.orders
        if order.contract in failed and order.id != retried and order.last_failure is not None
    )


def _record_footing(records: Records, footing: Footing | None) -> None:
    if footing is not None:
        records.priced(footing.prices)
        used = sandbox_record(footing.terms)
        records.event("sandbox", used=dump(used) if used else None)
        records.event("environment", used=dump(environment_record(footing.environment)))
        for project in projects_record(footing.projects):
            records.event("project", used=dump(project))
        if footing.services:
            records.event("services", used=[dump(record) for record in services_record(footing.services)])


def _start(git: Git, files: frozenset[str], past: History) -> frozenset[str]:
    """The files that the plan starts from: those of the branch without those that its work orders added."""
    commits = [landed.commit for landed in past.landed.values()]
    changed = changed_files(git, commits)
    return files_before(files, [changed[commit] for commit in commits])


def _record_landed(records: Records, past: History) -> None:
    for order in records.state.orders:
        landed = past.landed.get(order.id)
        if landed is not None and order.state is not OrderPhase.LANDED:
            _record_person(records, order, landed.run_id)
            records.order(
                order.id,
                OrderPhase.LANDED,
                commit=landed.commit,
                landed_run=landed.run_id,
                last_failure=None,
            )


def _record_person(records: Records, order: OrderState, run_id: str) -> None:
    """Put on record what a person did in the place of this build, which knows nothing of it."""
    summary = SUMMARY.read_sound(records.out / run_id) if run_id else None
    if summary is not None and summary.person and all(run.run_id != run_id for run in order.runs):
        entry = RunEntry(run_id=run_id, attempts=attempts_of(summary.attempts))
        records.tried(order.id, entry, None)


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
