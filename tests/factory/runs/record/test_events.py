"""What the last events of a file are, whatever else it holds."""

from pathlib import Path

from factory.runs.record import events
from factory.runs.record.events import latest_events


def test_lines_that_are_no_events_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    assert latest_events(path) == []
    path.write_bytes(b'{"sequence": 0}\n[1]\nnoise \xff\n{"event": "build"}\n{"cut o')

    assert latest_events(path) == [{"sequence": 0}, {"event": "build"}]


def test_of_a_long_file_the_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    line = b'{"event": "work_order"}\n'
    path.write_bytes(line * (events._LOOKED_AT // len(line) + 9))

    found = latest_events(path)

    assert 0 < len(found) <= events._LOOKED_AT // len(line)
    assert set(map(str, found)) == {"{'event': 'work_order'}"}
