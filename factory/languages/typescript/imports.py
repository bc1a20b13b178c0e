"""The packages that a source imports, by the names under which they are installed. Pure."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import text, walk
from factory.languages.typescript.grammar import parse_source
from factory.languages.typescript.types import first

if TYPE_CHECKING:
    from tree_sitter import Node

_PACKAGE: Final = re.compile(r"(?P<name>@[a-z0-9~-][\w.~-]*/[a-z0-9~-][\w.~-]*|[a-zA-Z0-9-][\w.~-]*)(?:/.*)?")
_CALLS: Final = re.compile(rb"\brequire\b|\bimport\s*\(|\b(?:declare|namespace|module)\b")
BUILT_IN: Final = frozenset(
    {
        "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto",
        "dgram", "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https",
        "inspector", "module",
        "net", "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream",
        "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi",
        "worker_threads", "zlib",
    }
)  # fmt: skip
"""The modules of Node.js that need no `node:` in front."""


def imported_packages(path: str, data: bytes) -> frozenset[str] | None:
    """The packages that a source imports; None if it can't be read.

    Left out are modules of Node.js, files of the repository, and names of the project's own making, which no
    package can have: `#name` of `imports` in package.json, `@/…` and `~/…` of `paths` in tsconfig.json.
    """
    tree = parse_source(path, data)
    if tree.root is None or tree.problem:
        return None
    # Only calls stand deeper than at the top.
    nodes = walk(tree.root) if _CALLS.search(data) else iter(tree.root.named_children)
    named = {match["name"] for node in nodes for word in _specifiers(node) if (match := _package(word))}
    return frozenset(named - BUILT_IN)


def _package(word: str) -> re.Match[str] | None:
    # `node:fs`, `https://…` and `data:…` are no packages.
    return None if ":" in word else _PACKAGE.fullmatch(word)


def _specifiers(node: "Node") -> Iterator[str]:
    """The modules that a node names."""
    if node.type in ("import_statement", "export_statement", "import_require_clause"):
        source = node.child_by_field_name("source")
        if source is not None:
            yield text(source)[1:-1]
    elif node.type == "call_expression":
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        named = first(given) if given is not None else None
        if text(function) in ("import", "require", "require.resolve") and named is not None:
            is_plain = named.type == "template_string" and "${" not in text(named)
            if named.type == "string" or is_plain:
                yield text(named)[1:-1]
