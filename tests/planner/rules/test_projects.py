"""The rules of plans whose work orders run their commands in projects of the repository."""

from typing import Any

from factory.contract.identity import contract_hash
from factory.contract.work_order import WorkOrder
from factory.plans.states.sources import Sources
from planner.check.document import check_document
from planner.specification.spec import Spec
from tests.support.plans import makes, manifest
from tests.support.repositories import a_work_order

FILES = {"web/core.py": b"NAME = 'web'\n", "services/api/core.py": b"NAME = 'api'\n"}


def codes(*orders: Any) -> set[tuple[str, str]]:
    """What is found about commands and symbols: the codes, with their places."""
    sources = Sources(frozenset(FILES), FILES.get)
    checked = check_document(manifest(*orders), sources.files, Spec.of_text("x"), sources=sources)
    wanted = ("W101", "E303", "E305", "E301")
    return {(found.code, found.pointer) for found in checked.diagnostics if found.code in wanted}


def test_files_and_modules_of_commands_are_looked_for_below_the_project() -> None:
    command = ["python tools/count.py", "python -m core"]
    inside = makes(1, "web/tools/count.py", acceptance_commands=command, project="web")
    outside = {**inside, "project": None}
    assert codes(inside) == set()
    assert ("W101", "/work_orders/0/acceptance_commands/0") in codes(outside)


def test_two_projects_may_provide_a_symbol_of_the_same_name() -> None:
    orders = [
        makes(1, "web/size.py", provides=["size:SIZE: int"], project="web"),
        makes(2, "services/api/size.py", provides=["size:SIZE: int"], project="services/api"),
    ]
    assert not {code for code, _ in codes(*orders)} & {"E303", "E305"}
    assert "E303" in {code for code, _ in codes(*({**order, "project": None} for order in orders))}


def test_a_project_binds_and_none_leaves_the_contract_as_it_was() -> None:
    plain = WorkOrder.model_validate(a_work_order())
    named = WorkOrder.model_validate(a_work_order(project="web"))
    assert contract_hash(plain) != contract_hash(named)
    assert contract_hash(plain) == contract_hash(WorkOrder.model_validate(a_work_order(project=None)))
    assert "project" not in plain.model_dump(mode="json")
