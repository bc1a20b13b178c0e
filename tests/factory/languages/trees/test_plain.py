"""What is spelt and taken as copyable by a pattern, is as it would be by a walk and by reading it back."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.languages.go.language import GO
from factory.languages.rust.language import RUST
from factory.languages.trees.declared import Declared
from factory.languages.trees.language import TreeLanguage
from factory.languages.trees.tree import parse

NAMES = st.sampled_from(["T", "Self", "usize", "str", "Vec", "a::b", "crate::c::D", "_", "'a"])
TOKEN = re.compile(r"'?\w+|::|->|<-|\.\.\.|\S")


def _rust(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=1, max_size=3).map(", ".join)
    return st.one_of(
        inner.map("&{}".format),
        inner.map("&mut {}".format),
        inner.map("&'static {}".format),
        inner.map("*const {}".format),
        inner.map("[{}]".format),
        inner.map("[{}; 4]".format),
        several.map("({})".format),
        several.map("Map<{}>".format),
        several.map("dyn Trait<{}>".format),
        inner.map("impl Fn({}) -> bool".format),
    )


def _go(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=1, max_size=3).map(", ".join)
    return st.one_of(
        inner.map("*{}".format),
        inner.map("[]{}".format),
        inner.map("[4]{}".format),
        inner.map("chan {}".format),
        inner.map("<-chan {}".format),
        inner.map("Set[{}]".format),
        several.map("func({})".format),
        st.tuples(inner, inner).map(lambda pair: f"map[{pair[0]}]{pair[1]}"),
    )


RUST_TYPES = st.recursive(NAMES, _rust, max_leaves=5)
GO_TYPES = st.recursive(
    st.sampled_from(["T", "int", "error", "pkg.T", "interface{}", "struct{}"]), _go, max_leaves=5
)


@settings(deadline=None)
@given(kinds=st.lists(RUST_TYPES, max_size=3), result=RUST_TYPES, this=st.sampled_from(["", "&self", "self"]))
def test_rust(kinds: list[str], result: str, this: str) -> None:
    listed = ", ".join([*filter(None, [this]), *(f"x{place}: {kind}" for place, kind in enumerate(kinds))])
    declared = f"fn f<T>({listed}) -> {result}"
    _same(RUST, "src/lib.rs", "impl Type {{ pub {} {{ }} }}", declared)
    _same(RUST, "src/lib.rs", "pub struct Type {{ pub x: {} }}", result)
    _same(RUST, "src/lib.rs", "pub trait Type {{ {}; }}", declared.replace("<T>", ""))


@settings(deadline=None)
@given(
    kinds=st.lists(GO_TYPES, max_size=3),
    results=st.lists(GO_TYPES, max_size=2),
    names=st.sampled_from(["x{} ", "x{}, y{} ", ""]),
    variadic=st.booleans(),
)
def test_go(kinds: list[str], results: list[str], names: str, variadic: bool) -> None:
    taken = [f"{names.format(place, place)}{kind}" for place, kind in enumerate(kinds)]
    taken += [f"{'z ' if names else ''}...int"] if variadic else []
    declared = f"({', '.join(taken)}) ({', '.join(results)})"
    _same(GO, "f.go", "package p\nfunc F{} {{ }}", declared)
    for kind in results:
        _same(GO, "f.go", "package p\ntype Type struct {{ X {} }}", kind)
        _same(GO, "f.go", "package p\nvar X {}", kind)
        _same(GO, "f.go", "package p\nfunc F() {} {{ }}", kind)


@pytest.mark.parametrize(
    "declared",
    ["fn f(x: Vec<_>)", "fn f(mut x: u8)", "fn f(_: u8) -> _", "fn f(x: (u8,), y: ()) -> (u8, u8)"],
)
def test_rust_that_is_nearly_plain(declared: str) -> None:
    _same(RUST, "src/lib.rs", "pub {} {{ }}", declared)


def _same(language: TreeLanguage, path: str, around: str, declared: str) -> None:
    """Blanks between all signs, which no pattern matches, change nothing, and what is copied is read back."""
    source = around.format(declared).encode()
    spaced = around.format(" ".join(TOKEN.findall(declared))).encode()
    symbols, walked = _symbols(language, path, source), _symbols(language, path, spaced)
    assert symbols == walked
    assert [symbol.text for symbol in symbols] == [symbol.text for symbol in walked]
    lines = language.outline(path, source).text.splitlines()
    for symbol in symbols:
        if symbol.text in lines:
            assert language.keeps(symbol, language.parse_symbol(symbol.text))


def _symbols(language: TreeLanguage, path: str, source: bytes) -> list[Declared]:
    tree = parse(language.grammar(path), source)
    assert tree.root is not None
    return [] if tree.problem else list(language.public(path, tree.root))
