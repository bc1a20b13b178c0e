"""What the ledger remembers, when it asks, and what it refuses to trust."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.llm.ledger.file import DamagedLedger
from factory.llm.ledger.store import Entry, Ledger, call_key
from factory.llm.port import Message, Parameters, ProviderError, Request, worst_case
from tests.support.requests import a_request
from tests.support.scripted_model import ScriptedModel, answer


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_an_answer_is_stored_and_used_instead_of_a_second_call(tmp_path: Path) -> None:
    model = ScriptedModel(["first"])
    ledger = Ledger(tmp_path / "ledger")

    asked = ledger.wrap(model).ask(a_request())
    recorded = Ledger(tmp_path / "ledger").wrap(model).ask(a_request())

    assert (asked.answer.text, asked.from_ledger) == ("first", False)
    assert recorded.answer == asked.answer
    assert recorded.key == asked.key
    assert recorded.from_ledger
    assert len(model.requests) == 1
    assert names(ledger.directory) == [f"{asked.key}.json"]


def test_the_file_holds_the_whole_request_and_is_readable(tmp_path: Path) -> None:
    recorded = Ledger(tmp_path).wrap(ScriptedModel(["é\n"])).ask(a_request(temperature=0))

    data = (tmp_path / f"{recorded.key}.json").read_text(encoding="utf-8")

    value = json.loads(data)
    assert list(value) == ["adapter", "answer", "model", "request", "seconds"]
    assert value["request"]["messages"][1] == {"content": "Write a plan.\nKeep it short.\n", "role": "user"}
    assert value["request"]["parameters"]["temperature"] == 0
    assert '"text": "é\\n"' in data
    assert data.endswith("}\n")


class _Clock:
    """A quarter of a minute passes between two looks."""

    def __init__(self) -> None:
        self._looks = 0

    def now(self) -> str:
        raise AssertionError("the time of day is no part of an entry")

    def monotonic(self) -> float:
        self._looks += 1
        return 15.0 * self._looks


def test_how_long_an_answer_took_is_kept_and_is_no_part_of_its_name(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    wrapped = ledger.wrap(ScriptedModel(["one", "two"]), clock=_Clock())
    recorded = wrapped.ask(a_request())
    entry = ledger.find(recorded.key)
    assert entry is not None
    assert entry.seconds == 15.0

    # As it was written before there were such figures: found by the same name, and nobody is asked.
    path = tmp_path / f"{recorded.key}.json"
    document = json.loads(path.read_text())
    del document["seconds"]
    path.write_text(json.dumps(document))
    old = ledger.find(recorded.key)
    assert old is not None
    assert (old.key, old.answer, old.seconds) == (entry.key, entry.answer, None)
    assert wrapped.ask(a_request()).answer.text == "one"


def test_how_long_a_response_took_is_not_known_where_another_process_began_to_wait(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    model = ScriptedModel(["one"])
    key = call_key(model.adapter, model.name, a_request())
    ledger.reserve(key, worst_case(a_request()))
    ledger.pending.put(key, "resp_1")

    ledger.wrap(model, clock=_Clock()).ask(a_request())

    entry = ledger.find(key)
    assert entry is not None
    assert entry.seconds is None


def test_complete_is_ask_without_the_origin(tmp_path: Path) -> None:
    wrapped = Ledger(tmp_path).wrap(ScriptedModel(["yes"], adapter="a", name="m"))

    assert wrapped.complete(a_request()).text == "yes"
    assert (wrapped.adapter, wrapped.name) == ("a", "m")


def test_another_attempt_is_another_call(tmp_path: Path) -> None:
    wrapped = Ledger(tmp_path).wrap(ScriptedModel(["one", "two"]))

    assert [wrapped.complete(a_request(attempt=n)).text for n in (1, 2)] == ["one", "two"]


def test_the_answer_is_on_the_disk_before_it_is_used_and_the_reservation_before_it_is_asked(
    tmp_path: Path,
) -> None:
    seen: list[list[str]] = []

    def look(request: Request) -> str:
        seen.append(names(tmp_path))
        return "yes"

    key = Ledger(tmp_path).wrap(ScriptedModel([look])).ask(a_request()).key

    assert seen == [[f"{key}.pending.json"]]
    assert names(tmp_path) == [f"{key}.json"]


def test_a_failed_call_leaves_nothing_and_is_asked_again(tmp_path: Path) -> None:
    wrapped = Ledger(tmp_path).wrap(ScriptedModel([ProviderError("no"), "yes"]))

    with pytest.raises(ProviderError):
        wrapped.complete(a_request())
    assert names(tmp_path) == []
    assert wrapped.complete(a_request()).text == "yes"


def test_a_failed_call_whose_response_still_runs_keeps_its_reservation(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    key = call_key("scripted", "script", a_request())

    def fail(request: Request) -> str:
        ledger.pending.put(key, "resp_7")
        raise ProviderError("the connection failed")

    with pytest.raises(ProviderError):
        ledger.wrap(ScriptedModel([fail])).complete(a_request())

    assert Ledger(tmp_path).pending.get(key) == "resp_7"


def test_an_interrupted_call_is_asked_again(tmp_path: Path) -> None:
    wrapped = Ledger(tmp_path).wrap(ScriptedModel([KeyboardInterrupt(), "yes"]))

    with pytest.raises(KeyboardInterrupt):
        wrapped.complete(a_request())
    assert wrapped.complete(a_request()).text == "yes"
    assert [name for name in names(tmp_path) if "pending" in name] == []


def test_a_reservation_that_a_kill_has_left_beside_the_answer_goes_with_the_next_use(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    wrapped = ledger.wrap(ScriptedModel(["yes"]))
    key = wrapped.ask(a_request()).key
    ledger.reserve(key, worst_case(a_request()))

    assert wrapped.ask(a_request()).from_ledger

    assert names(tmp_path) == [f"{key}.json"]


def test_entries_come_sorted_and_other_files_are_passed_over(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    wrapped = ledger.wrap(ScriptedModel(["1", "2", "3"]))
    keys = [wrapped.ask(a_request(attempt=n)).key for n in (1, 2, 3)]
    ledger.pending.put("0" * 64, "resp_1")
    (tmp_path / "README.md").write_text("A recording.\n")

    entries = list(ledger.entries())

    assert [entry.key for entry in entries] == sorted(keys)
    assert {entry.answer.text for entry in entries} == {"1", "2", "3"}
    assert list(Ledger(tmp_path / "absent").entries()) == []


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _other_text(data: bytes) -> bytes:
    return data.replace(b"You are careful.", b"You are careless.")


def _unknown_field(data: bytes) -> bytes:
    return data.replace(b'"adapter"', b'"vendor": "x",\n  "adapter"', 1)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_cut, "this ledger file is damaged: not valid JSON"),
        (lambda data: b"", "this ledger file is damaged: not valid JSON"),
        (lambda data: b"[]", "this ledger file is damaged: /: must be an object"),
        (lambda data: b"\xff" + data, "this ledger file is damaged: byte 0 is not UTF-8"),
        (_unknown_field, "this ledger file is damaged: /vendor: is not a known field"),
        (_other_text, "the call in this file is not the one that its name stands for"),
    ],
)
def test_a_damaged_entry_is_never_used_and_never_asked_again(
    tmp_path: Path, damage: object, message: str
) -> None:
    assert callable(damage)
    model = ScriptedModel(["first", "second"])
    wrapped = Ledger(tmp_path).wrap(model)
    path = tmp_path / f"{wrapped.ask(a_request()).key}.json"
    path.write_bytes(damage(path.read_bytes()))

    with pytest.raises(DamagedLedger) as caught:
        wrapped.complete(a_request())

    assert message in str(caught.value)
    assert str(path) in caught.value.where
    assert "delete" in caught.value.hint
    assert len(model.requests) == 1
    with pytest.raises(DamagedLedger):
        list(Ledger(tmp_path).entries())


def test_a_special_file_in_place_of_an_entry_is_damage(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"{call_key('scripted', 'script', a_request())}.json")

    with pytest.raises(DamagedLedger, match="is a special file"):
        Ledger(tmp_path).wrap(ScriptedModel(["x"])).complete(a_request())


def test_a_damaged_reservation_is_named_with_its_cost(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    (tmp_path / f"{'a' * 64}.pending.json").write_text("{")

    with pytest.raises(DamagedLedger) as caught:
        ledger.pending.get("a" * 64)

    assert "paid twice" in caught.value.hint


def test_many_threads_may_ask_the_same(tmp_path: Path) -> None:
    def ask(_: int) -> str:
        return Ledger(tmp_path).wrap(ScriptedModel(["same"])).complete(a_request()).text

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(32))) == {"same"}
    assert len(list(Ledger(tmp_path).entries())) == 1


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)
requests = st.builds(
    Request,
    purpose=st.sampled_from(["plan", "revise", "propose"]),
    messages=st.lists(
        st.builds(Message, role=st.sampled_from(["system", "user"]), content=texts), max_size=3
    ).map(tuple),
    schema_name=st.sampled_from(["plan", "write_proposal"]),
    answer_schema=st.none() | st.dictionaries(texts, texts, max_size=2),
    parameters=st.builds(
        Parameters,
        max_output_tokens=st.integers(1, 3),
        temperature=st.none() | st.sampled_from([0.0, 0.5]),
        reasoning_effort=st.none() | st.sampled_from(["low", "high"]),
    ),
    attempt=st.integers(1, 3),
)


@settings(deadline=None)
@given(requests, requests)
def test_two_calls_share_a_key_exactly_if_they_are_the_same(first: Request, second: Request) -> None:
    assert (call_key("a", "m", first) == call_key("a", "m", second)) == (first == second)
    assert len({call_key("a", "m", first), call_key("b", "m", first), call_key("a", "n", first)}) == 3


@settings(deadline=None)
@given(requests)
def test_a_key_survives_the_way_to_the_disk_and_back(request: Request) -> None:
    entry = Entry(adapter="a", model="m", request=request, answer=answer("x"))

    assert Entry.model_validate_json(entry.model_dump_json()).key == entry.key


def test_the_key_of_a_call_never_changes_between_releases() -> None:
    assert call_key("command", "model", a_request()) == (
        "7b3eae1b0fc49580fbbd2e64baa396afe02da4693b6f6012ee9765c5d6dd7281"
    )


# retired answers


def test_a_retired_answer_is_asked_anew_and_stays_paid(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    wrapped = ledger.wrap(ScriptedModel(["one", "two", "three"]))
    key = wrapped.ask(a_request()).key

    for text in ("two", "three"):
        assert ledger.retire(key)
        assert ledger.find(key) is None
        assert list(ledger.entries()) == []
        assert wrapped.ask(a_request()).answer.text == text

    paid = [ledger.find_paid(*name) for name in ledger.paid()]
    assert [entry.answer.text for entry in paid if entry] == ["one", "two", "three"]
    assert names(tmp_path) == [f"{key}.json", "retired"]
    assert names(tmp_path / "retired") == [f"{key}.1.json", f"{key}.2.json"]


def test_the_name_of_a_paid_answer_stays_when_it_is_retired(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    key = ledger.wrap(ScriptedModel(["one"])).ask(a_request()).key
    (before,) = ledger.paid()
    stored = ledger.find_paid(*before)

    ledger.retire(key)

    assert list(ledger.paid()) == [before]
    assert ledger.find_paid(*before) == stored
    assert not ledger.retire(key)
    assert list(ledger.paid()) == [before]


def test_other_files_beside_retired_answers_are_nothing(tmp_path: Path) -> None:
    (tmp_path / "retired").mkdir()
    for name in ("notes.txt", f"{'a' * 64}.json", f"{'a' * 64}.0.json", f".{'a' * 64}.1.json.tmp"):
        (tmp_path / "retired" / name).write_text("{")

    assert list(Ledger(tmp_path).paid()) == []


def test_a_retired_answer_that_was_changed_is_not_trusted(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    key = ledger.wrap(ScriptedModel(["one"])).ask(a_request()).key
    ledger.retire(key)
    path = tmp_path / "retired" / f"{key}.1.json"
    path.write_text(path.read_text().replace("Write a plan", "Write a poem"))

    with pytest.raises(DamagedLedger, match="not the one that its name stands for"):
        ledger.find_paid(key, 1)


def test_what_a_request_is_about_is_stored_and_is_no_part_of_its_identity(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    request = a_request()
    about = request.model_copy(update={"subject": "a contract"})

    key = ledger.wrap(ScriptedModel(["one"])).ask(about).key
    again = ledger.wrap(ScriptedModel([])).ask(request)

    assert again.key == key
    assert [entry.request.subject for entry in ledger.entries()] == ["a contract"]
