"""Which tests a file defines, as pytest would collect them."""

import ast
from typing import Final

from factory.languages.python.symbols.annotation import last_name
from factory.languages.python.symbols.module import parse_module
from factory.languages.python.symbols.scope import class_scope
from factory.plans.commands.tests import NamedTest

_PLAIN_BASES: Final = frozenset({"IsolatedAsyncioTestCase", "TestCase", "object"})
"""Base classes that bring no tests."""


def may_define(test: NamedTest, data: bytes) -> bool:
    """Whether a file with these bytes defines a test, or may get it in a way that does not show."""
    module = parse_module("", "", test.path, data)
    scope = module.scope
    if module.problem:
        return True
    for depth, name in enumerate(test.names, start=1):
        bound = scope.names.get(name)
        if bound is None:
            # Parameters may be written into the name of a test.
            return bool(scope.stars) or any(name.startswith(f"{known}_") for known in scope.names)
        (binding,) = bound if len(bound) == 1 else (None,)
        if depth == len(test.names) or not isinstance(binding, ast.ClassDef):
            return True
        if any(last_name(base) not in _PLAIN_BASES for base in binding.bases):
            return True
        scope = class_scope(binding, "")
    return True
