"""E214: who names a package that a plan requires; and what a plan's environment is then."""

import json
from typing import Any

import pytest

from factory.contract.documents import schema_problems
from factory.contract.packages.planned import PlannedEnvironment
from factory.contract.work_order import Plan, WorkOrder
from factory.plans.states.sources import Sources
from planner.check.document import check_document, check_reply
from planner.specification.spec import Spec
from tests.support.plans import makes, manifest, order


def package(specifier: str, ecosystem: str = "python") -> dict[str, str]:
    return {"ecosystem": ecosystem, "specifier": specifier}


def refused(spec: str, *packages: Any, files: dict[str, bytes] | None = None, **more: Any) -> list[str]:
    """The places of packages that nobody names."""
    sources = Sources(frozenset(files or {}), (files or {}).get)
    document = manifest(makes(1, "a.py", requires_packages=list(packages)), **more)
    allowed = more.pop("allow", ())
    document.pop("allow", None)
    checked = check_document(
        document, sources.files, Spec.of_text(spec), sources=sources, allowed_packages=allowed
    )
    return [found.pointer for found in checked.diagnostics if found.code == "E214"]


@pytest.mark.parametrize(
    ("spec", "required"),
    [
        ("A FastAPI service.", package("fastapi>=0.120")),
        ("It uses `ruamel.yaml`.", package("ruamel-yaml")),
        ("With SQLAlchemy, 2.0.", package("sqlalchemy[asyncio]>=2")),
        ("It uses zod.", package("zod@^4", "node")),
        ("It uses @types/node.", package("@types/node@^22", "node")),
        ("It uses @types/node.", package("dev:@types/node@^22", "node")),
    ],
)
def test_a_package_that_the_specification_names_is_allowed(spec: str, required: Any) -> None:
    assert refused(spec, required) == []


@pytest.mark.parametrize(
    ("spec", "required"),
    [
        ("A service.", package("fastapi")),
        ("It uses fastapi-users.", package("fastapi")),
        ("It uses my-fastapi.", package("fastapi")),
        ("It uses @types/node.", package("node@*", "node")),
        ("It needs a dev.", package("dev:zod", "node")),
    ],
)
def test_one_that_nobody_names_is_not(spec: str, required: Any) -> None:
    assert refused(spec, required) == ["/work_orders/0/requires_packages/0"]


def test_the_repositorys_own_files_and_a_person_may_name_one() -> None:
    wanted = package("numpy")
    assert (
        refused("A service.", wanted, files={"workorder.toml": b'[environment]\npython = ["numpy>=2"]\n'})
        == []
    )
    assert refused("A service.", wanted, files={"a.py": b"import numpy"}) != []
    assert refused("A service.", wanted, allow=("NumPy",)) == []
    assert refused("A service.", wanted, allowed_packages=["numpy"]) == []


def test_the_files_of_a_project_may_name_one() -> None:
    files = {
        "workorder.toml": b'projects = ["api"]\n',
        "api/pyproject.toml": b'[project]\ndependencies = ["numpy"]\n',
        "web/pyproject.toml": b'[project]\ndependencies = ["scipy"]\n',
        "api/uv.lock": b'name = "pydantic"\n',
    }
    assert refused("A service.", package("numpy"), package("pydantic"), files=files) == []
    assert refused("A service.", package("scipy"), files=files) == ["/work_orders/0/requires_packages/0"]


