"""Which lines of a long specification a revision shows."""

from factory.contract.work_order import Plan
from factory.plans.states.dependencies import depends_on
from planner.revision.impact import impact
from planner.revision.shown_spec import WHOLE_BYTES, lines_asked_for, shown_lines
from planner.specification.spec import Spec
from tests.support.plans import exists, makes, manifest

FILLER = "".join(f"- It says nothing of interest, for the {number}th time.\n" for number in range(400))
OLD = (
    "# Words\n\nA token is a run of letters.\n\n"  # line 3
    f"## Talk\n\n{FILLER}\n"
    "## Work\n\n- It prints words.\n- It sorts each token.\n- It counts them.\n"
)
LAST = OLD.count("\n")
PLAN = Plan.model_validate(
    manifest(
        makes(1, "words.py", requirements=["REQ-01"]),
        makes(2, "sort.py", requirements=["REQ-02"]),
        makes(3, "count.py", requirements=["REQ-03"], preconditions=[exists("sort.py")]),
        requirements=[
            {"id": f"REQ-{number:02d}", "text": "Something.", "quotes": [quote]}
            for number, quote in enumerate(
                ("It prints words.", "It sorts each token.", "It counts them."), start=1
            )
        ],
    )
)


def shown(new: str) -> frozenset[int] | None:
    touched = impact(PLAN, depends_on(PLAN, frozenset()), Spec.of_text(new), Spec.of_text(OLD))
    return shown_lines(Spec.of_text(new), PLAN, touched, (*touched.dirty_orders, *touched.affected_orders))


def test_what_is_touched_is_shown_with_its_headings_and_what_it_names() -> None:
    assert len(OLD.encode()) > WHOLE_BYTES
    # A changed requirement, the one that depends on it, their headings, and the definition of a token.
    changed = OLD.replace("It sorts each token.", "It sorts each token backwards.")
    assert shown(changed) == {1, 3, LAST - 4, LAST - 1, LAST}


def test_a_new_line_is_shown_where_it_stands() -> None:
    added = OLD.replace("## Work", "- It must stop at a full stop.\n\n## Work")
    lines = shown(added)
    assert lines is not None
    assert f"L{min(line for line in lines if line > 5)}| - It must stop" in "".join(
        lines_asked_for(f"L{line}", added) or "" for line in sorted(lines)
    )
    assert not {7, 8, 9} & lines


def test_a_short_specification_is_shown_whole() -> None:
    short = "# Words\n\n- It prints words.\n- It sorts each token.\n- It counts each of them.\n"
    assert shown(short) is None


def test_lines_are_asked_for_by_their_numbers() -> None:
    text = "one\ntwo\nthree\n"
    assert lines_asked_for("L2", text) == "L2| two"
    assert lines_asked_for("L2-L3", text) == "L2| two\nL3| three"
    assert lines_asked_for("L1 to 2", text) == "L1| one\nL2| two"
    assert lines_asked_for("L0", text) == "" == lines_asked_for("L9-L12", text)
    assert lines_asked_for("WO-02", text) is None
