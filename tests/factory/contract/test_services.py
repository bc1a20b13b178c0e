"""What may be declared as a service, in a plan and in `workorder.toml`."""

from typing import Any

import pytest
from pydantic import ValidationError

from factory.configuration.document import BadConfiguration, read_configuration
from factory.contract.canonical import dump
from factory.contract.documents import schema_problems
from factory.contract.identity import plan_hash
from factory.contract.services.declared import Service
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
    # Plans from before there were services stay as they are.
    assert "services" not in dump(bare)  # type: ignore[operator]


@pytest.mark.parametrize("variable", ["NODE_OPTIONS", "BASH_FUNC", "GOFLAGS", "HTTP_PROXY", "CC"])
def test_a_service_of_a_plan_says_where_it_is_and_nothing_else(variable: str) -> None:
    problems = schema_problems(Plan, a_plan(services=[{"preset": "redis", "set": {variable: "x"}}]))

    assert [problem.pointer for problem in problems] == ["/services"]
    assert variable in problems[0].message
