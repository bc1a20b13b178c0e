"""Consumed symbols, as the engineer's prompt shows them: whole, from the repository."""

import json
import re
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.contract.strict_json import JsonValue
from factory.contract.work_order import WorkOrder
from factory.runs.shown.consumed import as_defined
from factory.system.files.tree import Tree
from tests.support.repositories import VERIFY_PASSES, a_work_order, make_repo, write_files
from tests.support.runs import Scene

SOURCE = """
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import overload

LIMIT: int = 3
GUESS = None

def count(text: str, /, *more: str, least: int = 2) -> dict[str, int]: ...

@contextmanager
def opened(path: str) -> Iterator[int]: ...

@asynccontextmanager
async def drained(path: str) -> AsyncGenerator[int | None, None]: ...

@contextmanager
def held(path: str): ...

@contextmanager
def vast(path: str) -> Iterator[LARGE]: ...

async def lines(path: str) -> AsyncIterator[str]: ...

@overload
def twice(x: int) -> int: ...
@overload
def twice(x: str) -> str: ...
def twice(x): ...

@dataclass
class Board:
    size: int = 8

    @property
    def area(self) -> int: ...

    @classmethod
    def parse(cls, text: str) -> "Board": ...
""".replace("LARGE", "list[" * 150 + "int" + "]" * 150)


def shown(text: str, root: Path) -> str:
    (definition,) = as_defined(WorkOrder.model_validate(a_work_order(consumes=[text])), Tree(root))
    return definition


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (
            "tally.counting:count(text, /, *more, least=...)",
            "tally.counting:count(text: str, /, *more: str, least: int = 2) -> dict[str, int]",
        ),
        ("tally.counting:LIMIT", "tally.counting:LIMIT: int"),
        (
            "tally.counting:opened(path)",
            "tally.counting:opened(path: str) -> AbstractContextManager[int]",
        ),
        (
            "tally.counting:drained(path)",
            "tally.counting:drained(path: str) -> AbstractAsyncContextManager[int | None]",
        ),
        ("tally.counting:held(path)", "tally.counting:held(path: str)"),
        (
            "tally.counting:opened(path) -> AbstractContextManager[int]",
            "tally.counting:opened(path: str) -> AbstractContextManager[int]",
        ),
        ("tally.counting:lines(path)", "tally.counting:lines(path: str) -> AsyncIterator[str]"),
        (
            "tally.counting:Board.__init__(self, size=...)",
            "tally.counting:Board.__init__(self, size: int = 8) -> None",
        ),
        ("@property tally.counting:Board.area(self)", "@property tally.counting:Board.area(self) -> int"),
        (
            "@classmethod tally.counting:Board.parse(cls, text)",
            "@classmethod tally.counting:Board.parse(cls, text: str) -> Board",
        ),
    ],
)
def test_what_a_plan_leaves_open_is_filled_in(text: str, whole: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"tally/__init__.py": "", "tally/counting.py": SOURCE})

    assert shown(text, tmp_path) == whole


@pytest.mark.parametrize(
    "text",
    [
        "tally.counting:count(text: 'str', /, *more: str, least: int = 2) -> typing.Dict[str, int]",
        "tally.counting:count(words, /)",
        "tally.counting:twice(x)",
        "tally.counting:vast(path: str)",
        "tally.counting:GUESS: int | None",
        "tally.counting:Board",
        "tally.counting:Missing",
        "tally.broken:f(x)",
        "tally.linked:count(text, /, *more, least=...)",
        "json:dumps(obj)",
        "tally.counting:count(",
    ],
)
def test_what_the_repository_says_no_more_of_stays_as_the_plan_has_it(text: str, tmp_path: Path) -> None:
    write_files(
        tmp_path, {"tally/__init__.py": "", "tally/counting.py": SOURCE, "tally/broken.py": "def f(:\n"}
    )
    (tmp_path / "tally/linked.py").symlink_to("counting.py")

    assert shown(text, tmp_path) == text


def test_a_default_too_long_to_be_written_in_a_plan_is_not_shown(tmp_path: Path) -> None:
    write_files(tmp_path, {"app.py": f"def f(x='{'x' * 3_000}'): ...\n"})

    assert shown("app:f(x=...)", tmp_path) == "app:f(x=...)"


@pytest.mark.parametrize("root", ["", "src/", "packages/tally/lib/"])
def test_the_prompt_has_the_signature_that_was_written(root: str, tmp_path: Path) -> None:
    """The provider has promised less than it wrote, and the consumer repeats less than was promised."""
    counting = f"{root}tally/counting.py"
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, f"{root}tally/__init__.py": "", counting: SOURCE})
    consumes: JsonValue = ["tally.counting:count(text, /, *more, least=...)"]
    scene = Scene(repo, consumes=consumes, context_files=[counting])

    finished = scene.run()

    assert finished.ending.exit_code == ExitCode.PASS
    assert finished.folder is not None
    prompt = (finished.folder / "attempt_1" / "se_prompt.txt").read_text()
    match = re.search(r'<work_order id="\w+">\n(.*?)\n</work_order', prompt, re.DOTALL)
    assert match is not None
    assert json.loads(match[1])["consumes"] == [
        "tally.counting:count(text: str, /, *more: str, least: int = 2) -> dict[str, int]"
    ]
