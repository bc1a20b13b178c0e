"""What one plan does otherwise than another."""

from typing import Any

from factory.contract.work_order import Plan
from planner.report.diff import counts, differences
from tests.support.plans import makes, manifest


def plan(*orders: Any, **fields: Any) -> Plan:
    return Plan.model_validate(manifest(*orders, **fields))


def requirement(number: int, text: str = "It is.", *quotes: str, **fields: Any) -> dict[str, Any]:
    return {"id": f"REQ-{number:02}", "text": text, "quotes": quotes or ("It is.",), **fields}


def changes(old: Plan, new: Plan) -> dict[str, list[str]]:
    """What is said under each heading that has something."""
    return {
        part.title: [f"{item.text} ({item.note})" if item.note else item.text for item in part.items]
        for section in differences(old, new)
        for part in section.parts
        if part.items
    }


def test_plans_that_do_the_same() -> None:
    same = plan(makes(1, "a.py"), requirements=[requirement(1)])
    assert differences(same, same.model_copy(update={"revision": 2, "parent": "x"})) == ()
    assert counts(same, same) == "1 work order, 1 requirement → 1 work order, 1 requirement"


def test_requirements() -> None:
    old = plan(
        makes(1, "a.py"),
        requirements=[
            requirement(1),
            requirement(2, "B.", "b"),
            requirement(3),
            requirement(4),
            requirement(6, withdrawn=True),
        ],
    )
    new = plan(
        makes(1, "a.py"),
        requirements=[
            requirement(1),
            requirement(2, "C.", "b", "c"),
            requirement(3, withdrawn=True),
            requirement(5, "New."),
            requirement(6),
        ],
    )
    assert changes(old, new) == {
        "new": ["REQ-05: New."],
        "REQ-02 says otherwise: C.": ["B. (before)", "C. (now)", "c (now)"],
        "withdrawn": ["REQ-03: It is."],
        "asked for again": ["REQ-06: It is."],
        "gone": ["REQ-04: It is."],
    }


def test_work_orders_are_new_changed_gone_or_moved() -> None:
    old = plan(makes(1, "a.py"), makes(2, "b.py", title="B"), makes(3, "c.py", title="C"))
    changed = makes(1, "a.py", "d.py", intent="Otherwise.")
    new = plan(
        changed,
        makes(
            2, "c.py", title="C", intent="Do step 3.", acceptance_commands=["python -m compileall file_3.py"]
        ),
        makes(3, "e.py", title="E"),
        makes(4, "f.py", title="F"),
    )
    shown = changes(old, new)
    first = next(title for title in shown if title.startswith("WO-01 changed"))
    assert "allowed_files: d.py (now)" in shown[first]
    assert "intent: Otherwise. (now)" in shown[first]
    assert shown["new"] == ["WO-03  E", "WO-04  F"]
    assert shown["gone"] == ["WO-02  B"]
    assert shown["moved"] == ["WO-03 is WO-02 now"]


def test_of_a_long_text_only_what_differs_is_told_with_a_few_words_around_it() -> None:
    words = [f"w{number}" for number in range(40)]
    old = plan(makes(1, "a.py", intent=" ".join(words)))
    new = plan(makes(1, "a.py", intent=" ".join([*words[:20], "other", *words[21:], "more"])))
    (shown,) = changes(old, new).values()
    assert shown == [
        "intent: … w15 w16 w17 w18 w19 w20 w21 w22 w23 w24 w25 … (before)",
        "intent: … w15 w16 w17 w18 w19 other w21 w22 w23 w24 w25 … (now)",
        "intent: … w35 w36 w37 w38 w39 (before)",
        "intent: … w35 w36 w37 w38 w39 more (now)",
    ]


def test_what_stays_at_its_place_has_not_moved() -> None:
    old = plan(makes(1, "a.py", title="T", intent="I"), makes(2, "a.py", title="T", intent="I"))
    assert differences(old, old) == ()


def test_the_plan_itself() -> None:
    old = plan(makes(1, "a.py"), system_overview=["Small."])
    new = plan(
        makes(1, "a.py"),
        system_overview=["Large."],
        services=[{"preset": "redis"}],
        remarks=[{"kind": "gap", "text": "How?", "quotes": []}],
    )
    assert changes(old, new) == {
        "decided": ["Small. (no more)", "Large. (now)"],
        "services": ["preset redis (now)"],
        "noticed about the specification": ["kind gap, text How? (now)"],
    }
