"""How long a build may still take, told from events."""

import json
from pathlib import Path

from factory.builds.state.file import STATE_FILE
from factory.builds.state.machine import OrderPhase
from factory.contract.canonical import dump, readable_json
from factory.contract.strict_json import JsonObject
from factory.report.live.earlier import taken_before
from factory.report.live.pace import Pace, Taken
from tests.support.build_states import a_minute, a_state, an_attempt, an_order

BEGAN: JsonObject = {"event": "build", "after": "running", "time": a_minute(0)}


def became(number: int, phase: OrderPhase, second: int) -> JsonObject:
    return {
        "event": "work_order",
        "work_order": f"WO-{number:02d}",
        "after": phase,
        "time": a_minute(second),
    }


def took(number: int, start: int, asking: int, checking: int) -> list[JsonObject]:
    return [
        became(number, OrderPhase.GENERATING, start),
        became(number, OrderPhase.TESTING, start + asking),
        became(number, OrderPhase.LANDED, start + asking + checking),
    ]


def test_nothing_is_said_before_a_work_order_has_landed() -> None:
    pace = Pace()
    pace.read([BEGAN, became(1, OrderPhase.GENERATING, 1), became(1, OrderPhase.TESTING, 9)])

    assert pace.left(a_state(an_order(1, OrderPhase.TESTING), an_order(2)), a_minute(20)) is None


def test_the_rest_takes_what_landed_ones_took_less_what_has_passed() -> None:
    pace = Pace()
    pace.read([BEGAN, *took(1, 0, 6, 4), became(2, OrderPhase.GENERATING, 10)])
    state = a_state(an_order(1, OrderPhase.LANDED), an_order(2, OrderPhase.GENERATING), an_order(3))

    assert pace.left(state, a_minute(13)) == 7 + 10
    assert pace.left(state, a_minute(50)) == 10


def test_before_one_has_landed_what_earlier_builds_took_stands_in() -> None:
    # Of the first nobody was asked.
    pace = Pace(earlier=(Taken(0.2, 4), Taken(20, 6)))
    state = a_state(an_order(1), an_order(2))
    assert pace.left(state, a_minute(0)) == 2 * (20 + 5)
    pace.read([BEGAN, *took(1, 0, 6, 4)])
    assert pace.left(a_state(an_order(1, OrderPhase.LANDED), an_order(2)), a_minute(10)) == 10


def test_earlier_builds_of_the_repository_are_found_beside_it(tmp_path: Path) -> None:
    mine, other, now = tmp_path / "mine", tmp_path / "other", tmp_path / "now"
    for place, repository in ((mine, "/repo/.git"), (other, "/other/.git")):
        place.mkdir()
        state = a_state(an_order(1, OrderPhase.LANDED)).model_copy(update={"repository": repository})
        (place / STATE_FILE).write_bytes(readable_json(dump(state)))
        events = [json.dumps(event) for event in (BEGAN, *took(1, 0, 6, 4))]
        (place / "events.jsonl").write_text("\n".join(events) + "\n")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / STATE_FILE).write_text("{")

    assert taken_before(now, "/repo/.git") == (Taken(6, 4),)
    assert taken_before(mine, "/repo/.git") == ()
    assert taken_before(tmp_path / "nowhere" / "at all", "/repo/.git") == ()


def test_several_at_a_time_take_less() -> None:
    pace = Pace()
    pace.read([BEGAN, *took(1, 0, 6, 4), *took(2, 0, 6, 4)])
    state = a_state(*(an_order(number, OrderPhase.LANDED) for number in (1, 2)), an_order(3), an_order(4))

    assert pace.left(state, a_minute(10)) == (10 + 10) / 2


def test_an_earlier_pass_tells_and_what_it_left_under_way_does_not() -> None:
    pace = Pace()
    pace.read(
        [BEGAN, *took(1, 0, 6, 4), became(2, OrderPhase.GENERATING, 10), {**BEGAN, "time": a_minute(50)}]
    )

    assert pace.left(a_state(an_order(1, OrderPhase.LANDED), an_order(2)), a_minute(51)) == 10


def test_one_whose_answer_is_remembered_waits_for_no_model() -> None:
    pace = Pace(answered={an_order(2).contract: 30.0})
    pace.read([BEGAN, *took(1, 0, 6, 4)])

    assert pace.left(a_state(an_order(1, OrderPhase.LANDED), an_order(2)), a_minute(10)) == 4


def test_where_only_remembered_answers_were_used_nobody_knows_how_long_a_model_takes() -> None:
    pace = Pace(answered={an_order(1).contract: None})
    pace.read([BEGAN, *took(1, 0, 0, 4)])

    assert pace.left(a_state(an_order(1, OrderPhase.LANDED), an_order(2)), a_minute(10)) is None


def test_how_long_remembered_answers_took_is_what_others_will_take() -> None:
    # The build goes on, or another one of the same ledger begins: what landed was answered before it.
    pace = Pace(answered={an_order(1).contract: 20.0, "of another plan": 40.0}, earlier=(Taken(99, 99),))
    pace.read([BEGAN, *took(1, 0, 0, 4), {**BEGAN, "time": a_minute(9)}])
    state = a_state(an_order(1, OrderPhase.LANDED), an_order(2), an_order(3))

    assert pace.left(state, a_minute(10)) == 2 * (30 + 4)
    pace.read(took(2, 10, 8, 4))
    assert pace.left(state.with_order(an_order(2, OrderPhase.LANDED)), a_minute(22)) == 8 + 4


def test_files_that_the_plan_gives_tell_nothing_of_a_model() -> None:
    pace = Pace()
    pace.read([BEGAN, *took(1, 0, 0, 4)])
    unasked = an_attempt(1).model_copy(update={"input_tokens": 0, "output_tokens": 0})
    given = an_order(1, OrderPhase.LANDED, attempts=(unasked,))

    assert pace.left(a_state(given, an_order(2)), a_minute(10)) is None

    asked = an_order(1, OrderPhase.LANDED, attempts=(an_attempt(1),))
    assert pace.left(a_state(asked, an_order(2)), a_minute(10)) == 4


def test_after_a_failure_and_at_the_end_nothing_is_said() -> None:
    pace = Pace()
    pace.read([BEGAN, *took(1, 0, 6, 4)])
    landed = an_order(1, OrderPhase.LANDED)

    assert pace.left(a_state(landed), a_minute(10)) is None
    assert pace.left(a_state(landed, an_order(2, OrderPhase.FAILED), an_order(3)), a_minute(10)) is None


def test_events_that_can_not_be_read_tell_nothing() -> None:
    pace = Pace()
    pace.read([{}, {"time": 3, "event": "work_order"}, {**became(1, OrderPhase.LANDED, 3), "after": None}])

    assert pace.left(a_state(an_order(1)), "no time") is None
    assert pace.left(a_state(an_order(1)), a_minute(1)) is None
