"""What a change of a `conftest.py` means for the test runner: fixtures are free, what steers it is not. Pure.

Sources are compared statement by statement, at the module's own level. That is no fence against code, which
can do anything once it runs; it tells a person of what stays behind and steers every later run.
"""

import ast
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Final

MAX_SOURCE_BYTES: Final = 1_000_000

_STEERING: Final = ("collect_ignore", "collect_ignore_glob")
_OPENERS: Final = frozenset({"__import__", "eval", "exec", "globals", "locals", "setattr", "vars"})
"""Names by which a module could be given a hook that its source doesn't show."""

_ODD: Final = "a statement that is no function, class, import or constant"


def steering_change(old: bytes, new: bytes) -> str | None:
    """What a changed `conftest.py` does beside adding fixtures, in a few words; None if nothing.

    Args:
        old: the source as the user had it.
        new: the source as it is proposed.
    """
    before, after = _statements(old), _statements(new)
    if after is None:
        return "a source that can't be read"
    if before is None:
        return "a source that could not be read before"
    known, kept = Counter(map(ast.dump, before)), Counter(map(ast.dump, after))
    added = _without(after, known)
    removed = _without(before, kept)
    for statement in (*added, *removed):
        steering = _steering(statement)
        if steering is not None:
            return steering
    for statement in added:
        if _odd(statement):
            return _ODD
    relied_on = _relied_on(before)
    for statement in (*added, *removed):
        for name in _bound(statement):
            if name in relied_on:
                return f"`{name}`, which a hook relies on"
    return None


def ignoring_change(old: bytes | None, new: bytes) -> str | None:
    """What of a `conftest.py`, also of a new one, newly keeps files from being collected; None if nothing."""
    known = Counter(map(ast.dump, _statements(old or b"") or ()))
    for statement in _without(_statements(new) or [], known):
        for name in _bound(statement):
            if name in _STEERING:
                return name
    return None


def _statements(source: bytes) -> list[ast.stmt] | None:
    """The statements at a module's own level, those below `if` and `try` on their own; None if unreadable."""
    if len(source) > MAX_SOURCE_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(_flat(ast.parse(source).body))
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return None


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        match statement:
            case ast.If():
                yield ast.Expr(statement.test)
                yield from _flat([*statement.body, *statement.orelse])
            case ast.Try():
                handled = [inner for handler in statement.handlers for inner in handler.body]
                yield from _flat([*statement.body, *handled, *statement.orelse, *statement.finalbody])
            case ast.Pass():
                pass
            case _:
                yield statement


def _without(statements: list[ast.stmt], known: Counter[str]) -> list[ast.stmt]:
    left = Counter(known)
    rest = []
    for statement in statements:
        form = ast.dump(statement)
        if left[form]:
            left[form] -= 1
        else:
            rest.append(statement)
    return rest


def _steering(statement: ast.stmt) -> str | None:
    """What of a statement steers the runner, however it is written."""
    for name in _bound(statement):
        if name.startswith("pytest_") or name in _STEERING:
            return f"`{name}`"
        if name.startswith("__") and name.endswith("__"):
            return f"`{name}`"
    for node in ast.walk(statement):
        match node:
            case ast.Attribute(attr="hookimpl" | "hookwrapper"):
                return "a hook"
            case ast.Name(id=name) if name in _OPENERS:
                return f"`{name}`"
            case ast.Global(names=names) if any(_is_steering(name) for name in names):
                return f"`{names[0]}`"
            case ast.NamedExpr(target=ast.Name(id=name)) if _is_steering(name):
                return f"`{name}`"
            case ast.Attribute(attr="modules", value=ast.Name(id="sys")):
                return "`sys.modules`"
    return None


def _is_steering(name: str) -> bool:
    return name.startswith("pytest_") or name in _STEERING


def _odd(statement: ast.stmt) -> bool:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Import():
            return False
        case ast.ImportFrom():
            return any(alias.name == "*" for alias in statement.names)
        case ast.Assign():
            return not all(_is_name(target) for target in statement.targets)
        case ast.AnnAssign():
            return not _is_name(statement.target)
        case ast.Expr():
            # A docstring, and the condition of an `if`.
            return any(isinstance(node, ast.Call | ast.Await | ast.Yield) for node in ast.walk(statement))
        case _:
            return True


def _is_name(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(_is_name(part) for part in target.elts)
    return isinstance(target, ast.Name)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement gives a meaning to at the module's own level."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield statement.name
        case ast.Import():
            # A module is no hook, whatever its name: `import pytest_asyncio`.
            yield from (alias.asname for alias in statement.names if alias.asname is not None)
        case ast.ImportFrom():
            yield from (alias.asname or alias.name for alias in statement.names)
        case _:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                    yield node.id


def _relied_on(statements: list[ast.stmt]) -> set[str]:
    """The names that the hooks of a source use, and those that these use in turn."""
    by_name: dict[str, list[ast.stmt]] = {}
    for statement in statements:
        for name in _bound(statement):
            by_name.setdefault(name, []).append(statement)
    reached: set[str] = set()
    waiting = [name for name in by_name if _is_steering(name)]
    while waiting:
        for statement in by_name.get(waiting.pop(), ()):
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and node.id in by_name and node.id not in reached:
                    reached.add(node.id)
                    waiting.append(node.id)
    return reached
