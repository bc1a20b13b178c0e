"""Which grammar reads a file, by the end of its name; grammars are loaded when they are first needed."""

from typing import Final

from factory.languages.trees.tree import Grammar, Tree, parse

TYPED: Final = (".ts", ".tsx", ".mts", ".cts")
"""How the names of sources with types end."""

PLAIN: Final = (".js", ".jsx", ".mjs", ".cjs")
"""How the names of sources without types end."""

SUFFIXES: Final = (*TYPED, *PLAIN)


def typescript() -> object:
    """The grammar of TypeScript."""
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


def tsx() -> object:
    """The grammar of TypeScript with elements of JSX."""
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


def javascript() -> object:
    """The grammar of JavaScript, elements of JSX included."""
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def is_typed(path: str) -> bool:
    """Whether a source has types."""
    return path.endswith(TYPED)


def grammar_of(path: str) -> Grammar:
    """The grammar of a source, by its name."""
    if path.endswith(".tsx"):
        return tsx
    return typescript if is_typed(path) else javascript


def parse_source(path: str, data: bytes) -> Tree:
    """The tree of a source; see `parse`."""
    # A first line such as `#!/usr/bin/env node` is part of the grammar.
    return parse(grammar_of(path), data.removeprefix(b"\xef\xbb\xbf"))
