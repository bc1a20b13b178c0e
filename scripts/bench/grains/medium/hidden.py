"""What no prompt shows: the medium specification, requirement by requirement."""

import dataclasses
import datetime
import subprocess
import sys
from pathlib import Path

import hours
import pytest

SHEET = """\
# March

2026-03-02 09:00-12:30 acme/web fix the menu +billable
2026-03-02 12:30-13:00 lunch
   # indented
2026-03-03  08:05-08:10   acme   +billable a call +billable +urgent
2026-03-03 22:00-24:00 beta-2/api/v1 late + night
2026-03-01 00:00-00:01 acme/web
"""
D = datetime.date


def test_h1_h2_h7_entries() -> None:
    entries = hours.parse(SHEET)
    assert [(e.date, e.start, e.end, e.project, e.note, e.tags, e.line) for e in entries] == [
        (D(2026, 3, 2), 540, 750, "acme/web", "fix the menu +billable", ("billable",), 3),
        (D(2026, 3, 2), 750, 780, "lunch", "", (), 4),
        (D(2026, 3, 3), 485, 490, "acme", "+billable a call +billable +urgent", ("billable", "urgent"), 6),
        (D(2026, 3, 3), 1320, 1440, "beta-2/api/v1", "late + night", (), 7),
        (D(2026, 3, 1), 0, 1, "acme/web", "", (), 8),
    ]
    assert [e.minutes for e in entries] == [210, 30, 5, 120, 1]
    with pytest.raises(dataclasses.FrozenInstanceError):
        entries[0].note = "x"
    assert hours.parse("") == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("2026-03-02", "expected DATE START-END PROJECT"),
        ("2026-03-02 09:00-10:00", "expected DATE START-END PROJECT"),
        ("x", "expected DATE START-END PROJECT"),
        ("2026-02-30 09:00-10:00 a", "bad date '2026-02-30'"),
        ("2026-3-2 09:00-10:00 a", "bad date '2026-3-2'"),
        ("20260302 09:00-10:00 a", "bad date '20260302'"),
        ("2026-W10-1 09:00-10:00 a", "bad date '2026-W10-1'"),
        ("2026-03-02 9:00-10:00 a", "bad time '9:00-10:00'"),
        ("2026-03-02 09:00 a", "bad time '09:00'"),
        ("2026-03-02 09:00-10:60 a", "bad time '09:00-10:60'"),
        ("2026-03-02 24:00-24:00 a", "bad time '24:00-24:00'"),
        ("2026-03-02 09:00-24:01 a", "bad time '09:00-24:01'"),
        ("2026-03-02 09:00_10:00 a", "bad time '09:00_10:00'"),
        ("2026-03-02 10:00-10:00 a", "ends before it starts"),
        ("2026-03-02 10:00-09:59 A", "ends before it starts"),
        ("2026-03-02 09:00-10:00 Acme", "bad project 'Acme'"),
        ("2026-03-02 09:00-10:00 acme/", "bad project 'acme/'"),
        ("2026-03-02 09:00-10:00 acme//x", "bad project 'acme//x'"),
        ("2026-03-02 09:00-10:00 2acme", "bad project '2acme'"),
        ("2026-03-02 09:00-10:00 a_b", "bad project 'a_b'"),
        ("2026-13-02 9-10 A", "bad date '2026-13-02'"),
    ],
)
def test_h8_what_is_no_entry(line: str, reason: str) -> None:
    with pytest.raises(hours.SheetError) as raised:
        hours.parse(f"\n{line}\n")
    assert str(raised.value) == f"line 2: {reason}"
    assert isinstance(raised.value, ValueError)


def test_h9_overlaps() -> None:
    one, two = "2026-03-02 09:00-10:00 a\n", "2026-03-02 09:59-11:00 b\n"
    with pytest.raises(hours.SheetError, match=r"^line 2: overlaps line 1$"):
        hours.parse(one + two)
    with pytest.raises(hours.SheetError, match=r"^line 3: overlaps line 1$"):
        hours.parse("2026-03-02 09:00-10:00 a\n2026-03-02 11:00-12:00 b\n2026-03-02 08:00-11:30 c\n")
    with pytest.raises(hours.SheetError, match=r"^line 3: expected"):
        hours.parse(one + two + "x\n")
    assert (
        len(hours.parse(one + "2026-03-02 10:00-11:00 b\n2026-03-02 08:00-09:00 c\n2026-03-03 09:00-10:00 a"))
        == 4
    )
    with pytest.raises(hours.SheetError, match=r"^line 2: overlaps line 1$"):
        hours.parse("2026-03-02 09:00-12:00 a\n2026-03-02 10:00-11:00 b\n")


def test_h10_h11_totals() -> None:
    entries = hours.parse(SHEET)
    assert hours.total(entries) == 366
    assert list(hours.by_project(entries).items()) == [
        ("acme", 5),
        ("acme/web", 211),
        ("beta-2/api/v1", 120),
        ("lunch", 30),
    ]
    assert list(hours.by_project(entries, depth=1).items()) == [("acme", 216), ("beta-2", 120), ("lunch", 30)]
    assert hours.by_project(entries, depth=2)["beta-2/api"] == 120
    assert list(hours.by_day(entries).items()) == [
        (D(2026, 3, 1), 1),
        (D(2026, 3, 2), 240),
        (D(2026, 3, 3), 125),
    ]
    assert (hours.total([]), hours.by_project([]), hours.by_day([])) == (0, {}, {})


