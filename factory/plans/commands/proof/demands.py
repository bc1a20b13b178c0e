"""Whether Python code can fail because a result is wrong.

Looks at what the code asserts, raises and ends with; runs nothing. In doubt it can.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from factory.languages.typescript.translation.code import written_as
from factory.plans.commands.code.uses import imported_places
from factory.plans.commands.proof.truths import Bindings
from factory.plans.commands.python_code import called, dotted, text_of

_REFUSING: Final = re.compile(
    r"(?:^|_)(?:assert|check|cli|demand|ensure|expect|fail|invoke|main|must|raises|requir|run|test|throw"
    r"|validat|verif|warns)|^(?:call|eval|exec|popen|system)$|^(?:execv|spawn)",
    re.IGNORECASE,
)
"""Functions by whose names they may judge something, or run what does."""

_EXITS: Final = frozenset({"SystemExit", "_exit", "exit", "quit"})
_LOOKUPS: Final = re.compile(r"(?:^|_)(?:find|get|lookup|match|fullmatch|pop|search)", re.IGNORECASE)
"""Functions whose None is an answer."""

_STARTING: Final = frozenset({"os", "subprocess"})
_STARTED: Final = frozenset({"Popen", "call", "popen", "run", "system"})
"""Functions that start a program, and take whatever comes of it."""

_PREPARING: Final = frozenset(
    {"NamedTemporaryFile", "TemporaryDirectory", "chdir", "closing", "open", "redirect_stdout"}
)
"""What a `with` may open without judging what happens inside."""

_TAKING_ASSERTIONS: Final = frozenset({"AssertionError", "BaseException", "Exception"})

_TELLING: Final = frozenset(
    {"logging.error", "logging.exception", "print", "sys.stderr.write", "traceback.print_exc"}
)
"""Functions that only tell of something."""

_BUILTIN_TYPES: Final = frozenset(
    {"bool", "bytes", "dict", "float", "frozenset", "int", "list", "object", "set", "str", "tuple"}
)
_SEEDS: Final = frozenset({"random_state", "rng", "seed"})
_SEEDING: Final = frozenset({"Random", "default_rng", "seed"})
_REFLEXIVE: Final = (ast.Eq, ast.LtE, ast.GtE, ast.Is)
_SELF_CONTAINED: Final = frozenset(
    {"collections", "datetime", "functools", "hashlib", "itertools", "json", "math", "random", "re", "sys"}
)
"""Modules of Python's own that read nothing unless they are handed it."""

_READING: Final = frozenset({"__import__", "compile", "eval", "exec", "input", "open"})
_ATTRIBUTES_THAT_LEAD_OUT: Final = frozenset({"argv", "modules", "path", "stdin"})


@dataclass(frozen=True)
class _Names:
    """What the names of a piece of code stand for.

    Attributes:
        imported: those that an import binds.
        places: the module of each, and the name in it.
        values: what those are that are assigned to.
        is_seeded: whether the code hands a seed to something.
        bindings: what of it is certain.
    """

    imported: frozenset[str]
    places: dict[str, tuple[str, str]]
    values: dict[str, ast.expr]
    is_seeded: bool
    bindings: Bindings


def can_be_wrong(tree: ast.Module) -> bool:
    """Whether the code can end differently for a wrong result than for a right one."""
    nodes = list(ast.walk(tree))
    names = _Names(
        frozenset(_imported_names(tree)),
        imported_places(tree),
        {
            target.id: node.value
            for node in nodes
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        },
        any(
            (isinstance(node, ast.keyword) and node.arg in _SEEDS)
            or (isinstance(node, ast.Call) and called(node) in _SEEDING)
            for node in nodes
        ),
        Bindings.of(tree),
    )
    in_vain = frozenset(_swallowed(nodes))
    return any(_demands(node, names) for node in nodes if id(node) not in in_vain)


