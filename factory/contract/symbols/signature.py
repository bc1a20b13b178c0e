"""Signatures and annotations of Python, normalised so that two spellings of one type compare equal.

Works on nodes of `ast`. Where signatures come from, a plan or a source file, is in `symbol` and
`sources`.

Normalised are: quotes around an annotation (`"Board"` is `Board`, except inside `Literal` and the metadata of
`Annotated`); the module before a name (`pathlib.Path` is `Path`); `Optional[X]` and `Union[X, Y]`, which are
`X | None` and `X | Y`; the order in a union; the old generic names (`List[int]` is `list[int]`); `Final` and
`ClassVar` around a type. Everything else is compared as it is written.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

MAX_NODES: Final = 300
"""The most nodes of an annotation or default value that is read; a larger one equals only itself by place."""

ANY_DEFAULT: Final = "..."
"""The default value that stands for every other."""

_ASYNC_ITERATORS: Final = frozenset({"AsyncGenerator", "AsyncIterable", "AsyncIterator"})
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

KINDS: Final = ("positional", "plain", "star", "keyword", "double_star")
"""How an argument may be given: by position only, either way, `*rest`, by keyword only, `**rest`."""


@dataclass(frozen=True)
class Parameter:
    """A parameter.

    Attributes:
        name: its name.
        kind: one of `KINDS`.
        annotation: its normalised type; None if it has none.
        default: the text of its default value; None if it has none.
    """

    name: str
    kind: str
    annotation: str | None = None
    default: str | None = None

    def text(self) -> str:
        """The parameter as it is written in a list of parameters."""
        stars = {"star": "*", "double_star": "**"}.get(self.kind, "")
        typed = f": {self.annotation}" if self.annotation is not None else ""
        if self.default is None:
            return f"{stars}{self.name}{typed}"
        return f"{stars}{self.name}{typed}{' = ' if typed else '='}{self.default}"

    def keeps(self, promised: "Parameter") -> bool:
        """Whether this is what was promised; an annotation that the promise leaves out is open."""
        return (
            (self.name, self.kind) == (promised.name, promised.kind)
            and promised.annotation in (None, self.annotation)
            and _same_default(self.default, promised.default)
        )

    def filling(self, promised: "Parameter") -> "Parameter":
        """What was promised, with what it leaves open as it is here; this keeps it."""
        default = self.default if promised.default == ANY_DEFAULT else promised.default
        return replace(promised, annotation=promised.annotation or self.annotation, default=default)


@dataclass(frozen=True)
class Signature:
    """Parameters and result of a function.

    Attributes:
        parameters: in order.
        returns: the normalised type of the result; None if it is not annotated.
        is_async: whether it is a coroutine function.
    """

    parameters: tuple[Parameter, ...]
    returns: str | None = None
    is_async: bool = False

    def text(self) -> str:
        """The signature as it stands between the name and the colon of a `def`."""
        parts: list[str] = []
        for index, parameter in enumerate(self.parameters):
            before = self.parameters[index - 1].kind if index else ""
            if before == "positional" and parameter.kind != "positional":
                parts.append("/")
            if parameter.kind == "keyword" and before not in ("keyword", "star"):
                parts.append("*")
            parts.append(parameter.text())
        if self.parameters and self.parameters[-1].kind == "positional":
            parts.append("/")
        returned = f" -> {self.returns}" if self.returns is not None else ""
        return f"({', '.join(parts)}){returned}"

    def keeps(self, promised: "Signature") -> bool:
        """Whether this is what was promised; an annotation that the promise leaves out is open."""
        return (
            # A generator of that kind is defined with `async`, and called without waiting.
            (self.is_async == promised.is_async or _head(self.returns) in _ASYNC_ITERATORS)
            and len(self.parameters) == len(promised.parameters)
            and promised.returns in (None, self.returns)
            and all(
                mine.keeps(theirs) for mine, theirs in zip(self.parameters, promised.parameters, strict=True)
            )
        )

    def filling(self, promised: "Signature") -> "Signature":
        """What was promised, with what it leaves open as it is here; this keeps it."""
        pairs = zip(self.parameters, promised.parameters, strict=True)
        return replace(
            promised,
            parameters=tuple(mine.filling(theirs) for mine, theirs in pairs),
            returns=promised.returns or self.returns,
        )


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Signature:
    """The signature of a function definition."""
    if isinstance(node, ast.Lambda):
        return Signature(tuple(_parameters(node.args)))
    returns = annotation_text(node.returns)
    if node.name == "__init__" and returns is None:
        returns = "None"
    return Signature(tuple(_parameters(node.args)), returns, isinstance(node, ast.AsyncFunctionDef))


def annotation_text(node: ast.expr | None) -> str | None:
    """The normalised text of an annotation; None if it says no type, as a bare `Final` does."""
    if node is None:
        return None
    if is_large(node):
        return _TOO_LARGE
    members = _union(node)
    if not members:
        return None
    return " | ".join(members)


def value_text(node: ast.expr) -> str:
    """The text of a default value."""
    return _TOO_LARGE if is_large(node) else ast.unparse(node)


def is_large(node: ast.AST) -> bool:
    """Whether a node holds too much to be looked at by recursion."""
    waiting = [node]
    count = 0
    while waiting and count <= MAX_NODES:
        count += 1
        waiting.extend(ast.iter_child_nodes(waiting.pop()))
    return count > MAX_NODES


def _head(annotation: str | None) -> str:
    return (annotation or "").partition("[")[0]


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    plain = [*arguments.posonlyargs, *arguments.args]
    missing = len(plain) - len(arguments.defaults)
    for index, argument in enumerate(plain):
        default = arguments.defaults[index - missing] if index >= missing else None
        yield _parameter(argument, "positional" if index < len(arguments.posonlyargs) else "plain", default)
    if arguments.vararg is not None:
        yield _parameter(arguments.vararg, "star", None)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, "keyword", default)
    if arguments.kwarg is not None:
        yield _parameter(arguments.kwarg, "double_star", None)


def _parameter(argument: ast.arg, kind: str, default: ast.expr | None) -> Parameter:
    written = None if default is None else value_text(default)
    return Parameter(argument.arg, kind, annotation_text(argument.annotation), written)


def _same_default(mine: str | None, promised: str | None) -> bool:
    if mine is None or promised is None:
        return mine is promised
    return ANY_DEFAULT in (mine, promised) or mine == promised


def _union(node: ast.expr) -> list[str]:
    """The members of a union, or the one type, each once; `None` last."""
    found = dict.fromkeys(_members(node))
    ordered = sorted(found) if len(found) > 1 else list(found)
    return [*(name for name in ordered if name != "None"), *(["None"] if "None" in found else [])]


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
        name = _last_name(node)
        if name not in _WRAPPERS:
            yield _OLD_GENERICS.get(name, name)
    else:
        yield _plain(node)


def _subscript(node: ast.Subscript) -> Iterator[str]:
    head = _last_name(node.value)
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


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
