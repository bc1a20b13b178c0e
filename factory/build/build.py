"""Executes a plan: preflight → loop → ending. Resuming, after whatever ended a build, is building again."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from factory.build.documents import BuildState, Ended, OrderState, plan_difference
from factory.build.history import History, history
from factory.build.loop import Halt, Loop
from factory.build.machine import BuildPhase, OrderPhase, next_order_phase
from factory.build.records import Records, StateCorrupt, load_state, runs_in, with_runs
from factory.build.trees import Trees
from factory.build.worker import Worker
from factory.contract.documents import BadDocument, schema_problems
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan
from factory.execution import AttemptSettings, Outside, ending_of, refusal_of
from factory.exit_codes import ExitCode
from factory.git_state import remove_tree
from factory.preflight import clean_up
from factory.repository import Refused, Target, outside, require_ready, state_folder, target
from factory.run_record import str_without_hint
from factory.system.console import visible
from factory.system.git import Git
from factory.system.lock import exclusive
from factory.system.plan_files import read_plan
from factory.system.signals import Interrupted, shielded
from factory.workspace import Checkout, checkout


@dataclass(frozen=True)
class BuildSettings:
    """What the user asked for.

    Attributes:
        repo: the repository's root.
        plan: the plan's directory or manifest.
        out: the directory for the state and the run folders.
        branch: the branch to land on; None for the one checked out.
        attempts: how each work order is attempted.
        jobs: how many work orders are executed at a time.
        keep_going: whether what does not depend on a failed work order goes on.
        deadline_seconds: how long the build may take; None for no limit.
        accept_plan: whether another plan than the build was started with is accepted.
        rebuild_state: whether the state is derived again, whatever `state.json` holds.
        baseline_red: whether it is accepted that the repository's own verification fails already.
        ledger: the directory in which answers are remembered.
    """

    repo: Path
    plan: Path
    out: Path
    branch: str | None
    attempts: AttemptSettings
    jobs: int = 1
    keep_going: bool = False
    deadline_seconds: float | None = None
    accept_plan: bool = False
    rebuild_state: bool = False
    baseline_red: bool = False
    ledger: Path | None = None


@dataclass(frozen=True)
class Built:
    """How a build ended, and its last state; None if it was refused before it had one."""

    ended: Ended
    state: BuildState | None


def build(settings: BuildSettings, world: Outside, told: Callable[[BuildState, JsonObject], None]) -> Built:
    """Execute all work orders of a plan that have not landed.

    Every expected ending is returned, also a refusal; only a bug raises.

    Args:
        settings: what the user asked for.
        world: what executions touch beside the repository.
        told: gets each event, with the state after it.
    """
    try:
        plan = load_plan(settings.plan)
        git = Git.open(settings.repo)
        out = outside(settings.out, git)
        if settings.ledger is not None:
            outside(settings.ledger, git, "the ledger")
        out.mkdir(parents=True, exist_ok=True)
        with (
            exclusive(state_folder(git) / "lock", "factory build") as held,
            exclusive(out / "lock", "factory build", "this output directory"),
        ):
            git = replace(git, lock=held)
            clean_up(git, out, settings.ledger, world, in_place=False)
            return _build(plan, git, out, settings, world, told)
    except Interrupted as signal:
        return Built(_interrupted(signal), None)
    except StateCorrupt as error:
        return Built(
            Ended(exit_code=ExitCode.STATE_CORRUPT, message=str_without_hint(error), hint=error.hint), None
        )
    except (WorkorderError, OSError) as error:
        ending = refusal_of(error)
        return Built(Ended(exit_code=ending.exit_code, message=ending.message, hint=ending.hint), None)


def load_plan(path: Path) -> Plan:
    """Read a plan.

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


def _build(
    plan: Plan,
    git: Git,
    out: Path,
    settings: BuildSettings,
    world: Outside,
    told: Callable[[BuildState, JsonObject], None],
) -> Built:
    before = None if settings.rebuild_state else load_state(out)
    goal = target(git, settings.branch)
    found = history(git, goal.baseline, plan)
    _refuse_other(before, plan, goal, out, settings)
    state = _state(plan, before, found, goal, out, world.clock.now())
    records = Records(state, out, world.clock, lambda event: told(records.state, event))
    records.build(BuildPhase.RUNNING)
    for order in state.orders:
        landed = found.landed.get(order.id)
        if landed is not None and order.state is not OrderPhase.LANDED:
            records.order(
                order.id,
                OrderPhase.LANDED,
                commit=landed.commit,
                landed_run=landed.run_id,
                last_failure=None,
            )
    try:
        halt = _executed(plan, goal, found, records, out, settings, world)
    except Interrupted as signal:
        ended, phase = _interrupted(signal), BuildPhase.INTERRUPTED
    except (WorkorderError, OSError) as error:
        ending = ending_of(error)
        assert ending is not None
        ended = Ended(exit_code=ending.exit_code, message=ending.message, hint=ending.hint)
        phase = BuildPhase.INTERRUPTED
    else:
        ended, phase = _ended(records.state, halt)
    with shielded():
        records.build(phase, ended)
    return Built(ended, records.state)


