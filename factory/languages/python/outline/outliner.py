"""The outline of Python modules: their public names, as a plan writes them in `provides` and `consumes`.

A line without `#` can be copied into a plan and passes the rules about symbols; what has no such form, and
what helps to choose, is in lines with `#`. Sources are read with `ast`; nothing is imported.
"""

import ast
from collections.abc import Callable, Sequence
from typing import Final

from factory.contract.text import Read
from factory.languages.port import Outlined
from factory.languages.python.module_files import INIT, ModuleFiles, is_test
from factory.languages.python.outline.module_lines import ModuleLines, first_line
from factory.languages.python.symbols.module import Module, imported_names, parse_module
from factory.languages.python.symbols.scope import Binding
from factory.languages.python.symbols.sources import PythonSources
from factory.system.terminal.console import one_line

_MAX_NAMES: Final = 20
"""How many names of a module, or of those that it uses, are listed where only names are."""


class Outliner:
    """Outlines modules of a repository.

    Args:
        modules: which module each of its files is.
        sources: the modules that are imported from a directory.
        read: gives the bytes of its files.
    """

    def __init__(self, modules: ModuleFiles, sources: Callable[[str], PythonSources], read: Read) -> None:
        self._modules = modules
        self._sources = sources
        self._read = read

    def outline(self, path: str) -> Outlined:
        """The outline of a module, signatures included.

        Raises:
            WorkorderError: the file can't be read.
        """
        parsed = self._modules.module(path)
        if parsed is None:
            return self.summary(path)
        name, root = parsed
        sources = self._sources(root)
        module = sources.module(name)
        if module is None or module.problem:
            return Outlined("", module.problem if module is not None else "it is missing in the checkout")
        try:
            lines = ModuleLines(sources, module).lines(is_package=path.endswith(f"/{INIT}"))
        except RecursionError:
            return Outlined("", f"its source `{path}` is nested too deeply to be read")
        if not lines and not module.docstring:
            return Outlined("")
        return Outlined("\n".join([_heading(path, module), *lines]))

    def summary(self, path: str) -> Outlined:
        """What a module is for, and the names of its public functions and classes.

        Raises:
            WorkorderError: the file can't be read.
        """
        module = self._parsed(path, self._read(path) or b"")
        names = _names(module)
        if module.problem or not (names or module.docstring):
            return Outlined("", module.problem)
        return Outlined("\n".join([_heading(path, module), *([f"#   {names}"] if names else [])]))

    def names(self, path: str) -> Outlined:
        """The names of the public functions and classes of a test module, and the modules that it uses.

        Raises:
            WorkorderError: the file can't be read.
        """
        data = self._read(path) or b""
        module = self._parsed(path, data)
        names = _names(module)
        if module.problem or not names:
            return Outlined("", module.problem)
        beginnings = {self._modules.beginning(name) for name in imported_names(module, data)}
        uses = _first(
            sorted(name for name in beginnings if name and not is_test(f"{name.replace('.', '/')}.py"))
        )
        return Outlined("\n".join([f"# {one_line(path)}: {names}", *([f"#   uses {uses}"] if uses else [])]))

    def _parsed(self, path: str, data: bytes) -> Module:
        name, _ = self._modules.module(path) or ("", "")
        package = name if path.endswith(f"/{INIT}") else name.rpartition(".")[0]
        return parse_module(name, package, path, data)


def _names(module: Module) -> str:
    """The names of the public functions and classes."""
    names = [
        name
        for name, bound in module.scope.names.items()
        if not name.startswith("_") and any(_is_definition(binding) for binding in bound)
    ]
    return _first(names)


def _first(names: Sequence[str]) -> str:
    """The names in one line; of many, the first."""
    more = f", … and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more


def _heading(path: str, module: Module) -> str:
    # The implementer is shown a file that it changes whole, so its size matters to a plan.
    head = f"# {one_line(path)}, {module.line_count:,} line{'' if module.line_count == 1 else 's'}"
    said = first_line(module.docstring)
    return f"{head}: {said}" if said else head


def _is_definition(binding: Binding) -> bool:
    return isinstance(binding, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
