"""The last lines of a build: of each work order that failed they say what can be done."""

from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.builds.settings import Built
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import Ended
from factory.report.build import render_build
from tests.support.build_states import a_state, an_order

FAILED = OrderPhase.FAILED


def test_what_can_be_done_is_told_of_each_that_failed_with_its_id_and_of_the_first_alone() -> None:
    orders = [an_order(number, FAILED, failure="returned 1; first t.py::test_a") for number in range(1, 8)]
    ended = Ended(exit_code=ExitCode.FAIL, message="WO-02 failed", work_order="WO-02", contract="c" * 64)

    lines = render_build(Built(ended, a_state(*orders)), Path("the out")).splitlines()

    told = [line.split()[4] for line in lines if "by hand: factory open" in line]
    assert told == ["WO-02", "WO-01", "WO-03", "WO-04"]
    assert "WO-01 failed, too, at verify_failed: returned 1; first t.py::test_a" in lines
    retry = "  by the model: factory retry WO-03 --out 'the out' [--llm OTHER], after factory hint"
    assert any(line.startswith(retry) for line in lines)
    assert "the same can be done about what failed beside these: WO-05, WO-06, WO-07" in lines
    assert lines[-1] == "  to have the model asked anew: factory reset --out 'the out'"
