"""Where a name leads: through imports, star imports, aliases, classes and their bases, to what defines it."""

import ast
from collections.abc import Callable, Iterator
from typing import Final

from factory.languages.python.symbols.annotation import last_name
from factory.languages.python.symbols.classes import (
    MAKES,
    PLAIN_BASES,
    Fields,
    has_fields,
    has_unknown_effects,
    instance_attributes,
    is_generated,
)
from factory.languages.python.symbols.definition import Definition
from factory.languages.python.symbols.module import Module
from factory.languages.python.symbols.scope import MAX_STEPS, Binding, Import, Node, Scope, class_scope
from factory.languages.python.symbols.shapes import Function, Value

_MADE: Final = Function(MAKES)
_MAX_WORK: Final = 500
"""How many names are followed to answer one question."""


class Resolver:
    """The answer to one question; however sources refer to each other, a bounded number of names is followed.

    Args:
        opened: gives a module by its dotted name; None if there is none.
    """

    def __init__(self, opened: Callable[[str], Module | None]) -> None:
        self._opened = opened
        self._work = 0

    def definitions(self, module: Module, name: str) -> Iterator[Definition]:
        """The definitions of a name, which may be dotted, in a module."""
        first, _, rest = name.partition(".")
        for definition in self._named(module, first, 0):
            yield from self._inside(definition, rest, 0) if rest else (definition,)

    def _named(self, module: Module, name: str, steps: int) -> Iterator[Definition]:
        if self._is_too_far(steps):
            yield Definition(module)
            return
        bound = module.scope.names.get(name)
        for binding in bound or ():
            yield from self._followed(module, binding, steps + 1)
        if bound is None:
            for star in module.scope.stars:
                yield from self._imported_by_star(star, name, steps + 1)
            if "__getattr__" in module.scope.names:
                yield Definition(module)

    def _followed(self, module: Module, binding: Binding, steps: int) -> Iterator[Definition]:
        if isinstance(binding, Import):
            yield from self._imported(module, binding, steps)
        elif isinstance(binding, ast.Assign) and isinstance(binding.value, ast.Name):
            # Another name for something. What is not defined here may come from anywhere.
            yield from list(self._named(module, binding.value.id, steps)) or [Definition(module)]
        else:
            yield Definition(module, binding)

    def _imported(self, module: Module, binding: Import, steps: int) -> Iterator[Definition]:
        origin = self._opened(binding.module)
        if origin is None or origin.problem:
            yield Definition(module)
            return
        definitions = list(self._named(origin, binding.name, steps))
        if not definitions and self._opened(f"{binding.module}.{binding.name}") is not None:
            definitions = [Definition(module)]
        yield from definitions

    def _imported_by_star(self, origin_name: str, name: str, steps: int) -> Iterator[Definition]:
        origin = self._opened(origin_name)
        if origin is None or origin.problem or origin.exports is None:
            yield Definition(Module(origin_name, ""))
        elif name in origin.exports or (not origin.exports and not name.startswith("_")):
            yield from self._named(origin, name, steps)

    def _inside(self, definition: Definition, name: str, steps: int) -> Iterator[Definition]:
        """The members of that name, which may be dotted, of a class."""
        module, node = definition.module, definition.node
        if node is None or self._is_too_far(steps):
            yield Definition(module)
        elif isinstance(node, ast.ClassDef):
            first, _, rest = name.partition(".")
            for member in self._member(module, node, first, steps + 1):
                yield from self._inside(member, rest, steps + 1) if rest else (member,)
        elif isinstance(node, ast.Assign):
            # A class that a call made, such as a namedtuple.
            yield Definition(module)

    def _member(self, module: Module, node: ast.ClassDef, name: str, steps: int) -> Iterator[Definition]:
        """A member of a class, its own or an inherited one."""
        scope = class_scope(node, module.package)
        own = _own(module, node, scope, name)
        if own:
            yield from own
        elif name == "__init__" and has_fields(node) and not has_unknown_effects(node):
            fields = Fields()
            is_known = self._collect(module, node, fields, steps)
            yield Definition(module, Function(fields.signature()) if is_known else None)
        elif is_generated(node, name) or (name == "__init__" and "__new__" in scope.names):
            yield Definition(module)
        else:
            may_have_more = has_unknown_effects(node) or "__getattr__" in scope.names
            yield from self._inherited(module, node, name, steps, may_have_more=may_have_more)

    def _inherited(
        self, module: Module, node: ast.ClassDef, name: str, steps: int, *, may_have_more: bool
    ) -> Iterator[Definition]:
        for base_module, base in self._bases(module, node, steps):
            if base is None:
                may_have_more = True
                continue
            if self._is_too_far(steps):
                yield Definition(module)
                return
            inherited = list(self._member(base_module, base, name, steps + 1))
            # What says nothing about its constructor, such as a mixin, leaves it to the bases behind it.
            if inherited and not all(definition.node is _MADE for definition in inherited):
                yield from inherited
                return
        if may_have_more:
            yield Definition(module)
        elif name == "__init__":
            yield Definition(module, _MADE)

    def _collect(self, module: Module, node: ast.ClassDef, fields: Fields, steps: int) -> bool:
        """Collect the fields of a class and its bases; whether all of them are known."""
        if self._is_too_far(steps):
            return False
        bases = list(self._bases(module, node, steps))
        # The first base is the most important one, so it comes last.
        is_known = all(
            base is not None and self._collect(base_module, base, fields, steps + 1)
            for base_module, base in reversed(bases)
        )
        if has_fields(node):
            fields.add(node)
        return is_known

    def _bases(
        self, module: Module, node: ast.ClassDef, steps: int
    ) -> Iterator[tuple[Module, ast.ClassDef | None]]:
        """The base classes that may bring a member, each with its module; None for one that can't be told."""
        for expression in node.bases:
            written = expression.value if isinstance(expression, ast.Subscript) else expression
            definitions = (
                list(self._named(module, written.id, steps)) if isinstance(written, ast.Name) else []
            )
            classes = [
                (definition.module, definition.node)
                for definition in definitions
                if isinstance(definition.node, ast.ClassDef)
            ]
            if len(classes) == len(definitions) == 1:
                yield from (base for base in classes if base[1] is not node)
            elif last_name(expression) not in PLAIN_BASES:
                yield module, None

    def _is_too_far(self, steps: int) -> bool:
        """Whether to give up following names; each question counts as work."""
        self._work += 1
        return steps > MAX_STEPS or self._work > _MAX_WORK


def _own(module: Module, node: ast.ClassDef, scope: Scope, name: str) -> list[Definition]:
    """What the body of a class binds to a name, or what its methods set."""
    if name in scope.names:
        bound = scope.names[name]
        return [Definition(module, _unless_linked(binding, scope), in_class=True) for binding in bound]
    for attribute, annotation, is_guess in instance_attributes(node):
        if attribute == name:
            return [Definition(module, Value(annotation, is_guess=is_guess), in_class=True)]
    return []


def _unless_linked(binding: Binding, scope: Scope) -> Node | None:
    """What a name is bound to in a class; None if that is an import or another name of the class."""
    if isinstance(binding, Import):
        return None
    if isinstance(binding, ast.Assign) and isinstance(binding.value, ast.Name):
        return None if binding.value.id in scope.names else binding
    return binding
