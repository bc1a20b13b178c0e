"""The rules before work, through their one entry: what each finds in a work order given by hand."""

import json
from typing import get_args

import pytest

from factory.contract.documents import read_document
from factory.contract.strict_json import JsonValue
from factory.contract.work_order import (
    AcceptedWarning,
    Condition,
    Plan,
    Requirement,
    VerifyContract,
    WorkOrder,
)
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.judgement import Warnings, judge_before_work, judge_work_order, stopping
from factory.plans.rules.table import RULES
from factory.plans.states.sources import Sources
from tests.support.repositories import a_work_order

FILES = {"README.md": b"", "src/shop.py": b"def buy(name: str) -> int: ...\n"}
SOURCES = Sources(frozenset(FILES), FILES.get)
EXISTS = {"kind": "file_exists", "path": "README.md"}


def order(**changes: JsonValue) -> WorkOrder:
    return read_document(WorkOrder, json.dumps(a_work_order(**changes)).encode(), "WO-01.json")


def judged(**changes: JsonValue) -> dict[str, str]:
    """The pointer of each code that is found."""
    return {found.code: found.pointer for found in judge_work_order(order(**changes), None, SOURCES)}


BROKEN: dict[str, tuple[dict[str, JsonValue], str]] = {
    "E003": ({"acceptance_commands": ["cat a | grep b"]}, "/acceptance_commands/0"),
    "E006": ({"acceptance_commands": ['python -c "import"']}, "/acceptance_commands/0"),
    "E007": ({"acceptance_commands": ["grep 'a"]}, "/acceptance_commands/0"),
    "E101": ({"preconditions": [{"kind": "file_absent", "path": "README.md"}]}, "/preconditions/0"),
    "E102": (
        {"preconditions": [EXISTS, {"kind": "file_absent", "path": "README.md"}]},
        "/preconditions/1",
    ),
    "E103": ({"postconditions": [EXISTS]}, "/postconditions/0"),
    "E104": ({"preconditions": [EXISTS], "requirements": ["REQ-01"]}, "/allowed_files/0"),
    "E105": (
        {"acceptance_commands": ["bash scripts/verify.sh"], "requirements": ["REQ-01"]},
        "/acceptance_commands/0",
    ),
    "E107": ({"forbidden": ["src"]}, "/forbidden/0"),
    "E109": (
        {
            "allowed_files": ["src/app.py", "src/app.py/x.py"],
            "postconditions": [{"kind": "file_exists", "path": "src/app.py"}],
        },
        "/allowed_files/1",
    ),
    "E110": ({"project": "web"}, "/project"),
    "E301": ({"consumes": ["src.shop:sell() -> None"]}, "/consumes/0"),
    "E302": ({"consumes": ["src.shop:buy() -> int"]}, "/consumes/0"),
    "E303": ({"provides": ["src.app:f() -> int", "src.app:f() -> str"]}, "/provides/1"),
    "E304": ({"provides": ["f()"]}, "/provides/0"),
    "E305": ({"provides": ["src.other:f() -> int"]}, "/provides/0"),
    "E404": ({"red_exempt": [{"command": "false", "reason": "is old"}]}, "/red_exempt/0/command"),
    "E405": (
        {
            "acceptance_commands": [
                f"python -c \"from src.shop import buy; assert buy('a') == {value}\"" for value in (1, 2)
            ]
        },
        "/acceptance_commands/1",
    ),
    "W101": ({"acceptance_commands": ["python tools/none.py"]}, "/acceptance_commands/0"),
    "W102": ({"context_files": ["absent.md"]}, "/context_files/0"),
    "W401": ({"provides": ["src.app:f(text: str) -> int"]}, "/acceptance_commands"),
    "W402": (
        {
            "acceptance_commands": [
                "python -c \"from src import *; assert f() == '3f786850e387550fdab836ed7e6dc881de23001b'\""
            ]
        },
        "/acceptance_commands/0",
    ),
    "W403": (
        {"acceptance_commands": ['python -c "import time; assert time.time() > src.app.f()"']},
        "/acceptance_commands/0",
    ),
}
NOT_OF_ONE = {"E000", "E001", "E004", "E005", "E106", "E108"}
"""What reading refuses already, and what is said of a plan or of a model's new work order only."""


def stops(given: WorkOrder, warnings: Warnings) -> set[str]:
    """The codes at which nothing is executed."""
    judged = judge_work_order(given, None, SOURCES)
    return {found.code for found in stopping(judged, Plan(work_orders=(given,)), warnings)}


def test_a_warning_stops_a_plan_that_could_have_said_why_it_stays() -> None:
    reading: dict[str, JsonValue] = {"acceptance_commands": ["python tools/none.py"]}
    older, newer = order(**reading), order(**reading, requirements=["REQ-01"])
    codes: list[set[str]] = [
        stops(given, warnings) for warnings in get_args(Warnings) for given in (older, newer)
    ]
    assert get_args(Warnings) == ("auto", "accept", "error")
    assert codes == [set(), {"W101"}, set(), set(), {"W101"}, {"W101"}]

    reading["accepted_warnings"] = [{"code": "W101", "reason": "It is built by hand."}]
    assert judge_work_order(order(**reading), None, SOURCES) == ()


