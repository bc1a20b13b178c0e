"""Symbols of Go: read back from their written form, and kept by what binds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.contract.errors import WorkorderError
from factory.languages.go.language import GO
from factory.languages.port import Address, BadSymbol, Definitions

SOURCE = b"""package slug

type Options struct {
\tMax, min int `json:"x"`
\t*Base
\tJoin func(a, b string) (out string, err error)
}

type Slugger interface {
\tNext(text string, more ...int) (slug string, err error)
}

type Set[T comparable] map[T]struct{}

func (s *Set[T]) Add(items ...T) bool { return true }

const (
\tLow, High Kind = iota, 7
\tThird
)
const Limit = 10

var ErrEmpty = errors.New("empty")

func Slugify(text string, _ int) (string, error) { return text, nil }
func Map[K, V any](items []K, by func(item K) V) (out []V) { return nil }
func Any(x interface{}, in <-chan []int, out chan<- map[string]*Options) {}
func hidden() {}
"""


def find(name: str, source: bytes = SOURCE) -> Definitions:
    return GO.codebase({"a.go": 1}, {"a.go": source}.get).find(Address("a.go", name))


def kept(promise: str, source: bytes = SOURCE) -> bool:
    promised = GO.parse_symbol(f"a.go:{promise}")
    definitions = find(promised.name, source)
    return any(GO.keeps(defined, promised) for defined in definitions.symbols)


@pytest.mark.parametrize(
    "text",
    [
        "a/b.go:F()",
        "a/b.go:F(a int, b, c string) (x, y error)",
        "a/b.go:F(int, ...string) (int, error)",
        "a/b.go:F[T any, U ~int | string](x map[string]T, f func(T) U) []U",
        "a/b.go:F(st struct{A int; B string}, in interface{Next(a int) string; Foo()})",
        "a/b.go:F(a <-chan int, b chan<- int, c chan []int, d [3]*pkg.T[int])",
        "a/b.go:S.M(x int) *S",
        "a/b.go:S",
        "a/b.go:S[T any]",
        "a/b.go:L []int",
        "a/b.go:L [3]int",
        "a/b.go:O.F func(a, b int) (int, error)",
    ],
)
def test_a_canonical_form_is_read_back(text: str) -> None:
    symbol = GO.parse_symbol(text)
    assert symbol.text == text
    assert GO.keeps(symbol, GO.parse_symbol(symbol.text))


@pytest.mark.parametrize(
    "text",
    [
        "a.go:F(a int) {}",
        "a.go:F(a int); var x int",
        "a.go:F( ",
        "a.go:func F()",
        "a.go:F(a /* x */ int)",
        "a.go:F() int // x",
        "a.go:S[T any] struct{}",
        "a.go:L int = 3",
        "a.go:L int, y",
        "a.go:",
        "a.go:1",
        "/etc/a.go:F()",
        "a.go:F(" + "(" * 1_900,
        "a.go:F(a int)\nfunc G()",
    ],
)
def test_what_is_no_declaration_is_refused(text: str) -> None:
    with pytest.raises(BadSymbol) as caught:
        GO.parse_symbol(text)
    assert caught.value.hint


@pytest.mark.parametrize(
    "promise",
    [
        "Slugify(text string, max int) (string, error)",
        "Slugify(a string, b int) (slug string, err error)",
        "Slugify(string, int) (string, error)",
        "Map[A, B any](items []A, by func(A) B) []B",
        "Any(x any, in <-chan []int, out chan<- map[string]*Options)",
        "Options",
        "Options.Max int",
        "Options.min int",
        "Options.Base Base",
        "Options.Join func(string, string) (string, error)",
        "Slugger.Next(text string, more ...int) (string, error)",
        "Set",
        "Set[K comparable]",
        "Set.Add(items ...T) bool",
        "Low Kind",
        "Third Kind",
        "Limit",
        "Limit int",
        "ErrEmpty error",
        "hidden()",
    ],
)
def test_what_is_there_keeps_what_was_promised(promise: str) -> None:
    assert kept(promise)


@pytest.mark.parametrize(
    "promise",
    [
        "Slugify(text string) (string, error)",
        "Slugify(max int, text string) (string, error)",
        "Slugify(text string, max ...int) (string, error)",
        "Slugify(text string, max int) string",
        "Slugify(text string, max int)",
        "Slugify",
        "Slugify[T any](text string, max int) (string, error)",
        "Map[A, B any](items []B, by func(A) B) []B",
        "Map[A any, B comparable](items []A, by func(A) B) []B",
        "Options.Max string",
        "Options()",
        "Set[K any]",
        "Low int",
        "Limit()",
    ],
)
def test_what_differs_does_not(promise: str) -> None:
    assert find(GO.parse_symbol(f"a.go:{promise}").name).symbols
    assert not kept(promise)


@pytest.mark.parametrize("name", ["slugify", "Options.max", "Next", "Set.T"])
def test_what_is_not_there_is_said(name: str) -> None:
    assert find(name) == Definitions(problem=f"it does not define `{name}`")


def test_a_source_with_an_error_shows_what_can_be_read() -> None:
    broken = SOURCE + b"func Broken( {\n"
    assert find("Slugify", broken).symbols
    missing = find("Missing", broken)
    assert (missing.is_readable, missing.problem) == (False, "can't be read at line 29")


def test_a_file_that_is_missing_or_refused_is_said() -> None:
    def refuse(_: str) -> bytes | None:
        raise WorkorderError("is a link")

    assert GO.codebase({}, {}.get).find(Address("a.go", "F")).problem == "there is no such file"
    refused = GO.codebase({"a.go": 1}, refuse).find(Address("a.go", "F"))
    assert (refused.is_readable, refused.problem) == (False, "its source is a link")


TYPES = st.recursive(
    st.sampled_from(["int", "string", "error", "any", "pkg.T", "interface{}"]),
    lambda inner: st.one_of(
        inner.map(lambda part: f"[]{part}"),
        inner.map(lambda part: f"*{part}"),
        inner.map(lambda part: f"[3]{part}"),
        inner.map(lambda part: f"<-chan {part}"),
        st.tuples(inner, inner).map(lambda parts: f"map[{parts[0]}]{parts[1]}"),
        st.tuples(inner, inner).map(lambda parts: f"pkg.G[{parts[0]}, {parts[1]}]"),
        st.tuples(inner, inner).map(lambda parts: f"func(a, b {parts[0]}) {parts[1]}"),
        st.tuples(inner, inner).map(lambda parts: f"struct{{A {parts[0]}; B {parts[1]}}}"),
    ),
    max_leaves=6,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(TYPES, max_size=4), st.lists(TYPES, max_size=3))
def test_a_source_keeps_its_own_outline(taken: list[str], given_back: list[str]) -> None:
    parameters = ", ".join(f"p{number} {kind}" for number, kind in enumerate(taken))
    source = f"package p\n\nfunc F({parameters}) ({', '.join(given_back)}) {{\n}}\n".encode()
    (line,) = GO.outline("a.go", source).text.splitlines()[1:]
    assert not line.startswith("#")
    promised = GO.parse_symbol(line)
    assert promised.text == line
    assert kept(line.removeprefix("a.go:"), source)
    unnamed = f"F({', '.join(taken)}) ({', '.join(given_back)})"
    assert kept(unnamed, source)
    assert not kept(f"F({', '.join([*taken, 'bool'])}) ({', '.join(given_back)})", source)
