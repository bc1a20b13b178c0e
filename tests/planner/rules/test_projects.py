"""The rules of plans whose work orders run their commands in projects of the repository."""

from typing import Any

import pytest

from factory.contract.identity import contract_hash
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.plans.states.dependencies import depends_on
from factory.plans.states.sources import Sources
from planner.check.document import check_document, in_project, plan_of
from planner.specification.spec import Spec
from tests.support.plans import makes, manifest
from tests.support.repositories import a_work_order

FILES = {
    "workorder.toml": b'projects = ["services/api", "web"]\n',
    "web/core.py": b"NAME = 'web'\n\n\ndef size(text: str) -> int: ...\n",
    "web/package.json": b'{"name": "web", "dependencies": {"left-pad": "1"}}',
    "services/api/core.py": b"NAME = 'api'\n\n\ndef parse(text: str) -> int: ...\n",
    "services/api/pyproject.toml": b'[project]\nname = "api"\ndependencies = ["fastapi", "PyYAML"]\n',
}
WANTED = ("E101", "E110", "E301", "E302", "E303", "E305", "W101", "W108")


def found(*orders: Any, files: dict[str, bytes] = FILES) -> list[tuple[str, str]]:
    """What is found about projects, commands and symbols: the codes, with their places."""
    sources = Sources(frozenset(files), files.get)
    checked = check_document(manifest(*orders), sources.files, Spec.of_text("x"), sources=sources)
    return [(found.code, found.pointer) for found in checked.diagnostics if found.code in WANTED]


def test_files_and_modules_of_commands_are_looked_for_below_the_project() -> None:
    command = ["python tools/count.py", "python -m core"]
    inside = makes(1, "web/tools/count.py", acceptance_commands=command, project="web")
    outside = {**inside, "project": None}
    assert found(inside) == []
    assert ("W101", "/work_orders/0/acceptance_commands/0") in found(outside)


def test_two_projects_may_provide_a_symbol_of_the_same_name() -> None:
    orders = [
        makes(1, "web/size.py", provides=["size:SIZE: int"], project="web"),
        makes(2, "services/api/size.py", provides=["size:SIZE: int"], project="services/api"),
    ]
    assert found(*orders) == []
    again = makes(3, "web/size.py", provides=["size:SIZE: int"], project="web")
    assert found(*orders, again) == [("E303", "/work_orders/2/provides/0")]


@pytest.mark.parametrize(
    ("project", "symbol", "expected"),
    [
        ("web", "core:size(text: str) -> int", []),
        ("web", "core:parse(text: str) -> int", ["E301"]),
        ("web", "core:size(text: str) -> str", ["E302"]),
        ("services/api", "core:parse(text: str) -> int", []),
        ("services/api", "core:size(text: str) -> int", ["E301"]),
    ],
)
def test_a_consumed_symbol_is_that_of_the_work_orders_own_project(
    project: str, symbol: str, expected: list[str]
) -> None:
    assert [code for code, _ in found(makes(1, f"{project}/a.py", consumes=[symbol], project=project))] == (
        expected
    )


def test_a_symbol_of_the_plan_is_that_of_the_own_project_and_so_is_the_dependency() -> None:
    orders = [
        makes(1, "web/size.py", provides=["size:of(text: str) -> int"], project="web"),
        makes(2, "services/api/size.py", provides=["size:of(text: bytes) -> int"], project="services/api"),
        makes(3, "web/a.py", consumes=["size:of(text: str) -> int"], project="web"),
        makes(4, "services/api/a.py", consumes=["size:of(text: str) -> int"], project="services/api"),
    ]
    assert found(*orders) == [("E302", "/work_orders/3/consumes/0")]
    plan = plan_of(manifest(*orders))
    assert plan is not None
    sources = Sources(frozenset(FILES), FILES.get)
    assert depends_on(plan, sources.files, sources)[2:] == (("WO-01",), ("WO-02",))


def test_a_command_uses_the_modules_of_its_own_project() -> None:
    def command(code: str) -> list[tuple[str, str]]:
        return found(makes(1, "web/a.py", acceptance_commands=[f'python -c "{code}"'], project="web"))

    assert command("from core import size; assert size('a') == 1") == []
    assert command("from core import parse; assert parse('a') == 1") == [
        ("E301", "/work_orders/0/acceptance_commands/0")
    ]
    assert command("from core import size; assert size('a', 2) == 1") == [
        ("E302", "/work_orders/0/acceptance_commands/0")
    ]


