"""What may be declared as a service, in a plan and in `workorder.toml`."""

from typing import Any

import pytest
from pydantic import ValidationError

from factory.configuration.document import BadConfiguration, read_configuration
from factory.contract.canonical import dump
from factory.contract.documents import schema_problems
from factory.contract.identity import plan_hash
from factory.contract.services.declared import Service, contradictions
from factory.contract.work_order import Plan
from tests.support.plans import manifest, order

COMMAND = {"name": "search", "command": "search --port {port}"}


def toml(text: str) -> tuple[Service, ...]:
    return read_configuration(text.encode(), None).services


def test_a_preset_is_enough_and_gives_the_name() -> None:
    (service,) = toml('[[services]]\npreset = "postgres"\n')

    assert (service.called, service.preset, service.set) == ("postgres", "postgres", {})


def test_a_command_with_all_that_there_is() -> None:
    (service,) = toml(
        """
        [[services]]
        name = "search"
        command = "search --data {data}"
        prepare = "index {data}"
        ready_log = "listening"
        ready_timeout_seconds = 5
        set = { SEARCH_URL = "http://127.0.0.1:{port}" }
        """
    )

    assert (service.prepare, service.ready_timeout_seconds) == ("index {data}", 5)


@pytest.mark.parametrize(
    ("service", "message"),
    [
        ({}, "has no name"),
        ({"name": "a"}, "has neither a command nor a preset"),
        ({"name": "A b"}, "must be a small letter"),
        ({"name": "../a"}, "must be a small letter"),
        ({"preset": "oracle"}, "postgres"),
        ({"preset": "redis", "command": "x {port}"}, "leave out the rest"),
        ({"name": "a", "command": "serve"}, "can't be known to be ready"),
        ({**COMMAND, "ready_log": "up", "ready_command": "true"}, "two ways"),
        ({**COMMAND, "command": "serve {prt}"}, "{prt}` is no placeholder"),
        ({**COMMAND, "command": "serve 'open"}, "can't be split"),
        ({**COMMAND, "command": "serve\n{port}"}, "one line"),
        ({**COMMAND, "set": {"A-B": "1"}}, "not the name of a variable"),
        ({**COMMAND, "set": {"PATH": "/x"}}, "decides how programs run"),
        ({**COMMAND, "set": {"LD_PRELOAD": "/x"}}, "decides how programs run"),
        ({**COMMAND, "set": {"PYTHONPATH": "/x"}}, "decides how programs run"),
        ({**COMMAND, "set": {"A_URL": "{host}"}}, "{host}` is no placeholder"),
        ({**COMMAND, "ready_timeout_seconds": 0}, "greater than or equal to 1"),
        ({**COMMAND, "port": 1}, "not permitted"),
    ],
)
def test_what_can_not_be_run_is_refused(service: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Service.model_validate(service)

    assert message in str(caught.value)


def test_what_only_a_shell_understands_is_refused_with_its_place() -> None:
    with pytest.raises(BadConfiguration) as caught:
        toml('[[services]]\nname = "a"\ncommand = "serve {port} && echo"\n')

    assert "services[0].command: holds `&&`" in caught.value.message


def test_two_services_share_neither_a_name_nor_a_variable() -> None:
    with pytest.raises(BadConfiguration, match="is the name of services"):
        toml('[[services]]\npreset = "redis"\n[[services]]\npreset = "redis"\n')
    with pytest.raises(BadConfiguration, match="`A_URL` is set by services"):
        toml(
            '[[services]]\npreset = "redis"\nset = { A_URL = "1" }\n'
            '[[services]]\npreset = "postgres"\nset = { A_URL = "2" }\n'
        )


def a_plan(**fields: Any) -> dict[str, Any]:
    return manifest(order(), **fields)


def test_a_plan_holds_services_and_its_hash_tells() -> None:
    bare = Plan.model_validate(a_plan())
    plan = Plan.model_validate(a_plan(services=[{"preset": "postgres", "set": {"APP_DB_URL": "x:{port}"}}]))

    assert plan.services[0].called == "postgres"
    assert plan_hash(plan) != plan_hash(bare)
    # What is written can be read again, though nobody gave the preset a name.
    assert Plan.model_validate(dump(plan)) == plan
    # Plans from before there were services stay as they are.
    assert "services" not in dump(bare)  # type: ignore[operator]


@pytest.mark.parametrize("variable", ["NODE_OPTIONS", "BASH_FUNC", "GOFLAGS", "HTTP_PROXY", "CC"])
def test_a_service_of_a_plan_says_where_it_is_and_nothing_else(variable: str) -> None:
    problems = schema_problems(Plan, a_plan(services=[{"preset": "redis", "set": {variable: "x"}}]))

    assert [problem.pointer for problem in problems] == ["/services"]
    assert variable in problems[0].message


URL = {"A_URL": "http://127.0.0.1:{port}"}


@pytest.mark.parametrize(
    ("planned", "configured", "words"),
    [
        # What a plan doesn't say contradicts nothing.
        ({"preset": "redis"}, {"preset": "redis", "set": URL}, []),
        ({"preset": "redis"}, {"preset": "redis", "ready_timeout_seconds": 5}, []),
        ({"preset": "redis", "set": URL}, {"preset": "redis", "set": URL}, []),
        # A preset's own value, said once more.
        ({"preset": "redis", "set": {"REDIS_URL": "redis://127.0.0.1:{port}/0"}}, {"preset": "redis"}, []),
        ({"preset": "redis"}, {"preset": "postgres"}, []),
        ({"preset": "redis", "set": URL}, {"preset": "redis"}, ["`redis`", "services[0]", "`set.A_URL`"]),
        ({"preset": "redis"}, {**COMMAND, "name": "redis"}, ["another `preset`"]),
        ({**COMMAND, "set": URL}, {**COMMAND, "command": "x {port}"}, ["another `command`, `set.A_URL`"]),
        # One more service must not take the variables of a configured one.
        ({**COMMAND, "set": URL}, {"preset": "redis", "set": URL}, ["`search`", "sets `A_URL`", "`redis`"]),
        ({**COMMAND, "set": {"PGHOST": "x"}}, {"preset": "postgres"}, ["sets `PGHOST`, as `postgres` does"]),
        ({"preset": "redis"}, {**COMMAND, "set": {"REDIS_URL": "x"}}, ["sets `REDIS_URL`, as `search` does"]),
    ],
)
def test_where_a_plan_contradicts_the_configuration_both_are_named(
    planned: dict[str, Any], configured: dict[str, Any], words: list[str]
) -> None:
    first, second = Service.model_validate(planned), Service.model_validate(configured)
    problems = list(contradictions([first], [second]))

    assert [number for number, _ in problems] == ([0] if words else [])
    assert all(word in problem for _, problem in problems for word in words)
