"""Signatures of Python functions, and whether one is what another promised.

Where they come from, a plan or a source file, is in `written` and `sources`; how their types are normalised,
in `annotation`.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from factory.languages.python.symbols.annotation import annotation_text, value_text

ANY_DEFAULT: Final = "..."
"""The default value that stands for every other."""

_ASYNC_ITERATORS: Final = frozenset({"AsyncGenerator", "AsyncIterable", "AsyncIterator"})

KINDS: Final = ("positional", "plain", "star", "keyword", "double_star")
"""How an argument may be given: by position only, either way, `*rest`, by keyword only, `**rest`."""


@dataclass(frozen=True)
class Parameter:
    """A parameter.

    Attributes:
        name: its name.
        kind: one of `KINDS`.
        annotation: its normalised type; None if it has none.
        default: the text of its default value; None if it has none.
    """

    name: str
    kind: str
    annotation: str | None = None
    default: str | None = None

    def text(self) -> str:
        """The parameter as it is written in a list of parameters."""
        stars = {"star": "*", "double_star": "**"}.get(self.kind, "")
        typed = f": {self.annotation}" if self.annotation is not None else ""
        if self.default is None:
            return f"{stars}{self.name}{typed}"
        return f"{stars}{self.name}{typed}{' = ' if typed else '='}{self.default}"

    def keeps(self, promised: "Parameter") -> bool:
        """Whether this is what was promised; an annotation that the promise leaves out is open."""
        return (
            (self.name, self.kind) == (promised.name, promised.kind)
            and promised.annotation in (None, self.annotation)
            and _same_default(self.default, promised.default)
        )

    def filling(self, promised: "Parameter") -> "Parameter":
        """What was promised, with what it leaves open as it is here; this keeps it."""
        default = self.default if promised.default == ANY_DEFAULT else promised.default
        return replace(promised, annotation=promised.annotation or self.annotation, default=default)


@dataclass(frozen=True)
class Signature:
    """Parameters and result of a function.

    Attributes:
        parameters: in order.
        returns: the normalised type of the result; None if it is not annotated.
        is_async: whether it is a coroutine function.
    """

    parameters: tuple[Parameter, ...]
    returns: str | None = None
    is_async: bool = False

    def text(self) -> str:
        """The signature as it stands between the name and the colon of a `def`."""
        parts: list[str] = []
        for index, parameter in enumerate(self.parameters):
            before = self.parameters[index - 1].kind if index else ""
            if before == "positional" and parameter.kind != "positional":
                parts.append("/")
            if parameter.kind == "keyword" and before not in ("keyword", "star"):
                parts.append("*")
            parts.append(parameter.text())
        if self.parameters and self.parameters[-1].kind == "positional":
            parts.append("/")
        returned = f" -> {self.returns}" if self.returns is not None else ""
        return f"({', '.join(parts)}){returned}"

    def keeps(self, promised: "Signature") -> bool:
        """Whether this is what was promised; an annotation that the promise leaves out is open."""
        return (
            # A generator of that kind is defined with `async`, and called without waiting.
            (self.is_async == promised.is_async or _head(self.returns) in _ASYNC_ITERATORS)
            and len(self.parameters) == len(promised.parameters)
            and promised.returns in (None, self.returns)
            and all(
                mine.keeps(theirs) for mine, theirs in zip(self.parameters, promised.parameters, strict=True)
            )
        )

    def filling(self, promised: "Signature") -> "Signature":
        """What was promised, with what it leaves open as it is here; this keeps it."""
        pairs = zip(self.parameters, promised.parameters, strict=True)
        return replace(
            promised,
            parameters=tuple(mine.filling(theirs) for mine, theirs in pairs),
            returns=promised.returns or self.returns,
        )


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Signature:
    """The signature of a function definition."""
    if isinstance(node, ast.Lambda):
        return Signature(tuple(_parameters(node.args)))
    returns = annotation_text(node.returns)
    if node.name == "__init__" and returns is None:
        returns = "None"
    return Signature(tuple(_parameters(node.args)), returns, isinstance(node, ast.AsyncFunctionDef))


def _head(annotation: str | None) -> str:
    return (annotation or "").partition("[")[0]


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    plain = [*arguments.posonlyargs, *arguments.args]
    missing = len(plain) - len(arguments.defaults)
    for index, argument in enumerate(plain):
        default = arguments.defaults[index - missing] if index >= missing else None
        yield _parameter(argument, "positional" if index < len(arguments.posonlyargs) else "plain", default)
    if arguments.vararg is not None:
        yield _parameter(arguments.vararg, "star", None)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, "keyword", default)
    if arguments.kwarg is not None:
        yield _parameter(arguments.kwarg, "double_star", None)


def _parameter(argument: ast.arg, kind: str, default: ast.expr | None) -> Parameter:
    written = None if default is None else value_text(default)
    return Parameter(argument.arg, kind, annotation_text(argument.annotation), written)


def _same_default(mine: str | None, promised: str | None) -> bool:
    if mine is None or promised is None:
        return mine is promised
    return ANY_DEFAULT in (mine, promised) or mine == promised
