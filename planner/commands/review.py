"""`planner review`: asks a model for a second opinion on a plan that exists."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import (
    PROVIDER_DEFAULT,
    add_built_in,
    add_command,
    add_opinion,
    add_output_format,
    add_plan,
    refuse_lone_branch,
)
from planner.compile.exit_codes import ExitCode

if TYPE_CHECKING:
    from factory.llm.port import Message
    from planner.compile.ending import End
    from planner.plan.objections import Objection


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "review", "ask a model for a second opinion on a plan that exists", run)
    add_plan(command)
    add_built_in(command)
    command.add_argument(
        "--spec",
        type=Path,
        metavar="FILE",
        help="the specification that the plan is for (default: the copy beside the plan)",
    )
    add_output_format(command)
    add_opinion(command)


def run(options: Namespace, console: Console) -> int:
    """Ask as the options say; the exit code.

    Raises:
        WorkorderError: an input can't be used, the model can't be asked, or a limit is reached.
    """
    from factory.plans.diagnostics.render import OutputFormat, render
    from factory.plans.states.sources import NO_SOURCES
    from factory.system.notes import read_notes
    from planner.check.document import objected
    from planner.check.on_disk import check_built_plan
    from planner.commands.inputs import plan_files, read_old_spec, read_review_template, refuse_missing
    from planner.commands.job import shown_sources
    from planner.compile.ending import End
    from planner.compile.reviewing import counted_objections, question
    from planner.prompt.gather import gather

    refuse_lone_branch(options)
    checked, standing = check_built_plan(options.plan, options.repo, options.branch, project=options.project)
    if checked.plan is None or not checked.ok:
        # What rules find costs nothing, so it is mended first.
        return refuse_missing(checked.diagnostics, options.plan, "review", console)
    spec = read_old_spec(options.spec, options.plan, checked.plan)
    sources = standing.sources if standing is not None else NO_SOURCES
    text = None if spec is None else spec.text
    context = gather(
        shown_sources(sources),
        read_notes(options.knowledge),
        text,
        options.context_tokens,
        before=checked.plan,
    )
    said = _asked(question(read_review_template(), checked.plan, spec, context), options, console)
    if isinstance(said, End):
        console.error(said.message + (f"\n  hint: {said.hint}" if said.hint else ""))
        return said.exit_code
    landed = frozenset(standing.commits) if standing is not None else frozenset()
    found = objected(checked.document, spec, said, landed)
    shown = render(found, OutputFormat(options.output_format), plan_files(options.plan))
    if shown:
        console.result(shown)
    console.progress(f"{options.plan}: {counted_objections(len(found), len(said))}")
    return ExitCode.INVALID if any(not finding.accepted for finding in found) else ExitCode.DONE


def _asked(
    messages: "tuple[Message, ...]", options: Namespace, console: Console
) -> "tuple[Objection, ...] | End":
    """What the model that the options name objects to; the same question is answered from the ledger."""
    import os

    from factory.llm.adapters.select import select_model
    from factory.llm.ledger.store import Ledger
    from factory.llm.port import Parameters
    from factory.llm.spending.budget import Budget, Limits
    from factory.llm.spending.prices import Price
    from planner.compile.artifacts import LEDGER_NAME, Artifacts
    from planner.compile.asking import Asking
    from planner.compile.reviewing import opinion

    directory = options.artifacts_dir or _beside(options.plan)
    ledger = Ledger(options.ledger if options.ledger is not None else directory / LEDGER_NAME)
    price = Price(*options.price) if options.price else None
    budget = Budget(Limits(options.max_cost_usd, options.max_tokens, price), ledger)
    model = select_model(options.llm, stage="planner", ledger=ledger, environment=os.environ, budget=budget)
    effort = options.reasoning_effort
    parameters = Parameters(
        max_output_tokens=options.max_output_tokens,
        reasoning_effort=None if effort == PROVIDER_DEFAULT else effort,
    )
    artifacts = Artifacts(directory)
    artifacts.open()
    console.progress(f"asking {model.adapter}:{model.name} for a second opinion on {options.plan}")
    return opinion(Asking(model, parameters, artifacts, console.progress), 1, messages)


def _beside(plan: Path) -> Path:
    place = plan.resolve()
    folder = place if place.is_dir() else place.parent
    return folder.with_name(f"{folder.name}.review")
