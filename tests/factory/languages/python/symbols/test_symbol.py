"""The written form of symbols: what it can say, what it refuses, and which two spellings are one promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.languages.port import MAX_SYMBOL_CHARS, BadSymbol, NameAlone
from factory.languages.python.symbols.written import parse_symbol
from factory.languages.table import keeps, named_symbol


@pytest.mark.parametrize(
    "text",
    [
        "a:f()",
        "pkg.mod:f(x, /, y=1, *rest, z, w: int = 2, **more) -> None",
        "pkg.mod:f(*, x: int) -> str",
        "pkg.mod:f(x: int, /) -> str",
        "async pkg.mod:f(text: str = 'a  b') -> bytes",
        "pkg.mod:Name",
        "pkg.mod:_Private",
        "pkg.mod:URL",
        "pkg.mod:Color.RED",
        "pkg.mod:LIMIT: int",
        "pkg.mod:LIMIT: Final",
        "pkg.mod:Board.cells: dict[tuple[int, int], str | None]",
        "pkg.mod:Board.__init__(self, size: int = 3) -> None",
        "pkg.mod:Board.play(self, row: int) -> Board",
        "pkg.mod:Outer.Inner.f(self) -> int",
        "@property pkg.mod:Board.size(self) -> int",
        "@classmethod pkg.mod:Board.parse(cls, text: str) -> Board",
        "@staticmethod pkg.mod:Board.check(text: str) -> bool",
        "@staticmethod async pkg.mod:Board.check(text: str) -> bool",
        "pkg.mod:f(x: Literal['a', 'b'], y: Annotated[int, 'x']) -> Callable[[int, str], tuple[()]]",
        "pkg.mod:f(x: Callable[..., int], *y: tuple[int, ...]) -> int",
        "größe.maß:länge(ä: int) -> int",
    ],
)
def test_the_canonical_text_is_read_back(text: str) -> None:
    symbol = parse_symbol(text)
    assert symbol.text == text
    assert symbol.keeps(symbol)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("m:f(x: Optional[int]) -> None", "m:f(x: int | None) -> None"),
        ("m:f(x: typing.Union[int, None, str]) -> None", "m:f(x: str|int|None)->None"),
        ("m:f(x: 'Board') -> \"list['Board']\"", "m:f(x: Board) -> list[Board]"),
        ("m:f(x: Deque[int]) -> ContextManager[X]", "m:f(x: deque[int]) -> AbstractContextManager[X]"),
        ("m:f(x: typing.List[Path]) -> Dict[str, int]", "m:f(x: list[pathlib.Path]) -> dict[str, int]"),
        ("m:f(x: t.Callable[[Optional[int]], str]) -> int", "m:f(x: Callable[[int | None], str]) -> int"),
        ("m:C.__init__(self)", "m:C.__init__(self) -> None"),
        ("m:N: Final[int]", "m:N: int"),
        ("@property m:C.size(self) -> int", "m:C.size: int"),
        ("  m:f( x:int=1 )  ", "m:f(x: int = 1)"),
    ],
)
def test_two_spellings_of_one_promise(text: str, other: str) -> None:
    first, second = parse_symbol(text), parse_symbol(other)
    assert first.keeps(second)
    assert second.keeps(first)


@pytest.mark.parametrize(
    ("there", "promised"),
    [
        ("m:f(x: int) -> str", "m:f(x) -> str"),
        ("m:f(x: int) -> str", "m:f(x: int)"),
        ("m:f(x: int = 3) -> str", "m:f(x: int = ...) -> str"),
        ("m:LIMIT: int", "m:LIMIT"),
    ],
)
def test_what_a_promise_leaves_out_is_open(there: str, promised: str) -> None:
    assert parse_symbol(there).keeps(parse_symbol(promised))
    assert not parse_symbol(promised).keeps(parse_symbol(there)) or "..." in promised


def test_a_function_may_be_named_like_a_class_if_it_gives_something_else() -> None:
    symbol = parse_symbol("m:Rounded(value: float) -> str")
    assert symbol.is_callable
    assert symbol.text == "m:Rounded(value: float) -> str"


@pytest.mark.parametrize("there", ["m:f(x: int) -> str", "m:f: int", "m:f"])
def test_a_name_alone_says_nothing_of_what_is_there(there: str) -> None:
    with pytest.raises(NameAlone):
        parse_symbol("m:f")
    assert named_symbol("m:f").is_bare
    assert keeps(named_symbol(there), named_symbol("m:f"))


@pytest.mark.parametrize(
    ("there", "promised"),
    [
        ("m:f(x: int)", "n:f(x: int)"),
        ("m:f(x: int)", "m:g(x: int)"),
        ("m:f(x: int)", "m:f(y: int)"),
        ("m:f(x: int)", "m:f(x: str)"),
        ("m:f(x: int)", "m:f(x: int = 1)"),
        ("m:f(x: int = 2)", "m:f(x: int = 1)"),
        ("m:f(x: int = 1)", "m:f(x: int)"),
        ("m:f(x, y)", "m:f(y, x)"),
        ("m:f(x)", "m:f(*, x)"),
        ("m:f(x)", "m:f(x, /)"),
        ("m:f(*x)", "m:f(x)"),
        ("m:f(x, y=1)", "m:f(x)"),
        ("m:f() -> int", "m:f() -> None"),
        ("m:f() -> int", "async m:f() -> int"),
        ("m:f()", "m:f: int"),
        ("m:F", "m:F: int"),
        ("m:C.f(self)", "@classmethod m:C.f(self)"),
        ("m:N: int", "m:N: str"),
        ("m:f(x: Literal['int'])", "m:f(x: Literal[int])"),
    ],
)
def test_different_promises(there: str, promised: str) -> None:
    assert not parse_symbol(there).keeps(parse_symbol(promised))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", ""),
        ("count_words(text)", "count_words(text)"),
        ("tally/counting.py:f()", "tally/counting.py:f()"),
        ("m:f", "f"),
        ("m:Board.play", "Board.play"),
        ("m:Board(size: int)", "Board"),
        ("m:Board(size: int) -> Board", "Board"),
        ("m:Board.play(row: int)", "(row: int)"),
        ("@cached m:C.f(self)", "@cached"),
        ("@property m:f() -> int", "@property"),
        ("@property m:C.size: int", ": int"),
        ("async m:C", ""),
        ("m:f(x", "(x"),
        ("m:f(x) -> ", "(x) ->"),
        ("m:f(x=1, y)", "(x=1, y)"),
        ("m:f() -> int: pass; import os", "() -> int: pass; import os"),
        ("m:f(): 1", "(): 1"),
        ("m:f() #", "() #"),
        ("m:f()\nx", "m:f()\nx"),
        ("m:f(x: " + "list[" * 250 + "]" * 250 + ")", "(x: list["),
        ("m:N: int = 3", "int = 3"),
        ("m:N:", ""),
        ("m:N is int", "is int"),
        ("m:class()", "class"),
        ("a..b:f()", "."),
        ("a.:f()", "."),
        ("m:f(" + "x" * MAX_SYMBOL_CHARS + ")", "m:f(xxx"),
    ],
)
def test_what_is_not_a_symbol_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(BadSymbol) as caught:
        parse_symbol(text)
    assert caught.value.where.startswith(where)
    assert caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("@functools.cached_property m:C.size(self) -> int", "write @property"),
        ("@abstractmethod m:C.f(self)", "leave out those"),
        ("@property m:f() -> int", "leave out those"),
    ],
)
def test_the_hint_to_a_decorator_keeps_what_callers_see(text: str, hint: str) -> None:
    with pytest.raises(BadSymbol) as caught:
        parse_symbol(text)
    assert caught.value.hint.startswith(hint)


pieces = [
    "pkg",
    ".",
    ":",
    "f",
    "(",
    ")",
    "x",
    ": ",
    "int",
    " -> ",
    "[",
    "]",
    "'",
    "@property ",
    "C",
    ",",
    "*",
]


@given(st.lists(st.sampled_from(pieces) | st.characters(), max_size=40).map("".join))
def test_any_text_is_a_symbol_or_refused(text: str) -> None:
    try:
        symbol = parse_symbol(text)
    except BadSymbol:
        return
    assert parse_symbol(symbol.text).keeps(symbol)
    assert symbol.keeps(parse_symbol(symbol.text))
