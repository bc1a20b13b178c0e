"""Reads what is to be executed: a plan, a work order, or both. Whether it is a good one is for the rules."""

from pathlib import Path

from factory.contract.documents import BadDocument, read_document, schema_problems
from factory.contract.strict_json import BadJson
from factory.contract.work_order import MANIFEST_NAME, Plan, WorkOrder
from factory.repository.target import Refused
from factory.specification.passages import Specification
from factory.system.files.tree import read_bounded
from factory.system.plan_files import read_plan, read_spec_text


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


def load_specification(path: Path, plan: Plan | None) -> Specification | None:
    """Read the specification that a plan was made for; None if the plan keeps none.

    Args:
        path: where the plan was read from.
        plan: the plan; None if there is none.

    Raises:
        NoPlan, FileProblem: it is not as the plan says, or can't be read.
    """
    text = read_spec_text(path, plan.spec_text_hash) if plan is not None else None
    return Specification(text) if text is not None else None


def load_work_order(path: Path) -> WorkOrder:
    """Read a work order from its file.

    Raises:
        FileProblem: it can't be read.
        BadJson, BadDocument: it is not a work order; every problem is named.
        Refused: it is a plan.
    """
    try:
        return read_document(
            WorkOrder,
            read_bounded(path),
            str(path),
            hint="`planner explain E005` shows what a work order must look like",
        )
    except BadJson as error:
        if path.suffix.lower() == ".json":
            raise
        raise Refused(
            "is no work order, which is JSON",
            where=str(path),
            hint="name a WO-NN.json of a plan's directory; `planner compile --spec` makes a plan of a"
            " specification",
        ) from error
    except BadDocument as error:
        if any(problem.pointer == "/work_orders" for problem in error.problems):
            raise Refused(
                "is a plan, not one work order",
                where=str(path),
                hint="`factory build --plan` executes it; or name one of its WO-NN.json",
            ) from error
        raise


def order_of(plan: Plan, order_id: str, path: Path) -> WorkOrder:
    """A work order of a plan.

    Args:
        plan: the plan.
        order_id: the work order's id.
        path: where the plan was read from.

    Raises:
        Refused: it has none of that id.
    """
    found = next((order for order in plan.work_orders if order.id == order_id), None)
    if found is None:
        raise Refused(f"has no work order {order_id}", where=str(path), hint="`planner show` lists them")
    return found


def plan_beside(path: Path, order: WorkOrder) -> Plan | None:
    """The plan that a work order's file is a part of; None if its manifest does not stand beside the file.

    Args:
        path: the work order's file.
        order: the work order.

    Raises:
        NoPlan: the work orders beside the manifest are not those of the manifest.
        BadJson, FileProblem, BadDocument, Refused: the plan can't be read.
    """
    is_part = path.name == f"{order.id}.json" and (path.parent / MANIFEST_NAME).exists()
    return load_plan(path.parent) if is_part else None
