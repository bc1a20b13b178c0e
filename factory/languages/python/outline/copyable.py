"""Whether the written form of a symbol can be copied into a plan: it can be read back, and means the same."""

import re
from collections.abc import Sequence
from typing import Final

from factory.languages.port import BadSymbol
from factory.languages.python.symbols.shapes import Function, Value
from factory.languages.python.symbols.signature import Parameter, Signature
from factory.languages.python.symbols.symbol import Symbol
from factory.languages.python.symbols.written import CAP_WORDS, FIRST, parse_symbol

_SHORT: Final = 140
"""How many characters behind a name can't hold more nodes than are read."""

_ADDRESS: Final = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")
_TYPE: Final = re.compile(r"\[*\w+(?:(?:\[+|\]*, \[*|\]* \| \[*)\w+)*\]*")
_DEFAULT: Final = re.compile(r"-?\w+|-?\d+\.\d+|'[\w ,.:/-]*'|\.\.\.|\(\)|\[\]|\{\}")


def is_copyable(symbol: Symbol) -> bool:
    """Whether the written form can be read back, and means the same."""
    if _is_plain(symbol):
        return True
    try:
        return symbol.keeps(parse_symbol(symbol.text))
    except BadSymbol:
        return False


def _is_plain(symbol: Symbol) -> bool:
    """Whether nothing in a symbol can be misread: most are, and reading takes long."""
    scope, _, last = symbol.name.rpartition(".")
    if _ADDRESS.fullmatch(symbol.address) is None or len(symbol.address) > _SHORT:
        return False
    match symbol.shape:
        case Function(signature, binding):
            first = signature.parameters[0].name if signature.parameters else ""
            is_kind = first in FIRST or binding == "staticmethod" if scope else not binding
            # Without a result, a constructor is read as one that has none.
            is_said = last != "__init__" or signature.returns is not None
            is_function = scope != "" or CAP_WORDS.match(last) is None
            return is_kind and is_said and is_function and _is_plain_signature(signature)
        case Value(kind, is_property):
            return _is_plain_type(kind) and len(kind or "") <= _SHORT and (scope != "" or not is_property)
        case _:
            return False


def _is_plain_signature(signature: Signature) -> bool:
    listed = signature.parameters
    return (
        _is_plain_type(signature.returns)
        and all(_is_plain_type(each.annotation) for each in listed)
        and all(each.default is None or _DEFAULT.fullmatch(each.default) is not None for each in listed)
        and _is_in_order(listed)
        and len(signature.text()) <= _SHORT
    )


def _is_plain_type(written: str | None) -> bool:
    return written is None or _TYPE.fullmatch(written) is not None


def _is_in_order(parameters: Sequence[Parameter]) -> bool:
    """Whether no parameter without a default follows one that has one, as in what fields generate."""
    given = [each.default is not None for each in parameters if each.kind in ("positional", "plain")]
    return given == sorted(given)
