"""E216: who names a service that a model's plan starts; and the form in which a model says what it sets."""

import json
from typing import Any

import pytest

from factory.contract.work_order import Plan
from factory.plans.states.sources import Sources
from planner.check.document import check_reply
from planner.check.services import with_services
from planner.revision.amendment import Amendment
from planner.specification.spec import Spec
from tests.support.plans import makes, manifest

POSTGRES = {"preset": "postgres", "set": []}
OWN = {"name": "search", "command": "python search.py {port}"}


def refused(spec: str, *services: Any, files: dict[str, bytes] | None = None, before: Any = ()) -> list[str]:
    """The places of services that nobody names."""
    sources = Sources(frozenset(files or {}), (files or {}).get)
    document = manifest(makes(1, "a.py"), services=list(services))
    amendment = None
    if before:
        amendment = Amendment(Plan.model_validate(manifest(makes(1, "a.py"), services=before)))
    checked = check_reply(
        json.dumps(document), sources.files, Spec.of_text(spec), sources=sources, amendment=amendment
    )
    return [found.pointer for found in checked.diagnostics if found.code == "E216"]


@pytest.mark.parametrize(
    ("spec", "preset"),
    [
        ("It stores names in PostgreSQL.", "postgres"),
        ("Postgres holds them.", "postgres"),
        ("It uses `psycopg`.", "postgres"),
        ("A queue in Redis.", "redis"),
    ],
)
def test_what_the_specification_names_may_be_there(spec: str, preset: str) -> None:
    assert refused(spec, {"preset": preset, "set": []}) == []


def test_what_nobody_names_is_refused() -> None:
    assert refused("It stores names.", POSTGRES) == ["/services/0"]
    assert refused("In PostgreSQL.", POSTGRES, {"preset": "redis", "set": []}) == ["/services/1"]
    declares = b'[project]\nname = "x"\ndependencies = ["asyncpg"]\n'
    assert refused("It stores names.", POSTGRES, files={"pyproject.toml": declares}) == []


def test_a_command_is_for_people() -> None:
    assert refused("A search in PostgreSQL.", OWN) == ["/services/0"]
    assert refused("A search in PostgreSQL.", OWN, before=[OWN]) == []


def test_what_a_service_sets_becomes_what_a_plan_keeps() -> None:
    url = {"name": "DATABASE_URL", "value": "x://{port}"}
    answer: Any = with_services({"services": [{"preset": "postgres", "set": [url]}, 3]})
    assert answer == {"services": [{"preset": "postgres", "set": {"DATABASE_URL": "x://{port}"}}, 3]}
    assert with_services({"services": None}) == {}
    for odd in ([url, url], [{"name": 3, "value": ""}], [{"name": "A"}]):
        document: Any = {"services": [{"preset": "redis", "set": odd}]}
        assert with_services(document) == document
