"""Commands are named as who reads has called them."""

from argparse import Namespace
from pathlib import Path

import pytest

from factory.cli import parser as of_factory
from factory.system.terminal.called import as_called
from planner.cli import parser as of_planner
from workorder.cli import parser as of_workorder

ASKED = "read the plan (planner show PLAN), then: planner approve PLAN --repo REPO"


def called(name: str, **given: str) -> Namespace:
    defaults = {"out": "/state/the runs", "plan": "/state/plan-1", "repo": "/repo"}
    return Namespace(called=name, defaults=defaults, **{key: Path(value) for key, value in given.items()})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (ASKED, "read the plan (workorder plan show), then: workorder plan approve"),
        ("factory retry WO-04 --out '/state/the runs'", "workorder retry WO-04"),
        ("factory retry WO-04 --out /other", "workorder retry WO-04 --out /other"),
        ("`factory run` and `factory build` lock them", "`workorder run` and `workorder build` lock them"),
        # What a program printed stays.
        ("the factory builds\n  | factory build", "the factory builds\n  | factory build"),
    ],
)
def test_by_workorder_no_longer_than_it_needs(text: str, named: str) -> None:
    assert as_called(text, called("workorder", plan="/state/plan-1", repo="/repo")) == named
    assert as_called(text, called("factory")) == text


def test_another_plan_and_another_repository_are_named() -> None:
    options = called("workorder", plan="../a plan", repo="../other")
    assert as_called(ASKED, options) == (
        "read the plan (workorder plan show '../a plan'),"
        " then: workorder plan approve '../a plan' --repo ../other"
    )


def test_every_command_that_workorder_has_is_named_by_it() -> None:
    (common,) = (action.choices for action in of_workorder()._actions if isinstance(action.choices, dict))
    for program, parser in (("planner", of_planner()), ("factory", of_factory())):
        (own,) = (action.choices for action in parser._actions if isinstance(action.choices, dict))
        for command in own:
            named = as_called(f"{program} {command}", called("workorder"))
            is_there = program == "planner" or command in common
            assert named.startswith("workorder ") == is_there, command
