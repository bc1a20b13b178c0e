"""The values that code demands: each asserted expression with the literal that it must equal."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from factory.plans.commands.code.uses import imported_places
from factory.plans.commands.python_code import called, dotted

_CHANGING: Final = frozenset({"environ", "id", "input", "now", "random", "time", "today", "uuid4"})
"""Names of what is not the same twice."""

_ASKING: Final = frozenset(
    {"items", "keys", "lower", "read", "read_text", "readline", "readlines", "split", "splitlines", "strip"}
    | {"upper", "values"}
)
"""Methods that tell of an object and change nothing, or of a file that was just opened."""

_BUILTINS: Final = frozenset(
    {"abs", "all", "any", "bool", "bytes", "dict", "float", "frozenset", "int", "isinstance", "len", "list"}
    | {"max", "min", "open", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "type"}
)

MAX_NODES: Final = 200
"""Code with more of them is not read for what it demands."""

_HUGE: Final = 10**1000


Step: TypeAlias = tuple[str, object]
"""From a value to a part: `("[]", 0)`, `(".", "name")` of an object of JavaScript, or `("len", None)`."""


@dataclass(frozen=True)
class Claim:
    """One demand.

    Attributes:
        expression: what is computed, names with the modules that they are imported from.
        value: the literal, written in one way.
        modules: the modules that the expression names something of, with the first name in each.
        files: the texts in it, which may be names of files.
        wholes: what the expression is a part of, each with the steps from that to it.
    """

    expression: str
    value: str
    modules: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    wholes: tuple[tuple[str, tuple[Step, ...]], ...] = ()


def claims(tree: ast.Module) -> tuple[Claim, ...]:
    """What the assertions of code demand, where imports alone come before, so that nothing else decides."""
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        return ()
    try:
        return tuple(_in_statements(tree.body, imported_places(tree)))
    except RecursionError:
        return ()


def _in_statements(statements: list[ast.stmt], places: dict[str, tuple[str, str]]) -> Iterator[Claim]:
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        if not isinstance(statement, ast.Assert):
            return
        for test in _demanded(statement.test):
            yield from _claims(test, places)


def _demanded(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _demanded(value)
    else:
        yield test


def claim_of(
    expression: ast.expr,
    literal: ast.expr,
    places: dict[str, tuple[str, str]],
    known: Mapping[str, ast.expr],
) -> Claim | None:
    """The demand that an expression is a literal; None if it is none, or not the same each time.

    Args:
        expression: what is computed.
        literal: what it must be.
        places: what imported names stand for.
        known: literals that stand for parts of the expression, by how a claim writes these.
    """
    full = _Renamed(places).visit(ast.parse(ast.unparse(literal), mode="eval"))
    value = _literal(_Known(known).visit(full).body)
    if not value or _literal(expression):
        return None
    return _claim(expression, value, places, known)


def _claims(test: ast.expr, places: dict[str, tuple[str, str]]) -> Iterator[Claim]:
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            for expression, literal in ((left, right), (right, left)):
                value = _literal(literal)
                if value and not _literal(expression):
                    claim = _claim(expression, value, places)
                    if claim is not None:
                        yield claim
                    return


def _claim(
    expression: ast.expr,
    value: str,
    places: dict[str, tuple[str, str]],
    known: Mapping[str, ast.expr] = MappingProxyType({}),
) -> Claim | None:
    """The demand; None if the expression holds a name that is no import, or that is not the same twice."""
    modules: dict[tuple[str, str], None] = {}
    renamed = _Renamed(places, _bound_inside(expression))
    whole = renamed.visit(ast.parse(ast.unparse(expression), mode="eval"))
    written = ast.unparse(_Known(known).visit(whole) if known else whole)
    if renamed.is_open or renamed.has_step or not renamed.names.isdisjoint(_CHANGING):
        return None
    for module, name in renamed.used:
        modules[module, name] = None
    texts = [
        node.value
        for node in ast.walk(expression)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    wholes = tuple(_wholes(expression, places)) if not known else ()
    return Claim(written, value, tuple(modules), tuple(texts), wholes)


def part_of(value: str, steps: Sequence[Step]) -> str:
    """What a part of a literal is, in the spelling of `Claim.value`; empty where that can't be told."""
    part = ast.literal_eval(value)
    try:
        for step, key in steps:
            part = len(part) if step == "len" else part[key]
    except (LookupError, TypeError):
        return ""
    return _spelled(part)


