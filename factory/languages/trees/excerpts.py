"""A source taken apart into units by its tree, the bodies of its functions left out."""

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.excerpt import LEFT_OUT, Excerpt, Unit, excerpt_of
from factory.languages.trees.tree import Grammar, parse, text

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMENTS: Final = ("comment", "line_comment", "block_comment")
_IN_FRONT: Final = (*_COMMENTS, "attribute_item", "decorator")
_IMPORTS: Final = ("import_declaration", "import_statement", "use_declaration", "extern_crate_declaration")
_VALUES: Final = (
    "const_declaration",
    "var_declaration",
    "lexical_declaration",
    "variable_declaration",
    "const_item",
    "static_item",
)
_ALWAYS: Final = ("package_clause", "hash_bang_line")
_BLOCKS: Final = ("block", "statement_block")
_OWNERS: Final = ("class_declaration", "abstract_class_declaration", "impl_item", "trait_item")
_FUNCTIONS: Final = (
    "function_declaration",
    "generator_function_declaration",
    "method_declaration",
    "function_item",
    "method_definition",
    "arrow_function",
    "function_expression",
    "func_literal",
)
_KEYWORDS: Final = frozenset(
    ["as", "crate", "default", "export", "from", "import", "pub", "self", "super", "type", "use"]
)
_SHORT: Final = 60
_DEPTH: Final = 40
_WORD: Final = re.compile(r"\w+")
_TESTS: Final = re.compile(r"#\[\s*cfg\s*\(\s*test\s*\)\s*\]")


def excerpt(grammar: Grammar, source: str, names: Collection[str]) -> Excerpt | None:
    """What users of some names need of a source; None if it can't be read.

    Args:
        grammar: the source's.
        source: its text.
        names: what is asked for, dotted; a function among it without a comment keeps its body.
    """
    tree = parse(grammar, source.removeprefix("\ufeff").encode("utf-8"))
    if tree.root is None or tree.problem:
        return None
    return excerpt_of(list(_units(tree.root, tree.data, names)), names)


def _units(root: "Node", data: bytes, names: Collection[str]) -> Iterator[Unit]:
    front: list[Node] = []
    for node in root.children:
        if node.type in _IN_FRONT:
            if front and not _touches(front[-1], node):
                yield _remark(front, root, data)
                front = []
            front.append(node)
            continue
        if front and not _touches(front[-1], node):
            yield _remark(front, root, data)
            front = []
        if node.is_named:
            yield _unit(front, node, data, names)
            front = []
    if front:
        yield _remark(front, root, data)


def _touches(before: "Node", node: "Node") -> bool:
    """Whether a node begins in the line where the one before ends, or in the next."""
    # Some grammars count the end of the line to a comment.
    ended = before.end_point.row - (before.end_point.column == 0)
    return node.start_point.row <= ended + 1


def _remark(front: "list[Node]", root: "Node", data: bytes) -> Unit:
    """Comments that stand by themselves; the first ones are what the source says of itself."""
    is_first = root.children[0] == front[0]
    return Unit(_text(data, front[0].start_byte, front[-1].end_byte), is_always_shown=is_first)


def _unit(front: "list[Node]", node: "Node", data: bytes, names: Collection[str]) -> Unit:
    start = front[0].start_byte if front else node.start_byte
    declared = node.child_by_field_name("declaration") or node
    # Whoever uses a source uses nothing of the tests in it.
    is_test = any(_TESTS.search(text(attribute)) for attribute in front)
    is_documented = any(other.type in _COMMENTS for other in front)
    bodies = sorted(_bodies(node, is_documented, "", names, _DEPTH))
    pieces: list[bytes] = []
    position = start
    for begin, end in bodies:
        pieces += [data[position:begin], f"{{ {LEFT_OUT} }}".encode()]
        position = end
    pieces.append(data[position : node.end_byte])
    return Unit(
        b"".join(pieces).decode("utf-8", "replace").replace("\r\n", "\n"),
        frozenset() if is_test else frozenset(_names(declared)),
        is_import=declared.type in _IMPORTS,
        is_value=declared.type in _VALUES,
        is_always_shown=declared.type in _ALWAYS,
    )


def _bodies(
    node: "Node", is_documented: bool, owner: str, names: Collection[str], depth: int
) -> Iterator[tuple[int, int]]:
    """Where the bodies that are left out begin and end."""
    if depth == 0:
        return
    if node.type in _FUNCTIONS:
        body = node.child_by_field_name("body")
        name = text(node.child_by_field_name("name"))
        if not name and node.parent is not None and node.parent.type == "variable_declarator":
            name = text(node.parent.child_by_field_name("name"))
        scope = owner or _last_word(node.child_by_field_name("receiver"))
        is_asked = (f"{scope}.{name}" if scope else name) in names
        is_long = body is not None and body.end_byte - body.start_byte > _SHORT
        if body is not None and body.type in _BLOCKS and is_long and (is_documented or not is_asked):
            yield body.start_byte, body.end_byte
        return
    if node.type in _OWNERS:
        owner = text(node.child_by_field_name("name")) or _last_word(node.child_by_field_name("type"))
    before: Node | None = None
    for child in node.children:
        said = before is not None and before.type in _COMMENTS
        wrapped = node.type in ("export_statement", "lexical_declaration", "variable_declarator")
        yield from _bodies(child, said or (wrapped and is_documented), owner, names, depth - 1)
        if child.type not in ("attribute_item", "decorator"):
            before = child


def _names(node: "Node") -> Iterator[str]:
    """What a declaration gives names to; of what belongs to a type, that type's."""
    if node.type in (*_IMPORTS, "export_statement"):
        yield from (word for word in _WORD.findall(text(node)) if word not in _KEYWORDS)
        return
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        yield _last_word(receiver)
        return
    if node.type == "impl_item":
        yield from _WORD.findall(text(node.child_by_field_name("type")).partition("<")[0])
        return
    named = [
        node,
        *node.named_children,
        *(inner for child in node.named_children for inner in child.named_children),
    ]
    is_list = node.type in _VALUES or node.type == "type_declaration"
    for other in named if is_list else named[:1]:
        for name in other.children_by_field_name("name"):
            yield from _WORD.findall(text(name))


def _last_word(node: "Node | None") -> str:
    """The name of a receiver's or an implementation's type, generics left out."""
    words = _WORD.findall(re.sub(r"[\[<].*", "", text(node), flags=re.DOTALL))
    return words[-1] if words else ""


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace").replace("\r\n", "\n")
