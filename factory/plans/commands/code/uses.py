"""Which names of modules a command must find there to pass, and how it calls them.

Looks only where failing is failing: not at what is tried, guarded, expected to raise, or run by a further
process. Runs nothing, and leans towards silence.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from factory.plans.commands.interpreters import WRAPPERS, is_python, is_shell, python_run, shell_run
from factory.plans.commands.programs import Invocation, Reading
from factory.plans.commands.python_code import called, dotted

_EXPECTING: Final = frozenset({"assertRaises", "assertRaisesRegex", "raises", "suppress", "warns"})
"""Context managers in which code is expected to fail."""

_HANDING_ON: Final = frozenset({"list", "reversed", "sorted", "tuple"})
"""Functions that give the elements which they are given."""

_PATCHING: Final = frozenset({"patch", "setattr"})
"""Functions that put something in the place of what a text names, and fail where nothing is."""

_PROBING: Final = frozenset({"find_spec", "getattr", "hasattr"})
_DEFERRED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_GUARDED: Final = (ast.Try, ast.TryStar, ast.Match)


@dataclass(frozen=True)
class Arguments:
    """What a call is given.

    Attributes:
        positional: how many arguments by position.
        keywords: the names of the others.
    """

    positional: int
    keywords: tuple[str, ...]


@dataclass(frozen=True)
class Use:
    """A name of a module that must be there.

    Attributes:
        module: the module as it is imported, dotted.
        name: the name in it, dotted; the first parts may be modules themselves. Empty for the module alone.
        arguments: what it is called with; None if it is not called, or if that can't be told.
        member: the name that is looked up on what calling it gives; empty if none is.
        of_element: whether it is looked up on the elements of what calling it gives.
    """

    module: str
    name: str = ""
    arguments: Arguments | None = None
    member: str = ""
    of_element: bool = False


def outright(reading: Reading) -> Invocation | None:
    """The program that a command runs for its own sake: if it fails, so does the command.

    None where the text of a shell stands in between.
    """
    for invocation in reading.invocations:
        if is_shell(invocation.name) and shell_run(invocation.arguments).text is not None:
            return None
        if invocation.name in ("eval", "!", "if", "while", "until"):
            return None
        if invocation.name not in WRAPPERS:
            return invocation
    return None


def uses(invocation: Invocation) -> tuple[Use, ...]:
    """The names that a program must find there, the modules themselves included."""
    if invocation.code is None:
        if not is_python(invocation.name):
            return ()
        run = python_run(invocation.arguments)
        return (Use(run.target),) if run.kind == "module" and run.target else ()
    tree = invocation.code.tree
    if tree is None or any(_probes(node) for node in ast.walk(tree) if isinstance(node, ast.Call)):
        return ()
    return tuple(dict.fromkeys(_Code(tree).uses()))


class _Code:
    """A piece of code, with what its names stand for."""

    def __init__(self, tree: ast.Module) -> None:
        self._nodes = tuple(certain_nodes(tree))
        stored = Counter(
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not _is_loaded(node)
        )
        stored.update(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))
        stored.update(node.name for node in ast.walk(tree) if isinstance(node, _DEFERRED[:2] + _DEFERRED[3:]))
        imported = {
            name: place for name, place in imported_places(tree).items() if not stored[name] and place[0]
        }
        self._imported = imported
        self._made = {
            node.targets[0].id: node.value
            for node in self._nodes
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and isinstance(node.targets[0], ast.Name)
            and stored[node.targets[0].id] == 1
        }
        self._made |= {
            item.optional_vars.id: item.context_expr
            for node in self._nodes
            if isinstance(node, ast.With)
            for item in node.items
            if isinstance(item.optional_vars, ast.Name)
            and isinstance(item.context_expr, ast.Call)
            and stored[item.optional_vars.id] == 1
        }
        self._elements = {
            target.id: source
            for node in self._nodes
            if isinstance(node, ast.comprehension | ast.For)
            for target, source in [(node.target, node.iter)]
            if isinstance(target, ast.Name) and stored[target.id] == 1
        }
        self._caught = {
            item.optional_vars.id: item.context_expr
            for node in ast.walk(tree)
            if isinstance(node, ast.With)
            for item in node.items
            if isinstance(item.optional_vars, ast.Name) and stored[item.optional_vars.id] == 1
        }

    def uses(self) -> Iterator[Use]:
        functions = {id(node.func): node for node in self._nodes if isinstance(node, ast.Call)}
        inner = {id(node.value) for node in self._nodes if isinstance(node, ast.Attribute)}
        for node in self._nodes:
            match node:
                case ast.Import(names=aliases):
                    yield from (Use(alias.name) for alias in aliases)
                case ast.ImportFrom(module=str(module), level=0, names=aliases):
                    yield Use(module)
                    yield from (Use(module, alias.name) for alias in aliases if alias.name != "*")
                case ast.Call(args=[ast.Constant(value=str(text)), *_]) if called(
                    node
                ) in _PATCHING and not any(given.arg == "create" for given in node.keywords):
                    yield from _patched(text)
                case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name))]):
                    place = self._place(owner)
                    if place is not None:
                        yield Use(place[0], ".".join(part for part in (place[1], name) if part))
                case ast.Name() | ast.Attribute() if id(node) not in inner:
                    yield from self._used(node, functions.get(id(node)))

    def _used(self, node: ast.Name | ast.Attribute, call: ast.Call | None) -> Iterator[Use]:
        arguments = _arguments(call) if call is not None else None
        place = self._place(node)
        if place is not None:
            yield Use(*place, arguments)
        elif isinstance(node, ast.Attribute):
            made, of_element = self._maker(node.value)
            if made is not None:
                yield Use(*made, arguments, node.attr, of_element)

    def _maker(self, node: ast.expr) -> tuple[tuple[str, str] | None, bool]:
        """What makes an object when it is called, or what makes those that it is one of."""
        if isinstance(node, ast.Attribute) and node.attr == "value":
            return self._error(node.value), False
        of_element = False
        source: ast.expr | None = node
        if isinstance(node, ast.Name) and node.id in self._elements:
            of_element, source = True, self._elements[node.id]
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant | ast.UnaryOp):
            of_element, source = True, node.value
        if of_element:
            while isinstance(source, ast.Call) and dotted(source.func) in _HANDING_ON and source.args:
                source = source.args[0]
        return self._called(source), of_element

    def _called(self, source: ast.expr | None) -> tuple[str, str] | None:
        """What is called to make an object, with the class before a method; None if that can't be told."""
        if isinstance(source, ast.Name):
            source = self._made.get(source.id)
        if not isinstance(source, ast.Call):
            return None
        function = source.func
        if isinstance(function, ast.Attribute) and function.attr == "__enter__":
            return self._called(function.value)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name | ast.Call):
            owner = self._called(function.value)
            if owner is not None and owner[1][:1].isupper() and "." not in owner[1]:
                return owner[0], f"{owner[1]}.{function.attr}"
        return self._place(function)

    def _error(self, node: ast.expr) -> tuple[str, str] | None:
        """The class of the error that `pytest.raises` catches."""
        caught = self._caught.get(node.id) if isinstance(node, ast.Name) else node
        if isinstance(caught, ast.Call) and called(caught) == "raises" and caught.args:
            return self._place(caught.args[0])
        return None

    def _place(self, node: ast.expr) -> tuple[str, str] | None:
        """The module and the name in it that an expression stands for."""
        first, _, rest = dotted(node).partition(".")
        if first not in self._imported:
            return None
        module, name = self._imported[first]
        return module, ".".join(part for part in (name, rest) if part)


