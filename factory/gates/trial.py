"""A trial: what checks say of one tree, a base with a proposal on it. No model, no key, no landing.

What is asked and what comes out are values that could go to another process and back; only the context, the
checkout of that tree, belongs to where the trial runs.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ConfigDict

from factory.attempt.failure import Failure, Stage
from factory.attempt.outcome import VerdictKind, weakest
from factory.contract.errors import WorkorderError
from factory.contract.work_order import WorkOrder
from factory.gates.check import Check, CheckContext, CheckFamily, CheckResult
from factory.gates.checks.promises import Acceptance
from factory.gates.step import Step, StepKind
from factory.gates.verdict.judgement import failing_tests
from factory.system.terminal.console import visible

_LONGEST_TEXT: Final = 500


@dataclass(frozen=True)
class CheckGroup:
    """Checks that are recorded together.

    Attributes:
        name: `interfaces` for the symbols that the work order declares, `verify` for what holds for the whole
            repository, `acceptance` for what else the work order promises.
        stage: the stage that a failure of theirs belongs to.
        checks: in the order in which they run.
    """

    name: str
    stage: Stage
    checks: tuple[Check | CheckFamily, ...]


@dataclass(frozen=True)
class Trial:
    """What is asked.

    Attributes:
        order: the work order.
        tree: git's id of the tree that is judged.
        parts: the checks, in the order in which they run.
    """

    order: WorkOrder
    tree: str
    parts: tuple[CheckGroup, ...]


class PartResult(BaseModel):
    """What the checks of one part found; none after the first that failed.

    Attributes:
        name: the part's name.
        checks: what each found.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    checks: tuple[CheckResult, ...]

    @property
    def failed(self) -> CheckResult | None:
        """The check that failed; None if none did."""
        return next((check for check in self.checks if not check.passed), None)


class TrialResult(BaseModel):
    """What came out; no part after the first that failed.

    Attributes:
        parts: what the checks of each found.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    parts: tuple[PartResult, ...]

    @property
    def failed(self) -> CheckResult | None:
        """The check that failed; None if all have passed."""
        return next((part.failed for part in self.parts if part.failed is not None), None)

    @property
    def failure(self) -> Failure | None:
        """Why the tree can't land; None if it can."""
        return self.failed.failure if self.failed is not None else None

    @property
    def verdict(self) -> VerdictKind:
        """How it can be known that the acceptance commands passed: what the weakest of them says."""
        checks = (check for part in self.parts for check in part.checks if check.name == Acceptance.name)
        return weakest(command.verdict for check in checks for command in check.commands)

    @property
    def removed_tests(self) -> tuple[str, ...]:
        """The ids of the tests that passed before and were removed from files that may be written, sorted."""
        checks = (check for part in self.parts for check in part.checks)
        return tuple(sorted({test for check in checks for test in check.removed_tests}))

    @property
    def failing_tests(self) -> tuple[str, ...]:
        """The ids of the tests that failed, as far as a report or what was printed tells them."""
        last = self.failed.commands[-1] if self.failed is not None and self.failed.commands else None
        if last is None:
            return ()
        below = f"{last.project}/" if last.project else ""
        return tuple(f"{below}{test}" for test in failing_tests(last.report, last.excerpt))

    @property
    def slowest_seconds(self) -> float:
        """How long the slowest command took."""
        checks = (check for part in self.parts for check in part.checks)
        return max((command.seconds for check in checks for command in check.commands), default=0.0)


def try_out(
    trial: Trial,
    context: CheckContext,
    begins: Callable[[str], None] = lambda _part: None,
    ended: Callable[[PartResult], None] = lambda _part: None,
) -> TrialResult:
    """Run checks, until one fails.

    Args:
        trial: what is asked.
        context: a checkout that holds the tree, and how commands are run in it.
        begins: gets the name of each part before it runs.
        ended: gets what each part has found.
    """
    results: list[PartResult] = []
    for part in trial.parts:
        begins(part.name)
        results.append(PartResult(name=part.name, checks=_run_checks(part, context)))
        ended(results[-1])
        if results[-1].failed is not None:
            break
    return TrialResult(parts=tuple(results))


def run_check(check: Check, context: CheckContext, stage: Stage) -> CheckResult:
    """Run one check; one that raises has failed, and the run goes on to say so.

    Interruptions are no failures and pass through.
    """
    context.begins(Step(StepKind.CHECK, check.name))
    try:
        return check.run(context)
    except Exception as error:
        problem = error if isinstance(error, WorkorderError) else WorkorderError(str(error))
        what = f"{type(error).__name__}: {visible(problem.message[:_LONGEST_TEXT])}"
        failure = Failure.environment(
            stage,
            f"the check {check.name} broke off: {what}",
            where=visible(problem.where),
            hint=problem.hint or "see whether the disk is full or a permission is missing",
        )
        return CheckResult(name=check.name, failure=failure)


def expanded(checks: Iterable[Check | CheckFamily], context: CheckContext) -> Iterator[Check]:
    """The checks one by one; which ones a family holds is asked when those before it have run."""
    for check in checks:
        if isinstance(check, CheckFamily):
            yield from check.checks(context)
        else:
            yield check


def _run_checks(part: CheckGroup, context: CheckContext) -> tuple[CheckResult, ...]:
    results: list[CheckResult] = []
    for check in expanded(part.checks, context):
        results.append(run_check(check, context, part.stage))
        if not results[-1].passed:
            break
    return tuple(results)
