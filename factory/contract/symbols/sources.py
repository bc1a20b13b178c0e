"""The symbols that Python sources define, read with `ast`: nothing is imported and nothing is run.

What reading can't tell, such as a name that comes from an installed package by a star import or a member of
a base class that is not among the sources, is `Unknown`: a reader takes it for whatever was promised. A
hostile source ends in a problem that is told, never in an exception.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from factory.contract.errors import WorkorderError
from factory.contract.symbols.classes import (
    MAKES,
    PLAIN_BASES,
    PLAIN_DECORATORS,
    Fields,
    decorator_names,
    instance_attributes,
    is_dataclass,
    is_generated,
    is_named_tuple,
    last_name,
)
from factory.contract.symbols.module import (
    MAX_STEPS,
    Binding,
    DefinedFunction,
    Import,
    Module,
    Node,
    Scope,
    parse_module,
)
from factory.contract.symbols.signature import annotation_text, signature_of
from factory.contract.symbols.symbol import Function, Named, Shape, Symbol, Unknown, Value

Read: TypeAlias = Callable[[str], bytes | None]
"""The bytes of the file at a path, None if there is none; raises `WorkorderError` if it can't be read."""

_ROOTS: Final = ("", "src")
_MANAGERS: Final = {
    "asynccontextmanager": "AbstractAsyncContextManager",
    "contextmanager": "AbstractContextManager",
}
"""What these decorators make."""

_MADE: Final = Function(MAKES)
_CONTAINERS: Final = (
    ((ast.Dict, ast.DictComp), "dict"),
    ((ast.List, ast.ListComp), "list"),
    ((ast.Set, ast.SetComp), "set"),
    ((ast.Tuple,), "tuple"),
)
_MAX_WORK: Final = 500
"""How many names are followed to answer one question."""


@dataclass(frozen=True)
class Lookup:
    """What was found where a symbol should be.

    Attributes:
        found: the definitions, several where a condition or an overload decides; empty if there is none.
        problem: why there is none, as what is said of the symbol's module.
        is_readable: False if the module is there and can't be read, so that nothing is known.
    """

    found: tuple[Symbol, ...] = ()
    problem: str = ""
    is_readable: bool = True

    def keeps(self, promised: Symbol) -> bool:
        """Whether one of the definitions is what was promised."""
        return any(one.keeps(promised) for one in self.found)


def module_files(module: str, root: str = "") -> tuple[str, str]:
    """The paths of a module below a directory: as a file, as a package."""
    base = (f"{root}/" if root else "") + module.replace(".", "/")
    return f"{base}.py", f"{base}/__init__.py"


def module_file(module: str, paths: Iterable[str], is_file: Callable[[str], bool]) -> tuple[str, str] | None:
    """The file among `paths` that is the module, and the directory it is imported from; None if none is.

    Args:
        module: its dotted name.
        paths: the files to choose from, in order.
        is_file: whether there is a file; a directory with an `__init__.py` is a package, and its files are
            not imported from it.
    """
    for path in paths:
        for file in module_files(module):
            if path == file:
                return path, ""
            root = path.removesuffix(f"/{file}")
            if root != path and not is_file(f"{root}/__init__.py"):
                return path, root
    return None


