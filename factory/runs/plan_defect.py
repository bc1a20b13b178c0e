"""What makes a work order impossible on the files that it starts from, before anybody is asked."""

from collections.abc import Callable, Sequence
from typing import Final

from factory.attempt.failure import Failure, Stage
from factory.configuration.command_words import words_of
from factory.contract.work_order import WorkOrder
from factory.languages.port import BadSymbol
from factory.languages.table import parse_symbol
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.plans.diagnostics.render import OutputFormat, render, summary
from factory.plans.rules.judgement import WAYS_OUT
from factory.plans.states.forbidden import contradictions
from factory.system.files.tree import Tree
from factory.system.terminal.console import visible

_NAMED: Final = 20
"""How many diagnostics are told; `planner check` tells all."""


def broken_rules(stopping: Sequence[Diagnostic], source: str) -> Failure | None:
    """What the rules found, as a plan defect; None if nothing stops it.

    Args:
        stopping: what they found and at which nothing is executed.
        source: the name of the file that they looked at.
    """
    if not stopping:
        return None
    shown = sorted(stopping, key=lambda diagnostic: diagnostic.severity is not Severity.ERROR)
    advice = "correct the plan" if shown[0].severity is Severity.ERROR else WAYS_OUT
    return Failure.plan_defect(
        Stage.PREFLIGHT,
        f"{visible(source)}: {summary(stopping)}\n{render(shown, OutputFormat.FULL, most=_NAMED)}",
        hint=f"{advice}; `planner explain {shown[0].code}` says why this matters",
    )


def tell_warnings(judged: Sequence[Diagnostic], source: str, progress: Callable[[str], None]) -> None:
    """Tell the user what the rules warn of, where they found nothing worse.

    Args:
        judged: what they found.
        source: the name of the file that they looked at.
        progress: tells the user.
    """
    if judged:
        progress(f"{visible(source)}: {summary(judged)}\n{render(judged, OutputFormat.FULL, most=_NAMED)}")


def plan_defect(order: WorkOrder, tree: Tree) -> Failure | None:
    """What makes a work order impossible on these files, whatever a model says; None if nothing does."""
    return (
        _forbidden_and_allowed(order)
        or _unusable_command(order)
        or _unreadable_symbol(order)
        or _unmet_precondition(order, tree)
    )


def _forbidden_and_allowed(order: WorkOrder) -> Failure | None:
    for index, path in contradictions(order.allowed_files, order.forbidden):
        return Failure.plan_defect(
            Stage.PREFLIGHT,
            f"`{path}` is both allowed and forbidden, by `{visible(order.forbidden[index])}`",
            where=path,
            hint="take it out of `allowed_files` or of `forbidden`",
        )
    return None


def _unusable_command(order: WorkOrder) -> Failure | None:
    for command in order.acceptance_commands:
        if words_of(command) is None:
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                "an acceptance command can't be executed: it can't be split into words, or names no program",
                where=command,
                hint="correct its quotes in the work order",
            )
    return None


def _unreadable_symbol(order: WorkOrder) -> Failure | None:
    for text in (*order.provides, *order.consumes):
        try:
            parse_symbol(text)
        except BadSymbol as error:
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                f"a symbol that the work order declares can't be read: it {error.message}",
                where=text,
                hint="see `planner explain E304`",
            )
    return None


def _unmet_precondition(order: WorkOrder, tree: Tree) -> Failure | None:
    for condition in order.preconditions:
        exists = tree.exists(condition.path)
        if not condition.holds(exists):
            state = "exists" if exists else "does not exist"
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                f"the precondition {condition.kind} does not hold: `{condition.path}` {state}",
                where=condition.path,
                hint="run the work orders in their order, or correct the plan",
            )
    return None