def _executed(
    plan: Plan,
    goal: Target,
    found: History,
    records: Records,
    out: Path,
    settings: BuildSettings,
    world: Outside,
) -> Halt | None:
    if len(found.landed) == len(plan.work_orders):
        return None
    require_ready(goal, in_place=False, may_delete_ignored=False)
    # Now, because a model that can't be asked is known before anything is begun.
    world.model(None)
    deadline = None
    if settings.deadline_seconds is not None:
        deadline = world.clock.monotonic() + settings.deadline_seconds
    with ExitStack() as stack:
        scratch = stack.enter_context(_emptied(state_folder(goal.git) / "indexes"))
        executor = stack.enter_context(ThreadPoolExecutor(settings.jobs))
        loop = Loop(
            plan,
            found,
            goal,
            records,
            Trees(goal.git, scratch),
            executor,
            jobs=settings.jobs,
            max_attempts=settings.attempts.max_attempts,
            keep_going=settings.keep_going,
            deadline=deadline,
            now=world.clock.monotonic,
        )

        def place(commit: str) -> AbstractContextManager[Checkout]:
            return checkout(replace(goal, baseline=commit), in_place=False)

        return loop.run(Worker(goal, out, settings.attempts, world, place, loop.entered))


@contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    """A directory that is empty when the block begins, whatever a kill has left in it, and gone after it."""
    remove_tree(folder)
    folder.mkdir()
    try:
        yield folder
    finally:
        remove_tree(folder)


def _refuse_other(
    before: BuildState | None, plan: Plan, goal: Target, out: Path, settings: BuildSettings
) -> None:
    """Refuse to go on with a build of something else."""
    if before is None:
        return
    repository = visible(str(goal.git.common_dir))
    if (before.repository, before.branch) != (repository, goal.branch):
        raise Refused(
            f"holds a build of the branch {before.branch} in {before.repository}",
            where=str(out),
            hint="name another directory with --out",
        )
    different = plan_difference(before, plan)
    if different and not settings.accept_plan:
        raise Refused(
            f"the build was started with another plan: {', '.join(different)}",
            where=str(settings.plan),
            hint="go on with --accept-plan: what has landed and is unchanged stays, the rest is executed",
        )


def _state(
    plan: Plan, before: BuildState | None, found: History, goal: Target, out: Path, now: str
) -> BuildState:
    """The state to start from: what is known of earlier passes, every work order waiting again."""
    fresh = BuildState.of(
        plan,
        repository=visible(str(goal.git.common_dir)),
        branch=goal.branch,
        base=found.base,
        now=now,
    )
    if before is None:
        runs = runs_in(out)
        orders = tuple(with_runs(order, runs.get(order.id, [])) for order in fresh.orders)
        return fresh.model_copy(update={"orders": orders})
    known = {order.id: order for order in before.orders}
    orders = tuple(
        _known(order, known.get(order.id), done=order.id in found.landed) for order in fresh.orders
    )
    return fresh.model_copy(
        update={
            "build_id": before.build_id if before.plan_hash == fresh.plan_hash else fresh.build_id,
            "state": before.state,
            "created": before.created,
            "orders": orders,
        }
    )


def _known(fresh: OrderState, before: OrderState | None, *, done: bool) -> OrderState:
    """A work order's state from an earlier pass: what was under way, failed or is not done waits again."""
    if before is None or before.contract != fresh.contract:
        return fresh
    if before.state is OrderPhase.PENDING or (before.state is OrderPhase.LANDED and done):
        return before
    waiting = next_order_phase(before.state, OrderPhase.PENDING)
    return before.model_copy(update={"state": waiting, "commit": None, "landed_run": None})


def _ended(state: BuildState, halt: Halt | None) -> tuple[Ended, BuildPhase]:
    landed = sum(order.state is OrderPhase.LANDED for order in state.orders)
    done = f"{landed} of {len(state.orders)} work orders have landed on {state.branch}"
    if halt is None:
        return Ended(exit_code=ExitCode.PASS, message=done), BuildPhase.COMPLETE
    phase = BuildPhase.INTERRUPTED
    if halt.exit_code in (ExitCode.FAIL, ExitCode.PLAN_DEFECT):
        phase = BuildPhase.FAILED
    return Ended(exit_code=halt.exit_code, message=f"{halt.message}; {done}", hint=halt.hint), phase


def _interrupted(signal: Interrupted) -> Ended:
    return Ended(
        exit_code=signal.exit_code,
        message=f"ended by {signal}; nothing is left half done",
        hint="build again to go on",
    )
