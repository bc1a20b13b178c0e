"""What Python sources define, read without importing them; hostile sources end in a problem that is told."""

import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_SOURCE_BYTES
from factory.languages.python.symbols.shapes import Unknown
from factory.languages.python.symbols.sources import Lookup, PythonSources
from factory.languages.python.symbols.written import parse_symbol

CORE = """
from __future__ import annotations
import re, abc
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, NamedTuple, overload
from outside import Base
if TYPE_CHECKING:
    from somewhere import Hidden
if __name__ == "__main__":
    MAIN = 1

LIMIT = 3
RATE: float = 1
NOTHING = None
PATTERN = re.compile("x")
Pair = tuple[int, str]
first, (second, *_) = 1, (2, 3)
declared: int
gone = 1
del gone

def count(text: "str", *, n: int | None = None) -> dict[str, int]: ...
alias = count
short = lambda x, y=1: x

@overload
def over(x: int) -> int: ...
@overload
def over(x: str) -> str: ...
def over(x): return x

def twice(old): ...
def twice(new): ...

try:
    import fast
    def cond(a: int) -> int: ...
except ImportError:
    def cond(a: int, b: int) -> int: ...

async def wait(seconds: float = 0.5) -> None: ...

@dataclass(frozen=True)
class Board:
    size: int
    cells: list[int] = field(default_factory=list)
    hidden: int = field(init=False)
    COUNT: ClassVar[int] = 0
    _: KW_ONLY
    name: str = "b"

    @property
    def area(self) -> int: ...
    @area.setter
    def area(self, value: int) -> None: ...
    @classmethod
    def parse(cls, text: str) -> Board: ...
    @staticmethod
    def check(text: str) -> bool: ...
    async def go(self) -> None: ...
    class Inner:
        def f(self) -> int: ...

@dataclass
class Bigger(Board):
    more: str = "x"

class Point(NamedTuple):
    x: int
    y: int = 0

class Color(Enum):
    RED = 1

class Wrong(ValueError):
    def __init__(self, where: str, *rest: int, line: int | None = None):
        if line is None:
            line = 1
        self.line = line
        self.where = where
        self.count: int = 3
        self.other = rest[0]

class Plain(abc.ABC): ...
class Foreign(Base): ...
class Own(Plain):
    def __init__(self, x: int): ...
class Child(Own): ...
"""
FILES = {
    "pkg/core.py": CORE,
    "pkg/__init__.py": "from .core import count, Board as B2\nfrom .star import *\nfrom . import core\n",
    "pkg/star.py": "__all__ = ['starred', '_shown']\ndef starred() -> int: ...\ndef _shown(): ...\nx = 1\n",
    "pkg/deep/__init__.py": "from ..core import count as counted\nfrom pkg.star import x\n",
    "pkg/loop.py": "from pkg.pool import x\n",
    "pkg/pool.py": "from pkg.loop import x\n",
    "pkg/anything.py": "from installed import *\n",
    "pkg/adds.py": "from pkg.added import *\n",
    "pkg/added.py": "__all__ = ['f']\n__all__ += ['g']\ndef f(): ...\ndef g(): ...\n",
    "pkg/lazy.py": "def __getattr__(name): ...\n",
    "src/other.py": "def f() -> int: ...\n",
}


def sources(files: Mapping[str, str | bytes] = FILES) -> PythonSources:
    def read(path: str) -> bytes | None:
        content = files.get(path)
        return content.encode() if isinstance(content, str) else content

    return PythonSources(read)


def look(text: str, files: Mapping[str, str | bytes] = FILES) -> Lookup:
    symbol = parse_symbol(text)
    return sources(files).find(symbol.module, symbol.name)