def certain_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of code that run in any case, and whose failing is not expected; in no order."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case ast.With(items=items) | ast.AsyncWith(items=items) if any(map(_expects, items)):
                continue
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                waiting.append(test)
            case ast.BoolOp(op=ast.Or(), values=values):
                waiting.append(values[0])
            case _ if not isinstance(node, _DEFERRED + _GUARDED):
                waiting.extend(ast.iter_child_nodes(node))


def imported_places(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """For each name that an import binds the module, and the name in it; that is empty for a module.

    Of a name that several imports bind differently, the module is empty.
    """
    places: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        bound: list[tuple[str, tuple[str, str]]] = []
        if isinstance(node, ast.Import):
            bound = [
                (alias.asname, (alias.name, "")) if alias.asname else (first, (first, ""))
                for alias in node.names
                for first in [alias.name.partition(".")[0]]
            ]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            bound = [(alias.asname or alias.name, (node.module, alias.name)) for alias in node.names]
        for name, place in bound:
            places[name] = place if places.get(name, place) == place else ("", "")
    return places


def _patched(text: str) -> Iterator[Use]:
    """What a dotted text names, unless it may be a module of Python's own that another imports."""
    first, _, rest = text.partition(".")
    names = rest.split(".")
    if text.replace(".", "").isidentifier() and rest and sys.stdlib_module_names.isdisjoint(names):
        yield Use(first, rest)


def _probes(call: ast.Call) -> bool:
    """Whether a call asks if something is there, or looks it up by a name that is computed."""
    match call:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name))]):
            return not name.isidentifier()
        case _:
            return called(call) in _PROBING


def _expects(item: ast.withitem) -> bool:
    return isinstance(item.context_expr, ast.Call) and called(item.context_expr) in _EXPECTING


def _arguments(call: ast.Call) -> Arguments | None:
    """What a call is given; None if stars hide it."""
    keywords = tuple(keyword.arg for keyword in call.keywords if keyword.arg is not None)
    if len(keywords) < len(call.keywords) or any(isinstance(given, ast.Starred) for given in call.args):
        return None
    return Arguments(len(call.args), keywords)


def _is_loaded(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
