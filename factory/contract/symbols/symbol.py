"""Python symbols as a plan writes them in `provides` and `consumes`.

| symbol | written |
|---|---|
| function | `pkg.module:name(a: int, /, b: str = 'x', *rest: int, c: bool = False) -> list[str]` |
| coroutine function | `async pkg.module:name() -> None` |
| class, type alias | `pkg.module:Name` |
| constant, attribute | `pkg.module:NAME: int`, `pkg.module:Class.field: int` |
| method | `pkg.module:Class.method(self, x: int) -> str` |
| constructor | `pkg.module:Class.__init__(self, x: int) -> None`, also that of a dataclass |
| property | `@property pkg.module:Class.size(self) -> int` |
| class method | `@classmethod pkg.module:Class.parse(cls, text: str) -> Class` |
| static method | `@staticmethod pkg.module:Class.check(text: str) -> bool` |

A name alone is a class, a type alias, a member of an enumeration or any other value, never a function; it
begins with a capital letter. What a promise leaves out, an annotation of a parameter or of the result, is
open; everything else is exact: names, order, kinds and default values of parameters (`...` stands for any
default). A property and an attribute of the same type are one promise, because they are used alike. How
types are normalised is in `signature`; how a source file is read, in `sources`.
"""

import ast
import keyword
import re
import warnings
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from factory.contract.errors import WorkorderError
from factory.contract.symbols.signature import Signature, annotation_text, is_large, signature_of

MAX_SYMBOL_CHARS: Final = 2_000
"""The longest text of a symbol."""

_HEAD: Final = re.compile(
    r"(?P<decorators>(?:@[\w.]+ +)*)(?P<asynchronous>async +)?"
    r"(?P<module>[^\W\d][\w.]*):(?P<name>[^\W\d][\w.]*)"
)
_BINDINGS: Final = frozenset({"classmethod", "staticmethod"})
_BUILTINS: Final = frozenset(
    {"bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"}
)
"""Types of which a value is one or none: no display of a list is a tuple."""

_WIDENED: Final = frozenset({("bool", "int"), ("int", "float"), ("bool", "float"), ("float", "complex")})
_FIRST: Final = frozenset({"self", "cls", "mcs"})
_CAPITAL: Final = re.compile(r"_*[A-Z]")
_CAP_WORDS: Final = re.compile(r"_*[A-Z]\w*[a-z]")
_FORMS: Final = (
    "write `pkg.module:name(x: int) -> str`, `pkg.module:Class`, "
    "`pkg.module:Class.method(self, x: int) -> str` or `pkg.module:NAME: int`"
)


class BadSymbol(WorkorderError):
    """A text that is not a symbol in its written form; `where` holds the text from where it can't be read."""


@dataclass(frozen=True)
class Function:
    """A function or method.

    Attributes:
        signature: as it is written.
        binding: empty, `classmethod` or `staticmethod`.
        manager: the type of context manager that a decorator makes of its result; empty without one.
    """

    signature: Signature
    binding: str = ""
    manager: str = ""


@dataclass(frozen=True)
class Value:
    """A constant, attribute or property.

    Attributes:
        type: its normalised type; None if that is not known.
        is_property: whether a method computes it.
        is_guess: whether the type is not written, but that of a value.
    """

    type: str | None
    is_property: bool = False
    is_guess: bool = False


@dataclass(frozen=True)
class Named:
    """A class, or what is only named."""


@dataclass(frozen=True)
class Unknown:
    """Something that is there, and whose nature reading the source can't tell."""


Shape: TypeAlias = Function | Value | Named | Unknown


@dataclass(frozen=True)
class Symbol:
    """A Python symbol.

    Attributes:
        module: the dotted name of its module.
        name: its name in the module, with those of the classes around it.
        shape: what it is.
    """

    module: str
    name: str
    shape: Shape

    @property
    def address(self) -> str:
        """Where it is: `pkg.module:Class.method`."""
        return f"{self.module}:{self.name}"

    @property
    def text(self) -> str:
        """The canonical written form; `parse_symbol` reads it back, unless the shape is unknown."""
        match self.shape:
            case Function(signature, binding, _):
                decorator = f"@{binding} " if binding else ""
                asynchronous = "async " if signature.is_async else ""
                return f"{decorator}{asynchronous}{self.address}{signature.text()}"
            case Value(annotation, is_property):
                if is_property:
                    returned = f" -> {annotation}" if annotation else ""
                    return f"@property {self.address}(self){returned}"
                return f"{self.address}: {annotation or 'Final'}"
            case _:
                return self.address

    def keeps(self, promised: "Symbol") -> bool:
        """Whether this, which is there, is what was promised."""
        return self.address == promised.address and _keeps(self.shape, promised.shape)

    def filling(self, promised: "Symbol") -> "Symbol":
        """What was promised, with what it leaves open as it is here; this keeps it."""
        return replace(promised, shape=_filling(self.shape, promised.shape))


def parse_symbol(text: str) -> Symbol:
    """Read the written form of a symbol.

    Raises:
        BadSymbol: the text is not one.
    """
    if len(text) > MAX_SYMBOL_CHARS:
        raise BadSymbol(
            f"is longer than {MAX_SYMBOL_CHARS:,} characters", where=text[:40], hint="give the types names"
        )
    if not text.isprintable():
        raise BadSymbol("holds a line break or another control character", where=text[:40], hint=_FORMS)
    written = text.strip()
    head = _HEAD.match(written)
    if head is None:
        raise BadSymbol("does not begin with a module, a colon and a name", where=written[:40], hint=_FORMS)
    module, name = head["module"], head["name"]
    for part in (*module.split("."), *name.split(".")):
        if not part.isidentifier() or keyword.iskeyword(part):
            raise BadSymbol("has a name that Python does not allow", where=part or ".", hint=_FORMS)
    try:
        shape = _shape(name, head, written[head.end() :].strip())
    except RecursionError as error:
        raise BadSymbol("is nested too deeply", where=written[:40], hint="give the types names") from error
    return Symbol(module, name, shape)


