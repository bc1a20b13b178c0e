"""Go, as the port asks for it."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from factory.contract.text import Read
from factory.languages.go.commands import COMPILE, STARTER, TEST, VET
from factory.languages.go.declarations import declarations
from factory.languages.go.grammar import grammar
from factory.languages.go.mutation import BLOCKS, TABLE
from factory.languages.go.spelling import SIMPLE
from factory.languages.go.symbols import parse_symbol
from factory.languages.port import Verification
from factory.languages.trees.conspicuous import Unusual
from factory.languages.trees.declared import Declared
from factory.languages.trees.language import TreeLanguage
from factory.languages.trees.tree import Grammar, parse, text

if TYPE_CHECKING:
    from tree_sitter import Node

_OS: Final = "workorder_os"
_PROJECT_FILE: Final = "go.mod"
_SPOKEN_OF: Final = re.compile(
    r"\bGolang\b|\bgo\.mod\b|\bin Go\b|\bGo (?:module|program|package|library|command|tool|1\.\d)"
)
_SYMBOLS: Final = """\
A symbol names the file: `slug/slug.go:Slugify(text string) (string, error)`, `slug/slug.go:Slugger`, \
`slug/slug.go:Slugger.Next(text string) string`, `slug/slug.go:Options.Max int`, `slug/slug.go:Limit int`. \
Names of parameters don't bind, types do. A method is written so for a pointer's receiver, too."""
_WORDS: Final = f"""\
Go. {_SYMBOLS} Tests are `NAME_test.go` beside the source, run by `go test ./...` or `go test ./slug -run \
'^TestSlugify$'`. A module begins with a `go.mod`."""

_UNUSUAL: Final = Unusual(
    ends=("os.Exit", "syscall.Exit", "syscall.Kill"),
    mains=("main", "TestMain"),
    calls=("testing.Testing", "syscall.RawSyscall", "syscall.Syscall"),
    words=("test.run", "test.v", "test.skip"),
    defined={"TestMain": "runs the tests itself, by TestMain"},
)


class Go(TreeLanguage):
    """See `Language`."""

    key: Final = "go"
    name: Final = "Go"
    suffixes: Final = (".go",)
    project_files: Final = (_PROJECT_FILE,)
    lacks: Final[Mapping[str, str]] = {}
    symbol_words: Final = _SYMBOLS
    words: Final = _WORDS
    programs = ("go",)
    spoken_of = _SPOKEN_OF
    table = TABLE
    unusual = _UNUSUAL
    blocks = BLOCKS
    simple = SIMPLE

    def grammar(self, path: str) -> Grammar:
        """The grammar of all of its sources."""
        return grammar

    def is_test(self, path: str) -> bool:
        """Whether a file belongs to the tests: `go test` alone compiles it, or it is data of theirs."""
        return path.endswith("_test.go") or "testdata" in path.split("/")[:-1]

    def verification(self, files: Collection[str], read: Read) -> tuple[Verification, ...]:
        """`go vet`, and `go test` where there are tests, of a module that holds a package."""
        if _PROJECT_FILE not in files or not any(_is_of_root(path, files) for path in files):
            return ()
        return (VET, TEST) if any(path.endswith("_test.go") for path in files) else (VET,)

    def compiling(self, files: Collection[str], read: Read) -> tuple[str, ...]:
        """The compiler, of a module: it refuses a variable that a mutant no longer uses."""
        return COMPILE if _PROJECT_FILE in files else ()

    def parse_symbol(self, text: str) -> Declared:
        """A symbol from its written form; see `symbols`."""
        return parse_symbol(text)

    def declared(self, path: str, root: "Node") -> Iterable[Declared]:
        """All that a source declares, of any name: its own package sees it."""
        return (symbol for symbol, _ in declarations(path, root))

    def public(self, path: str, root: "Node") -> Iterable[Declared]:
        """What other packages see; of a program, which has none beside it, all but fields."""
        is_program = _package(root) == "main"
        for symbol in self.declared(path, root):
            is_field = symbol.kind == "value" and "." in symbol.name
            is_exported = all(name[:1].isupper() for name in symbol.name.split("."))
            if is_exported or (is_program and not is_field):
                yield symbol

    def remark(self, root: "Node") -> str:
        """The first line of the comment in front of `package`."""
        said = ""
        for node in root.children:
            if node.type != "comment":
                break
            said = said or text(node).strip("/* \t\n").partition("\n")[0]
        return said

    def imports(self, path: str, data: bytes) -> frozenset[str] | None:
        """The import paths whose first segment has a dot, which those of the standard library have not."""
        tree = parse(grammar, data)
        if tree.root is None or tree.problem:
            return None
        return frozenset(name for name in _imported(tree.root) if "." in name.partition("/")[0].strip("."))

    def marked(self, path: str, source: str, marks: Mapping[int, str]) -> str | None:
        """A source whose statements leave marks, with the package that makes files."""
        made = super().marked(path, source, marks)
        data = made.encode("utf-8") if made is not None else b""
        root = parse(grammar, data).root
        clause = _clause(root) if root is not None else None
        if clause is None:
            return None
        end = clause.end_byte
        return (data[:end] + f'; import {_OS} "os"'.encode() + data[end:]).decode("utf-8")

    def mark(self, path: str) -> str:
        """A statement that makes a file."""
        return f"_ = {_OS}.WriteFile({json.dumps(path, ensure_ascii=False)}, nil, 0o600); "

    def starter(self, files: Collection[str]) -> Mapping[str, str]:
        """The texts of files that a new module begins with."""
        return STARTER


def _is_of_root(path: str, files: Collection[str]) -> bool:
    """Whether a source belongs to the module at the root, and to none below it."""
    *folders, name = path.split("/")
    below = ("/".join([*folders[:count], _PROJECT_FILE]) for count in range(1, len(folders) + 1))
    is_passed_over = any(folder == "testdata" or folder.startswith((".", "_")) for folder in folders)
    return name.endswith(".go") and not is_passed_over and not any(manifest in files for manifest in below)


def _clause(root: "Node") -> "Node | None":
    return next((node for node in root.named_children if node.type == "package_clause"), None)


def _package(root: "Node") -> str:
    clause = _clause(root)
    return text(clause.named_children[0]) if clause is not None and clause.named_children else ""


def _imported(root: "Node") -> Iterator[str]:
    for declared in root.named_children:
        if declared.type == "import_declaration":
            for child in declared.named_children:
                for spec in (child, *child.named_children):
                    if spec.type == "import_spec":
                        yield text(spec.child_by_field_name("path")).strip('"`')


GO: Final = Go()
"""The language."""
