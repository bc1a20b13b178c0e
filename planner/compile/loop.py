"""The compile loop: prompt → model → check → revise, until a plan is right or the attempts are spent.

What it touches is handed in: the model, the clock, the artifacts, who hears of progress. Not here: what
a right plan is (`check`), how it is written (`emit`), and options and exit (`cli`).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from factory.contract.canonical import canonical_json, dump, plan_hash, sha256_hex
from factory.contract.work_order import Plan
from factory.llm.ledger.store import RecordedModel
from factory.llm.port import Answer, Message, Parameters
from factory.llm.spending.prices import Price, cost_usd
from factory.system.clock import Clock
from factory.system.files.tree import FileProblem
from factory.system.process.signals import shielded
from planner.check.document import Checked, check_reply
from planner.compile.amending import Amending
from planner.compile.artifacts import Artifacts
from planner.compile.asking import Asking
from planner.compile.emit import compile_hash, with_computed_fields, write_plan
from planner.compile.ending import (
    End,
    attempts_spent,
    severities,
    stopped_by,
    written,
)
from planner.compile.manifest_schema import manifest_schema, revision_schema
from planner.compile.summary import (
    AttemptRecord,
    CompileSummary,
    ContextRecord,
    PartRecord,
    Settings,
    diagnostic_records,
    planned_orders,
    total_usage,
)
from planner.diagnostics.diagnostic import Diagnostic
from planner.diagnostics.render import OutputFormat, as_json, render, summary
from planner.prompt.gather import NOTHING, Context, recorded_names
from planner.prompt.template import Template, first_messages, revision_message
from planner.repository.sources import NO_SOURCES, Sources
from planner.specification.spec import Spec


@dataclass(frozen=True)
class Job:
    """What is compiled, and how.

    Attributes:
        spec: the specification; None only of a revision.
        template: the template of the first question.
        revision: the template of what follows a refused answer.
        repo_files: the tracked files that the plan starts from; empty for a new repository.
        outdir: where the plan goes.
        overwrite: whether a plan that is there may be replaced.
        max_attempts: how many answers are checked before giving up.
        parameters: the model's parameters at the start.
        price: what the user says that the model costs; None to look it up.
        sources: the repository as it is now; None if nobody looked.
        context: what the model is told beside the specification.
        amending: the revision, if a plan is revised.
    """

    spec: Spec | None
    template: Template
    revision: Template
    repo_files: frozenset[str]
    outdir: Path
    overwrite: bool
    max_attempts: int
    parameters: Parameters
    price: Price | None = None
    sources: Sources | None = None
    context: Context = NOTHING
    amending: Amending | None = None

    def question(self) -> tuple[Message, ...]:
        """What the model is asked first."""
        spec = None if self.spec is None else self.spec.text
        first = first_messages(self.template, spec, self.context.listing)
        return (*first, *self.further)

    @property
    def further(self) -> tuple[Message, ...]:
        """What follows the template: what is known beside the specification, and the revision."""
        amending = None if self.amending is None else self.amending.message
        return tuple(one for one in (self.context.message, amending) if one is not None)


@dataclass(frozen=True)
class Deps:
    """What a compile touches."""

    model: RecordedModel
    clock: Clock
    artifacts: Artifacts
    progress: Callable[[str], None]


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
    compiling = _Compile(job, deps)
    try:
        reached = compiling.attempt_until_right()
        # A signal waits until the plan is whole and the summary tells of it.
        with shielded():
            if isinstance(reached, End):
                return compiling.close(reached)
            plan = compiling.write(reached)
            return compiling.close(written(len(plan.work_orders)), plan)
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
        schema = manifest_schema() if job.amending is None else revision_schema()
        self._asking = Asking(deps.model, job.parameters, schema, deps.artifacts, deps.progress)
        self._attempts: list[AttemptRecord] = []
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self._started_at = deps.clock.now()
        self._started = deps.clock.monotonic()

    def attempt_until_right(self) -> Plan | End:
        """Ask, check and ask again; the plan, or why there is none."""
        first = self._job.question()
        messages = first
        number = 1
        while True:
            began = self._deps.clock.monotonic()
            self._deps.progress(f"attempt {number} of {self._job.max_attempts}: asking {self._model_name()}")
            answer = self._asking.ask(number, messages)
            if isinstance(answer, End):
                self._record_attempt(number, began, None)
                return answer
            checked = self._check(number, answer)
            self._record_attempt(number, began, checked)
            if checked.ok and checked.plan is not None:
                return checked.plan
            if number == self._job.max_attempts:
                return attempts_spent(number, checked)
            found = [render([one], OutputFormat.FULL) for one in checked.diagnostics]
            messages = (*first, revision_message(self._job.revision, answer.text, found))
            number += 1

    def write(self, plan: Plan) -> Plan:
        """Write the plan with its computed fields, and return it with them."""
        job = self._job
        amending = job.amending
        numbered = plan if amending is None else amending.numbered(plan)
        computed = with_computed_fields(
            numbered,
            job.repo_files,
            self._compile_hash(),
            self._spec_hash(),
            job.sources or NO_SOURCES,
        )
        changes = None if amending is None else amending.changes_log(computed)
        write_plan(computed, job.outdir, overwrite=job.overwrite, changes=changes)
        return computed

    def close(self, end: End, plan: Plan | None = None) -> Compiled:
        """Write the summary."""
        clock = self._deps.clock
        attempts = tuple(self._attempts)
        usage = total_usage(attempts)
        told = CompileSummary(
            outcome=end.outcome,
            exit_code=end.exit_code,
            message=end.message,
            hint=end.hint,
            started_at=self._started_at,
            finished_at=clock.now(),
            elapsed_seconds=round(clock.monotonic() - self._started, 3),
            settings=self._settings(),
            compile_hash=self._compile_hash(),
            plan_hash=plan_hash(plan) if plan else None,
            work_orders=planned_orders(plan) if plan else (),
            attempts=attempts,
            usage=usage,
            context=self._context(),
            cost_usd=cost_usd(self._deps.model, usage, self._job.price),
            diagnostics=diagnostic_records(self._diagnostics),
        )
        self._deps.artifacts.summary(dump(told))
        self.closed = True
        return Compiled(told, self._diagnostics)

    def _check(self, number: int, answer: Answer) -> Checked:
        job = self._job
        checked = check_reply(
            answer.text,
            job.repo_files,
            job.spec,
            sources=job.sources,
            amendment=None if job.amending is None else job.amending.amendment,
        )
        if checked.document is not None:
            self._deps.artifacts.manifest(number, checked.document)
        self._deps.artifacts.diagnostics(number, as_json(checked.diagnostics))
        self._diagnostics = checked.diagnostics
        self._deps.progress(f"attempt {number}: {_verdict(checked)}")
        return checked

    def _record_attempt(self, number: int, began: float, checked: Checked | None) -> None:
        errors, warnings = severities(checked) if checked else (0, 0)
        self._attempts.append(
            AttemptRecord(
                number=number,
                elapsed_seconds=round(self._deps.clock.monotonic() - began, 3),
                calls=self._asking.take_calls(),
                is_json=checked.is_json if checked else None,
                errors=errors,
                warnings=warnings,
            )
        )

    def _settings(self) -> Settings:
        job = self._job
        return Settings(
            adapter=self._deps.model.adapter,
            model=self._deps.model.name,
            reasoning_effort=job.parameters.reasoning_effort,
            max_output_tokens=job.parameters.max_output_tokens,
            max_attempts=job.max_attempts,
            overwrite=job.overwrite,
            spec_sha256=self._spec_hash(),
            template_sha256=sha256_hex(job.template.text.encode("utf-8")),
            repository_files=len(job.repo_files),
        )

    def _context(self) -> ContextRecord:
        context = self._job.context
        return ContextRecord(
            limit_tokens=context.limit,
            tokens=context.tokens,
            notes_sha256=context.notes_sha256,
            parts=tuple(
                PartRecord(
                    part=one.part,
                    tokens=one.tokens,
                    shown=recorded_names(one.names),
                    shortened=recorded_names(one.shortened),
                    left_out=recorded_names([*one.cut, *one.left_out]),
                    unreadable=recorded_names([name for name, _ in one.unreadable]),
                )
                for one in context.parts
            ),
        )

    def _model_name(self) -> str:
        return f"{self._deps.model.adapter}:{self._deps.model.name}"

    def _compile_hash(self) -> str:
        job = self._job
        source = "" if job.spec is None else job.spec.text
        if job.further:
            source = canonical_json([source, *(one.content for one in job.further)]).decode("utf-8")
        effort = job.parameters.reasoning_effort
        return compile_hash(source, job.template.text, self._model_name(), effort)

    def _spec_hash(self) -> str | None:
        """The hash of the specification; of one that is not at hand, what the plan before says."""
        job = self._job
        if job.spec is not None or job.amending is None:
            return job.spec.sha256 if job.spec is not None else None
        provenance = job.amending.amendment.before.work_orders[0].provenance
        return None if provenance is None else provenance.spec_hash


def _verdict(checked: Checked) -> str:
    return summary(checked.diagnostics) if checked.is_json else "the answer is not JSON"
