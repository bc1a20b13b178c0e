"""The ready-set loop of a build: starts what may start, lands in the plan's order what has passed.

Everything is decided in one thread; workers only carry out tasks. A signal is heard while the loop waits for
one of them, and nowhere else.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, FailureClass
from factory.attempt.outcome import RunOutcome
from factory.attempt.routing import exit_code
from factory.attempt.state import RunState
from factory.builds.branch.history import History
from factory.builds.branch.trees import Changes, Trees, changes, collisions
from factory.builds.candidate import Candidate, stale
from factory.builds.halt import Halt
from factory.builds.schedule import Dependencies, given_up, next_to_land, startable
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import LastFailure, RunEntry
from factory.builds.state.records import Records, attempts_of, attempts_so_far
from factory.builds.worker import AttemptTask, LandingTask, Result, Worker
from factory.contract.canonical import dump
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan, WorkOrder
from factory.repository.landing import LandingFailed, land
from factory.repository.target import Target
from factory.runs.record.documents import retell
from factory.system.process.signals import shielded

_FAILED: Final = (ExitCode.FAIL, ExitCode.PLAN_DEFECT)
_UNDER_WAY: Final = (OrderPhase.GENERATING, OrderPhase.TESTING, OrderPhase.PATCHING)


@dataclass(frozen=True)
class _Running:
    task: AttemptTask | LandingTask
    future: "Future[JsonObject]"


@dataclass(frozen=True)
class _Entered:
    order_id: str
    node: str
    state: RunState


@dataclass(frozen=True)
class _Done:
    order_id: str
    future: "Future[JsonObject]"


_Message: TypeAlias = _Entered | _Done


class Loop:
    """One pass over a plan.

    Args:
        plan: the plan.
        history: where it stands on the branch.
        goal: the branch.
        records: the state of the build.
        trees: makes bases and candidates.
        executor: carries out tasks.
        jobs: how many at a time.
        max_attempts: of each work order.
        keep_going: whether what does not depend on a failure goes on.
        deadline: when everything stops; None for never.
        now: the time that `deadline` is measured in, in seconds.
    """

    def __init__(
        self,
        plan: Plan,
        history: History,
        goal: Target,
        records: Records,
        trees: Trees,
        executor: Executor,
        *,
        jobs: int,
        max_attempts: int,
        keep_going: bool,
        deadline: float | None,
        now: Callable[[], float],
    ) -> None:
        self._orders: Mapping[str, WorkOrder] = {order.id: order for order in plan.work_orders}
        self._dependencies = Dependencies.of(plan)
        self._history = history
        self._goal = replace(goal, baseline=history.tip)
        self._records = records
        self._trees = trees
        self._executor = executor
        self._jobs = jobs
        self._max_attempts = max_attempts
        self._keep_going = keep_going
        self._deadline = deadline
        self._now = now
        self._messages: SimpleQueue[_Message] = SimpleQueue()
        self._made: dict[str, Changes] = {
            order_id: history.made_by(goal.git, order_id) for order_id in history.above_base
        }
        self._landed = set(history.landed)
        self._passed: dict[str, Candidate] = {}
        self._failed: dict[str, Halt] = {}
        self._given_up: frozenset[str] = frozenset()
        self._running: dict[str, _Running] = {}
        self._discarded: set[str] = set()
        self._again: dict[str, AttemptTask] = {}
        self._halt: Halt | None = None
        self._cut = False

    def entered(self, order_id: str, node: str, state: RunState) -> None:
        """What workers tell when they enter a node; in any thread."""
        self._messages.put(_Entered(order_id, node, state))

    def run(self, worker: Worker) -> Halt | None:
        """Go on until nothing can be started any more.

        Returns:
            Why the build ends although work is left: the first failure in the plan's order, or what stopped
            everything. None if all work orders have landed.

        Raises:
            Interrupted: a signal came; every task was stopped, and what they had begun waits again.
        """
        self._worker = worker
        try:
            while True:
                with shielded():
                    self._give_up()
                    self._land()
                    self._start()
                    if not self._running:
                        for order_id in self._dependencies.order:
                            self._put_back(order_id)
                        return self._halt or self._first_failure()
                message = self._next_message()
                with shielded():
                    self._handle(message)
        except BaseException:
            with shielded():
                self._stop_everything()
                wait([running.future for running in self._running.values()])
            raise

    def _first_failure(self) -> Halt | None:
        return next((self._failed[one] for one in self._dependencies.order if one in self._failed), None)

    # Starting

    def _start(self) -> None:
        if self._halt is not None:
            return
        passed = self._landed | set(self._passed)
        over = passed | set(self._failed) | self._given_up | set(self._running)
        waiting = [order_id for order_id in self._dependencies.order if order_id not in over]
        for order_id in startable(self._dependencies, waiting, passed):
            if len(self._running) >= self._jobs:
                return
            task = self._again.pop(order_id, None) or self._first_task(order_id)
            self._submit(order_id, self._worker.attempt, task)

    def _first_task(self, order_id: str) -> AttemptTask:
        needed = self._dependencies.transitive[order_id]
        made = [
            self._passed[dependency].made if dependency in self._passed else self._made[dependency]
            for dependency in needed
            # What landed below the base is in it.
            if dependency in self._passed or dependency in self._made
        ]
        baseline = self._trees.base(self._history.base, made, f"What {order_id} starts from")
        return AttemptTask(order=self._orders[order_id], baseline=baseline)

    def _submit(
        self, order_id: str, work: Callable[[JsonObject], JsonObject], task: AttemptTask | LandingTask
    ) -> None:
        value = dump(task)
        assert isinstance(value, dict)
        future = self._executor.submit(work, value)
        self._running[order_id] = _Running(task, future)
        future.add_done_callback(lambda done: self._messages.put(_Done(order_id, done)))

    # Messages

    def _next_message(self) -> _Message | None:
        """The next message; None if the deadline comes first."""
        if self._deadline is None or self._cut:
            return self._messages.get()
        try:
            return self._messages.get(timeout=max(0.0, self._deadline - self._now()))
        except Empty:
            return None

    def _handle(self, message: _Message | None) -> None:
        match message:
            case None:
                self._halt = self._halt or Halt.at_deadline()
                self._stop_everything()
            case _Entered():
                if message.order_id in self._running and message.order_id not in self._discarded:
                    self._show(message)
            case _Done():
                task = self._running.pop(message.order_id).task
                result = Result.model_validate(message.future.result())
                # A work order that could never land fails before its first attempt.
                if result.attempts or (result.failure and isinstance(task, AttemptTask)):
                    entry = RunEntry(run_id=result.run_id, attempts=attempts_of(result.attempts))
                    self._records.tried(message.order_id, entry, result.failure)
                if message.order_id in self._discarded:
                    self._discarded.remove(message.order_id)
                else:
                    self._settle(task, result)

    def _show(self, entered: _Entered) -> None:
        """The states of a work order that follow from the nodes it goes through, and what it has used."""
        attempt, failure = entered.state["attempt"], entered.state.get("previous_failure")
        changed: dict[str, object] = {}
        if entered.node == "se":
            phase = OrderPhase.GENERATING if attempt == 1 else OrderPhase.PATCHING
            changed["attempt"] = attempt
            if failure is not None:
                changed["last_failure"] = LastFailure.of(failure)
        elif entered.node == "tr":
            phase = OrderPhase.TESTING
        else:
            return
        task = self._running[entered.order_id].task
        run = RunEntry(run_id=task.run_id, attempts=attempts_so_far(entered.state, self._records.state.price))
        if run.attempts:
            changed["runs"] = self._records.state.order(entered.order_id).with_run(run).runs
        self._records.order(entered.order_id, phase, **changed)

    def _settle(self, task: AttemptTask | LandingTask, result: Result) -> None:
        order_id = task.order.id
        match task:
            case LandingTask() if result.exit_code == ExitCode.PASS:
                self._passed[order_id] = replace(
                    self._passed[order_id], merged=task.tree, commit=task.candidate
                )
            case LandingTask() if result.failure is not None:
                self._attempt_failed(order_id, result.failure)
            case AttemptTask() if result.exit_code == ExitCode.PASS:
                assert result.tree is not None
                made = changes(self._goal.git, task.baseline, result.tree)
                self._passed[order_id] = Candidate(task.order, result, made)
            case AttemptTask() if result.exit_code in _FAILED:
                self._fail(order_id, Halt.of(order_id, result))
            case _:
                self._passed.pop(order_id, None)
                self._stop_for(order_id, result)

    # Landing

    def _land(self) -> None:
        """Land what has passed and whose turn it is; at most one is examined on the tip at a time."""
        while not self._cut:
            settled = self._landed | set(self._failed) | self._given_up
            order_id = next_to_land(self._dependencies, settled)
            if order_id is None or order_id in self._running or order_id not in self._passed:
                return
            candidate = self._passed[order_id]
            if candidate.merged is None:
                colliding = collisions(self._goal.git, self._goal.baseline, candidate.made)
                if colliding:
                    self._attempt_failed(order_id, stale(colliding))
                    continue
                candidate = candidate.on_tip(self._goal, self._trees)
                if candidate.merged != candidate.result.tree:
                    if len(self._running) < self._jobs:
                        # Run the gates on exactly the tree that will be the tip.
                        self._submit(order_id, self._worker.examine, candidate.landing_task())
                    return
                self._passed[order_id] = candidate
            self._move(order_id, candidate)

    def _move(self, order_id: str, candidate: Candidate) -> None:
        commit = candidate.commit
        assert commit is not None
        result = candidate.result
        try:
            land(self._goal, commit)
        except LandingFailed as error:
            del self._passed[order_id]
            self._put_back(order_id)
            self._halt = Halt(ExitCode.ENVIRONMENT, error.headline, error.hint)
            self._cut = True
            self._stop_everything()
            return
        self._made[order_id] = changes(self._goal.git, self._goal.baseline, commit)
        self._goal = replace(self._goal, baseline=commit, exists=True)
        self._landed.add(order_id)
        del self._passed[order_id]
        message = f"{order_id} landed on {self._goal.branch} as {commit[:12]}"
        retell(self._worker.out / result.run_id, RunOutcome.LANDED, message, commit=commit)
        self._records.order(
            order_id, OrderPhase.LANDED, commit=commit, landed_run=result.run_id, last_failure=None
        )

    # Failing

    def _attempt_failed(self, order_id: str, failure: Failure) -> None:
        """A candidate can't land: the attempt failed, and what was built on it is made again."""
        result = self._passed.pop(order_id).result
        entry = RunEntry(
            run_id=result.run_id,
            attempts=tuple(
                record.model_copy(update={"passed": False, "stage": failure.stage})
                if record.attempt == result.attempt
                else record
                for record in attempts_of(result.attempts)
            ),
        )
        self._records.tried(order_id, entry, failure)
        message = f"attempt {result.attempt} failed on the tip at {failure.stage}: {failure.told}"
        retell(self._worker.out / result.run_id, RunOutcome.FAILED, message, failure=failure)
        for dependent in self._dependencies.dependents(order_id):
            self._take_back(dependent)
        if failure.failure_class is FailureClass.MODEL_DEFECT and result.attempt < self._max_attempts:
            self._again[order_id] = AttemptTask(
                order=self._orders[order_id],
                baseline=self._goal.baseline,
                attempt=result.attempt + 1,
                previous_proposal=result.proposal,
                previous_failure=failure,
            )
        elif failure.failure_class in (FailureClass.MODEL_DEFECT, FailureClass.PLAN_DEFECT):
            code = exit_code(failure)
            told = f"{order_id}: {message}"
            self._fail(order_id, Halt(code, told, failure.hint, order_id, result.run_id, failure))
        else:
            self._put_back(order_id)
            told = f"{order_id}: {failure.told}"
            code = exit_code(failure)
            self._halt = Halt(code, told, failure.hint, order_id, result.run_id, failure)

    def _fail(self, order_id: str, why: Halt) -> None:
        self._failed[order_id] = why
        self._records.order(order_id, OrderPhase.FAILED)

    def _stop_for(self, order_id: str, result: Result) -> None:
        """Something that is nobody's fault here: nothing more is started, what is under way goes on."""
        self._put_back(order_id)
        if self._halt is None:
            self._halt = Halt.of(order_id, result)

    def _give_up(self) -> None:
        given = given_up(self._dependencies, self._failed, keep_going=self._keep_going)
        self._given_up = (given.blocked | given.unreached) - self._landed
        for order_id in self._dependencies.order:
            if order_id in self._given_up:
                self._take_back(order_id)
                if order_id in given.blocked and self._phase(order_id) != OrderPhase.BLOCKED:
                    self._records.order(order_id, OrderPhase.BLOCKED)
            elif self._phase(order_id) is OrderPhase.BLOCKED:
                # What it waited for is made again after all.
                self._records.order(order_id, OrderPhase.PENDING)

    def _take_back(self, order_id: str) -> None:
        """Forget what a work order has done so far, a failure included; its task is asked to stop."""
        if self._failed.pop(order_id, None) is not None:
            self._records.order(order_id, OrderPhase.PENDING)
        self._passed.pop(order_id, None)
        self._again.pop(order_id, None)
        if order_id in self._running:
            self._discarded.add(order_id)
            self._worker.stop(order_id)
        self._put_back(order_id)

    def _put_back(self, order_id: str) -> None:
        """What is under way waits again."""
        if self._phase(order_id) in _UNDER_WAY:
            self._records.order(order_id, OrderPhase.PENDING)

    def _phase(self, order_id: str) -> OrderPhase:
        return self._records.state.order(order_id).state

    def _stop_everything(self) -> None:
        self._cut = True
        self._worker.stop_all()
        for order_id in [*self._running, *self._passed]:
            self._take_back(order_id)
