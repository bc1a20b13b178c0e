"""Which files an engineer is shown whole, of which a part, and in which order."""

from typing import Any

import pytest

from factory.attempt.answers.versions import ContextFile
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Plan, WorkOrder
from factory.runs.shown.by_need import SMALL_BYTES, shown_by_need
from tests.support.repositories import a_work_order

LONG = '"""A module."""\n\n' + "".join(
    f'def f{n}(x: int) -> int:\n    """Does {n}."""\n    return x + {n}\n\n\n' for n in range(60)
)
BROKEN = LONG + "def (:\n"


def order(**changes: Any) -> WorkOrder:
    made = {
        "allowed_files": ["src/new.py"],
        "context_files": ["src/long.py"],
        "consumes": ["src.long:f3(x: int) -> int"],
    }
    return WorkOrder.model_validate(a_work_order(**{**made, **changes}))


def a_file(path: str = "src/long.py", text: str | None = LONG) -> ContextFile:
    return ContextFile(RepoPath(path), text)


def test_a_file_that_is_only_used_is_shown_by_what_is_consumed() -> None:
    (shown,) = shown_by_need(order(), [a_file()], None)

    assert shown.part is not None
    assert "def f3(x: int) -> int:" in shown.part
    assert "f4" not in shown.part
    assert shown.content == LONG


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"allowed_files": ["src/long.py"]}, LONG),
        ({"notes": "Show `src/long.py` whole, for its style."}, LONG),
        ({"consumes": []}, LONG),
        ({"consumes": ["src.other:f3(x: int) -> int"]}, LONG),
        ({"consumes": ["src.long:nowhere() -> None"]}, LONG),
        ({"consumes": ["src.long:f3(x: int) -> int", "no symbol at all"]}, BROKEN),
        ({}, LONG[:SMALL_BYTES]),
        ({"consumes": [f"src.long:f{n}(x: int) -> int" for n in range(60)]}, LONG),
        ({}, None),
    ],
)
def test_what_else_is_shown_whole(changes: dict[str, Any], text: str | None) -> None:
    (shown,) = shown_by_need(order(**changes), [a_file(text=text)], None)

    assert shown == a_file(text=text)


def test_a_naming_in_the_notes_is_no_wish_to_see_the_whole() -> None:
    (shown,) = shown_by_need(order(notes="It stands in `src/long.py`."), [a_file()], None)

    assert shown.part is not None


def test_all_work_orders_of_a_plan_are_shown_the_same_of_a_file() -> None:
    first, second = order(id="WO-01"), order(id="WO-02", consumes=["src.long:f7(x: int) -> int"])
    plan = Plan(work_orders=(first, second))

    shown = [shown_by_need(made, [a_file()], plan)[0].part for made in plan.work_orders]

    assert shown[0] == shown[1]
    assert shown[0] is not None
    assert "f3" in shown[0]
    assert "f7" in shown[0]


def test_what_more_work_orders_read_comes_first() -> None:
    plan = Plan(
        work_orders=(
            order(id="WO-01", allowed_files=["z.py"], context_files=[]),
            order(id="WO-02", allowed_files=["b.py"], context_files=["z.py"]),
            order(id="WO-03", allowed_files=["c.py"], context_files=["a.txt", "b.py", "z.py"]),
        )
    )
    files = [a_file(path, "x\n") for path in ("a.txt", "b.py", "z.py")]

    shown = shown_by_need(plan.work_orders[2], files, plan)

    assert [file.path for file in shown] == ["z.py", "a.txt", "b.py"]


def test_what_the_part_of_another_file_imports_is_shown_too() -> None:
    kinds = "class Kind:\n    size: int\n\n\nclass Other:\n    pass\n\n\n" + LONG
    user = (
        'from src.kinds import Kind\n\n\ndef use(kind: Kind) -> int:\n    """Uses it."""\n    return 1\n\n\n'
        + LONG
    )
    made = order(
        context_files=["src/kinds.py", "src/user.py"],
        consumes=["src.kinds:f1(x: int) -> int", "src.user:use(kind: Kind) -> int"],
    )

    shown = {
        file.path: file.part
        for file in shown_by_need(made, [a_file("src/kinds.py", kinds), a_file("src/user.py", user)], None)
    }

    part = shown[RepoPath("src/kinds.py")]
    assert part is not None
    assert "class Kind:" in part
    assert "class Other:" not in part
