"""`planner show`: what a plan will do, for a person who decides whether it shall."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import add_built_in, add_command, add_plan, refuse_lone_branch
from planner.compile.exit_codes import ExitCode

if TYPE_CHECKING:
    from factory.llm.spending.prices import Price

FORMATS = ("text", "markdown", "html")
_RULES: Final = "prompts/software_engineer.md"


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands, "show", "show what a plan will do, in the words of the specification", run
    )
    add_plan(command)
    command.add_argument(
        "order", nargs="?", metavar="WO-NN", help="the work order that is shown (default: the whole plan)"
    )
    add_built_in(command)
    command.add_argument(
        "--llm",
        action="append",
        default=[],
        metavar="MODEL",
        help="a model whose price a build is told at; may be repeated",
    )
    command.add_argument(
        "--format", choices=FORMATS, default="text", help="how it is written (default: %(default)s)"
    )


def run(options: Namespace, console: Console) -> int:
    """Show as the options say; the exit code.

    Raises:
        WorkorderError: an input can't be used, or the plan has no such work order.
    """
    from factory.contract.work_order import WORK_ORDER_ID
    from factory.plans.states.dependencies import depends_on
    from factory.plans.states.sources import NO_SOURCES
    from factory.system.plan_files import read_spec_text
    from factory.system.templates import template_path
    from planner.check.on_disk import check_built_plan
    from planner.commands.inputs import refuse_missing
    from planner.report.building import building, in_words
    from planner.report.page import PageFormat, write_page
    from planner.report.show import Shown, sections, title_of
    from planner.specification.lines import SpecLines

    refuse_lone_branch(options)
    if "plan" in options.defaults and options.order is None and WORK_ORDER_ID.fullmatch(str(options.plan)):
        options.plan, options.order = Path(options.defaults["plan"]), str(options.plan)
    checked, standing = check_built_plan(options.plan, options.repo, options.branch, project=options.project)
    plan = checked.plan
    if plan is None:
        return refuse_missing(checked.diagnostics, options.plan, "show", console)
    ids = [order.id for order in plan.work_orders]
    if options.order is not None and options.order not in ids:
        raise WorkorderError(
            f"the plan has no {options.order}", where=str(options.plan), hint=f"it has {ids[0]} to {ids[-1]}"
        )
    files = frozenset[str]() if standing is None else standing.files
    sources = NO_SOURCES if standing is None else standing.sources
    text = read_spec_text(options.plan, plan.spec_text_hash)
    commits = None if standing is None else standing.commits
    rules = len(template_path(_RULES).read_bytes())
    shown = Shown(
        plan,
        depends_on(plan, files, sources),
        None if text is None else SpecLines(text),
        commits,
        tuple(in_words(building(plan, commits or (), rules), _prices(options.llm))),
    )
    console.paged(write_page(title_of(shown), sections(shown, options.order), PageFormat(options.format)))
    return ExitCode.DONE


def _prices(names: Sequence[str]) -> "Mapping[str, Price | None]":
    """What models cost, by their names; nobody is asked, and no key is needed."""
    if not names:
        return {}
    from factory.llm.adapters.select import price_of_named

    return {name: price_of_named(name) for name in names}
