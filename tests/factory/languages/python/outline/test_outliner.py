"""The outline of modules: what a plan may copy passes the rules, and no source can break it."""

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from factory.languages.python.codebase import PythonCodebase
from factory.languages.table import keeps, parse_symbol
from factory.plans.states.sources import Sources
from factory.plans.states.symbols import Interfaces
from tests.support.golden import assert_golden

ROOT = Path(__file__).resolve().parents[5]

CORE = '''"""Boards, and what is done with them.

More about it.
"""
from __future__ import annotations
import functools, re
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol, TypeVar, overload
from outside import Base
from .parts import Part, _hidden

__all__ = ["Board", "Part", "_odd", "LIMIT"]
__version__ = "1"
T = TypeVar("T")
LIMIT = 3
RATE: float = 1
PATTERN = re.compile("x")
logger = re.compile("y")
first, second = 1, 2

def _private(): ...
def _odd(x): ...
def count(text: "str", *, n: "int | None" = None) -> dict[str, int]:
    """Counts."""
async def wait(seconds=0.5): ...
def Named(x): ...

@overload
def over(x: int) -> int: ...
@overload
def over(x: str) -> str: ...
def over(x): return x

if re:
    def either(a): ...
else:
    def either(a, b): ...

@dataclass(frozen=True)
class Board:
    """A board
    of squares."""
    size: int
    cells: list[int] = field(default_factory=list)
    made: int = field(init=False)
    def at(self, x: int) -> int: ...
    @property
    def area(self) -> int: ...
    @functools.cached_property
    def edge(self) -> int: ...
    @classmethod
    def parse(cls, text: str) -> Board: ...
    @staticmethod
    def check(text: str) -> bool: ...
    def __len__(self): ...
    def __repr__(self): ...
    def _hidden(self): ...
    class Square:
        side = 1
        def grow(self): ...

class lower:
    def method(self): ...

class Color(Enum):
    RED = 1
    GREEN = 2

class Point(NamedTuple):
    x: int

class Plain(Base, Protocol[T]):
    kind: str = "plain"
    def __init__(self, name, *, size: int) -> None:
        self.name = name
        self._secret = size
    def odd(this): ...
'''
FILES = {
    "src/shop/__init__.py": (
        '"""A shop."""\nfrom shop.core import Board, count\nfrom .parts import *\nfrom re import sub\n'
    ),
    "src/shop/core.py": CORE,
    "src/shop/parts.py": "class Part: ...\n",
    "src/shop/empty.py": "",
    "tool.py": "def main(argv: list[str] | None = None) -> int: ...\n",
    "my-script.py": '"""A script."""\ndef main(): ...\nX = 1\n',
    "tests/test_core.py": "import shop\nX = 1\ndef test_one(): ...\nclass TestTwo: ...\ndef _helper(): ...\n",
}


def outliner(files: Mapping[str, "str | bytes"]) -> PythonCodebase:
    def read(path: str) -> bytes | None:
        text = files.get(path)
        return text.encode() if isinstance(text, str) else text

    return PythonCodebase(frozenset(files), read)


def test_a_package() -> None:
    outlines_of = outliner(FILES)

    outlines = [outlines_of.outline(path) for path in sorted(FILES) if not path.startswith("tests")]
    outlines += [outlines_of.names("tests/test_core.py"), outlines_of.summary("src/shop/core.py")]

    assert {outline.problem for outline in outlines} == {""}
    assert_golden("outline.txt", "\n\n".join(outline.text for outline in outlines if outline.text))


def test_the_modules_that_tests_use() -> None:
    files = {
        **FILES,
        "src/shop/tests/__init__.py": "",
        "src/shop/tests/test_parts.py": (
            "import os, shop.core as core\nfrom ..parts import Part\nfrom .support import made\n"
            "from tests.other import x\n"
            "def test_a():\n    from tool import main\n    import shop.nowhere\n"
        ),
        "src/shop/tests/support.py": "def made(): ...\n",
        "tests/other.py": "x = 1\n",
    }

    assert outliner(files).names("src/shop/tests/test_parts.py").text == (
        "# src/shop/tests/test_parts.py: test_a\n#   uses shop, shop.core, shop.parts, tool"
    )


def test_what_can_be_copied_passes_the_rules() -> None:
    # Given a code base that nobody wrote for this test
    paths = [*(ROOT / "planner").rglob("*.py"), *(ROOT / "factory" / "contract").rglob("*.py")]
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}
    files |= {"factory/__init__.py": b""}
    outlines = outliner(files)
    defined = Interfaces([], Sources(frozenset(files), files.get))

    lines = [line for path in sorted(files) for line in outlines.outline(path).text.split("\n")]
    symbols = [line for line in lines if line and not line.startswith("#")]

    assert len(symbols) > 500
    for line in symbols:
        assert any(
            keeps(symbol, parse_symbol(line))
            for symbol in defined.in_repository(parse_symbol(line), 0).symbols
        )


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("def broken(:\n", "its source `a.py` is not valid Python: invalid syntax (line 1)"),
        (b"\xff\xfe\x00", "its source `a.py` is not valid Python: "),
        ("x = " + "(" * 5_000, "its source `a.py` is "),
        ("#" * 1_000_001, "its source `a.py` is larger than 1,000,000 bytes"),
    ],
)
def test_what_is_no_python_is_a_problem(source: "str | bytes", problem: str) -> None:
    outlines = outliner({"a.py": source})

    for outline in (outlines.outline("a.py"), outlines.summary("a.py"), outlines.names("a.py")):
        assert outline.text == ""
        assert outline.problem.startswith(problem)


def test_a_large_source_takes_no_time() -> None:
    methods = "".join(f"    def m{number}(self, x: int) -> int: ...\n" for number in range(10_000))
    began = time.monotonic()

    outline = outliner({"a.py": f"class Huge:\n{methods}"}).outline("a.py")

    assert outline.text.count("\n") == 10_001
    assert time.monotonic() - began < 20


def test_text_of_a_source_stays_on_its_line() -> None:
    source = (
        "\"\"\"One\\x1b[31m\\u2028 two\\r\nthree\"\"\"\ndef f(x='\\n', y='\\u202e'): ...\nclass A:\n    '''"
        + "x" * 500
        + "'''\n"
    )

    lines = outliner({"a.py": source}).outline("a.py").text.split("\n")

    assert lines == [
        "# a.py, 5 lines: One\\x1b[31m\\u2028 two",
        "a:f(x='\\n', y='\\u202e')",
        "# class A: " + "x" * 119 + "…",
        "a:A",
    ]