def _shape(name: str, head: re.Match[str], rest: str) -> Shape:
    decorators = tuple(head["decorators"].replace("@", "").split())
    if rest.startswith("("):
        return _function(name, decorators, rest, is_async=head["asynchronous"] is not None)
    if decorators or head["asynchronous"]:
        raise BadSymbol("has a decorator or `async` and no parameters", where=rest, hint=_FORMS)
    if rest.startswith(":"):
        return Value(_type(rest[1:].strip()))
    if rest:
        raise BadSymbol("goes on after the name with neither `(` nor `:`", where=rest, hint=_FORMS)
    if not _CAPITAL.match(name.rpartition(".")[2]):
        raise BadSymbol(
            "is a name alone, which stands for a class: a function needs its parameters, a constant its type",
            where=name,
            hint=_FORMS,
        )
    return Named()


def _function(name: str, decorators: tuple[str, ...], rest: str, *, is_async: bool) -> Shape:
    scope, _, last = name.rpartition(".")
    unknown = [one for one in decorators if one not in ("property", *_BINDINGS)]
    if unknown or len(decorators) > 1 or (decorators and not scope):
        is_property = bool(scope) and "property" in decorators[-1]
        raise BadSymbol(
            "has decorators other than one of @property, @classmethod and @staticmethod on a method",
            where=" ".join(f"@{one}" for one in decorators),
            hint="write @property" if is_property else "leave out those that callers don't see",
        )
    if not scope and _CAP_WORDS.match(last):
        raise BadSymbol(
            "calls what is named like a class",
            where=name,
            hint=f"write `…:{name}` for the class, and `…:{name}.__init__(self, …) -> None` for its making",
        )
    signature = replace(_signature(rest, last), is_async=is_async)
    decorator = decorators[0] if decorators else ""
    first = signature.parameters[0].name if signature.parameters else ""
    if scope and decorator != "staticmethod" and first not in _FIRST:
        raise BadSymbol(
            "is a method whose first parameter is neither self nor cls",
            where=rest,
            hint="write self, or begin with @staticmethod",
        )
    if decorator == "property":
        return Value(signature.returns, is_property=True)
    return Function(signature, decorator)


def _signature(rest: str, name: str) -> Signature:
    code = f"def {name if name == '__init__' else '_'}{rest}: pass"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadSymbol(
            "has parameters or a result that are not valid Python", where=rest, hint=_FORMS
        ) from error
    # Anything behind the signature would be another statement, or would end the line early.
    if (
        len(body) != 1
        or not isinstance(body[0], ast.FunctionDef)
        or len(body[0].body) != 1
        or not isinstance(body[0].body[0], ast.Pass)
        or body[0].end_col_offset != len(code.encode("utf-8"))
    ):
        raise BadSymbol("goes on after the signature", where=rest, hint=_FORMS)
    if is_large(body[0]):
        raise BadSymbol("has a signature that is too large", where=rest[:40], hint="give the types names")
    return signature_of(body[0])


def _type(text: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        hint = "leave out the value" if "=" in text else _FORMS
        raise BadSymbol("has a type that is not valid Python", where=text, hint=hint) from error
    if is_large(node):
        raise BadSymbol("has a type that is too large", where=text[:40], hint="give it a name")
    return annotation_text(node)


def _keeps(found: Shape, promised: Shape) -> bool:
    match found, promised:
        case Unknown(), _:
            return True
        case Function(mine, binding, manager), Function(theirs, promised_binding):
            if manager and (theirs.returns or "").partition("[")[0] == manager:
                # What callers get, instead of what is written above the `yield`.
                theirs = replace(theirs, returns=mine.returns, is_async=mine.is_async)
            return binding == promised_binding and mine.keeps(theirs)
        case Value(mine_type, _, is_guess), Value(their_type):
            if is_guess:
                promised_type = _builtin(their_type)
                # `LIMIT = None` may well be the value of `LIMIT: int | None`.
                is_told = mine_type in _BUILTINS and promised_type in _BUILTINS
                return not is_told or promised_type == mine_type or (mine_type, promised_type) in _WIDENED
            return mine_type is None or their_type in (None, mine_type)
        case ((Named() | Value()), Named()):
            return True
        case Named(), Value(their_type):
            # `Alias: type[Base]` is kept by a class.
            return their_type is not None and their_type.partition("[")[0] in ("type", "TypeAlias")
        case _:
            return False


def _builtin(written: str | None) -> str:
    """A type without what it holds, as far as it may be a built-in one; a union is none."""
    name, _, held = (written or "").partition("[")
    return "" if "] | " in held else name


def _filling(found: Shape, promised: Shape) -> Shape:
    """What was promised, with what `found`, which keeps it, says beyond it and callers can rely on."""
    match found, promised:
        case Function(mine, _, manager), Function(theirs):
            known = replace(mine, returns=_managed(mine.returns, manager)) if manager else mine
            return replace(promised, signature=known.filling(theirs))
        case Value(mine_type, is_property, is_guess), Value(None) | Named() if mine_type and not is_guess:
            return Value(mine_type, is_property)
        case _:
            return promised


def _managed(yielded: str | None, manager: str) -> str | None:
    """What callers of a context manager get whose function is annotated with the iterator that it is."""
    try:
        node = ast.parse(yielded or "None", mode="eval").body
    except SyntaxError:
        # What is too large to be read.
        return None
    if not isinstance(node, ast.Subscript):
        return None
    first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    return f"{manager}[{ast.unparse(first)}]"
