"""One work order from preflight to record: what `factory run` does."""

import shlex
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.attempt.outcome import RunOutcome
from factory.checkout.pool import checkout
from factory.configuration.acceptance import require_acceptance
from factory.configuration.in_force import configuration_of_one
from factory.contract.errors import WorkorderError
from factory.contract.identity import contract_trailers, run_id
from factory.contract.work_order import Plan, WorkOrder
from factory.environments.named import require_named
from factory.environments.projects import (
    all_locked,
    opened,
    require_known,
    starting_project,
)
from factory.environments.provide import Project
from factory.people.approvals import require_approved
from factory.people.hints import attempts_with
from factory.people.skips import skip_of, skips_of
from factory.plans.rules.judgement import judge_work_order, stopping
from factory.plans.states.sources import Sources
from factory.repository.landing import land
from factory.repository.readiness import require_ready
from factory.repository.target import (
    Refused,
    Target,
    require_outside,
    state_folder,
    target,
)
from factory.runs.base import on_verified_base, try_services
from factory.runs.computed_fields import with_computed_fields
from factory.runs.execution import execute
from factory.runs.forbidden_prose import tell_prose
from factory.runs.inputs import Ports, Run
from factory.runs.people.work import Taking, take
from factory.runs.plan_defect import broken_rules, tell_warnings
from factory.runs.preflight import clean_up, landed_by
from factory.runs.read_plan import load_plan, load_specification, load_work_order, order_of, plan_beside
from factory.runs.record.endings import Ending, interrupted, refusal_of, stopped
from factory.runs.record.files import FINDINGS
from factory.runs.record.folder import RunFolder
from factory.runs.record.found import Findings, looked_at, recorded
from factory.runs.settings import AttemptSettings
from factory.specification.passages import Specification
from factory.system.files.lock import exclusive
from factory.system.git.client import Git
from factory.system.git.commits import WORK_ORDER, commits_naming, landing_commits
from factory.system.git.committed import committed_files
from factory.system.process.signals import Interrupted
from factory.system.terminal.console import visible


@dataclass(frozen=True)
class RunSettings:
    """What the user asked for.

    Attributes:
        repo: the repository's root.
        work_order: the work order's file.
        out: the directory that gets the run's folder.
        branch: the branch to land on; None for the one checked out.
        attempts: how the work order is attempted.
        in_place: whether to work in the user's checkout.
        delete_ignored: whether ignored files may be deleted when working in place.
        baseline_red: whether it is accepted that the repository's own verification fails already.
        ledger: the directory in which answers are remembered, if that is known; it must not be in the
            repository.
        require_approval: whether only what a person has approved is executed.
        taking: whose work is taken in the place of a model's; None to ask a model.
    """

    repo: Path
    work_order: Path
    out: Path
    branch: str | None
    attempts: AttemptSettings
    in_place: bool
    delete_ignored: bool
    baseline_red: bool = False
    ledger: Path | None = None
    require_approval: bool = False
    taking: Taking | None = None


@dataclass(frozen=True)
class Finished:
    """How it ended, and where its record is; None if there is none, because it was refused too early."""

    ending: Ending
    folder: Path | None


def run_work_order(settings: RunSettings, ports: Ports) -> Finished:
    """Execute one work order.

    Every expected ending is returned, also a refusal; only a bug raises, after it was recorded.
    """
    try:
        order, plan, spec = _read(settings)
        alone = settings.attempts.project
        order, plan = order.in_project(alone), plan.in_project(alone) if plan is not None else None
        git = Git.open(settings.repo)
        out = require_outside(settings.out, git)
        if settings.ledger is not None:
            require_outside(settings.ledger, git, "the ledger")
        with exclusive(state_folder(git) / "lock", f"factory run {order.id}") as held:
            git = replace(git, lock=held)
            clean_up(git, out, settings.ledger, ports, in_place=settings.in_place)
            with ExitStack() as used:
                return _run(order, plan, spec, target(git, settings.branch), out, settings, ports, used)
    except Interrupted as signal:
        return Finished(interrupted(signal, None), None)
    except (WorkorderError, OSError) as error:
        return Finished(refusal_of(error), None)


