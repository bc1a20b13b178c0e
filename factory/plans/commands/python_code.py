"""What the code of a `python -c` command says about itself: its syntax, imports, texts, started programs.

The code is parsed, never run.
"""

import ast
import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_PROCESS_CALLS: Final = frozenset({"run", "call", "check_call", "check_output", "Popen", "system", "popen"})
_IMPORT_CALLS: Final = frozenset({"__import__", "import_module", "importlib.import_module"})
_RUNPY_OPTIONS: Final = {"run_path": (), "run_module": ("-m",)}


@dataclass(frozen=True)
class PythonCode:
    """A piece of Python code, read.

    Attributes:
        problem: why it is not valid Python; empty if it is.
        imports: the modules that must be there, dotted.
        attributes: dotted names that may be modules or something inside one (`from a import b`: `a.b`).
        texts: its string constants.
        commands: the commands that it starts, as far as they are constants.
        search_path: the directories that it adds to `sys.path`.
        tree: the code itself; None if it is not valid.
    """

    problem: str = ""
    imports: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    search_path: tuple[str, ...] = ()
    tree: ast.Module | None = field(default=None, compare=False, repr=False)


def read_code(code: str, *, asserts: bool = True) -> PythonCode:
    """Parse `code`.

    Args:
        code: its text.
        asserts: False if the interpreter leaves its assertions out.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except SyntaxError as error:
        place = f" (line {error.lineno})" if error.lineno and error.lineno > 1 else ""
        return PythonCode(problem=f"{error.msg}{place}")
    except ValueError as error:
        return PythonCode(problem=str(error))
    except (RecursionError, MemoryError):
        return PythonCode(problem="nested too deeply")
    if not asserts:
        tree = _WithoutAssertions().visit(tree)
    return code_of(tree)


def code_of(tree: ast.Module) -> PythonCode:
    """What a parsed piece of code says."""
    nodes = tuple(ast.walk(tree))
    calls = [(dotted(node.func), node) for node in nodes if isinstance(node, ast.Call)]
    return PythonCode(
        imports=tuple(dict.fromkeys([*_imported(nodes), *_imported_by_call(calls)])),
        attributes=tuple(dict.fromkeys(_attributes(nodes))),
        texts=tuple(
            node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ),
        commands=tuple(command for name, call in calls for command in _started(name, call)),
        search_path=tuple(
            text
            for name, call in calls
            if name in ("sys.path.insert", "sys.path.append")
            for text in _constants(call.args)
        ),
        tree=tree,
    )


class _WithoutAssertions(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return ast.copy_location(ast.Pass(), node)


def dotted(node: ast.expr) -> str:
    """A name with the names before it, such as `os.path.join`; empty for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(names)])


def called(node: ast.Call) -> str:
    """The last name of what a call calls, such as `join` of `", ".join(x)`; empty for anything else."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def text_of(node: ast.AST) -> str:
    """A piece of code as text, the same for the same code; empty if it is nested too deeply or too large."""
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError):
        return ""


def _imported(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _attributes(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name != "*")


def _imported_by_call(calls: list[tuple[str, ast.Call]]) -> Iterator[str]:
    for name, call in calls:
        if name in _IMPORT_CALLS:
            yield from (text for text in _constants(call.args[:1]) if text and not text.startswith("."))


def _started(name: str, call: ast.Call) -> Iterator[str]:
    module, _, function = name.rpartition(".")
    if module in ("", "runpy") and function in _RUNPY_OPTIONS:
        for target in _constants(call.args[:1]):
            yield shlex.join(["python", *_RUNPY_OPTIONS[function], target])
        return
    starts = module == "subprocess" or (module in ("", "os") and function in _PROCESS_CALLS)
    if not starts and not (module == "os" and function.startswith(("exec", "spawn", "posix_spawn"))):
        return
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "args")]
    lists = [argument for argument in given if isinstance(argument, ast.List | ast.Tuple)]
    if lists:
        yield from (shlex.join(_words(argument)) for argument in lists)
    else:
        yield from _constants(given[:1])


def _words(items: ast.List | ast.Tuple) -> list[str]:
    """The elements as words; `sys.executable` is Python, what is not a constant is left empty."""
    return [
        item.value
        if isinstance(item, ast.Constant) and isinstance(item.value, str)
        else ("python" if dotted(item) == "sys.executable" else "")
        for item in items.elts
    ]


def _constants(nodes: list[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
