"""The product's Python modules at each point of a plan: who may write one, which names are known of it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from factory.languages.port import Address
from factory.languages.port import Symbol as AnySymbol
from factory.languages.python.module_files import ModuleFiles
from factory.languages.python.symbols.calls import misfit
from factory.languages.python.symbols.files import module_files
from factory.languages.python.symbols.shapes import Function, Named
from factory.languages.python.symbols.symbol import Symbol
from factory.languages.trees.declared import Declared
from factory.plans.commands.code.uses import Arguments, Use, outright, uses
from factory.plans.commands.needs import command_needs
from factory.plans.commands.node_code import imported_files
from factory.plans.commands.programs import Reading
from factory.plans.states.defined_tests import Tests
from factory.plans.states.file_state import Presence
from factory.plans.states.origins import Origins
from factory.plans.states.place import Place
from factory.plans.states.sources import Sources
from factory.plans.states.symbols import Interfaces
from factory.plans.states.writers import Knowledge, Writers

_ERROR: Final = re.compile(r"(Error|Exception|Warning)$")
_OF_ERRORS: Final = frozenset(dir(UnicodeDecodeError)) | frozenset(dir(SyntaxError)) | {"errno", "strerror"}
"""What errors have by themselves, whatever they are."""

_BASES: Final = re.compile(
    r"\b(?:subclass\w*|inherit\w*|deriv\w*|extends|mixin|\w*Enum|NamedTuple|BaseModel|User(?:Dict|List)|Mapping"
    r"|Sequence|Thread)\b|\ba `?(?:dict|float|frozenset|int|list|set|str|tuple)\b"
)
"""Words of a class with members of a base that its promise does not tell."""

_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+|\n+")
_DEFAULT: Final = "default"
_USUAL: Final = frozenset({"main"})
"""What a program's entry is called, whoever writes it."""

_ES_MODULES: Final = re.compile(
    r"\bES ?modules?\b|\bESM\b|\bmodules? of ECMAScript\b|(?<![-\w])type\W{1,5}module\b", re.IGNORECASE
)

_TOLD_WHOLE: Final = 3
_BUILT_FROM: Final = (".c", ".cpp", ".in", ".proto", ".pyd", ".pyi", ".pyx", ".rs", ".so")
"""What a module may be generated or compiled from."""