def _read(settings: RunSettings) -> tuple[WorkOrder, Plan | None, Specification | None]:
    """What is to be executed, the plan that it is a part of, and what that was made for, if known."""
    if settings.taking is not None and settings.taking.plan is not None:
        path = settings.taking.plan
        plan = load_plan(path)
        return order_of(plan, settings.taking.work_order, path), plan, load_specification(path, plan)
    order = load_work_order(settings.work_order)
    beside = plan_beside(settings.work_order, order)
    return order, beside, load_specification(settings.work_order.parent, beside)


def _run(
    order: WorkOrder,
    plan: Plan | None,
    spec: Specification | None,
    goal: Target,
    out: Path,
    settings: RunSettings,
    ports: Ports,
    used: ExitStack,
) -> Finished:
    # From the baseline, because a branch that is missing is made from it.
    landings = landing_commits(goal.git, goal.baseline, {order.id: contract_trailers(order)})
    landed = landings[order.id].id if order.id in landings else None
    alone = settings.attempts.project
    in_force = configuration_of_one(goal.git, goal.baseline, alone)
    for line in in_force.passed_over:
        ports.progress(line)
    project = starting_project(goal.git, goal.baseline, in_force.configuration, plan, out, alone)
    if landed is None:
        require_known([order], in_force.configuration.projects)
        brought = plan.work_orders if plan is not None else (order,)
        require_named(brought, plan, spec, goal.git, goal.baseline, alone, ports.progress)
        goal = _locked(goal, project, plan, settings, ports)
        project = replace(project, commit=goal.baseline)
    sources = Sources(*committed_files(goal.git, goal.baseline), alone)
    planned = _computed(order, plan, sources)
    work = take(goal, planned, settings.taking) if settings.taking is not None and landed is None else None
    run = Run(
        order=planned if work is None else work.widened,
        target=goal,
        folder=RunFolder(out / run_id(planned, goal.baseline, work.name if work else ""), ports.clock),
        settings=settings.attempts,
        plan=plan,
        spec=spec,
        configuration=in_force.configuration,
        ports=ports,
        in_place=settings.in_place,
        terms=None,
        environment=None,
        work=work,
    )
    attempts = 1 if work else attempts_with(out, run.contract, settings.attempts.max_attempts)
    run = replace(run, settings=settings.attempts.model_copy(update={"max_attempts": attempts}))
    run = run if landed is not None else _provided(run, project, used)

    def prepare() -> Ending | None:
        if landed is not None:
            return _landed_before(run, landed, settings)
        return _prepared(run, sources, out, settings)

    sandbox = run.terms.sandbox if run.terms is not None else None
    executed = execute(
        run,
        start={"attempt": 1, "attempts": ()},
        place=partial(checkout, goal, in_place=settings.in_place, sandbox=sandbox),
        prepare=prepare,
        verify=partial(on_verified_base, out=out, red_accepted=settings.baseline_red),
        landed=partial(landed_by, goal.git, run.document),
    )
    return Finished(executed.ending, run.folder.path)


def _locked(goal: Target, project: Project, plan: Plan | None, settings: RunSettings, ports: Ports) -> Target:
    """Where to land, once the locks of what is declared have landed there."""
    ready = partial(require_ready, in_place=settings.in_place, may_delete_ignored=settings.delete_ignored)
    tried = partial(try_services, project, plan, settings.attempts, ports, settings.in_place)
    return all_locked(goal, project, plan, ports, ready, tried)


def _provided(run: Run, project: Project, used: ExitStack) -> Run:
    """The run with all that its commands need; what must be closed afterwards is entered in `used`."""
    ports = run.ports
    terms = ports.terms(run.in_place is True, run.configuration)
    return replace(
        run,
        terms=terms,
        services=ports.services(run.configuration, run.plan, terms),
        environment=used.enter_context(ports.environment_for(project)),
        projects=opened(project, run.plan, ports, used),
    )


