"""What a statement defines, as the shape of a symbol."""

import ast
from dataclasses import dataclass
from typing import Final

from factory.languages.python.symbols.annotation import annotation_text, decorator_names
from factory.languages.python.symbols.module import Module
from factory.languages.python.symbols.scope import DefinedFunction, Node
from factory.languages.python.symbols.shapes import Function, Named, Shape, Unknown, Value
from factory.languages.python.symbols.signature import signature_of

_MANAGERS: Final = {
    "asynccontextmanager": "AbstractAsyncContextManager",
    "contextmanager": "AbstractContextManager",
}
"""What these decorators make."""

_CONTAINERS: Final = (
    ((ast.Dict, ast.DictComp), "dict"),
    ((ast.List, ast.ListComp), "list"),
    ((ast.Set, ast.SetComp), "set"),
    ((ast.Tuple,), "tuple"),
)


@dataclass(frozen=True)
class Definition:
    """A definition with the module it stands in.

    Attributes:
        module: the module.
        node: what defines it, or the shape that it has; None if that can't be told.
        in_class: whether it stands in the body of a class.
    """

    module: Module
    node: Node | Function | Value | None = None
    in_class: bool = False

    @property
    def name(self) -> str:
        """The name under which it is defined; empty if that can't be told."""
        match self.node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                return name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                return name
            case _:
                return ""

    @property
    def shape(self) -> Shape:
        """What it is."""
        match self.node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return _function(self.node, in_class=self.in_class)
            case ast.ClassDef():
                return Named()
            case ast.AnnAssign(annotation=written, value=value):
                annotation = annotation_text(written)
                if annotation is None and value is not None and not self.in_class:
                    return _value(value)
                return Value(annotation)
            case ast.Assign(value=value):
                shape = _value(value)
                # In a class, a value without a type may be a member of an enumeration.
                return Value(None) if self.in_class and isinstance(shape, Value) else shape
            case Function() | Value():
                return self.node
            case _:
                return Unknown()


def _function(node: DefinedFunction, *, in_class: bool) -> Shape:
    signature = signature_of(node)
    decorators = decorator_names(node)
    manager = next((_MANAGERS[decorator] for decorator in decorators if decorator in _MANAGERS), "")
    if not in_class:
        return Function(signature, manager=manager)
    if any(decorator.endswith("property") for decorator in decorators):
        return Value(signature.returns, is_property=True)
    binding = next(
        (decorator for decorator in decorators if decorator in ("classmethod", "staticmethod")), ""
    )
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