def test_a_warning_that_the_specification_could_refute_is_told() -> None:
    changes, _ = BROKEN["W402"]
    predicts = order(**changes, requirements=["REQ-01"])
    assert judged(**changes, requirements=["REQ-01"])["W402"] == "/acceptance_commands/0"
    assert "W402" not in stops(predicts, "auto")
    assert "W402" in stops(predicts, "error")


def test_a_plan_is_judged_by_its_requirements_too() -> None:
    """What only looks proves no requirement: W205 is of the plan, and of no work order."""
    looks = order(acceptance_commands=["test -f src/app.py"], requirements=["REQ-01"])
    asked = Requirement(id="REQ-01", text="Buy.", quotes=("It buys.",))
    plan = Plan(requirements=(asked,), work_orders=(looks,))

    def codes(plan: Plan) -> set[tuple[str, str]]:
        judged = judge_before_work(plan, SOURCES.files, SOURCES)
        return {(found.code, found.order) for found in stopping(judged, plan, "auto")}

    assert ("W205", "") in codes(plan)
    accepted = AcceptedWarning(code="W205", reason="A person looks at it.")
    assert ("W205", "") not in codes(plan.model_copy(update={"accepted_warnings": (accepted,)}))


@pytest.mark.parametrize("code", BROKEN)
def test_each_rule_is_held_against_a_work_order_given_by_hand(code: str) -> None:
    changes, pointer = BROKEN[code]
    assert judged(**changes)[code] == pointer


@pytest.mark.parametrize(("code", "of_older"), [("E104", None), ("E105", Severity.WARNING)])
def test_what_makes_a_plan_a_good_one_stops_no_older_one(code: str, of_older: Severity | None) -> None:
    changes, _ = BROKEN[code]

    def severity(**more: JsonValue) -> Severity | None:
        given = order(**{**changes, **more})
        judged = judge_work_order(given, None, SOURCES)
        return next((found.severity for found in judged if found.code == code), None)

    assert (severity(), severity(requirements=[])) == (Severity.ERROR, of_older)


@pytest.mark.parametrize(
    "command",
    [
        "sh -c 'test -e a && ! grep -q b a; exit 0'",
        "env X=1 bash -c \"cd src && python -c 'import shop' > /dev/null\"",
        "timeout 5 sh -c 'for name in a b; do python -c \"import $name\"; done'",
        "bash -c 'set -e\ntest -n \"$HOME\"\ntrue | cat'",
    ],
)
def test_what_a_shell_reads_is_left_to_it(command: str) -> None:
    codes = {found.code for found in judge_work_order(order(acceptance_commands=[command]), None, SOURCES)}
    assert codes & {"E003", "E006", "E007"} == set()


@pytest.mark.parametrize(
    "command",
    [
        'python -c "import a" && false',
        "a | b",
        "x > y",
        "sh -c 'exit 0' || true",
        "cd src",
        "env -S 'a | b'",
        "eval 'a; b'",
        "X=1 python a.py",
        "cat $HOME",
        "! grep a b",
    ],
)
def test_what_no_shell_reads_is_no_check(command: str) -> None:
    assert judged(acceptance_commands=[command])["E003"] == "/acceptance_commands/0"


def test_the_table_above_has_every_rule_that_may_stop_a_run() -> None:
    errors = {rule.code for rule in RULES if rule.severity is Severity.ERROR}
    assert errors == {code for code in BROKEN if code.startswith("E")} | NOT_OF_ONE


def test_a_work_order_of_the_eight_basic_fields_breaks_none() -> None:
    """Not even where it says what must be there before, and promises nothing for afterwards."""
    assert judged(preconditions=[EXISTS], acceptance_commands=["python -m pytest tests"]) == {}


def test_what_the_verify_contract_still_waits_for_is_no_defect_of_one_work_order() -> None:
    later = VerifyContract(
        command="bash check.sh",
        requires=(Condition.model_validate({"kind": "file_exists", "path": "later"}),),
    )

    assert judge_work_order(order(acceptance_commands=["python -m pytest tests"]), later, SOURCES) == ()

    found = judge_work_order(order(acceptance_commands=["bash check.sh"]), later, SOURCES)
    assert ("E105", "/acceptance_commands/0") in [(judged.code, judged.pointer) for judged in found]


def test_a_plan_is_judged_but_for_what_has_landed() -> None:
    broken = order(acceptance_commands=["a && b"])
    plan = Plan(work_orders=(broken, broken.model_copy(update={"id": "WO-02"})))

    def errors(*landed: str) -> list[tuple[str, str]]:
        judged = judge_before_work(plan, frozenset(), SOURCES, landed)
        return [(found.order, found.pointer) for found in judged if found.severity is Severity.ERROR]

    first, second = (f"/work_orders/{index}/acceptance_commands/0" for index in (0, 1))
    assert errors() == [("WO-01", first), ("WO-02", second)]
    assert errors("WO-01") == [("WO-02", second)]
    assert errors("WO-01", "WO-02") == []


def test_what_a_command_hands_to_a_shell_is_left_to_it() -> None:
    substituted = "test $(grep -c a README.md) -ge 1 && test $HOME"
    assert "E003" not in judged(acceptance_commands=[f'sh -c "{substituted}"'])
    assert "E003" in judged(acceptance_commands=['grep "$(cat a)" README.md'])
