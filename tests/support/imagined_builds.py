"""A build without git, disk and models: the decisions are real, workers and the branch are imagined.

What an attempt makes of a base, and what the gates say on a tip, are functions of values, as they are in a
real build. Which message comes next is the test's choice.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import assert_never

from hypothesis import strategies as st

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, FailureClass, Stage
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
    Collided,
    ExaminationEnded,
    LandingRefused,
    LandingSucceeded,
    Merged,
    Message,
    NodeEntered,
)
from factory.builds.decisions.next import next_standing
from factory.builds.decisions.schedule import Dependencies
from factory.builds.decisions.standing import Landed, Passed, Standing
from factory.builds.decisions.tasks import Halt, Result
from factory.builds.state.attempts import AttemptRecord, RunEntry
from factory.builds.state.machine import OrderPhase, next_order_phase
from factory.contract.work_order import Plan
from tests.support.repositories import a_work_order

MAX_ATTEMPTS = 3


def plan_of(needs: Sequence[Sequence[int] | None]) -> Plan:
    """A plan; each work order names those before it that it needs, or nothing is known."""
    orders = [
        a_work_order(
            id=f"WO-{place:02d}",
            **({} if named is None else {"depends_on": [f"WO-{other:02d}" for other in named]}),
        )
        for place, named in enumerate(needs, start=1)
    ]
    return Plan.model_validate({"work_orders": orders})


@st.composite
def needs(draw: st.DrawFn) -> list[list[int]]:
    """Of each work order, the places of those that it depends on."""
    count = draw(st.integers(1, 8))
    return [draw(st.lists(st.integers(1, place), unique=True)) if place else [] for place in range(count)]


@dataclass(frozen=True)
class Nature:
    """How models, gates and the machine behave.

    Attributes:
        seed: another one, other results.
        fails: of ten attempts, how many fail.
        clashes: of ten candidates beside others on the tip, how many don't land.
        breaks: of ten tasks, how many the provider or the machine breaks off.
    """

    seed: int
    fails: int = 2
    clashes: int = 3
    breaks: int = 0

    def _tenths(self, *facts: object) -> int:
        return Random(repr((self.seed, *facts))).randrange(10)

    def attempts(self, order_id: str, base: str, first: int) -> tuple[int, str | Failure]:
        """The number of the last attempt, and the tree that it made or why it failed."""
        for number in range(first, MAX_ATTEMPTS + 1):
            if self._tenths("breaks", order_id, base, number) < self.breaks:
                return number, failure(FailureClass.PROVIDER)
            if self._tenths("defect", order_id, base) == 9 and self.fails:
                return number, failure(FailureClass.PLAN_DEFECT)
            if self._tenths("fails", order_id, base, number) >= self.fails:
                return number, f"{base}+{order_id}.{number}"
        return MAX_ATTEMPTS, failure(FailureClass.MODEL_DEFECT)

    def collides(self, tree: str, tip: str) -> bool:
        """Whether another one has written the same files."""
        return self._tenths("collides", tree, tip) < self.clashes // 2

    def gates(self, tree: str, tip: str) -> Failure | None:
        """What the gates say of a result on the tip."""
        if self._tenths("gates break", tree, tip) < self.breaks:
            return failure(FailureClass.ENVIRONMENT)
        return failure(FailureClass.MODEL_DEFECT) if self._tenths("gates", tree, tip) < self.clashes else None


def failure(failure_class: FailureClass) -> Failure:
    """A failure of that class."""
    return Failure(stage=Stage.ACCEPTANCE_FAILED, failure_class=failure_class, message=str(failure_class))


@dataclass
class ImaginedBuild:
    """One build, message by message.

    Attributes:
        standing: where it stands.
        nature: how everything else behaves.
        landed: the branch: work orders and their trees, in the order of landing.
        sent: what workers have sent of each task that is under way and was not received yet, and its end.
        stopped: whether everything was stopped.
        watch: gets each act before it is carried out.
    """

    standing: Standing
    nature: Nature
    landed: list[tuple[str, str]] = field(default_factory=list)
    sent: dict[str, list[Message]] = field(default_factory=dict)
    stopped: bool = False
    refuses_landing_of: str = ""
    watch: Callable[[Act], object] = lambda _act: None
    phases: dict[str, OrderPhase] = field(default_factory=dict)
    _trees: dict[str, str] = field(default_factory=dict)
    _candidates: dict[str, str] = field(default_factory=dict)
    _passed: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, plan: Plan, nature: Nature, *, jobs: int, keep_going: bool, skipped: Collection[str] = ()
    ) -> "ImaginedBuild":
        """A build of which nothing has landed."""
        standing = Standing.at_start(
            Dependencies.of(plan),
            (),
            jobs=jobs,
            max_attempts=MAX_ATTEMPTS,
            keep_going=keep_going,
            skipped=skipped,
        )
        return cls(standing, nature, phases=dict(standing.phases))

    @property
    def tip(self) -> str:
        """The branch's content."""
        return "".join(f"[{tree}]" for _, tree in self.landed)

    @property
    def end(self) -> object:
        """What a user can tell one build from another by."""
        return self.landed, self.phases, self.standing.end

    def begin(self) -> None:
        """The first message."""
        self.heed(Began())

    def receive(self, order_id: str) -> None:
        """The next message of a task that is under way."""
        messages = self.sent[order_id]
        message = messages.pop(0)
        if not messages:
            del self.sent[order_id]
        self.heed(message)

    def heed(self, message: Message) -> None:
        """Carry out what follows from a message."""
        answer: Message | None = message
        while answer is not None:
            before = self.standing
            self.standing, acts = next_standing(before, answer)
            answer = None
            for act in acts:
                assert answer is None
                self.watch(act)
                answer = self._carry_out(act)
            assert self.phases == self.standing.phases

    def _carry_out(self, act: Act) -> Message | None:
        match act:
            case StartAttempts():
                self._start(act)
            case Examine(order_id):
                assert order_id not in self.sent
                assert not self.stopped
                self._examine(order_id)
            case StopTask(order_id):
                assert order_id in self.sent
            case StopEverything():
                self.stopped = True
            case Keep(order_id, result):
                assert result.tree is not None
                self._trees[order_id] = result.tree
            case Merge():
                return self._merge(act)
            case Land(order_id):
                return self._land(order_id)
            case RecordPhase(order_id, phase):
                self._record(order_id, phase)
            case RecordNode(phase, entered):
                self._record(entered.order_id, phase)
            case RecordLanding(order_id):
                self._record(order_id, OrderPhase.LANDED)
            case RecordRun() | RetellFailure():
                pass
            case _ as never:
                assert_never(never)
        return None

    def _record(self, order_id: str, phase: OrderPhase) -> None:
        self.phases[order_id] = next_order_phase(self.phases[order_id], phase)

    def _start(self, act: StartAttempts) -> None:
        assert not self.stopped
        assert act.order_id not in self.sent
        assert act.on == self.standing.dependencies.transitive[act.order_id]
        for dependency in act.on:
            assert isinstance(self.standing.positions[dependency], Passed | Landed)
        base, first = self.base(act.on), 1
        if act.retry is not None:
            base, first = self.tip, act.retry.attempt
        number, made = self.nature.attempts(act.order_id, base, first)
        self.sent[act.order_id] = [
            *(
                NodeEntered(act.order_id, node, attempt, None, RunEntry(run_id=base, attempts=()))
                for attempt in range(first, number + 1)
                for node in ("se", "tr", "po")
            ),
            AttemptsEnded(act.order_id, _result(base, number, made)),
        ]

    def base(self, on: Sequence[str]) -> str:
        """What a work order starts from that depends on these."""
        return "".join(f"[{self._trees[order_id]}]" for order_id in on)

    def _examine(self, order_id: str) -> None:
        position, on = self.standing.positions[order_id], self._candidates[order_id]
        assert isinstance(position, Passed)
        failure = self.nature.gates(self._trees[order_id], on)
        if failure is None:
            self._passed[order_id] = on
        result = replace(
            position.result,
            exit_code=ExitCode.PASS if failure is None else ExitCode.FAIL,
            failure=failure,
        )
        self.sent[order_id] = [ExaminationEnded(order_id, result)]

    def _merge(self, act: Merge) -> Message:
        order_id, result = act.order_id, act.result
        assert not self.stopped
        assert order_id not in self.sent
        assert result.tree is not None
        on = self.tip if act.on is None else f"{self._candidates[act.on]}[{self._trees[act.on]}]"
        if result.baseline != on and self.nature.collides(result.tree, on):
            return Collided(order_id, failure(FailureClass.MODEL_DEFECT))
        self._candidates[order_id] = on
        if result.baseline == on:
            self._passed[order_id] = on
        return Merged(order_id, proven=result.baseline == on)

    def _land(self, order_id: str) -> Message:
        # What was tested is what lands.
        assert self._candidates[order_id] == self._passed[order_id] == self.tip
        assert not self.stopped
        if order_id == self.refuses_landing_of:
            return LandingRefused(order_id, Halt(ExitCode.ENVIRONMENT, "a lock is in the way"))
        self.landed.append((order_id, self._trees[order_id]))
        return LandingSucceeded(order_id, f"commit of {order_id}")


def _result(base: str, number: int, made: str | Failure) -> Result:
    passed = isinstance(made, str)
    codes = {
        FailureClass.MODEL_DEFECT: ExitCode.FAIL,
        FailureClass.PLAN_DEFECT: ExitCode.PLAN_DEFECT,
        FailureClass.PROVIDER: ExitCode.PROVIDER,
    }
    return Result(
        exit_code=ExitCode.PASS if isinstance(made, str) else codes[made.failure_class],
        run_id=base,
        baseline=base,
        attempt=number,
        failure=None if isinstance(made, str) else made,
        attempts=(AttemptRecord(attempt=number, passed=passed),),
        tree=made if isinstance(made, str) else None,
    )