@pytest.mark.parametrize(
    "text",
    [
        "pkg.core:count(text: str, *, n: Optional[int] = None) -> Dict[str, int]",
        "pkg.core:alias(text: str, *, n: int | None = None) -> dict[str, int]",
        "pkg.core:short(x, y=1)",
        "pkg.core:over(x: str) -> str",
        "pkg.core:over(x)",
        "pkg.core:twice(new)",
        "pkg.core:cond(a: int) -> int",
        "pkg.core:cond(a: int, b: int) -> int",
        "async pkg.core:wait(seconds: float = 0.5) -> None",
        "pkg.core:LIMIT: int",
        "pkg.core:LIMIT: float",
        "pkg.core:RATE: float",
        "pkg.core:NOTHING: int | None",
        "pkg.core:PATTERN: re.Pattern[str]",
        "pkg.core:Pair",
        "pkg.core:second: int",
        "pkg.core:Board",
        "pkg.core:Board.size: int",
        "pkg.core:Board.area: int",
        "@property pkg.core:Board.area(self) -> int",
        "@classmethod pkg.core:Board.parse(cls, text: str) -> Board",
        "@staticmethod pkg.core:Board.check(text: str) -> bool",
        "async pkg.core:Board.go(self) -> None",
        "pkg.core:Board.Inner.f(self) -> int",
        "pkg.core:Board.__init__(self, size: int, cells: list[int] = ..., *, name: str = 'b') -> None",
        "pkg.core:Bigger.__init__(self, size, cells: list[int] = ..., more: str = 'x', *, name='b')",
        "pkg.core:Bigger.area: int",
        "pkg.core:Point.__init__(self, x: int, y: int = 0) -> None",
        "pkg.core:Color.RED",
        "pkg.core:Wrong.__init__(self, where: str, *rest: int, line: int | None = None)",
        "pkg.core:Wrong.where: str",
        "pkg.core:Wrong.count: int",
        "pkg.core:Wrong.line: int",
        "pkg.core:Wrong.other: int",
        "pkg.core:Plain.__init__(self) -> None",
        "pkg.core:Child.__init__(self, x: int) -> None",
        "pkg.core:Foreign.whatever(self, x: int) -> str",
        "pkg:count(text: str, *, n: int | None = None) -> dict[str, int]",
        "pkg:B2.size: int",
        "pkg:starred() -> int",
        "pkg:_shown()",
        "pkg.deep:counted(text: str, *, n: int | None = None) -> dict[str, int]",
        "pkg.deep:x: int",
        "pkg.anything:f() -> int",
        "pkg.lazy:f() -> int",
        "pkg.adds:g()",
        "other:f() -> int",
    ],
)
def test_what_is_defined_keeps_its_promise(text: str) -> None:
    assert look(text).keeps(parse_symbol(text))


@pytest.mark.parametrize(
    ("text", "defined"),
    [
        ("pkg.core:count(text: str) -> dict[str, int]", "pkg.core:count(text: str, *, n: int | None = None)"),
        ("pkg:count() -> int", "pkg:count(text: str, *, n: int | None = None) -> dict[str, int]"),
        ("pkg.core:twice(old)", "pkg.core:twice(new)"),
        ("pkg.core:LIMIT: str", "pkg.core:LIMIT: int"),
        ("pkg.core:LIMIT() -> int", "pkg.core:LIMIT: int"),
        ("pkg.core:Wrong.where: int", "pkg.core:Wrong.where: str"),
        ("pkg.core:Board.go(self) -> None", "async pkg.core:Board.go(self) -> None"),
        ("pkg.core:Board.check(self, text: str) -> bool", "@staticmethod pkg.core:Board.check(text: str)"),
        ("pkg.core:Board.__init__(self) -> None", "pkg.core:Board.__init__(self, size: int,"),
        ("pkg.core:Plain.__init__(self, x: int) -> None", "pkg.core:Plain.__init__(self) -> None"),
        ("pkg.core:wait(seconds: float = 0.5) -> None", "async pkg.core:wait(seconds: float = 0.5) -> None"),
    ],
)
def test_what_is_defined_otherwise_is_shown(text: str, defined: str) -> None:
    lookup = look(text)
    assert not lookup.keeps(parse_symbol(text))
    assert any(symbol.text.startswith(defined) for symbol in lookup.definitions)


@pytest.mark.parametrize(
    "text",
    [
        "pkg.core:absent()",
        "pkg.core:Hidden",
        "pkg.core:MAIN: int",
        "pkg.core:declared: int",
        "pkg.core:gone: int",
        "pkg.core:Board.absent(self)",
        "pkg.core:count.attribute: int",
        "pkg:x: int",
        "pkg:core2: int",
        "absent:f()",
    ],
)
def test_what_is_not_there_is_told(text: str) -> None:
    lookup = look(text)
    assert not lookup.definitions
    assert lookup.is_readable
    assert "does not define" in lookup.problem or "no such module" in lookup.problem


RESULTS = """
from contextlib import asynccontextmanager, contextmanager
class Store:
    def __init__(self, path: str, /) -> None:
        self.path, self.size = path, 0
        with open(path) as self.file:
            for self.line in self.file:
                pass
    def load(self) -> None:
        self.rows: list[str] = []
        [self.head, *self.rest] = self.rows
    async def connect(self) -> None:
        self.peer = await self.find()
    @staticmethod
    def copy(other) -> None:
        other.foreign = 1
    @contextmanager
    def locked(self) -> Iterator[None]: ...
@contextmanager
def opened(path: str) -> Generator[Store, None, None]: ...
@asynccontextmanager
async def joined() -> AsyncIterator[Store]: ...
async def rows() -> AsyncIterator[str]:
    yield "x"
"""


