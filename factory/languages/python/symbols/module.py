"""One Python module as it was read. What its names stand for in other modules is in `resolver`."""

import ast
import warnings
from dataclasses import dataclass, field

from factory.contract.limits import MAX_SOURCE_BYTES
from factory.languages.python.symbols.scope import Scope, imported_module


@dataclass
class Module:
    """A module that was read.

    Attributes:
        name: its dotted name.
        package: the package that its relative imports start from.
        scope: what it binds.
        exports: the names in its `__all__`; empty without one, None if it can't be told.
        problem: why it could not be read; empty if it could.
        docstring: its docstring; empty without one.
        line_count: how many lines its source has.
    """

    name: str
    package: str
    scope: Scope = field(default_factory=Scope)
    exports: frozenset[str] | None = frozenset()
    problem: str = ""
    docstring: str = ""
    line_count: int = 0


def parse_module(name: str, package: str, path: str, data: bytes) -> Module:
    """Read a module; what can't be read is in its `problem`.

    Args:
        name: its dotted name.
        package: the package that its relative imports start from.
        path: its file.
        data: the bytes of that.
    """
    if len(data) > MAX_SOURCE_BYTES:
        return Module(name, package, problem=f"its source `{path}` is larger than {MAX_SOURCE_BYTES:,} bytes")
    module = Module(name, package, line_count=data.count(b"\n"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
        module.scope.bind(tree.body, package)
        module.docstring = ast.get_docstring(tree) or ""
    except SyntaxError as error:
        place = f" (line {error.lineno})" if error.lineno else ""
        module.problem = f"its source `{path}` is not valid Python: {error.msg}{place}"
    except (ValueError, UnicodeError, OverflowError) as error:
        module.problem = f"its source `{path}` is not valid Python: {error}"
    except (RecursionError, MemoryError):
        module.problem = f"its source `{path}` is nested too deeply to be read"
    module.exports = _exports(module.scope)
    return module


def imported_names(module: Module, data: bytes) -> frozenset[str]:
    """The dotted names that a source imports anywhere: of modules, and of what it takes from them.

    Args:
        module: the module, as it was read without a problem.
        data: the bytes of its source.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = ast.walk(ast.parse(data))
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = imported_module(node, module.package)
            names.add(origin)
            names.update(f"{origin}.{alias.name}" for alias in node.names)
    return frozenset(names)


def _exports(scope: Scope) -> frozenset[str] | None:
    names: set[str] = set()
    for binding in scope.names.get("__all__", ()):
        value = binding.value if isinstance(binding, ast.Assign | ast.AnnAssign) else None
        if not isinstance(value, ast.List | ast.Tuple):
            return None
        for item in value.elts:
            if not isinstance(item, ast.Constant) or not isinstance(item.value, str):
                return None
            names.add(item.value)
    return frozenset(names)