def _swallowed(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """The assertions whose failure a handler around them takes, and goes on."""
    for node in nodes:
        if isinstance(node, ast.Try) and any(map(_goes_on, node.handlers)):
            within = (inner for part in node.body for inner in ast.walk(part))
            yield from (id(inner) for inner in within if isinstance(inner, ast.Assert))


def _goes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes a failed assertion, and does nothing, or only tells of it."""
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    takes = any(kind is None or dotted(kind) in _TAKING_ASSERTIONS for kind in caught)
    return takes and all(isinstance(part, ast.Pass) or _only_tells(part) for part in handler.body)


def _only_tells(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Constant) or (isinstance(call, ast.Call) and dotted(call.func) in _TELLING)


def is_self_contained(tree: ast.Module) -> bool:
    """Whether the code uses nothing but itself and Python, so that its result is always the same."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and not {alias.name for alias in node.names} <= _SELF_CONTAINED:
            return False
        if isinstance(node, ast.ImportFrom) and (node.level or node.module not in _SELF_CONTAINED):
            return False
        if isinstance(node, ast.Call) and called(node) in _READING:
            return False
        if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES_THAT_LEAD_OUT:
            return False
    return True


def idle_assertions(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What the code asserts in vain, or does not assert: in words, and the code that is meant."""
    bindings = Bindings.of(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            test = node.test
            if isinstance(test, ast.Tuple) and test.elts:
                yield "asserts a tuple, which is always true", _shown(test)
            # `assert True` alone, or `assert 1 == 1`, is how some say that a line is reached.
            elif bindings.is_always_true(test) and not _says_only_that_it_is_reached(test):
                yield "asserts what is always true", _shown(test)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare):
            yield "compares and asserts nothing of it", _shown(node.value)


def _shown(node: ast.expr) -> str:
    """An expression as it is written, if that is not in Python."""
    return written_as(node) or text_of(node)


def _says_only_that_it_is_reached(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare):
        return not any(isinstance(inner, ast.Name | ast.Call) for inner in ast.walk(test))
    return isinstance(test, ast.Constant) and isinstance(test.value, bool | int)


def _demands(node: ast.AST, names: _Names) -> bool:
    match node:
        case ast.Assert():
            return not _is_hollow(node.test, names)
        case ast.Raise() | ast.Match() | ast.Await():
            return True
        case ast.With() | ast.AsyncWith():
            return not all(
                isinstance(item.context_expr, ast.Call) and called(item.context_expr) in _PREPARING
                for item in node.items
            )
        case ast.Call():
            return _may_refuse(node, names)
        case ast.Assign(targets=[ast.Tuple() | ast.List()]):
            # As many values as names.
            return True
        case ast.BinOp(left=ast.Constant(value=value), op=ast.Div() | ast.FloorDiv() | ast.Mod()):
            return not isinstance(value, str)
        case ast.Subscript():
            return any(isinstance(inner, ast.Compare | ast.Not) for inner in ast.walk(node.slice))
        case _:
            return False


def _may_refuse(call: ast.Call, names: _Names) -> bool:
    name = called(call)
    if names.places.get(dotted(call.func).partition(".")[0], ("", ""))[0] in _STARTING and name in _STARTED:
        # How it ends is of no account unless somebody asks.
        return any(given.arg == "check" and _is_true(given.value) for given in call.keywords)
    if name in _EXITS:
        return any(not isinstance(argument, ast.Constant) or bool(argument.value) for argument in call.args)
    return _REFUSING.search(name) is not None


def _is_hollow(test: ast.expr, names: _Names) -> bool:
    """Whether an assertion holds of nearly everything that does not raise."""
    if names.bindings.is_always_true(test) or dotted(test).partition(".")[0] in names.imported:
        return True
    if isinstance(test, ast.BoolOp):
        parts = (_is_hollow(value, names) for value in test.values)
        return any(parts) if isinstance(test.op, ast.Or) else all(parts)
    if isinstance(test, ast.Call):
        return dotted(test.func) in ("callable", "hasattr") or (
            dotted(test.func) == "isinstance" and len(test.args) == 2 and _is_builtin_type(test.args[1])
        )
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, _REFLEXIVE) and _are_same(left, right):
        # That a seed makes two calls agree is something to prove.
        return not names.is_seeded
    if isinstance(operator, ast.In) and isinstance(right, ast.List | ast.Tuple | ast.Set):
        return any(_are_same(left, element) for element in right.elts) and not names.is_seeded
    left = names.values.get(left.id, left) if isinstance(left, ast.Name) else left
    if not isinstance(left, ast.Call):
        return False
    if dotted(left.func) == "type":
        # A text is what `typeof` of JavaScript gives.
        is_type = _is_builtin_type(right) or isinstance(right, ast.Constant)
        return isinstance(operator, ast.Eq | ast.Is) and is_type
    is_none = isinstance(right, ast.Constant) and right.value is None
    # As JavaScript is read, nothing is unequal to it.
    is_unlike = isinstance(operator, ast.IsNot | ast.NotEq)
    return is_unlike and is_none and _LOOKUPS.search(called(left)) is None


def _is_true(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant) or bool(node.value)


def _are_same(first: ast.expr, second: ast.expr) -> bool:
    return bool(text_of(first)) and text_of(first) == text_of(second)


def _is_builtin_type(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(map(_is_builtin_type, node.elts))
    return isinstance(node, ast.Name) and node.id in _BUILTIN_TYPES


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
