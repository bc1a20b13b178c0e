"""Hashes that stay the same for ever.

The pinned hashes name landed commits and stored answers. If one of these tests fails, the change breaks what
exists; don't pin the new value.
"""

from typing import Any

import pytest

from factory.contract.identity import contract_hash, contract_trailers, plan_hash, run_id
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import FixedFile, Plan, Requirement, WorkOrder

ORDER = WorkOrder.model_validate(
    {
        "id": "WO-01",
        "title": "Grüße",
        "intent": "Print a greeting.",
        "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
        "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
        "allowed_files": ["hello.py"],
        "forbidden": ["docs/"],
        "acceptance_commands": ["python hello.py"],
        "context_files": ["README.md"],
        "notes": "Short.",
    }
)
BASIC = WorkOrder.model_validate(
    {"id": "WO-02", "title": "t", "intent": "i", "allowed_files": ["a"], "acceptance_commands": ["true"]}
)
PLAN = Plan.model_validate(
    {
        "system_overview": ["One file."],
        "verify_contract": {"command": "make", "requires": [{"kind": "file_exists", "path": "a"}]},
        "work_orders": [ORDER.model_dump(), BASIC.model_dump()],
    }
)
ASKED = Requirement(id="REQ-01", text="It greets.", quotes=("It greets.",))
GIVEN = (FixedFile(path=RepoPath.parse("hello.py"), text="print('hello')\n"),)
COMPUTED = {"verify_exempt": True, "depends_on": ("WO-01",)}


def test_the_hashes_are_the_pinned_ones() -> None:
    assert contract_hash(ORDER) == "3dd0c0c7c695e1b104ab048b2abc7215f28e4590028a1d47d9337e777e990bcf"
    assert contract_hash(BASIC) == "ec1235763043856ecc4e379bb4cc6ef50ecc05074ae0d7629ce191c9761ff10d"
    assert plan_hash(PLAN) == "897f9ace3c06882dafa9c9ce3cb10afdbe83bdb4ac56bb1dff4c5dd1e6816bab"
    assert run_id(ORDER, "0" * 40) == "ff8602faa9a399fd"


def test_the_contract_is_what_was_agreed_and_not_what_was_computed() -> None:
    computed = ORDER.model_copy(update=COMPUTED)
    assert contract_hash(computed) == contract_hash(ORDER)
    plan = PLAN.model_copy(update={"work_orders": (computed, BASIC)})
    assert plan_hash(plan) == plan_hash(PLAN)
    assert run_id(computed, "0" * 40) != run_id(ORDER, "0" * 40)


@pytest.mark.parametrize(
    "change", [{"title": "Other"}, {"notes": None}, {"acceptance_commands": ("true",)}, {"forbidden": ()}]
)
def test_every_agreed_field_changes_the_hash(change: dict[str, Any]) -> None:
    assert contract_hash(ORDER.model_copy(update=change)) != contract_hash(ORDER)


def test_the_trailers_are_the_pinned_ones_and_older_commits_count() -> None:
    assert contract_trailers(BASIC) == (
        "2:bc99dcc686b76df426ca029ace05f32e9a198605d5b1f9e92f4942b93d4afee0",
        contract_hash(BASIC),
    )


@pytest.mark.parametrize("change", [{"title": "Other"}, {"notes": None}, COMPUTED])
def test_what_binds_nobody_is_not_in_the_trailer(change: dict[str, Any]) -> None:
    assert contract_trailers(ORDER.model_copy(update=change))[0] == contract_trailers(ORDER)[0]


@pytest.mark.parametrize(
    "change",
    [
        {"intent": "Other"},
        {"acceptance_commands": ("true",)},
        {"forbidden": ()},
        {"id": "WO-02"},
        {"fixed_files": GIVEN},
    ],
)
def test_what_binds_is_in_the_trailer(change: dict[str, Any]) -> None:
    assert contract_trailers(ORDER.model_copy(update=change))[0] != contract_trailers(ORDER)[0]


def test_fields_at_their_default_do_not_change_the_hash() -> None:
    written = {**BASIC.model_dump(mode="json"), "preconditions": [], "notes": None, "fixed_files": []}
    assert contract_hash(WorkOrder.model_validate(written)) == contract_hash(BASIC)


def test_which_plan_it_revises_is_a_part_of_a_plan() -> None:
    first = PLAN.model_copy(update={"requirements": (ASKED,)})
    assert plan_hash(first) == "b6ce5383e235c3e6c55a101e799dc27bb861e6196e139c2d6d03a4ecedee9526"
    assert plan_hash(first.model_copy(update={"revision": 1, "parent": None})) == plan_hash(first)
    changes: list[dict[str, Any]] = [
        {"revision": 2},
        {"parent": "0" * 64},
        {"requirements": (ASKED.model_copy(update={"withdrawn": True}),)},
    ]
    hashes = {plan_hash(first.model_copy(update=change)) for change in changes}
    assert len(hashes) == 3 and plan_hash(first) not in hashes


def test_a_run_is_named_by_its_baseline_too() -> None:
    assert run_id(ORDER, "0" * 40) != run_id(ORDER, "1" * 40)
