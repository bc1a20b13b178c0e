"""What of an answer follows from the specification and the rest of the answer, so that no model writes it."""

from typing import Any

import pytest

from factory.contract.strict_json import JsonValue
from planner.check.document import check_reply
from planner.check.fixed_parts import with_fixed_parts
from planner.check.requirements import resolved, with_requirements
from planner.specification.spec import Spec
from tests.support.plans import absent, exists, order

SPEC = Spec.of_text(
    "# Words\n\n- REQ-01: It counts words. Case makes no difference.\n  - Empty is 0.\n"
    "- REQ-02: It sorts.\n\nIt is quick. It never fails, whatever it reads. It ends.\n\n"
    "| a | b |\n|---|---|\n| one | two |\n\n## Out of scope\n\n- REQ-03: It translates.\n"
)


def requirements(*listed: JsonValue, **more: Any) -> dict[str, Any]:
    document = with_requirements({"requirements": list(listed)}, SPEC, **more)
    assert isinstance(document, dict)
    assert isinstance(document["requirements"], list)
    return {element["id"]: element for element in document["requirements"]}  # type: ignore[index, call-overload, misc]


def quotes(*names: str) -> list[str]:
    return requirements({"id": "REQ-10", "text": "t", "quotes": list(names)})["REQ-10"]["quotes"]  # type: ignore[no-any-return]


def test_numbered_requirements_are_those_of_the_specification() -> None:
    assert requirements() == {
        "REQ-01": {
            "id": "REQ-01",
            "text": "It counts words. Case makes no difference.",
            "quotes": ["It counts words. Case makes no difference.", "Empty is 0."],
        },
        "REQ-02": {"id": "REQ-02", "text": "It sorts.", "quotes": ["It sorts."]},
    }


def test_a_model_may_say_more_of_a_numbered_requirement() -> None:
    said = requirements({"id": "REQ-02", "text": "Sorted.", "quotes": ["L7: It is … quick."]})["REQ-02"]
    assert said == {"id": "REQ-02", "text": "Sorted.", "quotes": ["It sorts.", "It is quick."]}
    assert requirements({"id": "REQ-02"})["REQ-02"]["quotes"] == ["It sorts."]


@pytest.mark.parametrize("said", ["L5", "REQ-02: It sorts.", "It sorts."])
def test_what_a_numbered_requirement_has_already_is_not_quoted_twice(said: str) -> None:
    listed = requirements({"id": "REQ-02", "text": "Sorted.", "quotes": [said]})
    assert listed["REQ-02"]["quotes"] == ["It sorts."]


def test_what_is_taken_over_loses_the_words_that_the_specification_lost() -> None:
    old = {"id": "REQ-02", "text": "Sorted.", "quotes": ["It sorted.", "It ends."]}
    assert requirements(old, settled={"REQ-02"})["REQ-02"]["quotes"] == ["It sorts.", "It ends."]
    assert requirements(old)["REQ-02"]["quotes"] == ["It sorts.", "It sorted.", "It ends."]


@pytest.mark.parametrize(
    ("name", "passages"),
    [
        ("L5", ["REQ-02: It sorts."]),
        ("L4-L5", ["Empty is 0.", "REQ-02: It sorts."]),
        ("L7: It never … reads.", ["It never fails, whatever it reads."]),
        ("L7: It never fails … It ends", ["It never fails, whatever it reads. It ends."]),
        ("L7: It never fails, whatever it reads.", ["It never fails, whatever it reads."]),
        ("L9-L11", ["| one | two |"]),
        ("It ends.", ["It ends."]),
        ("L6", ["L6"]),
        ("L900", ["L900"]),
        ("L7-L1", ["L7-L1"]),
        ("L7: It never … walks.", ["L7: It never … walks."]),
    ],
)
def test_lines_stand_for_their_passages(name: str, passages: list[str]) -> None:
    assert quotes(name) == passages


@pytest.mark.parametrize(
    ("name", "passage"),
    [
        ('L1: Both are … "0,30 * * * *")`.', 'Both are equal: `f("*/30 * * * *") == f("0,30 * * * *")`.'),
        ('L1: "*/30 * … == f', '`f("*/30 * * * *") == f("0,30'),
        ("L1: equ … f", "L1: equ … f"),
    ],
)
def test_a_part_may_begin_and_end_within_a_word(name: str, passage: str) -> None:
    spec = Spec.of_text('Both are equal: `f("*/30 * * * *") == f("0,30 * * * *")`.\n')
    assert [*resolved(name, spec)] == [passage]


def test_lines_that_say_nothing_are_told() -> None:
    document = '{"requirements": [{"id": "R-1", "text": "t", "quotes": ["L900"]}], "work_orders": []}'
    found = [each for each in check_reply(document, frozenset(), SPEC).diagnostics if each.code == "E201"]
    assert found[0].hint.startswith("there are the lines L1 to L15")


