"""The compile loop: prompt → model → check → revise, until a plan is right or the attempts are spent.

What it touches is handed in: the model, the clock, the artifacts, who hears of progress. Not here: what
a right plan is (`check`), how it is written (`emit`), and options and exit (`cli`).
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, assert_never

from factory.contract.strict_json import JsonValue
from factory.contract.work_order import Plan
from factory.llm.ledger.store import RecordedModel
from factory.llm.port import Answer
from factory.llm.spending.budget import BudgetReached
from factory.llm.spending.prices import cost_usd
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity, in_order
from factory.plans.diagnostics.render import OutputFormat, as_json, render, summary
from factory.plans.rules.judgement import stopping
from factory.plans.states.sources import NO_SOURCES
from factory.system.clock import Clock
from factory.system.files.tree import FileProblem
from factory.system.process.signals import shielded
from factory.system.terminal.console import listed
from planner.check.document import Checked, check_reply, objected
from planner.compile.artifacts import DIAGNOSTICS, MANIFEST, Artifacts
from planner.compile.asking import Asking, Form
from planner.compile.emit import with_computed_fields, with_spec_text, write_plan
from planner.compile.ending import End, Outcome, attempts_spent, stopped_by, written
from planner.compile.job import Job, Warnings
from planner.compile.manifest_schema import SCHEMA_NAME
from planner.compile.question import Further
from planner.compile.reviewing import Opinion, counted_objections, opinion, question, told_again
from planner.compile.summary import (
    CompileSummary,
    PlanningAttempt,
    RemarkRecord,
    context_record,
    diagnostic_records,
    planned_hash,
    planned_orders,
    remark_records,
    total_usage,
)
from planner.compile.watch import Judged, Watch, nobody
from planner.plan.objections import Objection
from planner.prompt.template import revision_message
from planner.specification.lines import SpecLines
from planner.specification.spec import Spec

_SHOWN_FINDINGS: Final = 10
"""How many findings of an answer that is sent back are shown; all of them are in its file."""


@dataclass(frozen=True)
class Deps:
    """What a compile touches.

    Attributes:
        model: who is asked.
        clock: the time.
        artifacts: where prompts, answers and findings are kept.
        progress: hears what happens.
        watch: told what happens, as values.
        detail: hears what whoever is told that sees anyway; None where `progress` shall hear it.
    """

    model: RecordedModel
    clock: Clock
    artifacts: Artifacts
    progress: Callable[[str], None]
    watch: Watch = nobody
    detail: Callable[[str], None] | None = None


@dataclass(frozen=True)
class Compiled:
    """What came of a compile.

    Attributes:
        summary: how it ended; its outcome says whether a plan was written.
        diagnostics: of the last answer that was checked.
    """

    summary: CompileSummary
    diagnostics: tuple[Diagnostic, ...]


def compile_spec(job: Job, deps: Deps) -> Compiled:
    """Compile a specification and write the plan.

    Every ending leaves its summary among the artifacts; an ending that raises does, too.

    Raises:
        WorkorderError: a file could not be read or written, or the ledger is damaged.
        Interrupted: a signal asked for the end.
    """
    deps.artifacts.open()
    if job.grain is not None:
        deps.progress(job.grain.in_words)
    compiling = _Compile(job, deps)
    try:
        reached = compiling.attempt_until_right()
        # A signal waits until the plan is whole and the summary tells of it.
        with shielded():
            if isinstance(reached, End):
                return compiling.close(reached)
            plan = compiling.write(reached)
            return compiling.close(written(len(plan.work_orders), compiling.left(plan)), plan)
    except BaseException as error:
        if not compiling.closed:
            # The first failure is the one to tell of, also when the summary can't be written.
            with suppress(FileProblem):
                compiling.close(stopped_by(error))
        raise


class _Compile:
    """One compile under way: what has been asked and found so far."""

    def __init__(self, job: Job, deps: Deps) -> None:
        self.closed = False
        self._job = job
        self._deps = deps
        self._settings = job.settings(deps.model)
        self._model_name = f"{deps.model.adapter}:{deps.model.name}"
        self._compile_hash = job.compile_hash(self._model_name)
        self._asking = Asking(deps.model, job.parameters, deps.artifacts, deps.progress, deps.watch)
        self._review = job.review
        self._opinion: Opinion | None = None
        self._attempts: list[PlanningAttempt] = []
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self._warned = False
        self._started_at = deps.clock.now()
        self._started = deps.clock.monotonic()

    @property
    def _spec_text(self) -> str | None:
        """The specification's text, of a revision without a new one that of the plan before."""
        spec = self._job.spec
        return self._job.question.spec_text if spec is None else spec.text

    def _detail(self, text: str) -> None:
        (self._deps.detail or self._deps.progress)(text)

    def attempt_until_right(self) -> Plan | End:
        """Ask, check and ask again; the plan, or why there is none."""
        first = self._job.messages()
        messages = first
        number = 1
        sound: Checked | None = None
        before: JsonValue = None
        may_see: Callable[[str, Spec | None], Further | None] | None = self._job.question.further
        while True:
            began = self._deps.clock.monotonic()
            self._detail(f"attempt {number} of {self._job.max_attempts}: asking {self._model_name}")
            corrects = before is not None
            form = Form(SCHEMA_NAME, self._job.question.schema(self._job.named_projects, corrects=corrects))
            answer = self._asking.ask(number, messages, form)
            further = (
                None if may_see is None or isinstance(answer, End) else may_see(answer.text, self._job.spec)
            )
            if further is not None:
                # Once; what it is shown stays in front of later attempts.
                may_see = None
                names = listed(further.names)
                self._deps.progress(f"attempt {number}: the model asks to see {names}")
                first, messages = (*first, further.message), (*messages, further.message)
                answer = self._asking.ask(number, messages, form)
            if isinstance(answer, End):
                self._record_attempt(number, began, None)
                return answer if sound is None else self._settle_for(sound)
            is_last = number == self._job.max_attempts
            checked = self._check(number, answer, before)
            may_stay = self._may_stay(checked, is_last=is_last)
            if may_stay:
                checked, leads_back = self._reviewed(number, checked)
                may_stay = self._may_stay_objected(checked, is_last=is_last, leads_back=leads_back)
            self._record_attempt(number, began, checked)
            if checked.ok and self._job.warnings is not Warnings.ERROR:
                sound = checked
            if checked.plan is not None and may_stay:
                return checked.plan
            if is_last and sound is not None:
                return self._settle_for(sound)
            if is_last:
                return attempts_spent(
                    number, is_json=checked.is_json, errors=checked.errors, warnings=checked.warnings
                )
            self._warned = True
            for line in _sent_back(checked.diagnostics):
                self._detail(line)
            rendered = [render([diagnostic], OutputFormat.FULL) for diagnostic in checked.diagnostics]
            before = checked.answered
            # What it took over from the one before stands in it, so that one is all there is to see.
            shown = json.dumps(before, ensure_ascii=False, indent=1) if corrects and before else answer.text
            messages = (*first, revision_message(self._job.revision, shown, rendered))
            number += 1

    def _may_stay(self, checked: Checked, *, is_last: bool) -> bool:
        """Whether a plan without errors is taken with the warnings that it has.

        They lead back to the model once, also those that it accepts: before it saw them, it could not judge.
        Those at which a build stops lead back as long as there are attempts.
        """
        if checked.plan is None or not checked.ok:
            return False
        is_judged = not checked.diagnostics or self._warned or is_last
        match self._job.warnings:
            case Warnings.ACCEPT:
                return True
            case Warnings.REVISE:
                return is_last or (is_judged and not _halting(checked.diagnostics, checked.plan))
            case Warnings.ERROR:
                return is_judged and not checked.warnings
            case _ as never:
                assert_never(never)

    def _may_stay_objected(self, checked: Checked, *, is_last: bool, leads_back: bool) -> bool:
        """Whether a plan that would be taken is, in the light of a second opinion."""
        match self._job.warnings:
            case Warnings.ACCEPT:
                return True
            case Warnings.REVISE:
                return is_last or not leads_back
            case Warnings.ERROR:
                return not leads_back and not checked.warnings
            case _ as never:
                assert_never(never)

    def _settle_for(self, sound: Checked) -> Plan:
        """Take a plan with warnings that was asked for again, because what came instead is worse."""
        assert sound.plan is not None
        self._deps.progress("the plan before is sound but for its warnings, and is taken")
        self._diagnostics = sound.diagnostics
        return sound.plan

    def left(self, plan: Plan) -> int:
        """How many warnings a build of the plan stops at."""
        return _halting(self._diagnostics, plan)

    def write(self, plan: Plan) -> Plan:
        """Write the plan with its computed fields, and return it with them."""
        job = self._job
        text = self._spec_text
        plan = with_spec_text(plan.model_copy(update={"allowed_packages": job.allowed_packages}), text)
        computed = with_computed_fields(
            job.question.numbered(plan),
            job.repo_files,
            self._compile_hash,
            self._settings.spec_sha256,
            job.sources or NO_SOURCES,
        )
        changes = job.question.changes_log(computed)
        write_plan(computed, job.outdir, overwrite=job.overwrite, changes=changes, spec=text)
        return computed

    def close(self, end: End, plan: Plan | None = None) -> Compiled:
        """Write the summary."""
        clock = self._deps.clock
        attempts = tuple(self._attempts)
        usage = total_usage(attempts)
        document = CompileSummary(
            outcome=end.outcome,
            exit_code=end.exit_code,
            message=end.message,
            hint=end.hint,
            started_at=self._started_at,
            finished_at=clock.now(),
            elapsed_seconds=round(clock.monotonic() - self._started, 3),
            settings=self._settings,
            compile_hash=self._compile_hash,
            plan_hash=planned_hash(plan) if plan else None,
            work_orders=planned_orders(plan) if plan else (),
            attempts=attempts,
            usage=usage,
            context=context_record(self._job.context),
            cost_usd=cost_usd(self._deps.model, usage, self._job.price),
            diagnostics=diagnostic_records(self._diagnostics),
            remarks=self._remarks(plan),
        )
        self._deps.artifacts.summary(document)
        self.closed = True
        return Compiled(document, self._diagnostics)

    def _remarks(self, plan: Plan | None) -> tuple[RemarkRecord, ...]:
        text = self._spec_text
        return remark_records(plan.remarks if plan else (), None if text is None else SpecLines(text))

    def _check(self, number: int, answer: Answer, before: JsonValue) -> Checked:
        job = self._job
        checked = check_reply(
            answer.text,
            job.repo_files,
            job.spec,
            sources=job.sources,
            amendment=job.question.amendment,
            given=job.question.given,
            allowed_packages=job.allowed_packages,
            before=before,
        )
        if checked.document is not None:
            self._deps.artifacts.document(MANIFEST, number, checked.document)
        self._deps.artifacts.document(DIAGNOSTICS, number, as_json(checked.diagnostics))
        self._diagnostics = checked.diagnostics
        self._deps.watch(Judged(number, checked.diagnostics, checked.is_json))
        self._deps.progress(f"attempt {number}: {_verdict(checked)}")
        return checked

    def _reviewed(self, number: int, checked: Checked) -> tuple[Checked, bool]:
        """A plan with what a second opinion objects to, and whether that leads back to the model.

        It is asked for once. Objections that a later answer neither follows nor gives a reason against stand.
        """
        plan, job = checked.plan, self._job
        if plan is None:
            return checked, False
        amendment = job.question.amendment
        spec = job.spec or (None if self._spec_text is None else Spec.of_text(self._spec_text))
        former = self._opinion
        said = self._asked(number, plan, spec) if former is None else former.unheeded(plan)
        if said is None:
            return checked, False
        found = objected(checked.document, spec, said, amendment.landed if amendment else ())
        standing = sum(not diagnostic.accepted for diagnostic in found)
        if former is None:
            self._opinion = Opinion(plan, said)
            self._deps.progress(f"attempt {number}: {counted_objections(len(found), len(said))}")
        elif standing:
            self._deps.progress(f"attempt {number}: {told_again(standing)}")
        diagnostics = in_order([*checked.diagnostics, *found])
        self._deps.artifacts.document(DIAGNOSTICS, number, as_json(diagnostics))
        self._diagnostics = diagnostics
        self._deps.watch(Judged(number, diagnostics, is_json=True))
        return replace(checked, diagnostics=diagnostics), bool(found if former is None else standing)

    def _asked(self, number: int, plan: Plan, spec: Spec | None) -> tuple[Objection, ...] | None:
        """What a second opinion objects to; None where there is none."""
        template, self._review = self._review, None
        messages = (
            ()
            if template is None
            else question(template, plan, spec, self._job.context, self._job.question.amendment)
        )
        if not messages:
            return None
        self._detail(f"attempt {number}: asking {self._model_name} for a second opinion on the plan")
        try:
            said = opinion(self._asking, number, messages)
        except BudgetReached as error:
            said = End(Outcome.ERROR, error.headline, error.hint)
        if isinstance(said, End):
            # The plan is sound without it, and paid.
            self._deps.progress(f"there is no second opinion: {said.message}")
            return None
        return said

    def _record_attempt(self, number: int, began: float, checked: Checked | None) -> None:
        errors = checked.errors if checked else 0
        self._attempts.append(
            PlanningAttempt(
                number=number,
                elapsed_seconds=round(self._deps.clock.monotonic() - began, 3),
                calls=self._asking.take_calls(),
                is_json=checked.is_json if checked else None,
                errors=errors,
                warnings=len(checked.diagnostics) - errors if checked else 0,
            )
        )


def _halting(diagnostics: Sequence[Diagnostic], plan: Plan) -> int:
    """How many findings a build of the plan stops at."""
    return len(stopping(diagnostics, plan, "auto"))


def _sent_back(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """The first of the findings that an answer is sent back for, errors before warnings, each on its line."""
    ordered = sorted(diagnostics, key=lambda diagnostic: diagnostic.severity is not Severity.ERROR)
    if ordered:
        yield render(ordered[:_SHOWN_FINDINGS], OutputFormat.CONCISE)
    if len(ordered) > _SHOWN_FINDINGS:
        yield f"and {len(ordered) - _SHOWN_FINDINGS} more"


def _verdict(checked: Checked) -> str:
    return summary(checked.diagnostics) if checked.is_json else "the answer is not JSON"
