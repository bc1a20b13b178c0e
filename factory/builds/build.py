"""Executes a plan: preflight → loop → ending. Resuming, after whatever ended a build, is building again."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Timer

from factory.attempt.exit_codes import ExitCode
from factory.builds.branch.history import History, history
from factory.builds.branch.trees import Trees
from factory.builds.code_map import write_code_map
from factory.builds.halt import Halt
from factory.builds.loop import Loop
from factory.builds.read_plan import load_plan
from factory.builds.state.file import load_state
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import BuildState, Ended
from factory.builds.state.records import Records
from factory.builds.state.resumption import require_same, state_to_start_from
from factory.builds.verification import verified
from factory.builds.worker import Worker
from factory.checkout.pool import Checkouts
from factory.configuration.committed import configuration_at
from factory.contract.canonical import dump
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan
from factory.llm.spending.prices import known_price
from factory.repository.landing import land
from factory.repository.readiness import require_ready
from factory.repository.target import Target, outside, state_folder, target
from factory.runs.facts import sandbox_record
from factory.runs.preflight import clean_up, indexes_folder
from factory.runs.record.endings import ending_of, refusal_of
from factory.runs.settings import AttemptSettings, Outside
from factory.system.files.lock import exclusive
from factory.system.git.client import Git
from factory.system.process.signals import Interrupted, shielded
from factory.system.process.stop import Stop, Stopped
from factory.system.removal import remove_tree
from factory.system.terminal.console import visible


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
    except (WorkorderError, OSError) as error:
        ending = refusal_of(error)
        return Built(Ended(exit_code=ending.exit_code, message=ending.message, hint=ending.hint), None)


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
    require_same(before, plan, goal, out, accept_plan=settings.accept_plan)
    state = state_to_start_from(plan, before, found, goal, out, world.clock.now())
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
        tip = git.commit_id(goal.ref) or goal.baseline
        write_code_map(git, plan, history(git, tip, plan), out)
    except Interrupted as signal:
        ended, phase = _interrupted(signal), BuildPhase.INTERRUPTED
    except (WorkorderError, OSError) as error:
        ending = ending_of(error)
        assert ending is not None
        ended = Ended(exit_code=ending.exit_code, message=ending.message, hint=ending.hint)
        phase = BuildPhase.INTERRUPTED
    except BaseException as error:
        records.build(
            BuildPhase.INTERRUPTED, Ended(exit_code=ExitCode.INTERNAL, message=visible(repr(error)))
        )
        raise
    else:
        ended, phase = _ended(records.state, halt)
    # What a signal asks for now has come about.
    with suppress(Interrupted), shielded():
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
    complete = len(found.landed) == len(plan.work_orders)
    if not complete or not goal.exists:
        require_ready(goal, in_place=False, may_delete_ignored=False)
    if found.landed and not goal.exists:
        # What it is made from holds a part of the plan, so that much has landed on it.
        land(goal, goal.baseline)
        goal = replace(goal, exists=True)
    if complete:
        return None
    configuration = configuration_at(goal.git, found.base)
    # Now, because a model that can't be asked is known before anything is begun.
    price = settings.attempts.price_under(configuration)
    records.priced(price or known_price(world.model(None, price)))
    terms = world.terms(False, configuration)
    used = sandbox_record(terms)
    records.event("sandbox", used=dump(used) if used else None)
    deadline = None
    if settings.deadline_seconds is not None:
        deadline = world.clock.monotonic() + settings.deadline_seconds
    with ExitStack() as stack:
        scratch = stack.enter_context(_emptied(indexes_folder(goal.git)))
        # Before the executor, which is left first: then no worker uses one any more.
        checkouts = stack.enter_context(Checkouts(goal.git, terms.sandbox if terms is not None else None))
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

        try:
            with _stop_at(deadline, world.clock.monotonic) as stop, checkouts.at(found.base) as opened:
                report = verified(
                    plan,
                    opened,
                    out,
                    configuration,
                    settings.attempts,
                    world,
                    red_accepted=settings.baseline_red,
                    terms=terms,
                    stop=stop,
                )
        except Stopped:
            return Halt.at_deadline()
        worker = Worker(
            goal=goal,
            out=out,
            settings=settings.attempts,
            configuration=configuration,
            known=report if settings.baseline_red else None,
            world=world,
            terms=terms,
            place=checkouts.at,
            entered=loop.entered,
        )
        return loop.run(worker)


@contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    """A directory that is empty when the block begins, whatever a kill has left in it, and gone after it."""
    remove_tree(folder)
    folder.mkdir()
    try:
        yield folder
    finally:
        remove_tree(folder)


@contextmanager
def _stop_at(deadline: float | None, now: Callable[[], float]) -> Iterator[Stop | None]:
    """A stop that is asked for when the deadline comes within the block; None without a deadline."""
    if deadline is None:
        yield None
        return
    with Stop() as stop:
        timer = Timer(max(0.0, deadline - now()), stop.ask)
        timer.start()
        try:
            yield stop
        finally:
            timer.cancel()


def _ended(state: BuildState, halt: Halt | None) -> tuple[Ended, BuildPhase]:
    landed = sum(order.state is OrderPhase.LANDED for order in state.orders)
    done = f"{landed} of {len(state.orders)} work orders have landed on {state.branch}"
    if halt is None:
        return Ended(exit_code=ExitCode.PASS, message=done), BuildPhase.COMPLETE
    phase = BuildPhase.INTERRUPTED
    if halt.exit_code in (ExitCode.FAIL, ExitCode.PLAN_DEFECT):
        phase = BuildPhase.FAILED
    ended = Ended(
        exit_code=halt.exit_code,
        message=f"{halt.message}; {done}",
        hint=halt.hint,
        work_order=halt.order_id,
        contract=state.order(halt.order_id).contract if halt.order_id else None,
        run_id=halt.run_id,
        failure=halt.failure,
    )
    return ended, phase


def _interrupted(signal: Interrupted) -> Ended:
    return Ended(
        exit_code=ExitCode(signal.exit_code),
        message=f"ended by {signal}; nothing is left half done",
        hint="build again to go on",
    )
