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

A name alone that begins with a capital letter is a class, a type alias, a member of an enumeration or any
other value, never a function. Another name alone may be what a module hands on; see `NameAlone`. What a
promise leaves out, an annotation of a parameter or of the result, is open; everything else is exact: names,
order, kinds and default values of parameters (`...` stands for any default). A property and an attribute of
the same type are one promise, because they are used alike. How types are normalised is in `annotation`; how a
source file is read, in `sources`.
"""

import ast
import keyword
import re
import warnings
from dataclasses import replace
from typing import Final

from factory.languages.port import MAX_SYMBOL_CHARS, BadSymbol, NameAlone
from factory.languages.python.symbols.annotation import annotation_text, is_large
from factory.languages.python.symbols.shapes import Function, Named, Shape, Unknown, Value
from factory.languages.python.symbols.signature import Signature, signature_of
from factory.languages.python.symbols.symbol import Symbol

_HEAD: Final = re.compile(
    r"(?P<decorators>(?:@[\w.]+ +)*)(?P<asynchronous>async +)?"
    r"(?P<module>[^\W\d][\w.]*):(?P<name>[^\W\d][\w.]*)"
)
_BINDINGS: Final = frozenset({"classmethod", "staticmethod"})
FIRST: Final = frozenset({"self", "cls", "mcs"})
"""What a method calls its first parameter."""

_CAPITAL: Final = re.compile(r"_*[A-Z]")
CAP_WORDS: Final = re.compile(r"_*[A-Z]\w*[a-z]")
"""Names of classes, which are no functions."""

_FORMS: Final = (
    "write `pkg.module:name(x: int) -> str`, `pkg.module:Class`, "
    "`pkg.module:Class.method(self, x: int) -> str` or `pkg.module:NAME: int`"
)


def parse_symbol(text: str) -> Symbol:
    """Read the written form of a symbol.

    Raises:
        NameAlone: the text is only the name of one that is no class.
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
        raise NameAlone(
            Symbol(head["module"], name, Unknown()),
            "is a name alone, which stands for a class: a function needs its parameters, a constant its type",
            where=name,
            hint=_FORMS,
        )
    return Named()


def _function(name: str, decorators: tuple[str, ...], rest: str, *, is_async: bool) -> Shape:
    scope, _, last = name.rpartition(".")
    unknown = [decorator for decorator in decorators if decorator not in ("property", *_BINDINGS)]
    if unknown or len(decorators) > 1 or (decorators and not scope):
        is_property = bool(scope) and "property" in decorators[-1]
        raise BadSymbol(
            "has decorators other than one of @property, @classmethod and @staticmethod on a method",
            where=" ".join(f"@{decorator}" for decorator in decorators),
            hint="write @property" if is_property else "leave out those that callers don't see",
        )
    signature = replace(_signature(rest, last), is_async=is_async)
    # What gives something else than itself is a function, whatever it is called.
    if not scope and CAP_WORDS.match(last) and signature.returns in (None, last):
        raise BadSymbol(
            "calls what is named like a class",
            where=name,
            hint=f"write `…:{name}` for the class, and `…:{name}.__init__(self, …) -> None` for its making",
        )
    decorator = decorators[0] if decorators else ""
    first = signature.parameters[0].name if signature.parameters else ""
    if scope and decorator != "staticmethod" and first not in FIRST:
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
