"""Rust, as the port asks for it."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from factory.contract.text import Read
from factory.languages.port import Address, Addressed, Definitions, Verification
from factory.languages.rust.commands import CHECK, COMPILE, HOLDS_TESTS, STARTER, TEST
from factory.languages.rust.declarations import items, tests
from factory.languages.rust.grammar import grammar
from factory.languages.rust.imports import used_crates
from factory.languages.rust.modules import place_of
from factory.languages.rust.mutation import BLOCKS, TABLE
from factory.languages.rust.spelling import SIMPLE
from factory.languages.rust.symbols import parse_symbol
from factory.languages.trees.conspicuous import Unusual
from factory.languages.trees.declared import Declared
from factory.languages.trees.language import TreeLanguage
from factory.languages.trees.tree import Grammar, parse, text

if TYPE_CHECKING:
    from tree_sitter import Node

_PROJECT_FILE: Final = "Cargo.toml"
_TEST_FOLDERS: Final = frozenset({"tests", "benches"})
_MAX_STEPS: Final = 8
"""How many files a re-exported name is followed through."""

_SPOKEN_OF: Final = re.compile(r"\bRust\b|\bCargo\.toml\b|\bcargo\b")
_SYMBOLS: Final = """\
A symbol names the file: `src/lib.rs:slugify(text: &str) -> String`, `src/lib.rs:Slugger`, \
`src/lib.rs:Slugger.next(&mut self, text: &str) -> String`, `src/lib.rs:Options.max: usize`, \
`src/lib.rs:LIMIT: usize`, `src/lib.rs:Shape.Circle(f64)`. Names of parameters don't bind, types do."""
_WORDS: Final = f"""\
Rust. {_SYMBOLS} Tests are `tests/NAME.rs`, or `#[cfg(test)] mod tests` in the source, run by `cargo test \
--offline`. A crate begins with a `Cargo.toml`; `Cargo.lock` is made by \
the tools, and no work order lists it."""

_UNUSUAL: Final = Unusual(
    ends=("process::exit", "process::abort", "exit", "abort", "libc::_exit", "libc::exit", "libc::kill"),
    calls=("panic::set_hook",),
    macros=("cfg!(test)",),
)


class Rust(TreeLanguage):
    """See `Language`."""

    key: Final = "rust"
    name: Final = "Rust"
    suffixes: Final = (".rs",)
    project_files: Final = (_PROJECT_FILE,)
    lacks: Final[Mapping[str, str]] = {}
    symbol_words: Final = _SYMBOLS
    words: Final = _WORDS
    programs = ("cargo",)
    spoken_of = _SPOKEN_OF
    table = TABLE
    unusual = _UNUSUAL
    blocks = BLOCKS
    simple = SIMPLE

    def grammar(self, path: str) -> Grammar:
        """The grammar of all of its sources."""
        return grammar

    def is_test(self, path: str) -> bool:
        """Whether a file belongs to the tests, by its folder or its name."""
        *folders, name = path.split("/")
        return not _TEST_FOLDERS.isdisjoint(folders) or name in ("tests.rs", "test.rs")

    def verification(self, files: Collection[str], read: Read) -> tuple[Verification, ...]:
        """`cargo test` of a crate or a workspace, `cargo check` where there are no tests."""
        sources = [path for path in sorted(files) if path.endswith(".rs")]
        # Of a crate without a source cargo says that it has no target.
        if _PROJECT_FILE not in files or not sources:
            return ()
        has_tests = any(HOLDS_TESTS.search(read(path) or b"") for path in sources)
        return (TEST,) if has_tests else (CHECK,)

    def compiling(self, files: Collection[str], read: Read) -> tuple[str, ...]:
        """The compiler, of a crate or a workspace."""
        return COMPILE if _PROJECT_FILE in files else ()

    def parse_symbol(self, text: str) -> Declared:
        """A symbol from its written form; see `symbols`."""
        return parse_symbol(text)

    def find(self, symbol: Addressed, read: Read) -> Definitions:
        """What the sources define at an address, also by a re-export from another file."""
        return self._find(symbol, read, _MAX_STEPS)

    def declared(self, path: str, root: "Node") -> Iterable[Declared]:
        """All that a source declares; what it re-exports is unknown."""
        return (item.symbol for item in items(path, root))

    def public(self, path: str, root: "Node") -> Iterable[Declared]:
        """What other modules see; of a program, which has none beside it, all functions and types."""
        found = list(items(path, root))
        is_program = any(item.symbol.name == "main" and item.symbol.is_callable for item in found)
        hidden = {item.symbol.name for item in found if item.symbol.kind == "type" and not item.is_public}
        for item in found:
            around = item.symbol.name.rpartition(".")[0]
            if is_program or (item.is_public and around not in hidden):
                yield item.symbol

    def named(self, path: str, root: "Node") -> Iterable[str]:
        """The public functions and types, and the tests."""
        return (*super().named(path, root), *tests(root))

    def remark(self, root: "Node") -> str:
        """The first line of the comment about the whole source."""
        for node in root.children:
            if "comment" not in node.type and node.type != "inner_attribute_item":
                break
            if text(node).startswith("//!"):
                return text(node).removeprefix("//!").strip()
        return ""

    def imports(self, path: str, data: bytes) -> frozenset[str] | None:
        """The crates that a source uses, as it names them; see `imports`."""
        tree = parse(grammar, data)
        return None if tree.root is None or tree.problem else used_crates(tree.root)

    def mark(self, path: str) -> str:
        """A statement that makes a file."""
        return f'let _ = ::std::fs::write({json.dumps(path, ensure_ascii=False)}, b""); '

    def starter(self, files: Collection[str]) -> Mapping[str, str]:
        """The texts of files that a new crate begins with."""
        return STARTER

    def _find(self, symbol: Addressed, read: Read, steps: int) -> Definitions:
        here = super().find(symbol, read)
        if any(found.kind != "unknown" for found in here.symbols if isinstance(found, Declared)):
            return here
        data = read(symbol.module) if here.is_readable else None
        root = parse(grammar, data).root if data is not None else None
        if root is None:
            return here
        if not steps:
            return Definitions(problem="its names are exported from file to file without an end")
        first, dot, rest = symbol.name.partition(".")
        found = list(items(symbol.module, root))
        own = {item.symbol.name for item in found if item.symbol.kind == "type"}
        for item in found:
            if not item.path or item.symbol.name not in (first, "*"):
                continue
            path = f"{item.path}::{first}" if item.symbol.name == "*" else item.path
            place = place_of(path, symbol.module, read)
            if place is None and path.partition("::")[0] in own:
                place = Address(symbol.module, path.replace("::", "."))
            if place is None:
                # Of another crate nothing is known.
                return Definitions((Declared(symbol.module, symbol.name, "unknown"),))
            there = self._find(Address(place.module, f"{place.name}{dot}{rest}"), read, steps - 1)
            if there.symbols or not there.is_readable:
                same = (symbol_there for symbol_there in there.symbols if isinstance(symbol_there, Declared))
                moved = tuple(replace(each, module=symbol.module, name=symbol.name) for each in same)
                return replace(there, symbols=moved)
        return Definitions(problem=here.problem or "what it exports is nowhere")


RUST: Final = Rust()
"""The language."""
