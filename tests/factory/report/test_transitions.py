"""The lines of a build in a log: one for each transition worth reading, whatever a model wrote."""

import pytest

from factory.builds.state.machine import OrderPhase
from factory.contract.strict_json import JsonObject
from factory.report.transitions import lasting, render_event
from tests.support.build_states import a_state, an_order

STATE = a_state(an_order(1), an_order(2))


def changed(
    before: OrderPhase, after: OrderPhase, attempt: int = 1, message: str = "", excerpt: str = ""
) -> JsonObject:
    failure: JsonObject = {"stage": "verify_failed", "message": message, "excerpt": excerpt}
    return {
        "event": "work_order",
        "work_order": "WO-03",
        "before": before,
        "after": after,
        "attempt": attempt,
        "commit": "1234567890abcdef" if after is OrderPhase.LANDED else None,
        "failure": failure if message else None,
    }


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (
            {"event": "build", "before": "init", "after": "running", "ended": None},
            ["building 2 work orders on main, base cccccccccccc"],
        ),
        ({"event": "build", "before": "running", "after": "complete", "ended": {}}, []),
        ({"event": "of a later version"}, []),
        (changed(OrderPhase.PENDING, OrderPhase.GENERATING), ["WO-03: attempt 1, generating"]),
        (changed(OrderPhase.GENERATING, OrderPhase.TESTING), ["WO-03: attempt 1, testing"]),
        (
            changed(OrderPhase.TESTING, OrderPhase.PATCHING, 2, "2 tests\x1b[2J\nfailed"),
            [
                "WO-03: attempt 1 failed at verify_failed: 2 tests\\x1b[2J failed",
                "WO-03: attempt 2, patching",
            ],
        ),
        (changed(OrderPhase.TESTING, OrderPhase.LANDED), ["WO-03: landed as 1234567890ab"]),
        (
            {
                **changed(OrderPhase.TESTING, OrderPhase.LANDED),
                "scores": {"tried": 4, "acceptance": 0, "verification": 0, "executed": 0},
            },
            [
                "WO-03: landed as 1234567890ab; acceptance notices 0 of 4 changes, verification 0",
                (
                    "WO-03: not proven: neither acceptance nor verification notices any of the 4 changes of"
                    " what was written, and they execute none of the changed lines"
                ),
            ],
        ),
        (changed(OrderPhase.PENDING, OrderPhase.LANDED), ["WO-03: is on the branch already as 1234567890ab"]),
        (
            changed(OrderPhase.TESTING, OrderPhase.FAILED, 2, "x" * 600),
            [f"WO-03: failed at verify_failed: {'x' * 500}…"],
        ),
        (
            changed(
                OrderPhase.TESTING, OrderPhase.FAILED, 1, "returned 1", "E   assert 1 == 2\nFAILED\x1b[2J"
            ),
            ["WO-03: failed at verify_failed: returned 1: assert 1 == 2"],
        ),
        (
            changed(OrderPhase.TESTING, OrderPhase.FAILED, 1, "returned 1", "a\n\x1b[2J\tlast words\n"),
            ["WO-03: failed at verify_failed: returned 1: \\x1b[2J last words"],
        ),
        (
            changed(OrderPhase.TESTING, OrderPhase.FAILED, 1, "it says: last words", "last words"),
            ["WO-03: failed at verify_failed: it says: last words"],
        ),
        (changed(OrderPhase.PENDING, OrderPhase.FAILED), ["WO-03: failed"]),
        (
            changed(OrderPhase.PENDING, OrderPhase.BLOCKED, 0),
            ["WO-03: blocked, because one that it depends on failed or is left out"],
        ),
        (changed(OrderPhase.TESTING, OrderPhase.PENDING), ["WO-03: waits again"]),
    ],
)
def test_what_a_log_tells(event: JsonObject, lines: list[str]) -> None:
    assert render_event(STATE, event) == lines


def test_what_the_plan_gives_is_not_said_to_be_generated() -> None:
    event = changed(OrderPhase.PENDING, OrderPhase.GENERATING)

    assert render_event(STATE, event, {"WO-03"}) == ["WO-03: attempt 1, writing what the plan gives"]
    assert render_event(STATE, event, {"WO-01"}) == ["WO-03: attempt 1, generating"]


def test_beside_a_picture_only_what_must_not_scroll_away_is_told() -> None:
    assert lasting(changed(OrderPhase.TESTING, OrderPhase.FAILED))
    assert not lasting(changed(OrderPhase.PENDING, OrderPhase.GENERATING))
    assert not lasting({"event": "build", "after": "running"})