class Product:
    """The modules of a plan's product.

    Attributes:
        tests: those of the plan.

    Args:
        interfaces: the symbols that its work orders declare.
        writers: who writes which file.
        sources: the repository's files; None if nobody looked.
    """

    def __init__(self, interfaces: Interfaces, writers: Writers, sources: Sources | None) -> None:
        self._interfaces = interfaces
        self._origins = Origins(interfaces)
        self.tests = Tests(writers, sources)
        self._writers = writers
        self._sources = sources
        self._modules = ModuleFiles(writers.paths)

    def files(self, module: str, index: int) -> tuple[str, ...]:
        """The files of a module that the repository has, or that a work order up to `index` may write.

        Those of the work order's own project, if it has some. A module of JavaScript is a path after `./`.
        """
        if module.startswith("./"):
            named = imported_files(module)
            found = (
                path for path in named if path in self._writers.repo_files or self._writers.of(path, index)
            )
            return tuple(found)[:1]
        paths = tuple(
            path
            for root in self._modules.roots(module)
            for path in module_files(module, root)
            if path in self._writers.repo_files or self._writers.of(path, index)
        )
        project = self._writers.project(index)
        own = tuple(path for path in paths if project is not None and path.startswith(f"{project}/"))
        return own or paths

    def place(self, use: Use, index: int) -> tuple[str, str]:
        """The module that a use is about, and the name in it: the first names may be modules."""
        module, name = use.module, use.name
        if module.startswith("./"):
            return f"./{next(iter(self.files(module, index)), module.removeprefix('./'))}", name
        while name:
            first, _, rest = name.partition(".")
            inner = f"{module}.{first}"
            is_module = self.files(inner, index) or self._is_folder(inner)
            # No module can be called: the package hands on a function that has the module's name.
            if not is_module or (not rest and use.arguments is not None and not use.member):
                break
            module, name = inner, rest
        return module, name

    def impossible_modules(self, reading: Reading, index: int, place: Place) -> tuple[str, ...]:
        """The modules below one of the product's own that a command needs outright and that nobody makes."""
        program = outright(reading)
        wanted = {use.module for use in uses(program)} if program is not None else set()
        if not wanted:
            return ()
        missing = [
            module.name
            for module in command_needs(reading).modules
            if module.name in wanted
            and self.files(module.name.partition(".")[0], index)
            and place.best(module.files()) is Presence.ABSENT
            and not self._is_built(module.name)
        ]
        return tuple(dict.fromkeys(missing))

    def knowledge(self, use: Use, index: int) -> tuple[Knowledge, str]:
        """What is known of a name at a work order, and the address that was looked up."""
        module, name = self.place(use, index)
        if use.member and name:
            plain = module.removeprefix("./")
            made = self._origins.result(plain, name, index, of_element=use.of_element)
            if made is not None and not made.module:
                is_open = _is_special(use.member) or not made.lacks(use.member)
                known = Knowledge.GIVEN if is_open else Knowledge.MISSING
                return known, f"{plain}:{name}.{use.member}"
            if made is None and use.of_element:
                return Knowledge.GIVEN, f"{module}:{name}"
            if made is not None:
                module, name = f"{module[: len(module) - len(plain)]}{made.module}", made.name
            name = f"{name}.{use.member}"
        first, _, rest = name.partition(".")
        paths, module = self.files(module, index), module.removeprefix("./")
        address = f"{module}:{first}"
        if not first or not paths or _is_special(first):
            return Knowledge.GIVEN, address
        known = self._of_name(module, first, paths, index)
        member = rest.partition(".")[0]
        if known is Knowledge.GIVEN and member and not _is_special(member):
            module = self._origins.of(module, first, index)
            paths = self.files(f"./{module}" if use.module.startswith("./") else module, index) or paths
            return self._of_member(module, first, member, paths, index), f"{address}.{member}"
        return known, address

    def misfit(self, use: Use, index: int) -> tuple[str, AnySymbol | None]:
        """Why a call can't fit what is called, and that; empty if it fits or can't be told."""
        module, name = self.place(use, index)
        paths = self.files(module, index)
        if use.arguments is None or not name or not paths:
            return "", None
        if module.startswith("./"):
            return self._surplus(module.removeprefix("./"), name, use, index)
        name = f"{name}.{use.member}" if use.member else name
        symbol = self._told_at(self._origins.of(module, name, index), name, index)
        is_bound = bool(use.member)
        if symbol is not None and isinstance(symbol.shape, Named):
            origin = self._origins.of(module, name, index)
            symbol, is_bound = self._told_at(origin, f"{name}.__init__", index), True
        if symbol is None and not self._writers_of(paths, index):
            symbol = self._interfaces.plain_function(Symbol(module, name, Named()), index)
        return (
            (_misfit(symbol, use.arguments, is_bound=is_bound), symbol) if symbol is not None else ("", None)
        )

    def _surplus(self, module: str, name: str, use: Use, index: int) -> tuple[str, AnySymbol | None]:
        """Why a call in JavaScript can't be meant: it is given more than what is called takes."""
        name = f"{name}.{use.member}" if use.member else name
        origin = self._origins.of(module, name, index)
        symbol = self._origins.told_at(Address(origin, name), index)
        if symbol is not None and not symbol.is_callable:
            symbol = self._origins.told_at(Address(origin, f"{name}.constructor"), index)
        given = use.arguments.positional if use.arguments is not None else 0
        if not isinstance(symbol, Declared) or not symbol.is_callable or "*" in symbol.form:
            return "", None
        most = len(symbol.parameters)
        problem = f"gives it {given} arguments, of which it takes {most}" if given > most else ""
        return problem, symbol

    def written_out(self, expression: str, modules: Iterable[tuple[str, str]], index: int) -> str:
        """An expression with each name at the address where it is defined, which other modules only hand on.

        Args:
            expression: its text, names with the modules that they are imported from.
            modules: these modules, each with the name in it.
            index: the work order that it is from.
        """
        for module, name in modules:
            place, inner = self.place(Use(module, name), index)
            plain = place.removeprefix("./")
            origin = self._origins.of(plain, inner, index)
            if origin != plain:
                names = rf"(?<![\w./]){re.escape(f'{module}.{name}')}(?!\w)"
                written = f"{place[: len(place) - len(plain)]}{origin}.{inner}"
                expression = written.join(re.split(names, expression))
        return expression

    def _told_at(self, module: str, name: str, index: int) -> Symbol | None:
        symbol = self._origins.told_at(Address(module, name), index)
        return symbol if isinstance(symbol, Symbol) else None

    def _of_name(self, module: str, name: str, paths: Sequence[str], index: int) -> Knowledge:
        symbol = Address(module, name)
        interfaces = self._interfaces
        if interfaces.provider(symbol, index + 1, index) or interfaces.provides_member(
            symbol, index + 1, index
        ):
            return Knowledge.GIVEN
        in_repository = any(path in self._writers.repo_files for path in paths)
        if in_repository and self._may_define(symbol, index):
            return Knowledge.GIVEN
        writers = self._writers_of(paths, index)
        providing = [writer for writer in writers if (writer, module) in self._provided]
        if not in_repository and not providing and (name in _USUAL or not (writers and self._provided)):
            return Knowledge.GIVEN
        if name == _DEFAULT and not self._is_es_module(paths[0], index):
            # What a module of CommonJS exports is its default.
            return Knowledge.GIVEN
        if any(self._writers.is_told(writer, name, own=writer == index) for writer in writers):
            return Knowledge.GIVEN
        return Knowledge.UNTOLD if index in writers or len(providing) < len(writers) else Knowledge.MISSING

    def _is_es_module(self, path: str, index: int) -> bool:
        """Whether a source of JavaScript is surely a module of ECMAScript."""
        if path.endswith((".mjs", ".mts")):
            return True
        words = (self._writers.words(writer) for writer in range(index + 1))
        return not path.endswith(".cjs") and any(_ES_MODULES.search(text) for text in words)

    def _of_member(self, module: str, scope: str, member: str, paths: Sequence[str], index: int) -> Knowledge:
        symbol = Address(module, f"{scope}.{member}")
        if self._interfaces.provider(symbol, index + 1, index):
            return Knowledge.GIVEN
        writers = self._writers_of(paths, index)
        if any(path in self._writers.repo_files for path in paths):
            around = self._interfaces.in_repository(Address(module, scope), index).symbols
            is_class = around and all(
                isinstance(known, Symbol) and isinstance(known.shape, Named) for known in around
            )
            if not is_class or self._may_define(symbol, index):
                return Knowledge.GIVEN
            if not writers:
                return Knowledge.MISSING
        listed = self._interfaces.members(Address(module, scope), index + 1, index)
        is_inherited = _ERROR.search(scope) is not None and member in _OF_ERRORS
        if not listed - {"__init__"} or is_inherited:
            return Knowledge.GIVEN
        has_bases = any(self._has_bases(module, scope, writer) for writer in writers)
        # Of a class that is told member by member, a word of prose is no further one.
        is_told = self._writers.is_named if len(listed) >= _TOLD_WHOLE else self._writers.is_told
        if has_bases or any(is_told(writer, member, own=writer == index) for writer in writers):
            return Knowledge.GIVEN
        return Knowledge.UNTOLD

    def _has_bases(self, module: str, scope: str, writer: int) -> bool:
        """Whether a work order's words may mean that a class has a base: not where they name another one."""
        others = {
            declared.symbol.name.partition(".")[0]
            for declared in self._interfaces.provided
            if declared.index == writer and declared.symbol is not None
        } - {scope}
        own = re.compile(rf"\b{re.escape(scope)}\b")
        return any(
            own.search(sentence) or not others.intersection(re.findall(r"\b[A-Z]\w*", sentence))
            for sentence in _SENTENCE.split(self._writers.words(writer))
            if _BASES.search(sentence)
        )

    def _may_define(self, symbol: Address, index: int) -> bool:
        """Whether the repository defines a symbol, or may well."""
        if self._sources is None:
            return True
        lookup = self._interfaces.in_repository(symbol, index)
        return bool(lookup.symbols) or not lookup.is_readable

    def _writers_of(self, paths: Sequence[str], index: int) -> tuple[int, ...]:
        return tuple(dict.fromkeys(writer for path in paths for writer in self._writers.of(path, index)))

    @cached_property
    def _provided(self) -> frozenset[tuple[int, str]]:
        """The modules that work orders provide something in."""
        declarations = self._interfaces.provided
        return frozenset((it.index, it.symbol.module) for it in declarations if it.symbol is not None)

    def _is_folder(self, module: str) -> bool:
        inside = module.replace(".", "/")
        folders = self._folders.get(inside.rpartition("/")[2], ())
        return any(folder == inside or folder.endswith(f"/{inside}") for folder in folders)

    def _is_built(self, module: str) -> bool:
        """Whether a file in another language may become the module."""
        return module.rpartition(".")[2] in self._built_stems

    @cached_property
    def _built_stems(self) -> frozenset[str]:
        names = (path.rpartition("/")[2] for path in self._writers.paths)
        return frozenset(name.partition(".")[0] for name in names if name.endswith(_BUILT_FROM))

    @cached_property
    def _folders(self) -> dict[str, set[str]]:
        """The directories that hold files, by their names."""
        folders: defaultdict[str, set[str]] = defaultdict(set)
        for path in self._writers.paths:
            while path := path.rpartition("/")[0]:
                folders[path.rpartition("/")[2]].add(path)
        return folders


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _misfit(symbol: Symbol, arguments: Arguments, *, is_bound: bool) -> str:
    shape = symbol.shape
    if not isinstance(shape, Function):
        return ""
    if "." in symbol.name and not symbol.name.endswith(".__init__"):
        is_bound = shape.binding == "classmethod" or (is_bound and not shape.binding)
    return misfit(shape.signature, arguments.positional, arguments.keywords, is_bound=is_bound)
