"""What is written down about a run, whatever names and whatever crashes it holds."""

import json
import os
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.attempt.outcome import RunOutcome
from factory.attempt.summary import AttemptSummary
from factory.contract.canonical import dump
from factory.contract.work_order import WorkOrder
from factory.llm.port import Usage
from factory.report.show import show_run
from factory.runs.record.documents import RunRecord, complete_killed_runs
from factory.runs.record.endings import Ending
from factory.runs.record.files import RUN, SUMMARY
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import RunDocument
from tests.support.repositories import a_work_order, write_files
from tests.support.runs import read_object

ORDER = WorkOrder.model_validate(a_work_order())


class Ticking:
    """A clock that goes on by a second with every question."""

    def __init__(self) -> None:
        self._seconds = 0

    def now(self) -> str:
        self._seconds += 1
        return f"2026-01-01T00:00:{self._seconds:02}.000Z"

    def monotonic(self) -> float:
        return float(self._seconds)


def sequences(folder: Path) -> list[int]:
    return [json.loads(line)["sequence"] for line in (folder / "events.jsonl").read_bytes().splitlines()]


def test_a_run_is_on_the_disk_from_its_first_moment(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run", Ticking())

    RunRecord.start(folder, ORDER, RunDocument(run_id="abc"))

    run = read_object(tmp_path / "run" / "run.json")
    assert run["outcome"] is run["ended"] is None
    assert run["work_order"] == "WO-01"
    assert run["started"] == "2026-01-01T00:00:01.000Z"
    assert read_object(tmp_path / "run" / "work_order.json") == ORDER.model_dump(mode="json")
    assert sequences(tmp_path / "run") == [0, 1]


def test_names_that_no_text_can_hold_do_not_spoil_the_record(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\x1b[31m")
    folder = RunFolder(tmp_path / "run", Ticking())
    record = RunRecord.start(folder, ORDER, RunDocument(run_id="abc"))

    record.end(
        Ending(RunOutcome.REFUSED, ExitCode.REFUSED, f"{name}: dirty", name),
        Usage(input_tokens=0, output_tokens=0),
        0,
    )

    summary = read_object(tmp_path / "run" / "run_summary.json")
    assert summary["message"] == r"\udcff\x1b[31m: dirty"
    assert r"\udcff" in show_run(tmp_path / "run")


def test_a_line_that_a_crash_cut_off_never_happened(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, Ticking())
    folder.event("one")
    with (tmp_path / "events.jsonl").open("ab") as file:
        file.write(b'{"event": "cut off')

    RunFolder(tmp_path, Ticking()).event("two")

    assert sequences(tmp_path) == [0, 1, 2]
    assert b"cut off" not in (tmp_path / "events.jsonl").read_bytes()


def test_an_attempt_that_is_run_again_is_told_again(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, Ticking())
    folder.attempt(1).text("llm_response.txt", "half a surrogate: \udcff")
    assert (tmp_path / "attempt_1" / "llm_response.txt").read_bytes() == b"half a surrogate: \\udcff"

    folder.attempt(1)

    assert list((tmp_path / "attempt_1").iterdir()) == []


def test_a_killed_run_is_completed_once(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "abc", Ticking())
    RunRecord.start(folder, ORDER, RunDocument(run_id="abc", repository="/r/.git"))

    assert complete_killed_runs(tmp_path, "/other/.git", Ticking(), lambda _: None) == 0
    assert complete_killed_runs(tmp_path, "/r/.git", Ticking(), lambda _: None) == 1
    assert complete_killed_runs(tmp_path, "/r/.git", Ticking(), lambda _: None) == 0

    assert "killed" in show_run(tmp_path / "abc")
    assert sequences(tmp_path / "abc") == [0, 1, 2]


def test_folders_that_are_none_of_ours_are_left_alone(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"a/run.json": "{", "b/run.json": "null", "c/run.json": b"\xff", "ledger/x.json": "{}"}
    )
    (tmp_path / "d" / "run.json").mkdir(parents=True)

    assert complete_killed_runs(tmp_path, "/r/.git", Ticking(), lambda _: None) == 0
    assert complete_killed_runs(tmp_path / "nowhere", "/r/.git", Ticking(), lambda _: None) == 0
    assert not list(tmp_path.glob("*/run_summary.json"))


def test_a_run_that_was_killed_after_its_summary_keeps_it(tmp_path: Path) -> None:
    # given a run that ended twice, the second time without the last word in run.json
    folder = RunFolder(tmp_path / ("a" * 16), Ticking())
    attempts = (AttemptSummary(attempt=1, passed=True),)
    for outcome in (RunOutcome.FAILED, RunOutcome.PASSED):
        facts = RunDocument(run_id="abc", repository="/r")
        RunRecord.start(folder, ORDER, facts).end(
            Ending(outcome, ExitCode.PASS, "ended", attempts=attempts), None, 1
        )
    run = read_object(folder.path / "run.json")
    (folder.path / "run.json").write_text(json.dumps({**run, "outcome": None, "ended": None}))
    # when
    assert complete_killed_runs(tmp_path, "/r", Ticking(), lambda _facts: None) == 0
    # then
    assert read_object(folder.path / "run.json") == run
    assert read_object(folder.path / "run_summary.json")["attempts"] == [
        dump(attempt) for attempt in attempts
    ]

    # but an earlier run's summary says nothing about a later one
    RunRecord.start(folder, ORDER, RunDocument(run_id="abc", repository="/r"))
    assert complete_killed_runs(tmp_path, "/r", Ticking(), lambda _facts: None) == 1
    assert read_object(folder.path / "run.json")["outcome"] == "killed"


def test_an_event_is_appended_without_reading_those_before(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, Ticking())
    folder.event("one")
    (tmp_path / "events.jsonl").write_bytes(b"")

    folder.event("two")

    assert sequences(tmp_path) == [2]


def test_a_folder_of_before_there_were_sandboxes_and_prices_is_still_read(tmp_path: Path) -> None:
    old = {"run_id": "abc", "contract": "c", "started": "2026-01-01T00:00:00.000Z", "outcome": "failed"}
    end = {"exit_code": 1, "message": "failed", "attempts": [{"attempt": 1, "passed": False}]}
    write_files(tmp_path, {"run.json": json.dumps(old), "run_summary.json": json.dumps({**old, **end})})

    assert RUN.read(tmp_path) == RunDocument.model_validate(old)
    summary = SUMMARY.read(tmp_path)
    assert summary is not None
    assert (summary.sandbox, summary.cost_usd, summary.attempts[0].answer) == (None, None, None)
    assert "failed" in show_run(tmp_path)
