"""Statements leave marks when they are executed, and do nothing else that they did not do before."""

from pathlib import Path

import pytest

from factory.languages.python.mutation.marks import marked

SOURCE = """\
\"\"\"What it is for.\"\"\"
from __future__ import annotations

def sign(number, zero=(0
                       + 0)):
    if number > zero: return 1
    elif number < zero:
        return -1
    else:
        try:
            return int("x")
        except ValueError:
            return 0

def idle(): return sign(5)

KINDS = [sign(number) for number in (3, -3)]
"""


def lines_run(folder: Path, source: str = SOURCE) -> tuple[set[int], dict[str, object]]:
    count = len(source.splitlines())
    marks = {line: str(folder / str(line)) for line in range(1, count + 1)}
    names: dict[str, object] = {}
    exec(compile(marked(source, marks) or "(", "marked", "exec"), names)
    return {int(path.name) for path in folder.iterdir()}, names


def test_the_lines_that_are_executed_are_marked_and_no_others(tmp_path: Path) -> None:
    executed, names = lines_run(tmp_path, SOURCE[SOURCE.index("def sign") :])

    assert executed == {1, 2, 3, 4, 5, 6, 14}
    assert names["KINDS"] == [1, -1]


def test_what_can_not_be_marked_is_none(tmp_path: Path) -> None:
    assert marked("def x(:", {1: str(tmp_path / "1")}) is None
    assert compile(marked(SOURCE, {5: str(tmp_path / "5")}) or "(", "marked", "exec")


@pytest.mark.parametrize(
    "source", ["x = 1", "class A:\n    x = 2\n", "match 3:\n    case 3:\n        x = 1\n"]
)
def test_a_place_that_can_not_be_written_changes_nothing(tmp_path: Path, source: str) -> None:
    lines = range(1, source.count("\n") + 2)

    exec(marked(source, {line: str(tmp_path / "missing" / str(line)) for line in lines}) or "(")

    assert list(tmp_path.iterdir()) == []
