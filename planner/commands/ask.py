"""Asks a model for the plan that a job describes, and tells how that ended.

Not here: the loop of questions and answers (`compile.loop`).
"""

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from factory.contract.errors import WorkorderError
from factory.llm.adapters.replay import REPLAY
from factory.llm.adapters.select import price_of_named, select_model
from factory.llm.ledger.store import Ledger
from factory.llm.port import Request, Usage, identity, total
from factory.llm.spending.budget import Budget, Limits
from factory.llm.spending.prices import known_price
from factory.plans.diagnostics.render import OutputFormat, counted, lines_named, render
from factory.system.clock import SystemClock
from factory.system.terminal.console import Console, one_line
from factory.system.terminal.notify import Ended, notify
from planner.commands.live import Ear, shown
from planner.compile.artifacts import LEDGER_NAME, Artifacts, default_directory
from planner.compile.ending import Outcome
from planner.compile.exit_codes import EXIT_CODES, ExitCode
from planner.compile.job import Job
from planner.compile.loop import Compiled, Deps, compile_spec
from planner.compile.manifest_schema import SCHEMA_NAME
from planner.compile.summary import CompileSummary, RemarkRecord
from planner.prompt.context import render_context
from planner.report import estimate
from planner.report.asking import Asking


def execute(job: Job, options: Namespace, console: Console) -> int:
    """Compile, or revise, and tell how it ended; with `--estimate`, only what that may cost. The exit code.

    Raises:
        WorkorderError: the model can't be asked, or a file can't be written.
    """
    if options.estimate:
        console.result(_estimate(job, options))
        return ExitCode.DONE
    directory = _artifacts_directory(options)
    ledger = Ledger(options.ledger if options.ledger is not None else directory / LEDGER_NAME)
    budget = Budget(Limits(options.max_cost_usd, options.max_tokens, job.price), ledger)
    heard = Ear()
    model = select_model(
        options.llm, stage="planner", ledger=ledger, environment=os.environ, budget=budget, heard=heard
    )
    for line in render_context(job.context):
        console.progress(line)
    if options.llm.startswith(REPLAY):
        console.progress(
            f"answers come from the recording {options.llm.removeprefix(REPLAY)}: no model is asked"
        )
    clock = SystemClock()

    def beginning() -> Asking:
        limits = Limits(options.max_cost_usd, options.max_tokens)
        is_limited = limits.usd is not None or limits.tokens is not None
        held = total(entry.answer.usage for _, entry in ledger.answers() if is_limited)
        price = job.price or known_price(model)
        return Asking(identity(model), job.max_attempts, clock.monotonic(), limits, price, held)

    try:
        with shown(console, console.animated(os.environ), beginning, clock) as face:
            heard.by = face.heard
            deps = Deps(model, clock, Artifacts(directory), face.progress, face.watch, face.detail)
            result = compile_spec(job, deps)
    except WorkorderError as error:
        _notify(EXIT_CODES[error.fault], error.message, options, console)
        raise
    _tell(result, options, directory, console)
    _notify(result.summary.exit_code, result.summary.message, options, console)
    return result.summary.exit_code


def _notify(exit_code: int, message: str, options: Namespace, console: Console) -> None:
    ended = Ended(f"planner {options.command}", exit_code, message)
    notify(options.notify, ended, console, os.environ)


def _estimate(job: Job, options: Namespace) -> str:
    first = Request(
        purpose="plan",
        messages=job.messages(),
        schema_name=SCHEMA_NAME,
        answer_schema=job.question.schema(job.named_projects),
        parameters=job.parameters,
        attempt=1,
    )
    # No key is needed, so it can be asked for before there is one.
    price = job.price or price_of_named(options.llm)
    return estimate.in_words(first, job.max_attempts, price, reviews=job.review is not None)


def _artifacts_directory(options: Namespace) -> Path:
    outdir: Path = options.outdir
    chosen: Path | None = options.artifacts_dir
    if chosen is None:
        if not outdir.resolve().name:
            raise WorkorderError(
                "the root directory has no place beside it", where="--outdir", hint="give --artifacts-dir"
            )
        return default_directory(outdir)
    if outdir.resolve().is_relative_to(chosen.resolve()):
        raise WorkorderError(
            "the artifacts ignore themselves for git, and would hide a plan among them",
            where=f"--artifacts-dir {chosen}",
            hint="name another directory",
        )
    return chosen


def _tell(result: Compiled, options: Namespace, directory: Path, console: Console) -> None:
    summary = result.summary
    if result.diagnostics:
        console.progress(render(result.diagnostics, OutputFormat.FULL))
    advice = f"\n  hint: {summary.hint}" if summary.hint else ""
    if summary.outcome is Outcome.WRITTEN:
        console.result(console.naming(f"{options.outdir}: {summary.message}{advice}"))
    else:
        console.error(summary.message + advice)
    for line in _remarks(summary.remarks):
        console.result(line)
    console.progress(f"artifacts: {directory}")
    if options.print_summary:
        console.result(_in_words(summary))


def _remarks(remarks: Sequence[RemarkRecord]) -> Iterator[str]:
    """What the planner noticed about the specification, for the person whose it is."""
    if remarks:
        yield f"the planner has {counted(len(remarks), 'remark')} on the specification:"
    for remark in remarks:
        place = f"{lines_named(remark.lines)}: " if remark.lines else ""
        yield f"  {place}{remark.kind}: {one_line(remark.text)}"


def _in_words(summary: CompileSummary) -> str:
    """The summary for a person; the whole of it is in its file."""
    width = max((len(order.id) for order in summary.work_orders), default=0)
    lines = [f"{order.id:<{width}}  {order.title}{_after(order.depends_on)}" for order in summary.work_orders]
    lines += [
        f"model     {summary.settings.adapter}:{summary.settings.model}",
        f"attempts  {len(summary.attempts)} of {summary.settings.max_attempts}",
        f"tokens    {_tokens(summary.usage)}",
        *([] if summary.cost_usd is None else [f"cost      ${summary.cost_usd:.4f}"]),
        *([f"context   {_context(summary)}"] if summary.context.parts else []),
        f"time      {summary.elapsed_seconds:.1f} s",
        f"compiled  {summary.compile_hash}",
    ]
    if summary.plan_hash is not None:
        lines.append(f"plan      {summary.plan_hash}")
    return "\n".join(lines)


def _after(dependencies: tuple[str, ...]) -> str:
    return f"  (after {', '.join(dependencies)})" if dependencies else ""


def _context(summary: CompileSummary) -> str:
    context = summary.context
    return f"about {context.tokens:,} of {context.limit_tokens:,} tokens of each prompt"


def _tokens(usage: Usage) -> str:
    about = "about " if usage.estimated else ""
    return (
        f"{about}{usage.input_tokens:,} in ({usage.cached_tokens:,} cached), "
        f"{usage.output_tokens:,} out ({usage.reasoning_tokens:,} reasoning)"
    )
