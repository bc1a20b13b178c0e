"""Declared packages: what names one of a registry, and everything that would make a tool look elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from pydantic import ValidationError

from factory.contract.identity import plan_hash
from factory.contract.packages.names import (
    is_node_package,
    is_node_range,
    normalised_name,
    parse_requirement,
)
from factory.contract.packages.planned import PlannedEnvironment
from factory.contract.work_order import Plan, WorkOrder

ORDER = WorkOrder.model_validate(
    {
        "id": "WO-01",
        "title": "t",
        "intent": "i",
        "allowed_files": ["a.py"],
        "acceptance_commands": ["python a.py"],
    }
)


@pytest.mark.parametrize(
    "text",
    [
        "fastapi",
        "fastapi>=0.120",
        "uvicorn[standard]>=0.30,<1",
        "psycopg[binary]~=3.2",
        'tomli>=2; python_version < "3.11"',
        "ruamel.yaml (>=0.18)",
    ],
)
def test_a_package_of_the_index_is_a_requirement(text: str) -> None:
    assert str(parse_requirement(text)) == str(Requirement(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-e .",
        "-r other.txt",
        "--index-url https://example.org/simple",
        "--index-url=https://example.org/simple",
        ".",
        "./wheels/a.whl",
        "/tmp/a.whl",
        "a.whl @ file:///tmp/a.whl",
        "a @ https://example.org/a.whl",
        "a @ git+https://example.org/a",
        "git+https://example.org/a",
        "https://example.org/a.whl",
        "a --hash=sha256:00",
        "a\n--index-url https://example.org",
        "a\\\n b",
        "a===1",
        "a>=1 # note",
        "a" * 400,
        "$(id)",
    ],
)
def test_what_names_a_place_or_an_option_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be|must not|names a place"):
        parse_requirement(text)


@given(st.text(max_size=40))
def test_any_text_is_a_requirement_of_the_index_or_refused(text: str) -> None:
    try:
        requirement = parse_requirement(text)
    except ValueError:
        return
    assert requirement.url is None
    assert not text.lstrip().startswith("-")
    assert "\n" not in text


@pytest.mark.parametrize("name", ["zod", "@types/node", "lodash.merge", "is-odd", "a"])
def test_names_of_the_npm_registry(name: str) -> None:
    assert is_node_package(name)


@pytest.mark.parametrize(
    "name",
    ["", "-g", "--registry", "../zod", "@a", "@a/b/c", "a b", "A", ".x", "a@1", "https://a", "a" * 215],
)
def test_what_is_no_name_of_the_npm_registry(name: str) -> None:
    assert not is_node_package(name)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*",
        "^4",
        "~1.2.3",
        ">=1.2 <2",
        "1 - 2",
        "1.2.x",
        "^1 || ^2",
        "1.0.0-rc.1+b",
        ">= 1",
        "latest",
        "v1",
    ],
)
def test_ranges_of_versions(text: str) -> None:
    assert is_node_range(text)


@pytest.mark.parametrize(
    "text",
    [
        "file:../x", "link:../x", "git+ssh://a/b", "https://a/b.tgz", "user/repo", "github:user/repo", "./x",
        "npm:other@1", "workspace:*", "--force", "^4 --registry=x", "~/x", "/x", "^", "||", "1\n2",
    ],
)  # fmt: skip
def test_what_is_no_range_of_versions(text: str) -> None:
    assert not is_node_range(text)


def test_spellings_of_a_name_are_one() -> None:
    assert normalised_name("Ruamel.YAML") == normalised_name("ruamel_yaml") == "ruamel-yaml"


def test_an_environment_without_packages_for_development_is_written_as_before_there_were_such() -> None:
    environment = PlannedEnvironment(node={"zod": "^4"})

    assert environment.model_dump(mode="json") == {
        "python": [],
        "python_version": None,
        "node": {"zod": "^4"},
    }
    more = PlannedEnvironment(node_dev={"typescript": "^5"})
    assert PlannedEnvironment.model_validate(more.model_dump(mode="json")) == more
    assert more.made_files == ("package.json",)
    with pytest.raises(ValidationError, match="`zod` is declared twice"):
        PlannedEnvironment(node={"zod": "^4"}, node_dev={"zod": "^4"})


def test_a_plan_may_name_its_packages_but_not_what_may_be_built() -> None:
    environment = PlannedEnvironment.model_validate(
        {"python": ["fastapi>=0.120"], "python_version": "3.12", "node": {"zod": "^4"}}
    )
    with pytest.raises(ValidationError):
        PlannedEnvironment.model_validate({"allow_build": ["esbuild"]})

    bare, rich = Plan(work_orders=(ORDER,)), Plan(work_orders=(ORDER,), environment=environment)
    assert Plan.model_validate(rich.model_dump(mode="json")) == rich
    assert plan_hash(bare) != plan_hash(rich)