def _wholes(
    expression: ast.expr, places: dict[str, tuple[str, str]]
) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """What an expression looks up a part of, and so on; as a claim writes it."""
    steps: tuple[Step, ...] = ()
    while True:
        match expression:
            case ast.Call(func=ast.Name(id="len"), args=[inner], keywords=[]):
                steps = (("len", None), *steps)
            case ast.Subscript(value=inner, slice=ast.Constant(value=int() | str() as key)):
                steps = (("[]", key), *steps)
            case ast.Attribute(value=inner, attr=name) if not dotted(expression):
                steps = ((".", name), *steps)
            case _:
                return
        expression = inner
        whole = _Renamed(places).visit(ast.parse(ast.unparse(inner), mode="eval"))
        yield ast.unparse(whole), steps


def _bound_inside(expression: ast.expr) -> frozenset[str]:
    """The names that loops inside of an expression give to what they go through."""
    targets = [loop.target for loop in ast.walk(expression) if isinstance(loop, ast.comprehension)]
    return frozenset(node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


class _Renamed(ast.NodeTransformer):
    """Writes imported names in full."""

    def __init__(self, places: dict[str, tuple[str, str]], bound: frozenset[str] = frozenset()) -> None:
        self._places = places
        self._bound = bound
        self.used: list[tuple[str, str]] = []
        self.names: set[str] = set()
        self.is_open = False
        self.has_step = False

    def visit_Call(self, node: ast.Call) -> ast.expr:
        # Without arguments, and on an object, the same call may give another value each time.
        if not node.args and not node.keywords:
            self.has_step = self.has_step or called(node) not in _ASKING
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.names.add(node.attr)
        names = [node.attr]
        inner = node.value
        while isinstance(inner, ast.Attribute):
            names.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self._places:
            return self._full(inner.id, names[::-1])
        node.value = self.visit(node.value)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        self.names.add(node.id)
        if node.id in self._places:
            return self._full(node.id, [])
        self.is_open = self.is_open or node.id not in _BUILTINS | self._bound
        return node

    def _full(self, name: str, rest: list[str]) -> ast.expr:
        module, inside = self._places[name]
        parts = [part for part in (*inside.split("."), *rest) if part]
        self.names.update(parts)
        self.used.append((module, ".".join(parts)))
        return ast.Name(".".join([module, *parts]), ast.Load())


class _Known(ast.NodeTransformer):
    """Puts literals in the place of the calls that give them."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return self._values.get(ast.unparse(node), node)


def _literal(node: ast.expr) -> str:
    """A constant in one spelling; empty if it is none."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _chr(node)
    return _spelled(value)


def _chr(node: ast.expr) -> str:
    """A text that is put together of constants and `chr`; empty if it is none."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = _chr(left), _chr(right)
            return repr(ast.literal_eval(first) + ast.literal_eval(second)) if first and second else ""
        case ast.Call(func=ast.Name(id="chr"), args=[ast.Constant(value=int(code))]) if 0 <= code < 0xD800:
            return repr(chr(code))
        case ast.Constant(value=str(text)):
            return repr(text)
        case _:
            return ""


def _spelled(value: object) -> str:
    """A value, equal ones alike."""
    match value:
        case bool() | int() | float() if value == value and abs(value) < 2**53:
            # One text for numbers that are equal, as a person would write it.
            return repr(int(value)) if value == int(value) else repr(float(value))
        case list():
            return f"[{', '.join(map(_spelled, value))}]"
        case tuple():
            return f"({', '.join(map(_spelled, value))},)"
        case set() | frozenset():
            return f"{{{', '.join(sorted(map(_spelled, value)))}}}"
        case dict():
            pairs = sorted(f"{_spelled(key)}: {_spelled(inner)}" for key, inner in value.items())
            return f"{{{', '.join(pairs)}}}"
        case int() if abs(value) >= _HUGE:
            # Python refuses to write it down in digits of ten.
            return hex(value)
        case _:
            return repr(value)
