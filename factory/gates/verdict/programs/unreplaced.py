"""Compares the tests that ran with what stood in their files before any code of the project could run.

Only of files that the command names, and only of tests that are plainly defined there: by one `def`, without
decorators but pytest's marks, in the module or in a class of it.
"""

import ast
import os
import types
from typing import Any

import _pytest.assertion.rewrite as pytest_rewrite

_LARGEST_SOURCE = 4_000_000
_REWRITE = pytest_rewrite.rewrite_asserts


class Sources:
    """What stood in the files that a command names."""

    def __init__(self, words: "list[str]") -> None:
        self._texts: dict[str, bytes] = {}
        self._codes: dict[str, list[dict[tuple[str, ...], Any]]] = {}
        for word in words:
            place = os.path.realpath(word.partition("::")[0])
            if place.endswith(".py") and os.path.isfile(place) and os.path.getsize(place) < _LARGEST_SOURCE:
                with open(place, "rb") as file:
                    self._texts[place] = file.read()

    def uncollected(self, word: str, items: "list[Any]") -> int:
        """How many tests that are plainly defined in a file that the command names pytest did not come to.

        Nothing is said of a file of which it took no test at all: it may be skipped as a whole.
        """
        place = os.path.realpath(word)
        collected = {_names_of(item) for item in items if os.path.realpath(str(item.path)) == place}
        if not collected or place not in self._texts:
            return 0
        return len(_plain_tests(self._texts[place]) - collected)

    def differ(self, item: Any) -> bool:
        """Whether what just ran as a test is not what its file says."""
        path = item.nodeid.partition("::")[0]
        place = os.path.realpath(os.path.join(str(item.config.rootpath), path))
        if place not in self._texts:
            return False
        if place not in self._codes:
            self._codes[place] = _plain_codes(self._texts[place], place, item.config)
        parts = _names_of(item)
        expected = [codes[parts] for codes in self._codes[place] if parts in codes]
        return bool(expected) and _form(_code_of(item)) not in map(_form, expected)


def _names_of(item: Any) -> "tuple[str, ...]":
    """The names that lead to a test in its file, without its parameters."""
    return tuple(item.nodeid.partition("::")[2].partition("[")[0].split("::"))


def _plain_tests(text: bytes) -> "set[tuple[str, ...]]":
    """The paths of what pytest takes for tests unless configured otherwise, as far as plainly defined."""
    try:
        module = ast.parse(text)
    except (RecursionError, SyntaxError, ValueError):
        return set()
    if b"__test__" in text:
        return set()
    classes = {
        node.name: {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        for node in module.body
        if isinstance(node, ast.ClassDef) and not node.bases and not node.keywords
    }
    return {
        path
        for path, count in _definitions(module, ())
        if count == 1 and path[-1].startswith("test") and _is_plain_place(path[:-1], classes)
    }


def _is_plain_place(above: "tuple[str, ...]", classes: "dict[str, set[str]]") -> bool:
    """Whether tests are looked for there: in the module, or in a class of it that is one of tests."""
    if not above:
        return True
    name = above[0]
    made = {"__init__", "__new__"} & classes.get(name, {"__init__"})
    return len(above) == 1 and name.startswith("Test") and not made


def _plain_codes(text: bytes, place: str, config: Any) -> "list[dict[tuple[str, ...], Any]]":
    """The code of each plainly defined test, with its assertions as pytest rewrites them, and as they are."""
    try:
        plain = ast.parse(text, place)
        names = {path for path, count in _definitions(plain, ()) if count == 1}
        rewritten = ast.parse(text, place)
        _REWRITE(rewritten, text, place, config)
        return [_named(compile(tree, place, "exec", dont_inherit=True), names) for tree in (rewritten, plain)]
    except (AttributeError, RecursionError, SyntaxError, TypeError, ValueError):
        # No Python, or a version of pytest that rewrites otherwise.
        return []


def _definitions(body: Any, above: "tuple[str, ...]") -> "list[tuple[tuple[str, ...], int]]":
    """The paths of functions, with how often their name is bound there; 0 if by more than a plain `def`."""
    bound: dict[str, int] = {}
    inner: list[tuple[tuple[str, ...], int]] = []
    for node in body.body:
        plain = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and all(
            map(_is_mark, node.decorator_list)
        )
        if plain:
            bound[node.name] = bound.get(node.name, 0) + 1
        else:
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            names |= {part.name for part in ast.walk(node) if hasattr(part, "name")}
            bound.update(dict.fromkeys((name for name in names if isinstance(name, str)), 2))
            if isinstance(node, ast.ClassDef) and not node.decorator_list:
                inner += _definitions(node, (*above, node.name))
    return [((*above, name), count) for name, count in bound.items()] + inner


def _is_mark(node: ast.expr) -> bool:
    """Whether it is `pytest.mark.NAME`, called or not."""
    mark = node.func if isinstance(node, ast.Call) else node
    above = mark.value if isinstance(mark, ast.Attribute) else None
    return (
        isinstance(above, ast.Attribute)
        and above.attr == "mark"
        and isinstance(above.value, ast.Name)
        and above.value.id == "pytest"
    )


def _named(code: types.CodeType, names: "set[tuple[str, ...]]") -> "dict[tuple[str, ...], types.CodeType]":
    codes: dict[tuple[str, ...], types.CodeType] = {}

    def walk(outer: types.CodeType, above: "tuple[str, ...]") -> None:
        for inner in outer.co_consts:
            if isinstance(inner, types.CodeType):
                path = (*above, inner.co_name)
                if path in names:
                    codes[path] = inner
                elif any(name[: len(path)] == path for name in names):
                    walk(inner, path)

    walk(code, ())
    return codes


def _code_of(item: Any) -> Any:
    function: Any = getattr(item, "obj", None)
    function = getattr(function, "__func__", function)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return getattr(function, "__code__", None)


def _form(code: Any) -> Any:
    """What two codes have in common that do the same, wherever they are."""
    if not isinstance(code, types.CodeType):
        return type(code), code
    return (
        code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags,
        code.co_argcount, code.co_kwonlyargcount, tuple(map(_form, code.co_consts)),
    )  # fmt: skip
