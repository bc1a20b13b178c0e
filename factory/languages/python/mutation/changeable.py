"""Which nodes of a syntax tree a mutant may change, and what surrounds them.

Left alone is what no test should notice, such as docstrings, annotations and texts of logs: see `mutants`.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_HELP_TEXTS: Final = frozenset({"description", "epilog", "help", "metavar"})
"""What a parser of command lines is told for people to read."""

_LOGS: Final = frozenset({"critical", "debug", "error", "exception", "info", "log", "warn", "warning"})
_LOGGERS: Final = ("log", "logger", "logging")
_FOR_TYPES: Final = frozenset({"Literal", "NewType", "ParamSpec", "TypeVar", "TypeVarTuple"})
"""What is called or subscripted for type checkers."""

_STREAMS: Final = frozenset({"stderr", "stdin", "stdout"})
_UNTESTED_NAMES: Final = frozenset({"__all__", "__slots__", "__version__", "__author__"})


@dataclass(frozen=True)
class Around:
    """What surrounds a node.

    Attributes:
        loop: the kind of the innermost loop, `for` or `while`; empty outside of one.
        is_message: whether it is part of what an exception or a failed assertion says.
    """

    loop: str = ""
    is_message: bool = False


def changeable(tree: ast.Module) -> Iterator[tuple[ast.AST, Around]]:
    """What may be changed and what surrounds it, in no particular order; walks without recursion."""
    waiting: list[tuple[ast.AST, Around]] = [(tree, Around())]
    while waiting:
        node, around = waiting.pop()
        if not _is_untested(node):
            yield node, around
            waiting.extend(_children(node, around))


def is_for_others(test: ast.expr) -> bool:
    """Whether a condition holds only for type checkers, or only when the file is run as a program."""
    if last_name(test) == "TYPE_CHECKING":
        return True
    return isinstance(test, ast.Compare) and plain_name(test.left) == "__name__"


def asks_a_stream(node: ast.AST) -> bool:
    """Whether it asks of which class a standard stream is, as type checkers want before `reconfigure`."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Attribute(value=owner, attr=name), _]):
            return name in _STREAMS and plain_name(owner) == "sys"
        case _:
            return False


def plain_name(node: ast.expr) -> str:
    """The name that an expression is; empty if it is none."""
    return node.id if isinstance(node, ast.Name) else ""


def last_name(node: ast.expr) -> str:
    """The last name of `a.b.name`; empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else plain_name(node)


def _children(node: ast.AST, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    """What is inside a node and may be changed."""
    skipped: tuple[str, ...] = ("annotation", "returns", "decorator_list", "type_params")
    if isinstance(node, ast.If) and is_for_others(node.test):
        skipped = (*skipped, "test", "body")
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        around = Around("while" if isinstance(node, ast.While) else "for")
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        around = Around()
    elif isinstance(node, ast.Raise):
        around = Around(around.loop, is_message=True)
    for name, value in ast.iter_fields(node):
        if name in skipped:
            continue
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, ast.AST) and not _is_docstring(inner):
                is_message = isinstance(node, ast.Assert) and name == "msg"
                yield inner, Around(around.loop, is_message=True) if is_message else around


def _is_untested(node: ast.AST) -> bool:
    """Whether neither a node nor anything inside it is changed."""
    match node:
        case ast.JoinedStr():
            return True
        case ast.Call(func=made) | ast.Subscript(value=made) if last_name(made) in _FOR_TYPES:
            return True
        case ast.Expr(value=ast.Call(func=function)):
            return _is_log(function)
        case ast.keyword(arg=name, value=ast.Constant()):
            return name in _HELP_TEXTS
        case ast.Assign(targets=targets):
            return any(plain_name(target) in _UNTESTED_NAMES for target in targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return plain_name(target) in _UNTESTED_NAMES
        case _:
            return asks_a_stream(node)


def _is_docstring(node: ast.AST) -> bool:
    """Whether a statement is a text alone: a docstring, or one that stands for a comment."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_log(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        owner = function.value
        name = last_name(owner)
        return function.attr in _LOGS and name.lower().rpartition("_")[2] in _LOGGERS
    return False
