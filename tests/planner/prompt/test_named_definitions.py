"""The definitions that a specification names are found with their source, and nothing else is."""

from collections.abc import Mapping

import pytest

from planner.prompt.named_definitions import MAX_LINES, named_definitions

SHOP = '''import functools

PRICE = 1


def take(n):
    return n


@functools.cache
def price(item):
    """The price."""
    return item


class Board:
    size = 1

    @property
    def cells(self):
        return []

    async def fold(self):
        def take(): ...


if PRICE:
    def hidden(): ...
'''


def named(spec: str, files: Mapping[str, "str | bytes"] | None = None) -> list[tuple[str, str, int, int]]:
    texts = {"shop.py": SHOP} if files is None else files
    data = {path: text.encode() if isinstance(text, str) else text for path, text in texts.items()}
    return [
        (definition.path, definition.name, definition.first, definition.last)
        for definition in named_definitions(spec, list(data), data.get)
    ]


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("`take(n)` is kept.", ["take"]),
        ("`shop.price` and `take` change.", ["price", "take"]),
        ("``price``, and `python -m shop take`", ["price", "take"]),
        ("- `Board.fold(self)` waits.", ["Board.fold"]),
        ("`shop.Board.cells`, `Board.nothing`", ["Board.cells"]),
        # A class has its methods with it.
        ("`Board.fold` of `Board`", ["Board"]),
        ("take price Board", []),
        ("`fold`, `PRICE`, `hidden`, `Board.take`, `Shelf`", []),
        ("an open ` backquote, then take", []),
        ("", []),
    ],
)
def test_what_stands_between_backquotes_is_found(spec: str, names: list[str]) -> None:
    assert [name for _, name, _, _ in named(spec)] == names


def test_lines_are_those_of_the_file_decorators_included() -> None:
    assert named("`take`") == [("shop.py", "take", 6, 7)]
    assert named("`price`") == [("shop.py", "price", 10, 13)]
    assert named("`take`", {"a.py": SHOP.replace("\n", "\r\n"), "b.py": "\ufeff" + SHOP}) == [
        ("a.py", "take", 6, 7),
        ("b.py", "take", 6, 7),
    ]


def test_the_source_is_shown_as_it_stands_and_a_long_one_cut() -> None:
    long = "def long():\n" + "    x = 1\n" * 99
    (short, cut) = named_definitions("`take` `long`", ["a.py"], {"a.py": f"{SHOP}{long}".encode()}.get)

    assert short.source == "def take(n):\n    return n"
    assert cut.source.count("\n") == MAX_LINES
    assert cut.source.endswith("    x = 1\n[cut here: 20 of 100 lines are left out]")


@pytest.mark.parametrize(
    "data", [b"def take(:\n", b"def take(): 'gr\xfc\xdfe'\n", b"def take(): '\0'\n", b""]
)
def test_what_is_no_python_is_passed_over(data: bytes) -> None:
    assert named("`take`", {"bad.py": data, "good.py": SHOP}) == [("good.py", "take", 6, 7)]


TYPESCRIPT = """\
// Words.
export default function prettyWords(text: string) {
  return text;
}

export const shout = (text: string) => {
  return text.toUpperCase();
};

export const LIMIT = 3;

export class Board {
  size = 1;
  fold() {
    return this.size;
  }
}
"""

GO = """\
package words

type Board[T any] struct {
	size int
}

func (b *Board[T]) Fold() int {
	return b.size
}

func Count(text string) int {
	return len(text)
}
"""

RUST = """\
pub struct Board<T> {
    size: T,
}

impl<T> Board<T> {
    pub fn fold(&self) -> usize {
        1
    }
}

pub fn count(text: &str) -> usize {
    text.len()
}
"""


@pytest.mark.parametrize(
    ("path", "source", "spec", "found"),
    [
        ("a.ts", TYPESCRIPT, "`prettyWords(0)`", [("prettyWords", 2, 4)]),
        ("a.js", "function take(n) {\n  return n;\n}\n", "`take`", [("take", 1, 3)]),
        ("a.ts", TYPESCRIPT, "`shout` and `Board.fold`", [("shout", 6, 8), ("Board.fold", 14, 16)]),
        ("a.ts", TYPESCRIPT, "`LIMIT`, `size`", []),
        ("a.go", GO, "`Board.Fold()`, `Count`", [("Board.Fold", 7, 9), ("Count", 11, 13)]),
        ("a.go", GO, "`Board`", [("Board", 3, 5)]),
        ("a.rs", RUST, "`Board.fold`, `count`", [("Board.fold", 6, 8), ("count", 11, 13)]),
    ],
)
def test_other_languages_have_theirs(
    path: str, source: str, spec: str, found: list[tuple[str, int, int]]
) -> None:
    assert named(spec, {path: source}) == [(path, *each) for each in found]


def test_what_no_grammar_reads_has_none() -> None:
    assert named("`take`", {"a.ts": b"function take() {}\xff", "b.txt": "function take() {}"}) == []


def test_of_a_long_definition_what_it_does_is_shown_before_all_that_is_said_of_it() -> None:
    said = "".join(f"    Word {number}.\n" for number in range(50))
    source = f'def price(item):\n    """The price.\n\n{said}    """\n' + "    x = 1\n" * 90
    (found,) = named_definitions("`price`", ["shop.py"], {"shop.py": source.encode()}.get)
    lines = found.source.split("\n")
    assert lines[:3] == ["def price(item):", '    """The price.', ""]
    assert "[cut here: 43 lines of its docstring are left out]" in lines
    assert lines.count("    x = 1") == MAX_LINES - 11
    assert lines[-1] == "[cut here: 21 of 144 lines are left out]"
    short = source.replace("    x = 1\n" * 90, "    x = 1\n" * 40)
    (whole,) = named_definitions("`price`", ["shop.py"], {"shop.py": short.encode()}.get)
    assert whole.source.count("x = 1") == 40
