"""How a compile ended, as a document: `compile_summary.json`, written on every ending."""

from collections.abc import Iterable

from factory.contract.work_order import Document, Plan, SpecRemark
from factory.llm.port import FinishReason, Usage, total
from factory.plans.diagnostics.diagnostic import Diagnostic
from factory.plans.diagnostics.render import as_json
from planner.compile.ending import Outcome
from planner.compile.exit_codes import ExitCode
from planner.prompt.context import Context, recorded_names
from planner.prompt.grain import Grain
from planner.specification.lines import SpecLines


class Settings(Document):
    """What the compile was told to do.

    Attributes:
        adapter: the adapter that was asked.
        model: the model's name within the adapter.
        spec_sha256: the hash of the specification's bytes; None if it is not known.
        template_sha256: the hash of the template's text.
        repository_files: how many tracked files the plan starts from.
        grain: how large work orders were to be; None of a template that says it itself.
    """

    adapter: str
    model: str
    reasoning_effort: str | None
    max_output_tokens: int
    max_attempts: int
    overwrite: bool
    spec_sha256: str | None
    template_sha256: str
    repository_files: int
    grain: Grain | None = None


class PartRecord(Document):
    """A part of what the model was told beside the specification.

    Attributes:
        part: `AGENTS.md`, `README`, `notes`, `outline` or `tests`.
        tokens: what it took of the limit.
        shown: the names of what was shown; the first hundred of these and of the others.
        shortened: the names of what was shown without details.
        left_out: what there was no room for, what was cut off from the end of a file included.
        unreadable: the names of what could not be shown.
    """

    part: str
    tokens: int
    shown: tuple[str, ...]
    shortened: tuple[str, ...]
    left_out: tuple[str, ...]
    unreadable: tuple[str, ...]


class ContextRecord(Document):
    """What the model was told beside the specification.

    Attributes:
        limit_tokens: the limit, in tokens of two bytes each.
        tokens: what was taken of it.
        notes_sha256: see `note.notes_hash`.
        parts: its parts, the most important first.
    """

    limit_tokens: int
    tokens: int
    notes_sha256: str | None
    parts: tuple[PartRecord, ...]


class CallRecord(Document):
    """One answer of the model.

    Attributes:
        from_ledger: whether it had been stored before, so that no model was asked this time.
    """

    max_output_tokens: int
    finish_reason: FinishReason
    model: str
    request_id: str | None
    usage: Usage
    from_ledger: bool


class PlanningAttempt(Document):
    """One pass prompt → model → check.

    Attributes:
        calls: one answer, or two if the first was cut off at the token limit.
        is_json: whether the answer was JSON; None when there was no answer to check.
    """

    number: int
    elapsed_seconds: float
    calls: tuple[CallRecord, ...]
    is_json: bool | None = None
    errors: int = 0
    warnings: int = 0


class DiagnosticRecord(Document):
    """A diagnostic of the plan that was written, or of the last answer that was checked."""

    code: str
    name: str
    severity: str
    order: str
    pointer: str
    message: str
    hint: str
    accepted: str = ""


class PlannedOrder(Document):
    """A work order of the plan that was written."""

    id: str
    title: str
    depends_on: tuple[str, ...]
    verify_exempt: bool


class RemarkRecord(Document):
    """What the planner noticed about the specification.

    Attributes:
        lines: the numbers of the lines of the specification that it is about, in order.
    """

    kind: str
    text: str
    lines: tuple[int, ...]


class CompileSummary(Document):
    """All of it.

    Attributes:
        message: what happened, one sentence.
        hint: what to do next; empty when nothing is to be done.
        compile_hash: see `emit.compile_hash`.
        plan_hash: the hash of the plan that was written, else None.
        usage: the tokens of all calls together, those answered from the ledger included.
        context: what the model was told beside the specification.
        cost_usd: what the calls cost; None when no price is known for the model.
        diagnostics: of the last answer that was checked.
        remarks: on the specification, of the plan that was written.
    """

    outcome: Outcome
    exit_code: ExitCode
    message: str
    hint: str
    started_at: str
    finished_at: str
    elapsed_seconds: float
    settings: Settings
    compile_hash: str
    plan_hash: str | None
    work_orders: tuple[PlannedOrder, ...]
    attempts: tuple[PlanningAttempt, ...]
    usage: Usage
    context: ContextRecord
    cost_usd: float | None = None
    diagnostics: tuple[DiagnosticRecord, ...]
    remarks: tuple[RemarkRecord, ...] = ()


def total_usage(attempts: tuple[PlanningAttempt, ...]) -> Usage:
    """The tokens of all calls together."""
    return total(call.usage for attempt in attempts for call in attempt.calls)


def planned_orders(plan: Plan) -> tuple[PlannedOrder, ...]:
    """The work orders of a plan whose computed fields are set."""
    return tuple(
        PlannedOrder(
            id=order.id,
            title=order.title,
            depends_on=order.depends_on or (),
            verify_exempt=order.verify_exempt,
        )
        for order in plan.work_orders
    )


def planned_hash(plan: Plan) -> str | None:
    """The hash of a plan whose computed fields are set."""
    return next((order.provenance.plan_hash for order in plan.work_orders if order.provenance), None)


def context_record(context: Context) -> ContextRecord:
    """What the model was told beside the specification, as a document."""
    return ContextRecord(
        limit_tokens=context.limit,
        tokens=context.tokens,
        notes_sha256=context.notes_sha256,
        parts=tuple(
            PartRecord(
                part=shown.part,
                tokens=shown.tokens,
                shown=recorded_names(shown.names),
                shortened=recorded_names(shown.shortened),
                left_out=recorded_names([*shown.cut, *shown.left_out]),
                unreadable=recorded_names([name for name, _ in shown.unreadable]),
            )
            for shown in context.parts
        ),
    )


def remark_records(remarks: Iterable[SpecRemark], lines: SpecLines | None) -> tuple[RemarkRecord, ...]:
    """The remarks with the lines that they are about, as far as they stand in the specification.

    Args:
        remarks: those of a plan.
        lines: the specification; None if it is not known.
    """
    return tuple(
        RemarkRecord(
            kind=remark.kind,
            text=remark.text,
            lines=() if lines is None else _lines(remark.quotes, lines),
        )
        for remark in remarks
    )


def _lines(quotes: Iterable[str], lines: SpecLines) -> tuple[int, ...]:
    return tuple(sorted({line for quote in quotes for line in lines.lines(quote)}))


def diagnostic_records(diagnostics: Iterable[Diagnostic]) -> tuple[DiagnosticRecord, ...]:
    """The diagnostics as documents, in the form that `check` shows as JSON."""
    return tuple(DiagnosticRecord.model_validate(document) for document in as_json(diagnostics))
