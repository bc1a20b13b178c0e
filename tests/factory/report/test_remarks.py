"""Remarks are told when they come, each once, and those that nobody was told of at the end."""

import json
from pathlib import Path

from factory.builds.state.machine import OrderPhase
from factory.contract.proposal import WriteProposal
from factory.contract.work_order import WorkOrder
from factory.report.remarks import Remarks, render_remarks
from factory.runs.record.files import PROPOSAL, WORK_ORDER
from tests.support.answers import a_proposal
from tests.support.build_states import a_state, an_attempt, an_order
from tests.support.plans import makes


def answered(run: Path, attempt: int, *remarks: str) -> None:
    """Keep an answer as a run does."""
    folder = run / f"attempt_{attempt}"
    folder.mkdir(parents=True)
    WORK_ORDER.write(run, WorkOrder.model_validate(makes(1, "a.py")))
    proposal = WriteProposal.model_validate(json.loads(a_proposal()) | {"remarks": remarks})
    PROPOSAL.write(folder, proposal)


def test_each_is_told_once_and_what_an_earlier_pass_was_told_at_the_end(tmp_path: Path) -> None:
    answered(tmp_path / "earlier", 1, "Old.")
    answered(tmp_path / "run", 1, "Odd\n\x1b[2J.")
    order = an_order(1, OrderPhase.TESTING, attempts=(an_attempt(1),))
    run = order.runs[0]
    order = order.model_copy(update={"runs": (run.model_copy(update={"run_id": "earlier"}), run)})
    state, event = a_state(order), {"event": "work_order", "work_order": "WO-01"}
    remarks = Remarks(tmp_path)

    assert remarks.news(state, {"event": "build", "after": "running"}) == []
    assert remarks.news(state, {**event, "after": "generating"}) == []
    assert remarks.news(state, {**event, "after": "testing"}) == ["WO-01 remarks: Odd\\n\\x1b[2J."]
    answered(tmp_path / "run", 2, "Odd\n\x1b[2J.", "New.")
    assert remarks.news(state, {**event, "after": "patching"}) == ["WO-01 remarks: New."]
    assert remarks.news(state, {**event, "after": "landed"}) == []
    assert remarks.left(state) == ["WO-01 remarks: Old."]


def test_many_are_not_all_told_at_the_end() -> None:
    lines = render_remarks([f"WO-01 remarks: {number}" for number in range(22)])

    assert (lines[0], lines[-2]) == ("  WO-01 remarks: 0", "  WO-01 remarks: 19")
    assert lines[-1] == "  2 more remarks: factory show tells them"
    assert render_remarks([]) == []
