"""Work orders of eight fields, as they were written before there were conditions and requirements.

Their shapes are those of published ones: words in `forbidden`, the repository's verification among the
acceptance commands, files among the allowed ones that words forbid, context files that are not there yet,
code of several lines in a command, a file in `/tmp` between commands.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.contract.documents import read_document
from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder
from planner.check.on_disk import check_plan
from tests.support.answers import a_proposal
from tests.support.repositories import make_repo
from tests.support.runs import Scene

OLDER = Path(__file__).parent / "older"
FILES = sorted(OLDER.glob("*/WO-*.json"))
FIELDS = {
    "id",
    "title",
    "intent",
    "allowed_files",
    "forbidden",
    "acceptance_commands",
    "context_files",
    "notes",
}
VERIFY = {"scripts/verify.sh": "python -m compileall -q .\n", ".gitignore": "__pycache__/\n"}


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def test_there_are_enough_of_them_from_different_plans() -> None:
    assert len(FILES) >= 20
    assert len({path.parent for path in FILES}) >= 4


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_none_is_refused_for_its_form(path: Path) -> None:
    written = json.loads(path.read_bytes())
    assert set(written) == FIELDS

    order = read_document(WorkOrder, path.read_bytes(), path.name)

    assert [text.rstrip("/") for text in order.forbidden] == [
        text.rstrip("/") for text in written["forbidden"]
    ]
    assert list(order.acceptance_commands) == written["acceptance_commands"]


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES}), ids=lambda path: path.name)
def test_no_plan_of_them_is_refused_for_its_form(folder: Path) -> None:
    checked = check_plan(folder, frozenset())
    assert [finding for finding in checked.diagnostics if finding.code in ("E000", "E004", "E005")] == []


CANVAS = """class Canvas:
    def __init__(self, width, height):
        self.width, self.height, self.values = width, height, {}

    def get(self, x, y):
        return self.values.get((x, y), 0)

    def put(self, x, y, value):
        self.values[x, y] = value
"""
TYPES = "from typing import NamedTuple\n\n\nclass Throw(NamedTuple):\n    count: int\n    sides: int\n"
PARSE = """from dice.types import Throw


def parse(text):
    count, _, sides = text.partition("d")
    return Throw(int(count or 1), int(sides))
"""
CLI = """import sys

open(sys.argv[sys.argv.index("--output") + 1], "w").write("3 4")
"""
STATE = """import dataclasses


@dataclasses.dataclass
class State:
    place: str
    carried: set[str] = dataclasses.field(default_factory=set)
"""


class Shape:
    """A work order, the files that its repository holds beside the verification, and what a model answers."""

    def __init__(self, name: str, base: Mapping[str, str], answer: Mapping[str, str]) -> None:
        self.name, self.base, self.answer = name, base, answer

    def __str__(self) -> str:
        return self.name


SOUND = (
    Shape("pixels/WO-02", {}, {"pixels/__init__.py": "", "pixels/canvas.py": CANVAS}),
    Shape(
        "pixels/WO-03",
        {"pixels/__init__.py": "", "pixels/canvas.py": CANVAS},
        {
            "pixels/canvas.py": CANVAS.replace(
                "        self.values[x, y] = value\n",
                "        if not (0 <= x < self.width and 0 <= y < self.height):\n"
                "            raise IndexError(x, y)\n"
                "        self.values[x, y] = value\n",
            )
        },
    ),
    Shape("dice/WO-03", {"dice/__init__.py": "", "dice/types.py": TYPES}, {"dice/parse.py": PARSE}),
    Shape(
        "dice/WO-05",
        {"dice/__init__.py": "", "dice/types.py": TYPES, "dice/parse.py": PARSE, "dice/roll.py": ""},
        {"dice/cli.py": CLI},
    ),
    Shape("quest/WO-03", {"quest/__init__.py": ""}, {"quest/state.py": STATE}),
    Shape(
        "depot/WO-02",
        {
            "tests/test_empty.py": "import unittest\n\n\n"
            "class Empty(unittest.TestCase):\n    def test_it(self): pass\n"
        },
        {"scripts/verify.sh": "python -m compileall -q .\npython -m unittest discover -q tests\n"},
    ),
)


def run(shape: Shape, tmp_path: Path) -> "tuple[Scene, ExitCode]":
    base = {**VERIFY, **shape.base}
    repo = make_repo(tmp_path / "repo", base)
    order = json.loads((OLDER / f"{shape.name}.json").read_bytes())
    scene = Scene(repo, [a_proposal(shape.answer, bases=base)] * 2, **order)
    # The user accepts that the verification changes where a work order is there to change it.
    accepted = (VERIFY_SCRIPT,) if VERIFY_SCRIPT in order["allowed_files"] else ()
    finished = scene.run(red_probe=True, mutants=0, accepted_configuration=accepted)
    return scene, finished.ending.exit_code


@pytest.mark.parametrize("shape", SOUND, ids=str)
def test_a_sound_one_lands(shape: Shape, tmp_path: Path) -> None:
    scene, exit_code = run(shape, tmp_path)
    assert (exit_code, scene.asked) == (ExitCode.PASS, 1), scene.progress


def test_one_whose_only_command_passes_already_is_stopped(tmp_path: Path) -> None:
    shape = Shape("pixels/WO-08", {}, {"README.md": "# pixels\n"})
    scene, exit_code = run(shape, tmp_path)
    assert (exit_code, scene.asked) == (ExitCode.PLAN_DEFECT, 0)
