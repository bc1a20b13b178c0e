"""W220: what a second opinion objects to counts with evidence."""

import json

import pytest

from planner.check.document import objected
from planner.plan.objections import Objection, read_objections
from planner.specification.spec import Spec
from tests.support.plans import makes, manifest

SPEC = Spec.of_text("# Sums\n\nAmounts are rounded half up,\nto whole cents.\n\nAn empty line ends it.\n")
COMMAND = """python -c "import a; assert a.f('x\\\\n') == 'y'" """
PLAN = manifest(
    makes(1, "a.py", intent="Round as round() does.", acceptance_commands=[COMMAND.strip()]),
    makes(2, "b.py", notes="Half goes to even."),
)


def found(**fields: str) -> list[str]:
    """The places of one objection that has these fields."""
    said = {"order": "WO-01", "kind": "contradicts", "quote": "", "problem": "No.", **fields}
    objection = read_objections(json.dumps({"objections": [said]}))
    return [finding.pointer for finding in objected(PLAN, SPEC, objection)]


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        ({"quote": "as round() does"}, ["/work_orders/0/intent"]),
        ({"quote": "as  round()\ndoes"}, ["/work_orders/0/intent"]),
        ({"quote": "a.f('x\\\\n') == 'y'"}, ["/work_orders/0/acceptance_commands/0"]),
        # As the JSON has it that the model is shown.
        ({"quote": "assert a.f('x\\\\\\\\n') == 'y'\\\""}, ["/work_orders/0/acceptance_commands/0"]),
        ({"quote": '"allowed_files": ["a.py"]'}, ["/work_orders/0/allowed_files"]),
        ({"quote": '"a.py"'}, ["/work_orders/0/allowed_files"]),
        ({"quote": '"allowed_files": ["b.py"]'}, []),
        ({"quote": "as round", "against": "rounded half up, to whole cents"}, ["/work_orders/0/intent"]),
        (
            {"quote": "as round", "against": "L3| Amounts are rounded half up,\nL4| to whole cents."},
            ["/work_orders/0/intent"],
        ),
        ({"quote": "as round", "against": "Half goes to even"}, ["/work_orders/0/intent"]),
        ({"quote": "as round", "against": "rounded half down"}, []),
        ({"quote": "Half goes to even"}, []),
        ({"quote": " \n"}, []),
        ({"quote": "as round", "order": "WO-07"}, []),
        ({"quote": "An empty line ends it."}, []),
        ({"quote": "An empty line ends it.", "kind": "lost"}, ["/work_orders/0"]),
    ],
)
def test_an_objection_stands_where_its_words_stand(fields: dict[str, str], places: list[str]) -> None:
    assert found(**fields) == places


def test_a_talkative_opinion_is_cut_and_heard() -> None:
    said = {"order": "WO-01", "kind": "unstable", "quote": "as round", "problem": "No.\n" * 2_000, "mend": ""}
    objections = read_objections(json.dumps({"objections": [said] * 100}))
    assert len(objections) == 40
    (only,) = objected(PLAN, SPEC, objections)
    assert len(only.message) < 1_200
    assert only.hint == "read both passages"


def test_what_has_landed_is_not_objected_to() -> None:
    said = (Objection(order="WO-01", kind="unstable", quote="as round", problem="No."),)
    assert objected(PLAN, SPEC, said, landed=["WO-01"]) == ()


def test_without_a_specification_the_plan_is_all_there_is() -> None:
    said = (
        Objection(order="WO-01", kind="contradicts", quote="as round", against="Half goes", problem="No."),
    )
    assert [finding.code for finding in objected(PLAN, None, said)] == ["W220"]
