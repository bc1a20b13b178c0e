"""Types and default values as text, normalised so that two spellings of one type compare equal.

Works on nodes of `ast`.

Normalised are: quotes around an annotation (`"Board"` is `Board`, except inside `Literal` and the metadata of
`Annotated`); the module before a name (`pathlib.Path` is `Path`); `Optional[X]` and `Union[X, Y]`, which are
`X | None` and `X | Y`; the order in a union; the old generic names (`List[int]` is `list[int]`); `Final` and
`ClassVar` around a type. Everything else is compared as it is written.
"""

import ast
from collections.abc import Iterator
from typing import Final

MAX_NODES: Final = 300
"""The most nodes of an annotation or default value that is read; a larger one equals only itself by place."""

_SHORT: Final = 100
"""How many bytes can't hold as many nodes: no sign makes more than two."""

_TOO_LARGE: Final = "<too large>"
_OLD_GENERICS: Final = {
    "AsyncContextManager": "AbstractAsyncContextManager",
    "ContextManager": "AbstractContextManager",
    "DefaultDict": "defaultdict",
    "Deque": "deque",
    "Dict": "dict",
    "FrozenSet": "frozenset",
    "List": "list",
    "Set": "set",
    "Text": "str",
    "Tuple": "tuple",
    "Type": "type",
}
_WRAPPERS: Final = frozenset({"Final", "ClassVar", "InitVar", "Required", "NotRequired", "ReadOnly"})


def annotation_text(node: ast.expr | None) -> str | None:
    """The normalised text of an annotation; None if it says no type, as a bare `Final` does."""
    if node is None:
        return None
    if isinstance(node, ast.Name):
        return _OLD_GENERICS.get(node.id, node.id) if node.id not in _WRAPPERS else None
    if is_large(node):
        return _TOO_LARGE
    members = _union(node)
    if not members:
        return None
    return " | ".join(members)


def value_text(node: ast.expr) -> str:
    """The text of a default value."""
    return _TOO_LARGE if is_large(node) else ast.unparse(node)


def is_large(node: ast.expr | ast.stmt) -> bool:
    """Whether a node holds too much to be looked at by recursion."""
    if node.lineno == node.end_lineno and (node.end_col_offset or 0) - node.col_offset <= _SHORT:
        return False
    waiting: list[ast.AST] = [node]
    count = 0
    while waiting and count <= MAX_NODES:
        count += 1
        waiting.extend(ast.iter_child_nodes(waiting.pop()))
    return count > MAX_NODES


def _union(node: ast.expr) -> list[str]:
    """The members of a union, or the one type, each once; `None` last."""
    members = dict.fromkeys(_members(node))
    ordered = sorted(members) if len(members) > 1 else list(members)
    return [*(name for name in ordered if name != "None"), *(["None"] if "None" in members else [])]


def _members(node: ast.expr) -> Iterator[str]:
    unquoted = _unquoted(node)
    if unquoted is not None:
        yield from _members(unquoted)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _members(node.left)
        yield from _members(node.right)
    elif isinstance(node, ast.Subscript):
        yield from _subscript(node)
    elif isinstance(node, ast.Name | ast.Attribute):
        name = last_name(node)
        if name not in _WRAPPERS:
            yield _OLD_GENERICS.get(name, name)
    else:
        yield _plain(node)


def _subscript(node: ast.Subscript) -> Iterator[str]:
    # A subscript of a subscript has no name.
    head = "" if isinstance(node.value, ast.Subscript) else last_name(node.value)
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if head in _WRAPPERS:
        for item in items[:1]:
            yield from _members(item)
    elif head == "Union":
        for item in items:
            yield from _members(item)
    elif head == "Optional":
        yield from _members(node.slice)
        yield "None"
    elif head == "Literal":
        yield f"Literal[{', '.join(ast.unparse(item) for item in items)}]"
    elif head == "Annotated" and items:
        inside = [" | ".join(_union(items[0])), *(ast.unparse(item) for item in items[1:])]
        yield f"Annotated[{', '.join(inside)}]"
    else:
        inside = [" | ".join(_union(item)) for item in items]
        outer = _OLD_GENERICS.get(head, head) if head else _plain(node.value)
        yield f"{outer}[{', '.join(inside) or '()'}]"


def _plain(node: ast.expr) -> str:
    if isinstance(node, ast.List):
        return f"[{', '.join(' | '.join(_union(item)) for item in node.elts)}]"
    if isinstance(node, ast.Starred):
        return f"*{' | '.join(_union(node.value))}"
    return ast.unparse(node)


def _unquoted(node: ast.expr) -> ast.expr | None:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    try:
        inner = ast.parse(node.value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
        # A text in a text would be read again and again.
        return None
    return None if is_large(inner) else inner


def decorator_names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[str]:
    """The last names of the decorators, such as `cached_property`; empty for what is no name."""
    return [
        last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        for decorator in node.decorator_list
    ]


def last_name(node: ast.expr) -> str:
    """The last name of `a.b.name`, also of `a.name[T]`; empty for anything else."""
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
