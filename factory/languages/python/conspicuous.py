"""Points out code by which a process ends, or its judge is changed, sought or deceived. Pure.

Such code may be right, so nothing follows from it: a person is told where to look.
"""

import ast
from collections.abc import Iterator

_ENDS = frozenset({"os._exit", "os.abort", "os.kill", "os.killpg", "os.execv", "os.execve", "os.execvp"})
_EXITS = frozenset({"sys.exit", "exit", "quit"})
_SEEKS = frozenset(
    {
        "gc.get_objects", "gc.get_referrers", "inspect.currentframe", "inspect.stack", "sys._getframe",
        "sys._current_frames", "sys.setprofile", "sys.settrace",
    }
)  # fmt: skip
_MODULES = ("signal", "faulthandler")
_JUDGES = ("_pytest", "builtins", "pluggy", "pytest", "unittest")
_TEST_RUNS = "PYTEST_CURRENT_TEST"


def conspicuous(source: str) -> tuple[tuple[int, str], ...]:
    """The lines of Python code that a person should look at, and why; none where it can't be read.

    Args:
        source: the file's text.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    names = _imported(tree)
    return tuple(sorted({*_found(tree, names, at_end=False)}))


def _imported(tree: ast.AST) -> dict[str, str]:
    """What each name that an import binds stands for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _found(node: ast.AST, names: dict[str, str], *, at_end: bool) -> Iterator[tuple[int, str]]:
    """What is conspicuous below a node; `at_end` where a command line may end its process."""
    for child in ast.iter_child_nodes(node):
        inner = at_end or _is_guard(child) or (_is_function(child) and getattr(child, "name", "") == "main")
        match child:
            case ast.Call(func=function):
                called = _name(function, names)
                if (
                    called in _ENDS | _SEEKS
                    or called.partition(".")[0] in _MODULES
                    or (called in _EXITS and not at_end)
                ):
                    yield child.lineno, f"calls {called}"
                elif called in ("setattr", "delattr") and child.args:
                    judge = _name(child.args[0], names)
                    if _is_judge(judge):
                        yield child.lineno, f"changes {judge}"
            case ast.Raise(exc=raised) if raised is not None and not at_end:
                kind = raised.func if isinstance(raised, ast.Call) else raised
                if _name(kind, names) == "SystemExit":
                    yield child.lineno, "raises SystemExit"
            case ast.Assign(targets=targets):
                yield from _changed(targets, names)
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                yield from _changed([target], names)
            case ast.Delete(targets=targets):
                yield from _changed(targets, names)
            case ast.Constant(value=value) if value == _TEST_RUNS:
                yield child.lineno, f"reads {_TEST_RUNS}"
            case ast.FunctionDef(
                name="__eq__", body=[*_, ast.Return(value=ast.Constant(value=True))] as body
            ):
                if not any(isinstance(part, ast.If | ast.Match | ast.Try) for part in body):
                    yield child.lineno, "is equal to everything"
        yield from _found(child, names, at_end=inner)


def _changed(targets: list[ast.expr], names: dict[str, str]) -> Iterator[tuple[int, str]]:
    for target in targets:
        if isinstance(target, ast.Attribute | ast.Subscript):
            changed = _name(target.value if isinstance(target, ast.Subscript) else target, names)
            if changed == "sys.modules" or ("." in changed and _is_judge(changed)):
                yield target.lineno, f"changes {changed}"


def _name(node: ast.expr, names: dict[str, str]) -> str:
    """What an expression names, such as `os._exit`; empty if it is no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id), *reversed(parts)])


def _is_judge(name: str) -> bool:
    return name.partition(".")[0] in _JUDGES


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _is_guard(node: ast.AST) -> bool:
    """Whether it is `if __name__ == "__main__":`."""
    if not isinstance(node, ast.If):
        return False
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test))
