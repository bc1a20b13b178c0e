"""The loop of a build: fetches messages, and carries out what `decisions` makes of them. Decides nothing.

All of it is in one thread; workers only carry out tasks. A signal is heard while the loop waits for one of
them, and nowhere else.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, wait
from queue import Empty, SimpleQueue
from typing import TypeAlias, TypeVar, assert_never

from factory.attempt.outcome import RunOutcome
from factory.builds.decisions.acts import (
    Act,
    Examine,
    Keep,
    Land,
    Merge,
    RecordLanding,
    RecordNode,
    RecordPhase,
    RecordRun,
    RetellFailure,
    StartAttempts,
    StopEverything,
    StopTask,
)
from factory.builds.decisions.messages import (
    AttemptsEnded,
    Began,
    DeadlineCame,
    ExaminationEnded,
    Message,
    NodeEntered,
)
from factory.builds.decisions.next import next_standing
from factory.builds.decisions.standing import Standing
from factory.builds.decisions.tasks import AttemptTask, Halt, LandingTask, Result, TaskRunner
from factory.builds.landing_queue import LandingQueue
from factory.builds.state.attempts import LastFailure
from factory.builds.state.machine import UNDER_WAY, OrderPhase
from factory.builds.state.records import Records
from factory.builds.watch import Doing, Watch, nobody
from factory.contract.work_order import Plan, WorkOrder
from factory.gates.step import Step, StepKind
from factory.runs.record.documents import retell
from factory.runs.record.files import LANDING_FOLDER
from factory.system.process.signals import shielded
from factory.system.removal import remove_tree

Mail: TypeAlias = "NodeEntered | Doing | tuple[AttemptTask | LandingTask, Future[Result]]"
"""What workers send: a node that was entered, what they do now, or a task that has ended."""

TaskT = TypeVar("TaskT", AttemptTask, LandingTask)


class Loop:
    """One pass over a plan.

    Args:
        plan: the plan.
        standing: where it stands.
        queue: makes bases, and lands.
        records: the state of the build.
        worker: carries out tasks.
        mail: what workers send.
        executor: gives workers their threads.
        deadline: when everything stops; None for never.
        now: the time that `deadline` is measured in, in seconds.
        watch: told what is done now.
    """

    def __init__(
        self,
        plan: Plan,
        standing: Standing,
        queue: LandingQueue,
        records: Records,
        worker: TaskRunner,
        mail: "SimpleQueue[Mail]",
        executor: Executor,
        *,
        deadline: float | None,
        now: Callable[[], float],
        watch: Watch = nobody,
    ) -> None:
        self._orders: Mapping[str, WorkOrder] = {order.id: order for order in plan.work_orders}
        self._standing = standing
        self._queue = queue
        self._records = records
        self._worker = worker
        self._mail = mail
        self._executor = executor
        self._deadline = deadline
        self._now = now
        self._watch = watch
        self._futures: set[Future[Result]] = set()
        self._waiting: Mapping[str, str] = {}

    def run(self) -> Halt | None:
        """Go on until nothing can be started any more.

        Returns:
            Why the build ends although work is left: the first failure in the plan's order, or what stopped
            everything. None if all work orders have landed.

        Raises:
            Interrupted: a signal came; every task was stopped, and what they had begun waits again.
        """
        try:
            self._heed(Began())
            while not self._standing.over:
                self._heed(self._next_message())
        except BaseException:
            with shielded():
                self._abandon()
            raise
        return self._standing.end

    def _next_message(self) -> Message:
        while True:
            try:
                received = self._received()
            except Empty:
                return DeadlineCame()
            if not isinstance(received, Doing):
                break
            self._watch(received)
        if isinstance(received, NodeEntered):
            return received
        task, future = received
        self._futures.remove(future)
        self._watch(Doing(task.order.id, None))
        ended = AttemptsEnded if isinstance(task, AttemptTask) else ExaminationEnded
        return ended(task.order.id, future.result())

    def _received(self) -> Mail:
        """The next mail; what is only for people to see is written when none is there.

        Raises:
            Empty: the deadline has come before it.
        """
        try:
            return self._mail.get_nowait()
        except Empty:
            self._records.write()
            return self._mail.get(timeout=self._patience)

    @property
    def _patience(self) -> float | None:
        """How long to wait for mail; None for as long as it takes."""
        if self._deadline is None or self._standing.cut:
            return None
        return max(0.0, self._deadline - self._now())

    def _heed(self, message: Message) -> None:
        """Do all that follows from a message, and from what answers that."""
        with shielded():
            answer: Message | None = message
            while answer is not None:
                self._standing, acts = next_standing(self._standing, answer)
                # At most one act is answered, the last.
                answer = None
                for act in acts:
                    answer = self._carry_out(act)
            self._tell_waiting()

    def _tell_waiting(self) -> None:
        """Tell who waits to land, and for whom, where that has changed."""
        before, self._waiting = self._waiting, self._standing.waiting_to_land
        for order_id, turn in self._waiting.items():
            if before.get(order_id) != turn:
                self._watch(Doing(order_id, Step(StepKind.WAITING, turn)))

    def _carry_out(self, act: Act) -> Message | None:
        match act:
            case StartAttempts(order_id, on, retry):
                baseline = self._queue.base(order_id, on) if retry is None else self._queue.tip
                passed = self._queue.passed_tests(on if retry is None else None)
                task = AttemptTask(self._orders[order_id], baseline, retry, passed)
                self._submit(task, self._worker.attempt)
            case Examine(order_id):
                self._submit(self._queue.candidate(order_id), self._worker.examine)
            case StopTask(order_id):
                self._worker.stop(order_id)
            case StopEverything():
                self._worker.stop_all()
            case Keep(order_id, result):
                self._queue.keep(order_id, result)
            case Merge(order_id, result, on):
                # What was found of a candidate that was thrown away.
                remove_tree(self._records.out / result.run_id / LANDING_FOLDER)
                return self._queue.merge(self._orders[order_id], result, on)
            case Land(order_id):
                return self._queue.land(order_id)
            case RecordPhase(order_id, phase):
                self._records.order(order_id, phase)
            case RecordNode(phase, entered):
                self._record_node(phase, entered)
            case RecordRun(order_id, run, failure):
                self._records.tried(order_id, run, failure)
            case RecordLanding():
                self._record_landing(act)
            case RetellFailure(run_id, message, failure):
                retell(self._records.out / run_id, RunOutcome.FAILED, message, failure=failure)
            case _ as never:
                assert_never(never)
        return None

    def _submit(self, task: TaskT, work: Callable[[TaskT], Result]) -> None:
        future = self._executor.submit(work, task)
        self._futures.add(future)
        future.add_done_callback(lambda done: self._mail.put((task, done)))

    def _record_node(self, phase: OrderPhase, entered: NodeEntered) -> None:
        changed: dict[str, object] = {}
        if phase is not OrderPhase.TESTING:
            changed["attempt"] = entered.attempt
            if entered.failure is not None:
                changed["last_failure"] = LastFailure.of(entered.failure)
        if entered.run.attempts:
            changed["runs"] = self._records.state.order(entered.order_id).with_run(entered.run).runs
        self._records.order(entered.order_id, phase, at_once=False, **changed)

    def _record_landing(self, act: RecordLanding) -> None:
        scores = self._records.state.order(act.order_id).scores_of(act.run_id)
        proof = f"; {scores.description}" if scores is not None else ""
        message = f"{act.order_id} landed on {self._queue.branch} as {act.commit[:12]}{proof}"
        retell(self._records.out / act.run_id, RunOutcome.LANDED, message, commit=act.commit)
        self._records.order(
            act.order_id, OrderPhase.LANDED, commit=act.commit, landed_run=act.run_id, last_failure=None
        )

    def _abandon(self) -> None:
        """Stop every task; what the record says is under way waits again."""
        self._worker.stop_all()
        for order in self._records.state.orders:
            if order.state in UNDER_WAY:
                self._records.order(order.id, OrderPhase.PENDING)
        wait(self._futures)
