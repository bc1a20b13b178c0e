"""Reads the plan of a build. Whether it is a good one is for `planner check`."""

from pathlib import Path

from factory.contract.documents import BadDocument, schema_problems
from factory.contract.work_order import Plan
from factory.repository.target import Refused
from factory.system.plan_files import read_plan


def load_plan(path: Path) -> Plan:
    """Read a plan.

    Args:
        path: a manifest, or a directory that holds one or its work orders.

    Raises:
        NoPlan, BadJson, FileProblem: there is none that can be read.
        BadDocument: it is not a plan; every problem is named.
        Refused: its work orders can't be told apart.
    """
    value = read_plan(path)
    problems = schema_problems(Plan, value)
    if problems:
        raise BadDocument(str(path), problems, "`planner check` explains what a plan must look like")
    plan = Plan.model_validate(value)
    seen: set[str] = set()
    for order in plan.work_orders:
        if order.id in seen:
            raise Refused(f"holds {order.id} twice", where=str(path), hint="`planner check` says more")
        seen.add(order.id)
        for dependency in order.depends_on or ():
            if dependency not in seen or dependency == order.id:
                raise Refused(
                    f"{order.id} depends on {dependency}, which does not come before it",
                    where=str(path),
                    hint="compile the plan again, or leave out depends_on: then all earlier ones count",
                )
    return plan
