"""The operators of mutation: which small changes a syntax tree offers. See `mutants`."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from factory.mutation.source_text import SourceText

OPERATORS: Final = (
    "comparison",
    "condition",
    "boolean",
    "arithmetic",
    "return",
    "off-by-one",
    "loop",
    "call",
    "number",
    "negation",
    "statement",
    "string",
)
"""The names of the operators, those first that tests should notice first."""


_COMPARISONS: Final[Mapping[str, tuple[str, ...]]] = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}
_ARITHMETIC: Final[Mapping[str, str]] = {
    "+": "-",
    "-": "+",
    "*": "//",
    "/": "*",
    "//": "*",
    "%": "*",
    "**": "*",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "^": "&",
}
_CALLS: Final[Mapping[str, str]] = {
    "all": "any",
    "any": "all",
    "endswith": "startswith",
    "lower": "upper",
    "lstrip": "rstrip",
    "max": "min",
    "min": "max",
    "rstrip": "lstrip",
    "startswith": "endswith",
    "upper": "lower",
}
_HELP_TEXTS: Final = frozenset({"description", "epilog", "help", "metavar"})
"""What a parser of command lines is told for people to read."""

_LOGS: Final = frozenset({"critical", "debug", "error", "exception", "info", "log", "warn", "warning"})
_LOGGERS: Final = ("log", "logger", "logging")
_FOR_TYPES: Final = frozenset({"Literal", "NewType", "ParamSpec", "TypeVar", "TypeVarTuple"})
"""What is called or subscripted for type checkers."""

_UNTESTED_NAMES: Final = frozenset({"__all__", "__slots__", "__version__", "__author__"})


@dataclass(frozen=True)
class Edit:
    """A change of the text between two offsets, in bytes."""

    line: int
    operator: str
    description: str
    start: int
    end: int
    new: str

    @property
    def place(self) -> tuple[int, int, int, str]:
        """What edits are sorted by."""
        return self.start, OPERATORS.index(self.operator), self.end, self.new


@dataclass(frozen=True)
class _Around:
    """What surrounds a node."""

    loop: str = ""
    is_message: bool = False


class Finder:
    """Walks a tree without recursion and finds what can be changed.

    Args:
        tree: the syntax tree.
        text: the source that it was made from.
    """

    def __init__(self, tree: ast.Module, text: SourceText) -> None:
        self._tree = tree
        self._text = text

    def edits(self) -> Iterator[Edit]:
        """Every change, in no particular order."""
        waiting: list[tuple[ast.AST, _Around]] = [(self._tree, _Around())]
        while waiting:
            node, around = waiting.pop()
            if _is_untested(node):
                continue
            yield from self._of(node, around)
            waiting.extend(_children(node, around))

    def _of(self, node: ast.AST, around: _Around) -> Iterator[Edit]:
        match node:
            case ast.Compare():
                yield from self._comparison(node)
            case ast.BoolOp():
                yield from self._boolean(node)
            case ast.BinOp(left=left, op=op, right=right) if not _is_text(left) and not _is_text(right):
                yield from self._operator(left, right, _symbol(op))
            case ast.AugAssign(target=target, op=op, value=value) if not _is_text(value):
                yield from self._operator(target, value, _symbol(op) + "=")
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                yield from self._negation(node)
            case ast.If(test=test) if _is_for_others(test):
                return
            case ast.If(test=test) | ast.IfExp(test=test):
                yield from self._condition(test, ("True", "False"))
            case ast.While(test=test):
                # A condition that is always true would only run into the time limit.
                yield from self._condition(test, ("False",))
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield from self._condition(test, ("True",))
            case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
                shown = _shown(self._text.written(value))
                yield self._replaced(value, "None", "return", f"`return {shown}` becomes `return None`")
            case ast.Constant():
                yield from self._constant(node, around)
            case ast.Call():
                yield from self._call(node)
            case ast.Subscript(slice=ast.Slice() as bounds):
                for bound in (bounds.lower, bounds.upper):
                    yield from self._one_more(bound)
            case ast.Break() if around.loop == "for":
                yield self._replaced(node, "continue", "loop", "`break` becomes `continue`")
            case ast.Continue():
                yield self._replaced(node, "break", "loop", "`continue` becomes `break`")
            case ast.stmt():
                yield from self._statement(node)
            case _:
                return

    def _comparison(self, node: ast.Compare) -> Iterator[Edit]:
        sides = [node.left, *node.comparators]
        for left, right in pairwise(sides):
            found = self._between(left, right)
            if not found:
                continue
            written = " ".join(one[2] for one in found)
            for new in _COMPARISONS.get(written, ()):
                yield self._edit("comparison", found[0][0], found[-1][1], written, new)

    def _boolean(self, node: ast.BoolOp) -> Iterator[Edit]:
        for left, right in pairwise(node.values):
            for start, end, written in self._between(left, right):
                yield self._edit("boolean", start, end, written, "or" if written == "and" else "and")

    def _operator(self, left: ast.expr, right: ast.expr, symbol: str) -> Iterator[Edit]:
        plain = symbol.removesuffix("=")
        new = _ARITHMETIC.get(plain)
        for start, end, written in self._between(left, right):
            if new is not None and written == symbol:
                yield self._edit("arithmetic", start, end, written, symbol.replace(plain, new))

    def _negation(self, node: ast.UnaryOp) -> Iterator[Edit]:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            # The number itself is changed.
            return
        start = self._text.start(node)
        written = "not" if isinstance(node.op, ast.Not) else "-"
        end = start + len(written)
        while self._text.data[end : end + 1] in (b" ", b"\t"):
            end += 1
        yield Edit(
            self._text.line(start), "negation", f"`{_shown(self._text.written(node))}` loses its `{written}`",
            start, end, "",
        )  # fmt: skip

    def _condition(self, test: ast.expr, values: tuple[str, ...]) -> Iterator[Edit]:
        if isinstance(test, ast.Constant):
            return
        for value in values:
            shown = _shown(self._text.written(test))
            yield self._replaced(test, value, "condition", f"the condition `{shown}` becomes `{value}`")

    def _constant(self, node: ast.Constant, around: _Around) -> Iterator[Edit]:
        value = node.value
        if isinstance(value, bool):
            yield self._replaced(node, str(not value), "boolean", f"`{value}` becomes `{not value}`")
        elif isinstance(value, int) and abs(value) < 10**100:
            yield self._replaced(node, str(value + 1), "number", f"`{value}` becomes `{value + 1}`")
        elif isinstance(value, float) and abs(value) < 1e15:
            yield self._replaced(node, repr(value + 1), "number", f"`{value}` becomes `{value + 1}`")
        elif isinstance(value, str | bytes) and not around.is_message:
            mark = "b" if isinstance(value, bytes) else ""
            new = f'{mark}""' if value else f'{mark}"mutated"'
            shown = _shown(self._text.written(node))
            yield self._replaced(node, new, "string", f"`{shown}` becomes `{new}`")

    def _call(self, node: ast.Call) -> Iterator[Edit]:
        function = node.func
        name = _last_name(function)
        if name in _CALLS:
            end = self._text.end(function)
            yield self._edit("call", end - len(name), end, name, _CALLS[name])
        if _name(function) == "range" and node.args and not isinstance(node.args[0], ast.Starred):
            yield from self._one_more(node.args[1] if len(node.args) > 1 else node.args[0])

    def _one_more(self, bound: ast.expr | None) -> Iterator[Edit]:
        if bound is None or isinstance(bound, ast.Constant | ast.Starred):
            return
        written = self._text.written(bound)
        shown = _shown(written)
        yield self._replaced(bound, f"({written}) + 1", "off-by-one", f"`{shown}` becomes `({shown}) + 1`")

    def _statement(self, node: ast.stmt) -> Iterator[Edit]:
        match node:
            case ast.Expr(value=ast.Call() | ast.Await()):
                pass
            case ast.Raise() | ast.Delete():
                pass
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
                pass
            case _:
                return
        yield self._replaced(node, "pass", "statement", f"`{_shown(self._text.written(node))}` is left out")

    def _between(self, left: ast.expr, right: ast.expr) -> list[tuple[int, int, str]]:
        """The operators between two operands, without brackets that belong to these."""
        found = self._text.operators(self._text.end(left), self._text.start(right))
        return [one for one in found if one[2] not in ("(", ")")]

    def _edit(self, operator: str, start: int, end: int, old: str, new: str) -> Edit:
        return Edit(self._text.line(start), operator, f"`{old}` becomes `{new}`", start, end, new)

    def _replaced(self, node: ast.expr | ast.stmt, new: str, operator: str, description: str) -> Edit:
        start = self._text.start(node)
        return Edit(self._text.line(start), operator, description, start, self._text.end(node), new)


def _children(node: ast.AST, around: _Around) -> Iterator[tuple[ast.AST, _Around]]:
    """What is inside a node and may be changed."""
    skipped: tuple[str, ...] = ("annotation", "returns", "decorator_list", "type_params")
    if isinstance(node, ast.If) and _is_for_others(node.test):
        skipped = (*skipped, "test", "body")
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        around = _Around("while" if isinstance(node, ast.While) else "for")
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        around = _Around()
    elif isinstance(node, ast.Raise):
        around = _Around(around.loop, is_message=True)
    for name, value in ast.iter_fields(node):
        if name in skipped:
            continue
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, ast.AST) and not _is_docstring(inner):
                is_message = isinstance(node, ast.Assert) and name == "msg"
                yield inner, _Around(around.loop, is_message=True) if is_message else around


def _is_untested(node: ast.AST) -> bool:
    """Whether neither a node nor anything inside it is changed."""
    match node:
        case ast.JoinedStr():
            return True
        case ast.Call(func=made) | ast.Subscript(value=made) if _last_name(made) in _FOR_TYPES:
            return True
        case ast.Expr(value=ast.Call(func=function)):
            return _is_log(function)
        case ast.keyword(arg=name, value=ast.Constant()):
            return name in _HELP_TEXTS
        case ast.Assign(targets=targets):
            return any(_name(target) in _UNTESTED_NAMES for target in targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return _name(target) in _UNTESTED_NAMES
        case _:
            return False


def _is_docstring(node: ast.AST) -> bool:
    """Whether a statement is a text alone: a docstring, or one that stands for a comment."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_for_others(test: ast.expr) -> bool:
    """Whether a condition holds only for type checkers, or only when the file is run as a program."""
    if _name(test) == "TYPE_CHECKING" or (isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"):
        return True
    return isinstance(test, ast.Compare) and _name(test.left) == "__name__"


def _is_log(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        owner = function.value
        name = _last_name(owner)
        return function.attr in _LOGS and name.lower().rpartition("_")[2] in _LOGGERS
    return False


def _symbol(op: ast.operator) -> str:
    return {
        ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
        ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    }.get(type(op), "@")  # fmt: skip


def _is_text(node: ast.expr) -> bool:
    """Whether an operand is a text, with which another operator would only fail."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _is_nothing(node: ast.expr) -> bool:
    """Whether a result is a constant that callers rarely tell from `None`, as an exit code of 0."""
    return isinstance(node, ast.Constant) and not node.value


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else _name(node)


def _shown(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= 60 else folded[:59] + "…"
