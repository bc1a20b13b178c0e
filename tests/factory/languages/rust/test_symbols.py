"""Symbols of Rust: read back from their written form, and kept by what binds, re-exports included."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.languages.port import Address, BadSymbol, Definitions
from factory.languages.rust.language import RUST

SOURCE = (Path(__file__).parent / "slug.rs.txt").read_bytes()
CRATE = {
    "src/lib.rs": SOURCE,
    "src/parts.rs": b"""
pub mod inner;
pub use self::inner::cut;
pub use inner::deep::Deep;
pub use super::LIMIT as MOST;
pub use serde::Serialize;
pub struct Part;
impl Part { pub fn size(&self) -> usize { 0 } }
pub mod near { pub fn by() {} }
pub use near::by;
""",
    "src/parts/inner/mod.rs": b"pub fn cut(text: &str) -> &str { text }\npub mod deep;\n",
    "src/parts/inner/deep.rs": b"pub struct Deep;\npub use crate::slugify;\n"
    b"pub use super::super::super::LIMIT;\n",
    "src/all.rs": b"pub use crate::parts::*;\npub use all::round;\n",
    "src/round.rs": b"pub use crate::again::name;\n",
    "src/again.rs": b"pub use crate::round::name;\n",
}


def find(address: str, files: dict[str, bytes] | None = None) -> Definitions:
    held = CRATE if files is None else files
    file, _, name = address.partition(":")
    return RUST.codebase(held, held.get).find(Address(file, name))


def kept(promise: str, files: dict[str, bytes] | None = None) -> bool:
    promised = RUST.parse_symbol(promise)
    return any(RUST.keeps(defined, promised) for defined in find(promised.address, files).symbols)


@pytest.mark.parametrize(
    "text",
    [
        "src/a.rs:f()",
        "src/a.rs:f(a: i32, (b, c): (u8, u8)) -> Result<Vec<&str>, Box<dyn Error + Send>>",
        "src/a.rs:f<'a, T: Ord + ?Sized, const N: usize>(a: &'a mut [T; N]) -> Option<&'a T> where T: Clone",
        "src/a.rs:f(a: impl Fn(i32) -> u8, b: *const u8, one: (i32,)) -> !",
        "src/a.rs:async f(a: &str)",
        "src/a.rs:async unsafe S.f(&self)",
        "src/a.rs:S.f(&mut self, a: Self) -> Self",
        "src/a.rs:S.f(self: Box<Self>)",
        "src/a.rs:S",
        "src/a.rs:S<T>",
        "src/a.rs:S.a: HashMap<String, Vec<u8>>",
        "src/a.rs:L: &'static str",
        "src/a.rs:E.A(i32, String)",
    ],
)
def test_a_canonical_form_is_read_back(text: str) -> None:
    symbol = RUST.parse_symbol(text)
    assert symbol.text == text
    assert RUST.keeps(symbol, RUST.parse_symbol(symbol.text))


@pytest.mark.parametrize(
    "text",
    [
        "a.rs:f(a: i32) {}",
        "a.rs:f(a: i32); const X: u8",
        "a.rs:f( ",
        "a.rs:fn f()",
        "a.rs:f() // x",
        "a.rs:f(/* x */)",
        "a.rs:async S",
        "a.rs:S<T> {}",
        "a.rs:L: u8 = 3",
        "a.rs:L u8",
        "a.rs:",
        "../a.rs:f()",
        "a.rs:f(" + "(" * 1_900,
    ],
)
def test_what_is_no_declaration_is_refused(text: str) -> None:
    with pytest.raises(BadSymbol) as caught:
        RUST.parse_symbol(text)
    assert caught.value.hint


@pytest.mark.parametrize(
    "promise",
    [
        "src/lib.rs:slugify(text: &str, options: &Options) -> Result<String, String>",
        "src/lib.rs:slugify<'x>(a: &'x str, b: &Options<'x>) -> Result<String, String>",
        "src/lib.rs:largest<U: Copy + PartialOrd, const M: usize>(items: [U; M]) -> Option<U>",
        "src/lib.rs:Slug.next(&mut self, text: &str) -> Result<String, Box<dyn std::error::Error>>",
        "src/lib.rs:Slug.SIZE: usize",
        "src/lib.rs:Counted.new() -> Counted",
        "src/lib.rs:Counted.next(&mut self, t: &str) -> Result<String, Box<dyn std::error::Error>>",
        "src/lib.rs:Options",
        "src/lib.rs:Options.joint: &str",
        "src/lib.rs:Case.Kept",
        "src/lib.rs:Case.Cut(usize)",
        "src/lib.rs:LIMIT: usize",
        "src/lib.rs:LIMIT",
    ],
)
def test_what_is_there_keeps_what_was_promised(promise: str) -> None:
    assert kept(promise)


@pytest.mark.parametrize(
    "promise",
    [
        "src/lib.rs:slugify(text: &str) -> Result<String, String>",
        "src/lib.rs:slugify(text: String, options: &Options) -> Result<String, String>",
        "src/lib.rs:slugify(text: &str, options: &Options) -> String",
        "src/lib.rs:slugify(text: &str, options: &Options)",
        "src/lib.rs:async slugify(text: &str, options: &Options) -> Result<String, String>",
        "src/lib.rs:slugify",
        "src/lib.rs:largest<U: Copy, const M: usize>(items: [U; M]) -> Option<U>",
        "src/lib.rs:Slug.next(&self, text: &str) -> Result<String, Box<dyn std::error::Error>>",
        "src/lib.rs:Slug.next(text: &str) -> Result<String, Box<dyn std::error::Error>>",
        "src/lib.rs:Options.max: u32",
        "src/lib.rs:LIMIT: u8",
        "src/lib.rs:Case.Cut(u8)",
    ],
)
def test_what_differs_does_not(promise: str) -> None:
    assert find(RUST.parse_symbol(promise).address).symbols
    assert not kept(promise)


@pytest.mark.parametrize(
    "promise",
    [
        "src/lib.rs:cut(text: &str) -> &str",
        "src/lib.rs:Piece",
        "src/lib.rs:Piece.size(&self) -> usize",
        "src/parts.rs:MOST: usize",
        "src/parts.rs:Deep",
        "src/parts.rs:by()",
        "src/parts.rs:near.by()",
        "src/parts/inner/deep.rs:slugify(a: &str, b: &Options) -> Result<String, String>",
        "src/parts/inner/deep.rs:LIMIT: usize",
        "src/all.rs:cut(text: &str) -> &str",
        "src/all.rs:Part.size(&self) -> usize",
        # Of other crates nothing is known.
        "src/parts.rs:Serialize",
        "src/all.rs:round(x: u8) -> u8",
    ],
)
def test_re_exports_lead_to_what_they_name(promise: str) -> None:
    assert kept(promise)


@pytest.mark.parametrize(
    "promise", ["src/lib.rs:cut(text: &str) -> String", "src/parts.rs:by(x: u8)", "src/parts.rs:MOST: u8"]
)
def test_what_is_re_exported_must_keep_the_promise(promise: str) -> None:
    assert not kept(promise)


@pytest.mark.parametrize(
    "name", ["tests.sample", "sample", "it_is_cut", "parts.inner", "Slugify", "Options.size"]
)
def test_what_is_not_there_is_said(name: str) -> None:
    assert find(f"src/lib.rs:{name}") == Definitions(problem=f"it does not define `{name}`")


def test_re_exports_in_a_circle_end() -> None:
    assert not kept("src/round.rs:name()")


TYPES = st.recursive(
    st.sampled_from(["u8", "String", "&str", "&'a str", "Self", "pkg::T", "(u8,)", "()"]),
    lambda inner: st.one_of(
        inner.map(lambda part: f"Vec<{part}>"),
        inner.map(lambda part: f"&'a mut {part}"),
        inner.map(lambda part: f"[{part}; 3]"),
        inner.map(lambda part: f"Box<dyn Fn({part}) -> {part} + 'a>"),
        st.tuples(inner, inner).map(lambda parts: f"({parts[0]}, {parts[1]})"),
        st.tuples(inner, inner).map(lambda parts: f"Result<{parts[0]}, {parts[1]}>"),
    ),
    max_leaves=6,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(TYPES, max_size=4), TYPES)
def test_a_source_keeps_its_own_outline(taken: list[str], result: str) -> None:
    def promise(kinds: list[str]) -> str:
        parameters = "".join(f", p{number}: {kind}" for number, kind in enumerate(kinds))
        return f"f<'a>(&self{parameters}) -> {result}"

    files = {"a.rs": f"pub struct S;\nimpl S {{\n    pub fn {promise(taken)} {{ todo!() }}\n}}\n".encode()}
    _, _, line = RUST.outline("a.rs", files["a.rs"]).text.splitlines()
    assert not line.startswith("#")
    assert RUST.parse_symbol(line).text == line
    assert kept(line, files)
    assert kept(f"a.rs:S.{promise(taken)}", files)
    assert not kept(f"a.rs:S.{promise([*taken, 'bool'])}", files)