@pytest.mark.parametrize(
    "text",
    [
        "m:Store.path: str",
        "m:Store.size: int",
        "m:Store.file: TextIO",
        "m:Store.line: str",
        "m:Store.rows: list[str]",
        "m:Store.head: str",
        "m:Store.rest: list[str]",
        "m:Store.peer: Peer",
        "m:Store.locked(self) -> Iterator[None]",
        "m:Store.locked(self) -> ContextManager[None]",
        "m:opened(path: str) -> AbstractContextManager[Store]",
        "m:joined() -> AbstractAsyncContextManager[Store]",
        "async m:joined() -> AsyncIterator[Store]",
        "m:rows() -> AsyncIterator[str]",
        "async m:rows() -> AsyncIterator[str]",
    ],
)
def test_what_callers_get_keeps_a_promise(text: str) -> None:
    symbol = parse_symbol(text)
    assert PythonSources({"m.py": RESULTS.encode()}.get).find("m", symbol.name).keeps(symbol)


@pytest.mark.parametrize(
    "text",
    [
        "m:Store.foreign: int",
        "m:Store.rows: list[int]",
        "m:opened(name: str) -> AbstractContextManager[Store]",
        "m:opened(path: str) -> AbstractAsyncContextManager[Store]",
        "m:rows() -> Iterator[str]",
    ],
)
def test_what_callers_do_not_get_does_not(text: str) -> None:
    symbol = parse_symbol(text)
    assert not PythonSources({"m.py": RESULTS.encode()}.get).find("m", symbol.name).keeps(symbol)


BEHIND_THE_SOURCE = """
import functools
from dataclasses import dataclass
from typing import NamedTuple
def helper(self, x: int) -> int: ...
class Made:
    def __new__(cls, x: int): ...
    run = helper
    check = staticmethod(helper)
    twice = functools.partialmethod(helper, 2)
    third = lambda self, x: x
    plain = 3
    @hybrid_property
    def size(self) -> int: ...
@dataclass(frozen=True, order=True)
class Sorted:
    x: int
@dataclass
class Unsorted:
    x: int
class Point(NamedTuple):
    x: int
@functools.total_ordering
class Ranked:
    def __lt__(self, other: object) -> bool: ...
class Mixin: ...
class Mixed(Mixin, Point2): ...
class MixedForeign(Mixin, Foreign): ...
class OnlyMixed(Mixin): ...
class Point2:
    def __init__(self, x: int) -> None: ...
NAMES = ["a"]
PAIRS = {"a": 1}
EMPTY = ()
"""


@pytest.mark.parametrize(
    "text",
    [
        "m:Made.__init__(self, x: int) -> None",
        "m:Made.run(self, x: int) -> int",
        "@staticmethod m:Made.check(text: str) -> bool",
        "m:Made.twice(self) -> int",
        "m:Made.third(self, x)",
        "@property m:Made.size(self) -> int",
        "m:Sorted.__eq__(self, other: object) -> bool",
        "m:Sorted.__lt__(self, other: Sorted) -> bool",
        "m:Sorted.__hash__(self) -> int",
        "m:Unsorted.__repr__(self) -> str",
        "m:Point._asdict(self) -> dict[str, int]",
        "m:Point.__len__(self) -> int",
        "m:Ranked.__ge__(self, other: object) -> bool",
        "m:Mixed.__init__(self, x: int) -> None",
        "m:MixedForeign.__init__(self, x: int) -> None",
        "m:OnlyMixed.__init__(self) -> None",
        "m:NAMES: list[str]",
        "m:NAMES: Sequence[str]",
        "m:PAIRS: dict[str, int] | None",
        "m:PAIRS: list[int] | dict[str, int]",
        "m:EMPTY: tuple[str, ...]",
    ],
)
def test_what_a_definition_brings_without_saying_so_keeps_a_promise(text: str) -> None:
    symbol = parse_symbol(text)
    assert PythonSources({"m.py": BEHIND_THE_SOURCE.encode()}.get).find("m", symbol.name).keeps(symbol)