class PythonSources:
    """Python modules, looked into by need.

    Args:
        read: gives the files; each is asked for once.
        roots: the directories that modules are imported from, beside the root and `src`.
    """

    def __init__(self, read: Read, roots: Sequence[str] = ()) -> None:
        self._read = read
        self._roots = tuple(dict.fromkeys([*roots, *_ROOTS]))
        self._modules: dict[str, Module | None] = {}
        self._work = 0

    def find(self, module: str, name: str) -> Lookup:
        """What is defined as `name`, which may be dotted, in a module."""
        self._work = 0
        try:
            opened = self._open(module)
            if opened is None:
                return Lookup(problem="there is no such module")
            if opened.problem:
                return Lookup(problem=opened.problem, is_readable=False)
            found = tuple(
                dict.fromkeys(
                    Symbol(module, name, self._shape(thing, name)) for thing in self._things(opened, name, 0)
                )
            )
        except (RecursionError, MemoryError):
            return Lookup(problem="its source is nested too deeply to be read", is_readable=False)
        if not found:
            return Lookup(problem=f"it does not define `{name}`")
        return Lookup(found)

    def origin(self, module: str, name: str) -> str:
        """The address at which a name, which may be dotted, is defined: where its imports lead to.

        Empty if that can't be told, or if there are several such places.
        """
        self._work = 0
        first, dot, rest = name.partition(".")
        opened = self._open(module)
        try:
            things = list(self._named(opened, first, 0)) if opened is not None else []
        except (RecursionError, MemoryError):
            return ""
        places = {f"{one.module.name}:{_defined_name(one.node)}" for one in things}
        (place,) = places if len(places) == 1 else (":",)
        return "" if place.endswith(":") else f"{place}{dot}{rest}"

    def module(self, name: str) -> Module | None:
        """The module of that dotted name as it was read; None if there is none."""
        return self._open(name)

    def _open(self, module: str) -> "Module | None":
        if module not in self._modules:
            self._modules[module] = self._opened(module)
        return self._modules[module]

    def _opened(self, module: str) -> "Module | None":
        for root in self._roots:
            for path in module_files(module, root):
                try:
                    data = self._read(path)
                except WorkorderError as error:
                    return Module(module, "", problem=f"its source `{path}` {error.message}")
                if data is not None:
                    is_package = path.endswith("/__init__.py")
                    return parse_module(
                        module, module if is_package else module.rpartition(".")[0], path, data
                    )
        return None

    def _things(self, module: "Module", name: str, steps: int) -> Iterator["_Thing"]:
        """The definitions of a dotted name in a module."""
        first, _, rest = name.partition(".")
        for thing in self._named(module, first, steps):
            yield from self._inside(thing, rest, steps) if rest else (thing,)

    def _named(self, module: "Module", name: str, steps: int) -> Iterator["_Thing"]:
        if self._is_too_far(steps):
            yield _Thing(module, None)
            return
        bound = module.scope.names.get(name)
        for binding in bound or ():
            yield from self._followed(module, binding, steps + 1)
        if bound is None:
            for star in module.scope.stars:
                yield from self._imported_by_star(star, name, steps + 1)
            if "__getattr__" in module.scope.names:
                yield _Thing(module, None)

    def _followed(self, module: "Module", binding: "Binding", steps: int) -> Iterator["_Thing"]:
        if isinstance(binding, Import):
            origin = self._open(binding.module)
            if origin is None or origin.problem:
                yield _Thing(module, None)
                return
            found = list(self._named(origin, binding.name, steps))
            if not found and self._open(f"{binding.module}.{binding.name}") is not None:
                found = [_Thing(module, None)]
            yield from found
        elif isinstance(binding, ast.Assign) and isinstance(binding.value, ast.Name):
            # Another name for something. What is not defined here may come from anywhere.
            yield from list(self._named(module, binding.value.id, steps)) or [_Thing(module, None)]
        else:
            yield _Thing(module, binding)

    def _imported_by_star(self, origin_name: str, name: str, steps: int) -> Iterator["_Thing"]:
        origin = self._open(origin_name)
        if origin is None or origin.problem or origin.exports is None:
            yield _Thing(Module(origin_name, ""), None)
        elif name in origin.exports or (not origin.exports and not name.startswith("_")):
            yield from self._named(origin, name, steps)

    def _inside(self, thing: "_Thing", name: str, steps: int) -> Iterator["_Thing"]:
        """The members of that name of a class."""
        node = thing.node
        if node is None or self._is_too_far(steps):
            yield _Thing(thing.module, None)
        elif isinstance(node, ast.ClassDef):
            first, _, rest = name.partition(".")
            for member in self._member(thing.module, node, first, steps + 1):
                yield from self._inside(member, rest, steps + 1) if rest else (member,)
        elif isinstance(node, ast.Assign):
            # A class that a call made, such as a namedtuple.
            yield _Thing(thing.module, None)

    def _member(self, module: "Module", node: ast.ClassDef, name: str, steps: int) -> Iterator["_Thing"]:
        scope = Scope()
        scope.bind(node.body, module, is_class=True)
        bound = scope.names.get(name)
        if bound is not None:
            for binding in bound:
                is_link = isinstance(binding, Import) or (
                    isinstance(binding, ast.Assign)
                    and isinstance(binding.value, ast.Name)
                    and binding.value.id in scope.names
                )
                yield _Thing(module, None if is_link else binding, in_class=True)  # type: ignore[arg-type]
            return
        for attribute, annotation, is_guess in instance_attributes(node):
            if attribute == name:
                yield _Thing(module, Value(annotation, is_guess=is_guess), in_class=True)
                return
        unknown = bool(set(decorator_names(node)) - PLAIN_DECORATORS) or any(
            one.arg != "metaclass" or last_name(one.value) != "ABCMeta" for one in node.keywords
        )
        if name == "__init__" and not unknown and (is_dataclass(node) or is_named_tuple(node)):
            fields = Fields()
            known = self._collect(module, node, fields, steps)
            yield _Thing(module, Function(fields.signature()) if known else None)
            return
        if is_generated(node, name) or (name == "__init__" and "__new__" in scope.names):
            yield _Thing(module, None)
            return
        for base_module, base in self._bases(module, node, steps):
            if base is None:
                unknown = True
                continue
            if self._is_too_far(steps):
                yield _Thing(module, None)
                return
            inherited = list(self._member(base_module, base, name, steps + 1))
            # What says nothing about its constructor, such as a mixin, leaves it to the bases behind it.
            if inherited and not all(one.node is _MADE for one in inherited):
                yield from inherited
                return
        if unknown or "__getattr__" in scope.names:
            yield _Thing(module, None)
        elif name == "__init__":
            yield _Thing(module, _MADE)

    def _collect(self, module: "Module", node: ast.ClassDef, fields: Fields, steps: int) -> bool:
        """Collect the fields of a class and its bases; whether all of them are known."""
        if self._is_too_far(steps):
            return False
        bases = list(self._bases(module, node, steps))
        # The first base is the most important one, so it comes last.
        known = all(
            base is not None and self._collect(base_module, base, fields, steps + 1)
            for base_module, base in reversed(bases)
        )
        if is_dataclass(node) or is_named_tuple(node):
            fields.add(node)
        return known

    def _bases(
        self, module: "Module", node: ast.ClassDef, steps: int
    ) -> Iterator[tuple["Module", ast.ClassDef | None]]:
        for expression in node.bases:
            written = expression.value if isinstance(expression, ast.Subscript) else expression
            things = list(self._named(module, written.id, steps)) if isinstance(written, ast.Name) else []
            classes = [thing for thing in things if isinstance(thing.node, ast.ClassDef)]
            if len(classes) == len(things) == 1 and isinstance(classes[0].node, ast.ClassDef):
                if classes[0].node is not node:
                    yield classes[0].module, classes[0].node
            elif last_name(expression) not in PLAIN_BASES:
                yield module, None

    def _is_too_far(self, steps: int) -> bool:
        """Whether to give up following names; each question counts as work."""
        self._work += 1
        return steps > MAX_STEPS or self._work > _MAX_WORK

    @staticmethod
    def _shape(thing: "_Thing", name: str) -> Shape:
        node = thing.node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return _function(node, in_class=thing.in_class)
        if isinstance(node, ast.ClassDef):
            return Named()
        if isinstance(node, ast.AnnAssign):
            annotation = annotation_text(node.annotation)
            if annotation is None and node.value is not None and not thing.in_class:
                return _value(node.value)
            return Value(annotation)
        if isinstance(node, ast.Assign):
            shape = _value(node.value)
            # In a class, a value without a type may be a member of an enumeration.
            return Value(None) if thing.in_class and isinstance(shape, Value) else shape
        if isinstance(node, Function | Value):
            return node
        return Unknown()


