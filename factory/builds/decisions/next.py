"""The decisions of a build: what follows from a message, given where the build stands."""

from typing import Final, assert_never

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure
from factory.attempt.routing import exit_code, spends_attempt
from factory.builds.decisions.acts import (
    Act,
    Examine,
    Keep,
    Land,
    Merge,
    RecordLanding,
    RecordNode,
    RecordRun,
    RetellFailure,
    StartAttempts,
)
from factory.builds.decisions.course import Course
from factory.builds.decisions.messages import (
    AttemptsEnded,
    Began,
    Collided,
    DeadlineCame,
    ExaminationEnded,
    LandingRefused,
    LandingSucceeded,
    Merged,
    Message,
    NodeEntered,
)
from factory.builds.decisions.standing import (
    Attempting,
    Landed,
    Passed,
    Skipped,
    Standing,
    Step,
    Waiting,
    Withdrawn,
)
from factory.builds.decisions.tasks import Halt, Result, Retry
from factory.builds.state.machine import OrderPhase

_FAILED: Final = (ExitCode.FAIL, ExitCode.PLAN_DEFECT)


def next_standing(standing: Standing, message: Message) -> tuple[Standing, tuple[Act, ...]]:
    """Where a build stands after a message, and what is to be done now, in this order."""
    course = Course(standing)
    _heed(course, message)
    _give_up(course)
    if _heed_refusal(course):
        _give_up(course)
    # Attempts come before the candidates behind the head: others wait for what they make.
    if not _move_head(course):
        _start(course)
        if not _move_line(course) and course.standing.tasks == 0:
            course.end()
    return course.standing, tuple(course.acts)


def _heed(course: Course, message: Message) -> None:
    match message:
        case Began():
            pass
        case NodeEntered():
            _node_entered(course, message)
        case AttemptsEnded(order_id, result):
            _attempts_ended(course, order_id, result)
        case Merged(order_id, proven):
            course.step(order_id, Step.PROVEN if proven else Step.UNPROVEN)
        case Collided():
            course.refuse(message)
        case ExaminationEnded():
            _examination_ended(course, message)
        case LandingSucceeded(order_id, commit):
            course.act(RecordLanding(order_id, course.passed(order_id).result.run_id, commit))
            course.place(order_id, Landed(), OrderPhase.LANDED)
        case LandingRefused(order_id, why):
            course.wait_again(order_id)
            course.cut(why)
        case DeadlineCame():
            course.cut(course.standing.halt or Halt.at_deadline())
        case _ as never:
            assert_never(never)


def _node_entered(course: Course, entered: NodeEntered) -> None:
    if not isinstance(course.standing.positions[entered.order_id], Attempting):
        return
    match entered.node:
        case "se":
            phase = OrderPhase.GENERATING if entered.attempt == 1 else OrderPhase.PATCHING
        case "tr":
            phase = OrderPhase.TESTING
        case _:
            return
    course.act(RecordNode(phase, entered))
    course.place(entered.order_id, Attempting(), phase)


def _attempts_ended(course: Course, order_id: str, result: Result) -> None:
    # A work order that could never land fails before its first attempt.
    if result.attempts or result.failure:
        course.act(RecordRun(order_id, result.run, result.failure))
    if isinstance(course.standing.positions[order_id], Withdrawn):
        course.place(order_id, Waiting())
    elif result.exit_code == ExitCode.PASS:
        course.act(Keep(order_id, result))
        course.place(order_id, Passed(result))
    elif result.exit_code in _FAILED:
        course.fail(order_id, Halt.of(order_id, result))
    else:
        _stop_for(course, order_id, result)


def _examination_ended(course: Course, ended: ExaminationEnded) -> None:
    order_id = ended.order_id
    if isinstance(course.standing.positions[order_id], Withdrawn):
        course.place(order_id, Waiting())
    elif course.passed(order_id).step is Step.OUTDATED:
        course.step(order_id, Step.QUEUED)
    elif ended.result.exit_code == ExitCode.PASS:
        course.step(order_id, Step.PROVEN)
    else:
        course.refuse(ended)


def _heed_refusal(course: Course) -> bool:
    """Act on why a candidate can't land if all before it have: only then it was made on the tip."""
    if not course.standing.line:
        return False
    order_id, passed = course.standing.line[0]
    match passed.refusal:
        case None:
            return False
        case Collided(_, failure):
            _attempt_failed(course, order_id, failure)
        case ExaminationEnded(_, result) if result.failure is not None:
            _attempt_failed(course, order_id, result.failure)
        case ExaminationEnded(_, result):
            _stop_for(course, order_id, result)
        case _ as never:
            assert_never(never)
    return True