@pytest.mark.parametrize(
    ("lock", "text"),
    [
        ("requirements.lock", "fastapi==0.120.1 \\\n    --hash=sha256:00\npydantic==2.12 \\\n"),
        ("uv.lock", '[[package]]\nname = "pydantic"\nversion = "2.12"\n'),
        ("pylock.toml", '[[packages]]\nname = "pydantic"\n'),
        ("package-lock.json", '{"packages": {"node_modules/a/node_modules/pydantic": {"version": "1.0.0"}}}'),
        ("pnpm-lock.yaml", "packages:\n\n  pydantic@1.0.0:\n    resolution: {}\n"),
    ],
)
def test_a_package_that_a_lock_holds_may_be_required(lock: str, text: str) -> None:
    of_python = "json" not in lock and "pnpm" not in lock
    wanted, other = package("pydantic>=2"), package("pydantic@*", "node")
    if not of_python:
        wanted, other = other, wanted
    files = {lock: text.encode()}
    assert refused("A service.", wanted, files=files) == []
    assert refused("A service.", other, files=files) != []
    assert refused("A service.", package("pydantic-core"), files=files) != []


def test_the_plans_own_environment_is_judged_too() -> None:
    environment = {"python": ["numpy", "fastapi"], "node": {"@a/b": "^1"}}
    assert refused("A FastAPI service.", environment=environment) == [
        "/environment/node/@a~1b",
        "/environment/python/0",
    ]


def test_a_model_can_not_allow_itself_a_package() -> None:
    document = manifest(makes(1, "a.py", requires_packages=[package("numpy")]), allowed_packages=["numpy"])
    checked = check_reply(json.dumps(document), frozenset(), Spec.of_text("A service."))
    assert "E214" in {found.code for found in checked.diagnostics}


@pytest.mark.parametrize(
    "required",
    [
        package("x @ https://evil.example/x.whl"),
        package("--index-url=x"),
        package("zod", "pypi"),
        package("zod@github:evil/zod", "node"),
        package("dev:", "node"),
        package("dev:dev:zod", "node"),
        package("dev:zod@github:evil/zod", "node"),
        package("dev:pytest"),
        package("../x@1", "node"),
        package("", "node"),
        package("", "python"),
    ],
)
def test_what_is_no_package_of_a_registry_is_refused(required: Any) -> None:
    assert schema_problems(WorkOrder, order(1, requires_packages=[required]))


def test_the_environment_of_a_plan_holds_what_its_work_orders_require() -> None:
    plan = Plan.model_validate(
        manifest(
            makes(1, "a.py", requires_packages=[package("fastapi>=0.120"), package("zod@^3", "node")]),
            makes(2, "b.py", requires_packages=[package("fastapi>=0.120"), package("@a/b", "node")]),
            environment={"python": ["numpy"], "node": {"zod": "^4"}},
        )
    )
    wanted = plan.wanted_environment()
    assert wanted is not None
    assert wanted.python == ("numpy", "fastapi>=0.120")
    assert wanted.node == {"zod": "^4", "@a/b": "*"}
    assert Plan.model_validate(manifest(order())).wanted_environment() is None


def test_what_a_work_order_needs_to_run_is_not_for_development_only() -> None:
    def wanted(*packages: str, **environment: Any) -> PlannedEnvironment | None:
        orders = [
            makes(number, f"{number}.ts", requires_packages=[package(specifier, "node")])
            for number, specifier in enumerate(packages, start=1)
        ]
        return Plan.model_validate(manifest(*orders, environment=environment)).wanted_environment()

    assert wanted(
        "dev:typescript@^5", "dev:@types/node", "dev:typescript@^6", "zod@^4"
    ) == PlannedEnvironment(node={"zod": "^4"}, node_dev={"typescript": "^5", "@types/node": "*"})
    once = PlannedEnvironment(node={"zod": "^4"})
    assert wanted("dev:zod@^4", "zod@^3") == wanted("zod@^4", "dev:zod@^3") == once
    assert wanted("zod", node_dev={"zod": "^4"}) == wanted("dev:zod", node={"zod": "^4"}) == once


def test_a_plans_environment_names_packages_for_development_too() -> None:
    named = {"environment": {"node_dev": {"typescript": "^5", "@a/b": "*"}}}

    assert refused("With TypeScript.", **named) == ["/environment/node_dev/@a~1b"]