def test_conditions_and_context_follow_from_files_and_symbols() -> None:
    plan = {
        "work_orders": [
            order(1, allowed_files=["a.py", "old.py"], provides=["a:f() -> int"]),
            order(2, allowed_files=["a.py", "b.py"], consumes=["a:f() -> int", "lib.c:g() -> int", "?"]),
            order(3, allowed_files=["d.py"], consumes=["a:f() -> int"], preconditions=[exists("d.py")]),
        ]
    }
    document: Any = with_fixed_parts(plan, {"old.py", "lib/c.py", "scripts/verify.sh"})
    first, second, third = document["work_orders"]
    assert first["preconditions"] == [absent("a.py"), exists("old.py")]
    assert first["postconditions"] == [exists("a.py"), exists("old.py")]
    assert second["context_files"] == ["lib/c.py"]
    assert second["preconditions"] == [exists("a.py"), absent("b.py"), exists("lib/c.py")]
    assert third["context_files"] == ["a.py"]
    assert third["preconditions"] == [exists("d.py"), exists("a.py")]
    assert document["verify_contract"]["command"] == "bash scripts/verify.sh"
    assert with_fixed_parts(document, {"old.py", "lib/c.py", "scripts/verify.sh"}) == document


def test_what_the_plans_packages_make_is_there_before() -> None:
    package = {"ecosystem": "node", "specifier": "zod@^4"}
    ours = order(1, allowed_files=["package.json", "a.ts"])
    theirs = order(2, allowed_files=["web/package.json"], project="web", requires_packages=[package])

    document: Any
    for table in ("node", "node_dev"):
        plan = {"work_orders": [ours, theirs], "environment": {table: {"a": "1"}}}
        document = with_fixed_parts(plan, ())
        assert document["work_orders"][0]["preconditions"] == [exists("package.json"), absent("a.ts")]
        assert document["work_orders"][1]["preconditions"] == [exists("web/package.json")]
    document = with_fixed_parts({"work_orders": [ours, theirs]}, ())
    assert document["work_orders"][0]["preconditions"] == [absent("package.json"), absent("a.ts")]


@pytest.mark.parametrize(
    "answer", [None, [], {"work_orders": 1}, {"work_orders": [1, {"allowed_files": [1]}]}]
)
def test_what_is_no_plan_stays_what_it_is(answer: JsonValue) -> None:
    assert with_fixed_parts(answer, frozenset()) == answer


@pytest.mark.parametrize(
    ("named", "whole"),
    [
        (["a:f"], ["a:f(x: int) -> int"]),
        (["a:f(x: int) -> int"], ["a:f(x: int) -> int"]),
        (["a:K"], ["a:K: int"]),
        (["a:C"], ["a:C", "a:C.x: int", "a:C.g(self) -> int"]),
        (["a:C", "a:C.g"], ["a:C", "a:C.g(self) -> int"]),
        # Of the latest that provides it; and what nobody provides stays for the rules.
        (["b:h", "a:later", "lib:f(x: int) -> int"], ["b:h() -> str", "a:later", "lib:f(x: int) -> int"]),
        (
            ["js/a.js:make", "internal/a.go:Parse"],
            ["js/a.js:make(x: string): number", "internal/a.go:Parse() error"],
        ),
        ([7, None, "?"], [7, None, "?"]),
    ],
)
def test_a_consumed_symbol_gets_the_signature_that_is_provided(named: JsonValue, whole: JsonValue) -> None:
    orders = [
        order(
            1,
            provides=[
                "a:f(x: int) -> int",
                "a:K: int",
                "a:C",
                "a:C.x: int",
                "a:C.g(self) -> int",
                "b:h() -> int",
                "js/a.js:make(x: string): number",
                "internal/a.go:Parse() error",
            ],
        ),
        order(2, provides=["b:h() -> str"]),
        order(3, consumes=named),
        order(4, provides=["a:later() -> int"]),
    ]
    completed = with_fixed_parts({"work_orders": orders}, frozenset())
    assert isinstance(completed, dict)
    assert completed["work_orders"][2]["consumes"] == whole  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("provides", "whole"),
    [
        (["a.b:f(x: int) -> int", "a:f"], ["a.b:f(x: int) -> int", "a:f(x: int) -> int"]),
        (["a:f", "a.b:f() -> a.b.C"], ["a:f() -> a.b.C", "a.b:f() -> a.b.C"]),
        (["src/index.ts:f", "src/f.ts:f(): void"], ["src/index.ts:f(): void", "src/f.ts:f(): void"]),
        # What an earlier work order provides is handed on, too.
        (["early:g"], ["early:g() -> str"]),
        # A class, a constant, what two modules have, and what is beside the package.
        (["a:C", "a.b:C", "a.b:C.x: int"], ["a:C", "a.b:C", "a.b:C.x: int"]),
        (["a:f", "a.b:f() -> int", "a.c:f() -> str"], ["a:f", "a.b:f() -> int", "a.c:f() -> str"]),
        (["a:f", "ab.c:f() -> int", "src/g.ts:f", "src/f.ts:f(): void"],) * 2,
        ([7, None, "?"], [7, None, "?"]),
    ],
)
def test_what_a_package_hands_on_gets_the_signature_of_its_module(
    provides: list[JsonValue], whole: list[JsonValue]
) -> None:
    orders = [order(1, provides=["early.part:g() -> str"]), order(2, provides=provides)]
    completed = with_fixed_parts({"work_orders": orders}, frozenset())
    assert isinstance(completed, dict)
    assert completed["work_orders"][1]["provides"] == whole  # type: ignore[index, call-overload]
