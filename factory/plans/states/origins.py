"""Where the names that modules hand on are defined, and of what type the results of functions are."""

import re
from dataclasses import dataclass
from typing import Final

from factory.languages.port import Address, Symbol
from factory.languages.python.symbols.shapes import Function
from factory.languages.python.symbols.symbol import Symbol as PythonSymbol
from factory.languages.trees.declared import Declared
from factory.plans.states.symbols import Interfaces

_PLAIN: Final = re.compile(
    r"(bool|bytes|float|int|str|boolean|number|string)|(dict|list|set|tuple)\[[^|]*\]|(Array)<[^|]*>"
)
"""A type of the language; one of several that a result may have is none."""

_CLASS: Final = re.compile(r"([A-Z]\w*)(?: \| None)?")
_ELEMENTS: Final = re.compile(
    r"(?:list|set|frozenset|Collection|Iterable|Iterator|Sequence)\[(\w+)\]"
    r"|tuple\[(\w+), \.\.\.\]|Generator\[(\w+), .*\]|Array<(\w+)>"
)
"""The type of a result, as a class of the product, or as many of one."""

# fmt: off
_OF_STRINGS: Final = frozenset(
    {
        "anchor", "at", "charAt", "charCodeAt", "codePointAt", "concat", "constructor", "endsWith",
        "includes", "indexOf", "isWellFormed", "lastIndexOf", "length", "localeCompare", "match",
        "matchAll", "normalize", "padEnd", "padStart", "repeat", "replace", "replaceAll", "search",
        "slice", "split", "startsWith", "substr", "substring", "toLocaleLowerCase", "toLocaleUpperCase",
        "toLowerCase", "toString", "toUpperCase", "toWellFormed", "trim", "trimEnd", "trimLeft",
        "trimRight", "trimStart", "valueOf",
    }
)
_OF_ARRAYS: Final = frozenset(
    {
        "at", "concat", "constructor", "copyWithin", "entries", "every", "fill", "filter", "find",
        "findIndex", "findLast", "findLastIndex", "flat", "flatMap", "forEach", "includes", "indexOf",
        "join", "keys", "lastIndexOf", "length", "map", "pop", "push", "reduce", "reduceRight",
        "reverse", "shift", "slice", "some", "sort", "splice", "toLocaleString", "toReversed",
        "toSorted", "toSpliced", "toString", "unshift", "values", "with",
    }
)
# fmt: on
_PYTHON_TYPES: Final = (bool, bytes, dict, float, int, list, set, str, tuple)
_OF_BUILT_IN: Final = {
    **{kind.__name__: frozenset(dir(kind)) for kind in _PYTHON_TYPES},
    # As JavaScript is read: `length` and `includes` are none of their members then.
    "boolean": frozenset({"constructor", "toString", "valueOf"}),
    "number": frozenset(
        {"constructor", "toExponential", "toFixed", "toLocaleString", "toPrecision", "toString", "valueOf"}
    ),
    "string": _OF_STRINGS,
    "Array": _OF_ARRAYS,
}
"""The members of types that languages have by themselves."""


@dataclass(frozen=True)
class Made:
    """What a function gives, or the elements of that.

    Attributes:
        name: the name of its class, or of a type of the language itself.
        module: the module of the class; empty for a type of the language.
    """

    name: str
    module: str = ""

    def lacks(self, member: str) -> bool:
        """Whether it is of a type of the language that has no such member."""
        return not self.module and member not in _OF_BUILT_IN[self.name]


class Origins:
    """Where what a plan's modules offer comes from.

    Args:
        interfaces: the symbols that its work orders declare.
    """

    def __init__(self, interfaces: Interfaces) -> None:
        self._interfaces = interfaces

    def told_at(self, address: Address, index: int) -> Symbol | None:
        """What the last work order up to `index` says is at an address; None for no more than its name."""
        provider = self._interfaces.provider(address, index + 1, index)
        symbol = provider.symbol if provider is not None else None
        return symbol if symbol is not None and not symbol.is_bare else None

    def of(self, module: str, name: str, index: int) -> str:
        """The module in which a name is defined that another only hands on, if there is just one."""
        provider = self._interfaces.provider(Address(module, name), index + 1, index)
        symbol = provider.symbol if provider is not None else None
        defining = self._defining(name, index)
        # Of a class that is handed on, the name alone is said, too.
        if symbol is not None and (symbol.text != symbol.address or module in defining):
            return module
        origins = self._interfaces.origins(Address(module, name), index)
        if origins:
            return origins[-1].partition(":")[0]
        below = [inner for inner in defining if symbol is not None or inner.startswith(f"{module}.")]
        return below[0] if len(below) == 1 else module

    def result(self, module: str, name: str, index: int, *, of_element: bool) -> Made | None:
        """What a function gives, or gives many of; None if that can't be told."""
        module = self.of(module, name, index)
        returned = self._returned(Address(module, name), index)
        found = (_ELEMENTS if of_element else _CLASS).fullmatch(returned)
        kind = next(filter(None, found.groups())) if found is not None else ""
        plain = _PLAIN.fullmatch(kind or returned)
        if plain is not None and (kind or not of_element):
            return Made(next(filter(None, plain.groups())))
        if not kind[:1].isupper():
            return None
        providing = self._defining(kind, index)
        if module in providing or self._interfaces.in_repository(Address(module, kind), index).symbols:
            return Made(kind, module)
        return Made(kind, next(iter(providing))) if len(providing) == 1 else None

    def _returned(self, address: Address, index: int) -> str:
        """The type of what a function gives, as it is written; empty if that can't be told."""
        symbol = self.told_at(address, index)
        if symbol is None:
            known = self._interfaces.in_repository(address, index).symbols
            symbol = known[0] if len(known) == 1 else None
        if isinstance(symbol, PythonSymbol) and isinstance(symbol.shape, Function):
            return (symbol.shape.signature.returns or "").replace("'", "").replace('"', "")
        if isinstance(symbol, Declared) and symbol.is_callable:
            # Who asks has waited for it.
            return re.sub(r"^Promise<(.*)>$", r"\1", symbol.result)
        return ""

    def _defining(self, name: str, index: int) -> frozenset[str]:
        """The modules that provide a name; of a class those that tell its members, if any does."""
        providing = self._interfaces.modules_of(name, index)
        whole = [
            module
            for module in providing
            if self._interfaces.members(Address(module, name), index + 1, index)
        ]
        return frozenset(whole) or providing
