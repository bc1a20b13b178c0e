"""What a planner remarks on a specification: kept with its passages, bounded, never a reason to refuse."""

from typing import Any

from factory.contract.limits import MAX_REMARK_CHARS, MAX_REMARKS
from planner.check.remarks import with_remarks, without_outdated
from planner.specification.spec import Spec

SPEC = Spec.of_text("# Box\n\nA box is 4 wide.\nFor example, a box is `12345` wide.\n")


def remark(**changes: object) -> dict[str, Any]:
    return {"kind": "contradiction", "text": "The example has 5.", "quotes": ["L3", "L4"], **changes}


def test_lines_become_the_passages_that_they_hold() -> None:
    answer: Any = with_remarks({"remarks": [remark()]}, SPEC)
    assert answer["remarks"][0]["quotes"] == ["A box is 4 wide.", "For example, a box is `12345` wide."]


def test_what_is_too_much_is_cut() -> None:
    many = [remark(text="x" * (MAX_REMARK_CHARS + 1), quotes=["L99"])] * (MAX_REMARKS + 1)
    answer: Any = with_remarks({"remarks": many}, SPEC)
    assert len(answer["remarks"]) == MAX_REMARKS
    assert len(answer["remarks"][0]["text"]) == MAX_REMARK_CHARS
    assert answer["remarks"][0]["quotes"] == ["L99"]


def test_null_is_none_and_other_things_stay_for_the_schema() -> None:
    assert with_remarks({"remarks": None, "a": 1}, SPEC) == {"a": 1}
    for odd in ("text", [3], {"remarks": 3}):
        assert with_remarks({"remarks": odd}, None) == {"remarks": odd}


def test_a_remark_goes_with_the_last_of_its_passages() -> None:
    stays = remark(quotes=["A box is 4 wide.", "gone"])
    document: Any = {"remarks": [remark(quotes=["A box is 5 wide."]), stays, remark(quotes=[])]}
    kept: Any = without_outdated(document, SPEC)
    assert kept["remarks"] == [stays, remark(quotes=[])]
