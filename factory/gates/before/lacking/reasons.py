"""Why a command can never pass, by whichever program says so."""

from collections.abc import Callable, Sequence

from factory.contract.work_order import WorkOrder
from factory.gates.before.lacking.of_node import lacking_for_node
from factory.gates.before.lacking.of_programs import lacking_for_programs
from factory.gates.before.lacking.of_pytest import lacking_for_pytest
from factory.gates.before.lacking.of_python import lacking_for_python
from factory.gates.check import CheckContext, CommandResult

Says = Callable[[CommandResult, WorkOrder, CheckContext, Sequence[str]], str]


def lacking(result: CommandResult, order: WorkOrder, context: CheckContext, earlier: Sequence[str]) -> str:
    """Why a command can never pass; empty if it may.

    Args:
        result: how it ended on the baseline.
        order: the work order.
        context: of the baseline.
        earlier: the commands before it, which may build what it needs.
    """
    if result.exit_code == 0:
        return ""
    readers: tuple[Says, ...] = (
        lacking_for_pytest,
        lacking_for_python,
        lacking_for_node,
        lacking_for_programs,
    )
    return next((reason for says in readers if (reason := says(result, order, context, earlier))), "")
