"""What names stand for: modules of Node, files of the repository, and what is in them."""

import posixpath
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import text
from factory.languages.typescript.imports import BUILT_IN
from factory.languages.typescript.translation.nodes import arguments_of, plain, string

if TYPE_CHECKING:
    from tree_sitter import Node

OPEN: Final = "_javascript"
"""Stands for what Python has no counterpart of."""

_GLOBAL: Final = frozenset({"Date", "JSON", "Math", "Object", "console", "fetch", "performance", "process"})


class Names:
    """The modules of Node and of the repository that names of a piece of code stand for.

    Args:
        directory: where the code runs, relative to the repository's root.

    Attributes:
        known: for each name of a module of Node, or of something in it, that: `fs`, `assert.equal`.
        local: the names that stand for something else.
        needed: the modules of Python that stand for those of Node.
        hoisted: the names of modules of the repository that an expression loads.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self.known: dict[str, str] = {}
        self.local: set[str] = set()
        self.needed: dict[str, None] = {}
        self.hoisted: dict[str, str] = {}

    def dotted(self, node: "Node | None") -> str:
        """The name of something of Node, with that of its module; empty for anything else."""
        names: list[str] = []
        while node is not None and node.type == "member_expression":
            names.append(text(node.child_by_field_name("property")))
            node = plain(node.child_by_field_name("object"))
        if node is None:
            return ""
        if node.type == "call_expression":
            first = node_module(self.loaded(node))
        else:
            name = text(node) if node.type == "identifier" else ""
            # Code that Node evaluates finds its modules without loading them.
            is_known = name in _GLOBAL or (name in BUILT_IN and name not in self.local)
            first = self.known.get(name, name if is_known else "")
        return ".".join([first, *reversed(names)]) if first else ""

    def loaded(self, node: "Node") -> str:
        """The module that `require('…')` or `await import('…')` loads; empty for anything else."""
        node = plain(node)
        if node.type == "await_expression":
            node = plain(node.named_children[0])
        if node.type != "call_expression":
            return ""
        function, given = node.child_by_field_name("function"), arguments_of(node)
        is_loading = text(function) in ("import", "require")
        return string(given[0]) if is_loading and given and given[0].type == "string" else ""

    def module(self, specifier: str) -> str:
        """The file of the repository that a specifier names, with `./` in front; empty for others."""
        if not specifier.startswith("."):
            return ""
        path = posixpath.normpath(posixpath.join(self._directory, specifier))
        return "" if path.startswith("..") else f"./{path}"

    def hoist(self, module: str) -> str:
        """The name under which an expression finds a file that it loads."""
        return self.hoisted.setdefault(module, f"{OPEN}_{len(self.hoisted)}")

    def is_module(self, node: "Node") -> bool:
        """Whether an expression may stand for all that a file exports."""
        return bool(self.module(self.loaded(node))) or node.type == "identifier"


def node_module(specifier: str) -> str:
    """The module of Node that a specifier names, as it is written here; empty for others."""
    name = specifier.removeprefix("node:")
    name = {"assert/strict": "assert", "fs/promises": "fs.promises"}.get(name, name)
    is_known = name.replace(".", "/") in BUILT_IN or specifier.startswith("node:")
    return name if is_known or name == "fs.promises" else ""
