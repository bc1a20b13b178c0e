"""What the body of a Python class says, and the constructor that is generated from it. Works on `ast`."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from factory.languages.python.symbols.annotation import (
    annotation_text,
    decorator_names,
    last_name,
    value_text,
)
from factory.languages.python.symbols.signature import ANY_DEFAULT, Parameter, Signature

PLAIN_BASES: Final = frozenset({"object", "ABC", "Generic", "Protocol", "NamedTuple"})
"""Base classes that bring no member that a plan would promise."""

_PLAIN_DECORATORS: Final = frozenset(
    {"dataclass", "final", "runtime_checkable", "total_ordering", "unique", "deprecated"}
)
"""Class decorators whose effect is known."""

_COMPARING: Final = frozenset({"__ge__", "__gt__", "__le__", "__lt__"})
_DATACLASS: Final = frozenset({"__eq__", "__hash__", "__match_args__", "__repr__"})
_NAMED_TUPLE: Final = frozenset(dir(tuple)) | {"_asdict", "_fields", "_make", "_replace"}

MAKES: Final = Signature((Parameter("self", "plain"),), "None")
"""The constructor of a class that says nothing about it."""


def has_fields(node: ast.ClassDef) -> bool:
    """Whether the class's constructor is made of its fields."""
    return _is_dataclass(node) or _is_named_tuple(node)


def is_generated(node: ast.ClassDef, name: str) -> bool:
    """Whether a member, its constructor apart, comes from a decorator or a base whose effect is known."""
    if _is_named_tuple(node) and name in _NAMED_TUPLE:
        return True
    for decorator in node.decorator_list:
        match last_name(decorator.func if isinstance(decorator, ast.Call) else decorator):
            case "dataclass" if name in _DATACLASS or (
                name in _COMPARING and _keyword(decorator, "order") is True
            ):
                return True
            case "total_ordering" if name in _COMPARING:
                return True
    return False


def has_unknown_effects(node: ast.ClassDef) -> bool:
    """Whether a decorator or a keyword of the class may bring members that its body doesn't show."""
    return not set(decorator_names(node)) <= _PLAIN_DECORATORS or any(
        keyword.arg != "metaclass" or last_name(keyword.value) != "ABCMeta" for keyword in node.keywords
    )


@dataclass
class Fields:
    """The parameters of a generated constructor, those of base classes first."""

    by_name: dict[str, Parameter] = field(default_factory=dict)

    def add(self, node: ast.ClassDef) -> None:
        """Add the fields of a class."""
        keyword_only = any(_keyword(decorator, "kw_only") is True for decorator in node.decorator_list)
        for statement in node.body:
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                continue
            kind = last_name(statement.annotation)
            if kind == "KW_ONLY":
                keyword_only = True
            elif kind != "ClassVar":
                self._add(statement, statement.target.id, keyword_only)

    def signature(self) -> Signature:
        """The constructor that takes the fields."""
        parameters = list(self.by_name.values())
        plain = [parameter for parameter in parameters if parameter.kind == "plain"]
        keywords = [parameter for parameter in parameters if parameter.kind == "keyword"]
        return Signature((Parameter("self", "plain"), *plain, *keywords), "None")

    def _add(self, statement: ast.AnnAssign, name: str, keyword_only: bool) -> None:
        value = statement.value
        default = None if value is None else value_text(value)
        if isinstance(value, ast.Call) and last_name(value.func) == "field":
            given = {keyword.arg: keyword.value for keyword in value.keywords}
            if _keyword(value, "init") is False:
                self.by_name.pop(name, None)
                return
            keyword_only = _keyword(value, "kw_only") is True or keyword_only
            default = value_text(given["default"]) if "default" in given else None
            if "default_factory" in given:
                default = ANY_DEFAULT
        kind = "keyword" if keyword_only else "plain"
        self.by_name[name] = Parameter(name, kind, annotation_text(statement.annotation), default)


def instance_attributes(node: ast.ClassDef) -> Iterator[tuple[str, str | None, bool]]:
    """The attributes that methods set, those of `__init__` first.

    The bodies of the methods are cut to what binds something, as a `Module` has them. Each attribute with its
    type, None if that is not known, and whether the type is that of a parameter that it gets, which may have
    changed on the way.
    """
    methods = [
        statement for statement in node.body if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for method in sorted(methods, key=lambda statement: statement.name != "__init__"):
        arguments = [*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs]
        if not arguments or "staticmethod" in decorator_names(method):
            continue
        given = arguments if method.name == "__init__" else ()
        types = {argument.arg: annotation_text(argument.annotation) for argument in given}
        for inner in method.body:
            annotation: str | None = None
            targets: list[ast.expr]
            match inner:
                case ast.AnnAssign(target=target):
                    annotation, targets = annotation_text(inner.annotation), [target]
                case ast.Assign(targets=targets, value=value):
                    annotation = types.get(value.id) if isinstance(value, ast.Name) else None
                case ast.For(target=target) | ast.AsyncFor(target=target):
                    targets = [target]
                case ast.withitem(optional_vars=ast.expr() as target):
                    targets = [target]
                case _:
                    continue
            for target in targets:
                known = annotation if isinstance(target, ast.Attribute) else None
                for name in _attributes(target, arguments[0].arg):
                    yield name, known, not isinstance(inner, ast.AnnAssign)


def _is_dataclass(node: ast.ClassDef) -> bool:
    """Whether `@dataclass` writes the class's constructor."""
    return any(
        last_name(decorator.func if isinstance(decorator, ast.Call) else decorator) == "dataclass"
        and _keyword(decorator, "init") is not False
        for decorator in node.decorator_list
    )


def _is_named_tuple(node: ast.ClassDef) -> bool:
    """Whether the class is a `NamedTuple` in the form of a class."""
    return any(last_name(base) == "NamedTuple" for base in node.bases)


def _attributes(target: ast.expr, owner: str) -> Iterator[str]:
    """The attributes of `owner` that an assignment to a target sets."""
    waiting = [target]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Tuple | ast.List):
            waiting.extend(node.elts)
        elif isinstance(node, ast.Starred):
            waiting.append(node.value)
        elif isinstance(node, ast.Attribute) and last_name(node.value) == owner:
            yield node.attr


def _keyword(node: ast.expr, name: str) -> object:
    """The constant that a call gives to a keyword; None if there is none."""
    for given in node.keywords if isinstance(node, ast.Call) else ():
        if given.arg == name and isinstance(given.value, ast.Constant):
            return given.value.value
    return None