def test_h12_h13_minutes() -> None:
    assert [hours.format_minutes(n) for n in (90, 5, 6000, 0, 60)] == [
        "1:30",
        "0:05",
        "100:00",
        "0:00",
        "1:00",
    ]
    assert [hours.round_up(n, 15) for n in (91, 90, 1, 0)] == [105, 90, 15, 0]
    for step in (0, -5):
        with pytest.raises(ValueError):
            hours.round_up(1, step)


def test_h14_selecting() -> None:
    entries = hours.parse(SHEET + "2026-03-04 01:00-02:00 acme2 x\n2026-03-04 02:00-03:00 acme-x\n")

    def lines(**chosen: object) -> list[int]:
        return [e.line for e in hours.select(entries, **chosen)]

    assert lines(project="acme") == [3, 6, 8]
    assert lines(project="acme/web") == [3, 8]
    assert lines(tag="billable") == [3, 6]
    assert lines(tag="urgent", project="acme/web") == []
    assert lines(since=D(2026, 3, 3)) == [6, 7, 9, 10]
    assert lines(until=D(2026, 3, 1)) == [8]
    assert lines(since=D(2026, 3, 2), until=D(2026, 3, 2)) == [3, 4]
    assert lines() == [3, 4, 6, 7, 8, 9, 10]
    assert lines(project="beta-2/api") == [7]


def called(*words: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-m", "hours", *words], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def sheet(tmp_path: Path) -> str:
    path = tmp_path / "sheet.txt"
    path.write_text(SHEET)
    return str(path)


def test_h15_h16_report(sheet: str, tmp_path: Path) -> None:
    assert called("report", sheet) == (
        0,
        (
            "acme           0:05\nacme/web       3:31\nbeta-2/api/v1  2:00\n"
            "lunch          0:30\ntotal          6:06\n"
        ),
        "",
    )
    assert (
        called("report", sheet, "--depth", "1")[1]
        == "acme    3:36\nbeta-2  2:00\nlunch   0:30\ntotal   6:06\n"
    )
    many = tmp_path / "many.txt"
    many.write_text(
        "".join(f"2026-03-{day:02} 00:00-24:00 a\n" for day in range(1, 6)) + "2026-03-09 00:00-00:05 b\n"
    )
    assert called("report", str(many))[1] == "a      120:00\nb        0:05\ntotal  120:05\n"
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    assert called("report", str(empty)) == (0, "total  0:00\n", "")


def test_h17_days(sheet: str) -> None:
    assert (
        called("days", sheet)[1] == "2026-03-01  0:01\n2026-03-02  4:00\n2026-03-03  2:05\ntotal       6:06\n"
    )


def test_h18_csv(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text('2026-03-02 09:00-24:00 a/b say "hi", +x +y\n2026-03-03 00:00-00:30 c\n')
    assert called("csv", str(path))[1] == (
        "date,start,end,minutes,project,tags,note\n"
        '2026-03-02,09:00,24:00,900,a/b,x y,"say ""hi"", +x +y"\n'
        "2026-03-03,00:00,00:30,30,c,,\n"
    )


def test_h19_h20_options(sheet: str) -> None:
    assert (
        called("report", sheet, "--tag", "billable", "--since", "2026-03-03")[1]
        == "acme   0:05\ntotal  0:05\n"
    )
    assert called("days", sheet, "--project", "acme", "--until", "2026-03-02")[1] == (
        "2026-03-01  0:01\n2026-03-02  3:30\ntotal       3:31\n"
    )
    assert called("report", sheet, "--round", "15", "--depth", "1")[1] == (
        "acme    4:00\nbeta-2  2:00\nlunch   0:30\ntotal   6:30\n"
    )
    assert called("csv", sheet, "--project", "lunch")[1].count("\n") == 2
    assert called("check", sheet, "--project", "acme")[1] == "3 entries, 3:36\n"
    assert called("days", sheet, "--round", "60", "--project", "acme", "--since", "2026-03-03")[1] == (
        "2026-03-03  1:00\ntotal       1:00\n"
    )


def test_h21_check(sheet: str, tmp_path: Path) -> None:
    assert called("check", sheet) == (0, "5 entries, 6:06\n", "")
    path = tmp_path / "one.txt"
    path.write_text("2026-03-02 09:00-10:00 a")
    assert called("check", str(path))[1] == "1 entry, 1:00\n"


def test_h22_errors(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("2026-03-02 09:00-10:00 a\nx\n")
    for command in ("report", "days", "csv", "check"):
        expected = f"error: {path}: line 2: expected DATE START-END PROJECT\n"
        assert called(command, str(path)) == (1, "", expected)
    code, out, err = called("check", str(tmp_path / "none.txt"))
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {tmp_path / 'none.txt'}: ")
    path.write_bytes(b"\xff\xfe")
    code, out, err = called("report", str(path))
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path}: ")
    for words in (["--since", "2026-02-30"], ["--depth", "0"], ["--round", "0"], ["--nonsense"]):
        assert called("report", str(path), *words)[0] == 2