@pytest.mark.parametrize(
    "text",
    [
        "m:Made.third(self, y)",
        "m:Made.plain(self) -> int",
        "m:Made.__eq__(self, other: object) -> bool",
        "m:Unsorted.__lt__(self, other: Unsorted) -> bool",
        "m:Point.y: int",
        "m:Mixed.__init__(self) -> None",
        "m:OnlyMixed.__init__(self, x: int) -> None",
        "m:NAMES: tuple[str, ...]",
        "m:PAIRS: int",
        "m:EMPTY: str",
    ],
)
def test_what_it_does_not_bring_does_not(text: str) -> None:
    symbol = parse_symbol(text)
    assert not PythonSources({"m.py": BEHIND_THE_SOURCE.encode()}.get).find("m", symbol.name).keeps(symbol)


def test_imports_in_a_circle_come_to_an_end() -> None:
    look("pkg.loop:x: int")


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"def f(:\n", "invalid syntax (line 1)"),
        (b"x = 1\0", "null"),
        (b"x = '\xff'\n", "not valid Python"),
        (b"# coding: no-such\n", "not valid Python"),
        (b"x = " + b"(" * 50_000, "not valid Python"),
        (b"x = " + b"-" * 100_000 + b"1", "nested too deeply"),
        (b"x = a" + b".b" * 100_000, "nested too deeply"),
        (b"x = " + b"+".join([b"1"] * 100_000), "nested too deeply"),
        (b"#" * (MAX_SOURCE_BYTES + 1), "larger than"),
    ],
    ids=["syntax", "nul", "encoding", "codec", "brackets", "minus", "attributes", "sum", "large"],
)
def test_a_hostile_source_is_a_problem(source: bytes, problem: str) -> None:
    started = time.process_time()
    lookup = look("bad:f()", {"bad.py": source})
    assert (lookup.definitions, lookup.is_readable) == ((), False)
    assert problem in lookup.problem
    assert time.process_time() - started < 10


def test_a_deep_signature_is_no_problem_of_its_own() -> None:
    deep = (
        "def f(x: "
        + "list[" * 90
        + "int"
        + "]" * 90
        + f" = {'[' * 90 + ']' * 90}"
        + ") -> 'a"
        + "|a" * 2_000
        + "': ...\n"
    )
    (symbol,) = look("bad:f()", {"bad.py": deep}).definitions
    assert symbol.text.startswith("bad:f(x: ")


def test_nested_classes_and_blocks_have_an_end() -> None:
    blocks = "".join(f"{' ' * n}if a:\n" for n in range(90)) + " " * 90 + "x = 1\n"
    assert not look("deep:x: int", {"deep.py": blocks}).definitions
    heirs = "class A0: ...\n" + "".join(f"class A{n}(A{n - 1}): ...\n" for n in range(1, 200))
    (symbol,) = look("heirs:A199.f(self)", {"heirs.py": heirs}).definitions
    # Who inherits from that far is not followed, so it can't be told.
    assert symbol.shape == Unknown()


@pytest.mark.parametrize(
    "files",
    [
        {
            "a.py": "if c:\n" + " from b import x\n" * 20_000,
            "b.py": "if c:\n" + " from a import x\n" * 20_000,
        },
        {f"{n}.py": "from a import *\nfrom b import *\n" for n in "ab"},
        {
            "a.py": "class x0:\n    y: int\n"
            + "".join(
                f"class L{n}(x{n - 1}): ...\nclass R{n}(x{n - 1}): ...\nclass x{n}(L{n}, R{n}): ...\n"
                for n in range(1, 40)
            )
            + "x = x39\n"
        },
        {"a.py": "x = 1\n" * 30_000},
    ],
    ids=["imports", "stars", "diamonds", "definitions"],
)
@pytest.mark.parametrize("text", ["a:x: int", "a:x.f(self)", "a:x.__init__(self, y: int)"])
def test_names_that_multiply_come_to_an_end(files: Mapping[str, str], text: str) -> None:
    started = time.process_time()
    look(text, files)
    assert time.process_time() - started < 10


def test_a_file_that_cannot_be_read_is_a_problem() -> None:
    def read(path: str) -> bytes | None:
        raise WorkorderError("is a symbolic link, not a file", where=path)

    lookup = PythonSources(read).find("m", "f")
    assert (lookup.problem, lookup.is_readable) == (
        "its source `m.py` is a symbolic link, not a file",
        False,
    )


@given(st.text(max_size=200), st.sampled_from(["f", "C", "C.f", "x"]))
def test_any_source_has_an_answer(source: str, name: str) -> None:
    text = f"class C(A):\n    pass\n{source}\n"
    for content in (source, text):
        lookup = sources({"m.py": content.encode("utf-8", "surrogatepass")}).find("m", name)
        assert bool(lookup.definitions) != bool(lookup.problem)
