"""What no prompt shows: the small specification, requirement by requirement."""

import subprocess
import sys

import pytest
import unitly


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h30m", 5400),
        ("1d 2h", 93600),
        ("  2w ", 1209600),
        ("0s", 0),
        ("1w1d1h1m1s", 694861),
        ("007s", 7),
        ("90m", 5400),
        ("0h 0m", 0),
        ("100000s", 100000),
        ("1w 1s", 604801),
    ],
)
def test_r1_r3_r4_durations(text: str, seconds: int) -> None:
    assert unitly.parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "30m1h",
        "1h1h",
        "1h  2m",
        "1 h",
        "1.5h",
        "-1h",
        "h",
        "1",
        "1H",
        "1h,2m",
        "1h2",
        "1x",
        "1h\t2m",
        "+1h",
    ],
)
def test_r2_r5_what_is_no_duration(text: str) -> None:
    with pytest.raises(unitly.UnitError) as raised:
        unitly.parse_duration(text)
    assert str(raised.value) == f"not a duration: {text!r}"
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (93600, "1d2h"),
        (604800, "1w"),
        (0, "0s"),
        (59, "59s"),
        (3661, "1h1m1s"),
        (1209600 + 60, "2w1m"),
        (86399, "23h59m59s"),
    ],
)
def test_r6_writing(seconds: int, text: str) -> None:
    assert unitly.format_duration(seconds) == text
    assert unitly.parse_duration(text) == seconds


def test_r6_r9_negative() -> None:
    for function in (unitly.format_duration, unitly.format_size):
        with pytest.raises(unitly.UnitError) as raised:
            function(-1)
        assert str(raised.value) == "negative: -1"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("12", 12),
        ("1 KiB", 1024),
        ("1KB", 1000),
        ("2MB", 2_000_000),
        ("3 GB", 3_000_000_000),
        ("1MiB", 1048576),
        ("1GiB", 1073741824),
        ("5B", 5),
        ("0", 0),
        ("5 B", 5),
    ],
)
def test_r7_sizes(text: str, count: int) -> None:
    assert unitly.parse_size(text) == count


@pytest.mark.parametrize(
    "text", ["", "KB", "1kb", "1  KB", "1.5KB", "-1", "1 K", "1TB", "1kB", "1Kib", "one"]
)
def test_r8_what_is_no_size(text: str) -> None:
    with pytest.raises(unitly.UnitError) as raised:
        unitly.parse_size(text)
    assert str(raised.value) == f"not a size: {text!r}"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1536, "1.5KiB"),
        (1023, "1023B"),
        (1048576, "1.0MiB"),
        (1048575, "1.0MiB"),
        (0, "0B"),
        (1024, "1.0KiB"),
        (1126, "1.1KiB"),
        (1075, "1.0KiB"),
        (1076, "1.1KiB"),
        (1073741824, "1.0GiB"),
        (1073741823, "1.0GiB"),
        (1024**4, "1024.0GiB"),
        (1331, "1.3KiB"),
        (1280, "1.3KiB"),
        (10**9, "953.7MiB"),
        (1792, "1.8KiB"),
    ],
)
def test_r9_writing_sizes(count: int, text: str) -> None:
    assert unitly.format_size(count) == text


def called(*words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "unitly", *words], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_r10_the_command() -> None:
    assert called("duration", "1h", "1d 2h") == (0, "3600\n93600\n", "")
    assert called("size", "1KiB", "7") == (0, "1024\n7\n", "")
    assert called("duration", "1h", "x", "2h") == (1, "3600\n7200\n", "error: not a duration: 'x'\n")
    assert called("size", "x") == (1, "", "error: not a size: 'x'\n")