def _attempt_failed(course: Course, order_id: str, failure: Failure) -> None:
    """The head's candidate can't land: the attempt failed, and what was built on it is made again."""
    result, code = course.passed(order_id).result, exit_code(failure)
    message = f"attempt {result.attempt} failed on the tip at {failure.stage}: {failure.headline}"
    course.act(
        RecordRun(order_id, result.failed_on_tip(failure), failure),
        RetellFailure(result.run_id, message, failure),
    )
    for dependent in course.standing.dependencies.dependents(order_id):
        course.take_back(dependent)

    def why(message: str) -> Halt:
        return Halt(code, f"{order_id}: {message}", failure.hint, order_id, result.run_id, failure)

    if spends_attempt(failure) and result.attempt < course.standing.max_attempts:
        course.place(order_id, Waiting(Retry(result.attempt + 1, result.proposal, failure)))
    elif code in _FAILED:
        course.fail(order_id, why(message))
    else:
        course.wait_again(order_id)
        course.halt(why(failure.description))


def _stop_for(course: Course, order_id: str, result: Result) -> None:
    """Something that is nobody's fault here: nothing more is started, what is under way goes on."""
    course.wait_again(order_id)
    course.halt(course.standing.halt or Halt.of(order_id, result))


def _give_up(course: Course) -> None:
    given = course.standing.given_up
    if not given and OrderPhase.BLOCKED not in course.standing.phases.values():
        return
    for order_id in course.standing.dependencies.order:
        if isinstance(course.standing.positions[order_id], Landed | Skipped):
            continue
        if order_id in given:
            course.take_back(order_id)
        is_blocked = course.standing.phases[order_id] is OrderPhase.BLOCKED
        if order_id in given.blocked and not is_blocked:
            course.record(order_id, OrderPhase.BLOCKED)
        elif order_id not in given.blocked and is_blocked:
            # What it waited for is made again after all.
            course.record(order_id, OrderPhase.PENDING)


def _move_head(course: Course) -> bool:
    """Move on whose turn it is to land; whether an answer to that comes before anything else."""
    if not course.standing.line:
        return False
    order_id, passed = course.standing.line[0]
    match passed.step:
        case Step.QUEUED:
            _merge(course, order_id, on=None)
            return True
        case Step.UNPROVEN if course.standing.free:
            # The gates run on exactly the tree that will be the tip.
            _examine(course, order_id)
        case Step.PROVEN:
            _start_before_landing(course)
            course.act(Land(order_id))
            course.step(order_id, Step.LANDING)
            return True
        case _:
            pass
    return False


def _move_line(course: Course) -> bool:
    """Test candidates behind the head, each made on the one before it; whether an answer comes first."""
    before = None
    for order_id, passed in course.standing.line:
        match passed.step:
            case Step.EXAMINING | Step.PROVEN:
                pass
            case Step.QUEUED if course.standing.free:
                _merge(course, order_id, on=before)
                return True
            case Step.UNPROVEN if course.standing.free:
                _examine(course, order_id)
            case _:
                break
        before = order_id
    return False


def _merge(course: Course, order_id: str, *, on: str | None) -> None:
    course.act(Merge(order_id, course.passed(order_id).result, on))
    course.step(order_id, Step.MERGING)


def _examine(course: Course, order_id: str) -> None:
    course.act(Examine(order_id))
    course.step(order_id, Step.EXAMINING)


def _start_before_landing(course: Course) -> None:
    """Who is free does not wait for the branch to move, which takes a while, while others work on.

    One is kept for the candidate that comes to be the first, if it is not tested yet.
    """
    behind = [passed.step for _, passed in course.standing.line[1:2]]
    if course.standing.tasks:
        _start(course, but=sum(step in (Step.QUEUED, Step.UNPROVEN) for step in behind))


def _start(course: Course, *, but: int = 0) -> None:
    if course.standing.halt is not None:
        return
    for order_id in course.standing.startable[: max(0, course.standing.free - but)]:
        position = course.standing.positions[order_id]
        assert isinstance(position, Waiting)
        on = course.standing.dependencies.transitive[order_id]
        course.act(StartAttempts(order_id, on, position.retry))
        course.place(order_id, Attempting())
