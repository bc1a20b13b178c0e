"""E216: who names a service that a model's plan starts; and the form in which a model says what it sets."""

import json
from typing import Any

import pytest

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Plan
from factory.plans.states.sources import Sources
from planner.check.document import check_document, check_reply
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


REDIS = b'[[services]]\npreset = "redis"\n'
SEARCH = b'[[services]]\nname = "redis"\ncommand = "serve {port}"\n'


@pytest.mark.parametrize(
    ("files", "alone", "refused"),
    [
        ({}, None, False),
        ({"workorder.toml": REDIS}, None, False),
        ({"workorder.toml": SEARCH}, None, True),
        ({"pyproject.toml": SEARCH.replace(b"services", b"tool.workorder.services")}, None, True),
        # What can't be used is told by others.
        ({"workorder.toml": b"[[services]]\nname = 3\n"}, None, False),
        ({"workorder.toml": b"services = "}, None, False),
        # The only project's file counts before the root's, if it says something of services.
        ({"workorder.toml": SEARCH, "api/workorder.toml": REDIS}, "api", False),
        ({"workorder.toml": REDIS, "api/workorder.toml": SEARCH}, "api", True),
        ({"workorder.toml": SEARCH, "api/workorder.toml": b"[environment]\n"}, "api", True),
        ({"workorder.toml": REDIS, "api/workorder.toml": SEARCH}, None, False),
    ],
)
def test_a_plan_says_of_a_service_what_the_repository_says(
    files: dict[str, bytes], alone: str | None, refused: bool
) -> None:
    sources = Sources(frozenset(files), files.get, RepoPath.parse(alone) if alone else None)
    document = manifest(makes(1, "a.py"), services=[{"preset": "redis"}])
    checked = check_document(document, sources.files, sources=sources)

    found = [diagnostic for diagnostic in checked.diagnostics if diagnostic.code == "E217"]
    assert [diagnostic.pointer for diagnostic in found] == (["/services/0"] if refused else [])
