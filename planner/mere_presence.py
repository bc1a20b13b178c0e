"""Recognises commands that show only that something exists, compiles or can be imported, not what it does.

In doubt a command counts as one that shows more. Looks at its words only; runs nothing.
"""

import ast
import warnings
from typing import Final

from planner.command_words import Invocation, Reading
from planner.interpreters import is_python, is_shell, python_run, shell_run

_LOOKING: Final = frozenset(
    {"test", "[", "ls", "stat", "file", "true", ":", "echo", "printf", "which", "type"}
)
_WRAPPERS: Final = frozenset(
    {"env", "nice", "nohup", "setsid", "stdbuf", "time", "timeout", "command", "exec", "eval", "cd", "pushd"}
    | {"uv", "poetry", "pipenv", "hatch", "pdm", "rye", "coverage", "busybox", "sudo", "xargs"}
)
_COMPILING: Final = frozenset({"compileall", "py_compile", "tabnanny"})
_PYTEST: Final = frozenset({"pytest", "py.test"})
_RUN_AGAIN: Final = frozenset({"pytest", "unittest", "coverage"})
"""Modules that are listed once more as the programs that they are."""

_ASKING: Final = frozenset(
    {"exists", "lexists", "is_file", "is_dir", "isfile", "isdir", "hasattr", "callable", "find_spec"}
    | {"import_module", "__import__", "isinstance", "issubclass", "getattr"}
)
_NEUTRAL: Final = frozenset(
    {"Path", "join", "print", "insert", "append", "exit", "bool", "str", "all", "any"}
)


def shows_presence_only(reading: Reading) -> bool:
    """Whether none of the programs that a command starts does more than look, compile or import."""
    return bool(reading.invocations) and not reading.problem and all(map(_only_looks, reading.invocations))


def _only_looks(found: Invocation) -> bool:
    if found.name in _LOOKING or found.name in _WRAPPERS:
        return True
    if found.name in _PYTEST:
        return any(argument in ("--collect-only", "--co") for argument in found.arguments)
    if is_shell(found.name):
        shell = shell_run(found.arguments)
        return shell.text is not None or not shell.executes
    if is_python(found.name):
        run = python_run(found.arguments)
        if run.kind == "module":
            return run.target in _COMPILING | _RUN_AGAIN
        return run.kind == "code" and _code_only_looks(run.target)
    return False


def _code_only_looks(code: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
        return all(_statement_only_looks(statement) for statement in tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Other rules tell of it.
        return False


def _statement_only_looks(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.Expr(value=value) | ast.Assign(value=value) | ast.Assert(test=value):
            return _only_asks(value)
        case _:
            return False


def _only_asks(value: ast.expr) -> bool:
    """Whether a value tells of existence only: names, constants, and questions whether something is there."""
    match value:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=inner) | ast.UnaryOp(operand=inner):
            return _only_asks(inner)
        case ast.BoolOp(values=values) | ast.Tuple(elts=values) | ast.List(elts=values):
            return all(map(_only_asks, values))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return all(map(_only_asks, (test, body, orelse)))
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], left=left, comparators=[right]):
            return _only_asks(left) and _only_asks(right)
        case ast.Call(func=function, args=arguments):
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            owner = function.value if isinstance(function, ast.Attribute) else ast.Constant(None)
            known = name in _ASKING or name in _NEUTRAL
            return known and _only_asks(owner) and all(map(_only_asks, arguments))
        case _:
            return False
