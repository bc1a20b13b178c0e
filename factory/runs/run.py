"""One work order from preflight to record: what `factory run` does."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.attempt.outcome import RunOutcome
from factory.checkout.pool import checkout
from factory.checkout.workspace import Checkout
from factory.configuration.acceptance import require_acceptance
from factory.configuration.in_force import configuration_in_force
from factory.contract.documents import BadDocument, read_document
from factory.contract.errors import WorkorderError
from factory.contract.identity import contract_trailers, run_id
from factory.contract.work_order import MANIFEST_NAME, Plan, WorkOrder
from factory.repository.landing import land
from factory.repository.readiness import require_ready
from factory.repository.target import (
    Refused,
    Target,
    require_outside,
    state_folder,
    target,
)
from factory.runs.execution import execute
from factory.runs.forbidden_prose import tell_prose
from factory.runs.inputs import Ports, Run
from factory.runs.preflight import clean_up, landed_by
from factory.runs.record.endings import Ending, interrupted, refusal_of
from factory.runs.record.folder import RunFolder
from factory.runs.settings import AttemptSettings
from factory.system.files.lock import exclusive
from factory.system.files.tree import read_bounded
from factory.system.git.client import Git
from factory.system.git.commits import WORK_ORDER, commits_naming, landing_commits
from factory.system.process.signals import Interrupted


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
        ledger: the directory in which answers are remembered, if that is known; it must not be in the
            repository.
    """

    repo: Path
    work_order: Path
    out: Path
    branch: str | None
    attempts: AttemptSettings
    in_place: bool
    delete_ignored: bool
    ledger: Path | None = None


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
        order = load_work_order(settings.work_order)
        git = Git.open(settings.repo)
        out = require_outside(settings.out, git)
        if settings.ledger is not None:
            require_outside(settings.ledger, git, "the ledger")
        with exclusive(state_folder(git) / "lock", f"factory run {order.id}") as held:
            git = replace(git, lock=held)
            clean_up(git, out, settings.ledger, ports, in_place=settings.in_place)
            return _run(order, target(git, settings.branch), out, settings, ports)
    except Interrupted as signal:
        return Finished(interrupted(signal, None), None)
    except (WorkorderError, OSError) as error:
        return Finished(refusal_of(error), None)


def load_work_order(path: Path) -> WorkOrder:
    """Read a work order from its file.

    Raises:
        FileProblem: it can't be read.
        BadJson, BadDocument: it is not a work order; every problem is named.
        Refused: it is a plan.
    """
    try:
        return read_document(
            WorkOrder,
            read_bounded(path),
            str(path),
            hint="`planner explain E005` shows what a work order must look like",
        )
    except BadDocument as error:
        if any(problem.pointer == "/work_orders" for problem in error.problems):
            raise Refused(
                "is a plan, not one work order",
                where=str(path),
                hint="`factory build --plan` executes it; or name one of its WO-NN.json",
            ) from error
        raise


def _plan_beside(path: Path) -> Plan | None:
    """The plan beside a work order's file; None if there is none that can be read."""
    try:
        return read_document(Plan, read_bounded(path.parent / MANIFEST_NAME), str(path.parent))
    except WorkorderError:
        return None


def _run(order: WorkOrder, goal: Target, out: Path, settings: RunSettings, ports: Ports) -> Finished:
    # From the baseline, because a branch that is missing is made from it.
    landings = landing_commits(goal.git, goal.baseline, {order.id: contract_trailers(order)})
    landed = landings[order.id].id if order.id in landings else None
    in_force = configuration_in_force(goal.git, goal.baseline)
    for line in in_force.passed_over:
        ports.progress(line)
    configuration = in_force.configuration
    run = Run(
        order=order,
        target=goal,
        folder=RunFolder(out / run_id(order, goal.baseline), ports.clock),
        settings=settings.attempts,
        plan=_plan_beside(settings.work_order),
        configuration=configuration,
        ports=ports,
        in_place=settings.in_place,
        # What has landed needs none.
        terms=ports.terms(settings.in_place, configuration) if landed is None else None,
    )

    def prepare() -> Ending | None:
        if landed is None or not goal.exists:
            require_ready(goal, in_place=settings.in_place, may_delete_ignored=settings.delete_ignored)
        if landed is None:
            accepted = frozenset(settings.attempts.accepted_configuration)
            require_acceptance(goal.git, goal.baseline, [order], [order], accepted)
            for missing in _not_landed(order, goal):
                ports.progress(f"{order.id} depends on {missing}, which no commit on {goal.branch} names")
            tell_prose([order], goal.git, goal.baseline, ports.progress)
            return None
        if not goal.exists:
            land(goal, goal.baseline)
        message = f"{order.id} has landed before as {landed[:12]}"
        return Ending(RunOutcome.ALREADY_LANDED, ExitCode.PASS, message, commit=landed)

    def place() -> AbstractContextManager[Checkout]:
        sandbox = run.terms.sandbox if run.terms is not None else None
        return checkout(goal, in_place=settings.in_place, sandbox=sandbox)

    executed = execute(
        run,
        start={"attempt": 1, "attempts": ()},
        place=place,
        prepare=prepare,
        landed=partial(landed_by, goal.git, run.document),
    )
    return Finished(executed.ending, run.folder.path)


def _not_landed(order: WorkOrder, goal: Target) -> list[str]:
    """Those that it depends on and that nothing tells to be done; by their ids alone, as it knows no more."""
    if not order.depends_on:
        return []
    named = {commit.trailers[WORK_ORDER] for commit in commits_naming(goal.git, goal.baseline)}
    return [other for other in order.depends_on if other not in named]