def _landed_before(run: Run, landed: str, settings: RunSettings) -> Ending:
    goal = run.target
    if not goal.exists:
        require_ready(goal, in_place=settings.in_place, may_delete_ignored=settings.delete_ignored)
        land(goal, goal.baseline)
    message = f"{run.order.id} has landed before as {landed[:12]}"
    return Ending(RunOutcome.ALREADY_LANDED, ExitCode.PASS, message, commit=landed)


def _prepared(run: Run, sources: Sources, out: Path, settings: RunSettings) -> Ending | None:
    """All that must be so before a model is asked; the ending, if the plan itself is at fault.

    Args:
        run: the run.
        sources: the files of the base.
        out: the directory with the run folders.
        settings: what the user asked for.

    Raises:
        Refused: a person or the state of the repository is against it.
    """
    goal, order, progress = run.target, run.order, run.ports.progress
    skip = None if run.work else skip_of(skips_of(goal.git.common_dir), run.planned)
    if skip is not None:
        raise Refused(
            f"{order.id} is left out on purpose; {visible(skip.author)} says why: {visible(skip.reason)}",
            hint=f"factory skip {order.id} --out {shlex.quote(str(out))} --undo",
        )
    require_ready(goal, in_place=settings.in_place, may_delete_ignored=settings.delete_ignored)
    accepted = frozenset(settings.attempts.accepted_configuration)
    if run.work is not None:
        # A build accepts them for all its work orders.
        accepted &= set(order.allowed_files)
    require_acceptance(goal.git, goal.baseline, [order], [order], accepted)
    if run.configuration.require_approval or settings.require_approval:
        require_approved(goal.git, [run.planned])
    for missing in _not_landed(order, goal):
        progress(f"{order.id} depends on {missing}, which no commit on {goal.branch} names")
    tell_prose([order], goal.git, goal.baseline, progress)
    defect = _judged(run, sources, settings)
    if defect is not None:
        return defect
    if run.environment is not None:
        progress(f"commands find {run.environment.description}")
    for own in run.projects:
        progress(f"commands in {own.directory} find {own.environment.description}")
    return None


def _judged(run: Run, sources: Sources, settings: RunSettings) -> Ending | None:
    """The ending of a work order that breaks the plan's rules; what is found is recorded either way."""
    plan, planned, name = run.plan, run.planned, settings.work_order.name
    judged = judge_work_order(planned, plan.verify_contract if plan is not None else None, sources)
    looked = looked_at(_source(planned, settings), run.target.git.work_tree)
    FINDINGS.write(run.folder.path, Findings(found=recorded(judged, looked)))
    whole = plan if plan is not None else Plan(work_orders=(planned,))
    defect = broken_rules(stopping(judged, whole, settings.attempts.warnings), name)
    if defect is not None:
        return stopped(defect, ())
    tell_warnings(judged, name, run.ports.progress)
    return None


def _source(order: WorkOrder, settings: RunSettings) -> Path:
    """The file of a work order: of a person's work one beside its plan."""
    taking = settings.taking
    return settings.work_order if taking is None or taking.plan is None else taking.plan / f"{order.id}.json"


def _computed(order: WorkOrder, plan: Plan | None, sources: Sources) -> WorkOrder:
    """The work order with what follows from the files and from its plan, if that is known."""
    contract = plan.verify_contract if plan is not None else None
    (alone,) = with_computed_fields(
        Plan(verify_contract=contract, work_orders=(order,)), sources.files, sources
    ).work_orders
    if plan is None:
        return alone.model_copy(update={"depends_on": order.depends_on})
    planned = with_computed_fields(plan, sources.files, sources).work_orders
    dependencies = next(other.depends_on for other in planned if other.id == order.id)
    return alone.model_copy(update={"depends_on": dependencies})


def _not_landed(order: WorkOrder, goal: Target) -> list[str]:
    """Those that it depends on and that nothing tells to be done; by their ids alone, as it knows no more."""
    if not order.depends_on:
        return []
    named = {commit.trailers[WORK_ORDER] for commit in commits_naming(goal.git, goal.baseline)}
    return [other for other in order.depends_on if other not in named]