def member(module: Module, name: str, node: DefinedFunction | ast.AnnAssign) -> Symbol:
    """The symbol that a statement in the body of a class defines; `name` holds those of the classes, too."""
    return Symbol(module.name, name, PythonSources._shape(_Thing(module, node, in_class=True), name))


@dataclass(frozen=True)
class _Thing:
    """A definition with the module it stands in; without a node, something that can't be told."""

    module: Module
    node: "Node | Function | Value | None"
    in_class: bool = False


def _defined_name(node: "Node | Function | Value | None") -> str:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return ""


def _function(node: DefinedFunction, *, in_class: bool) -> Shape:
    signature = signature_of(node)
    decorators = decorator_names(node)
    manager = next((_MANAGERS[one] for one in decorators if one in _MANAGERS), "")
    if not in_class:
        return Function(signature, manager=manager)
    if any(one.endswith("property") for one in decorators):
        return Value(signature.returns, is_property=True)
    binding = next((one for one in decorators if one in ("classmethod", "staticmethod")), "")
    return Function(signature, binding, manager)


def _value(node: ast.expr) -> Shape:
    """What an unannotated value is, as far as it shows."""
    if isinstance(node, ast.Lambda):
        return Function(signature_of(node))
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        node = node.operand
    if isinstance(node, ast.Constant):
        return Value("None" if node.value is None else type(node.value).__name__, is_guess=True)
    if isinstance(node, ast.JoinedStr):
        return Value("str", is_guess=True)
    for nodes, kind in _CONTAINERS:
        if isinstance(node, nodes):
            return Value(kind, is_guess=True)
    return Unknown()