def test_a_project_that_the_repository_does_not_have() -> None:
    order = makes(1, "desk/a.py", project="desk")
    assert found(order) == [("E110", "/work_orders/0/project")]
    elsewhere = makes(1, "a.py", project="desk")
    assert found(elsewhere) == [("E110", "/work_orders/0/project")], "one defect, told once"
    assert found(order, files={"workorder.toml": b'projects = ["desk"]'}) == []
    assert found(order, files={"pyproject.toml": b'[tool.workorder]\nprojects = ["desk"]'}) == []
    assert found(order, files={"workorder.toml": b"projects = ["}) == [], "others tell of it"


def test_files_outside_of_the_project_and_a_project_that_is_not_named() -> None:
    assert found(makes(1, "web/a.py", "README.md", project="web")) == [
        ("W108", "/work_orders/0/allowed_files/1")
    ]
    assert found(makes(1, "web/a.py")) == [("W108", "/work_orders/0")]
    assert found(makes(1, "web/a.py", "services/api/a.py")) == []
    assert found(makes(1, "webs/a.py")) == []


@pytest.mark.parametrize(
    ("project", "command", "is_there"),
    [
        ("services/api", "python -m fastapi --version", True),
        ("services/api", "fastapi --version", True),
        ("services/api", 'python -c "import yaml; assert yaml.safe_load(str(1)) == 1"', True),
        ("services/api", "left-pad a", False),
        ("services/api", "python -m api.cli", False),
        ("web", "left-pad a", True),
        ("web", "python -m fastapi --version", False),
    ],
)
def test_packages_of_the_project_bring_programs_and_modules(
    project: str, command: str, is_there: bool
) -> None:
    codes = [
        code for code, _ in found(makes(1, f"{project}/a", acceptance_commands=[command], project=project))
    ]
    assert codes == ([] if is_there else ["W101"])


def test_packages_that_the_plan_declares_bring_them_too() -> None:
    wanted = [
        {"ecosystem": "python", "specifier": "uvicorn>=0.30"},
        {"ecosystem": "node", "specifier": "zod@^4"},
    ]
    commands = ["uvicorn --version", "node -e \"require('zod')\"", "python -m uvicorn --version"]
    order = makes(1, "web/a.py", project="web", acceptance_commands=commands)
    assert len(found(order)) == 3
    assert found({**order, "requires_packages": wanted}) == []


def test_one_version_of_python_is_there_where_it_is_declared() -> None:
    order = makes(1, "a.py", acceptance_commands=["python3.13 -m a", "a", "python -m mypy a.py"])

    def lacking(text: str | None, **fields: object) -> list[str]:
        files = {} if text is None else {"pyproject.toml": text.encode()}
        sources = Sources(frozenset(files), files.get)
        checked = check_document(manifest(order, **fields), sources.files, sources=sources)
        return [it.pointer.rpartition("/")[2] for it in checked.diagnostics if it.code == "W101"]

    # A program of the product's own name is nowhere on the PATH.
    assert lacking(None) == ["0", "1", "2"]
    assert lacking('requires-python = ">=3.13"') == ["1", "2"]
    assert lacking(None, environment={"python_version": "3.13"}) == ["1", "2"]
    assert lacking('dependencies = ["mypy>=1"]') == ["0", "1"]


def test_a_work_order_that_names_no_project_belongs_to_the_only_one() -> None:
    sources = Sources(frozenset(FILES), FILES.get, RepoPath.parse("web"))
    plain = manifest(makes(1, "web/a.py", acceptance_commands=["python -m core"]), makes(2, "web/b.py"))
    document = in_project(plain, sources.alone)
    codes = {found.code for found in check_document(document, sources.files, sources=sources).diagnostics}
    assert not codes & {*WANTED}
    plan, placed = plan_of(plain), plan_of(document)
    assert plan is not None and placed is not None
    assert plan.in_project(sources.alone) == placed
    assert [order.project for order in placed.work_orders] == ["web", "web"]
    assert in_project(plain, None) is plain and in_project([1], sources.alone) == [1]


def test_a_project_binds_and_none_leaves_the_contract_as_it_was() -> None:
    plain = WorkOrder.model_validate(a_work_order())
    named = WorkOrder.model_validate(a_work_order(project="web"))
    assert contract_hash(plain) != contract_hash(named)
    assert contract_hash(plain) == contract_hash(WorkOrder.model_validate(a_work_order(project=None)))
    assert "project" not in plain.model_dump(mode="json")
