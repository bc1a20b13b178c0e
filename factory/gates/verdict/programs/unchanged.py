"""Remembers what decides how a test ends, before any code of the project runs, and names what it replaced."""

import builtins
import math  # noqa: F401
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_STANDARD_LIBRARY = os.path.dirname(os.path.realpath(os.__file__))
_ONLY_TREE = 0x0400
# Projects may change what opens files.
_OPEN = open

_PYTEST = (
    "_pytest.assertion.rewrite",
    "_pytest.fixtures",
    "_pytest.main",
    "_pytest.nodes",
    "_pytest.outcomes",
    "_pytest.python",
    "_pytest.python_api",
    "_pytest.raises",
    "_pytest.recwarn",
    "_pytest.reports",
    "_pytest.runner",
    "_pytest.skipping",
    "_pytest.unittest",
    "pluggy._callers",
    "pluggy._hooks",
    "pluggy._manager",
    "pytest",
)
_UNITTEST = (
    "unittest.case",
    "unittest.loader",
    "unittest.main",
    "unittest.result",
    "unittest.runner",
    "unittest.suite",
)
# What decides nothing: projects change how tests are described, and what importing and printing does.
# Of what else is remembered: the rest of these modules is changed for good reasons.
_ALONE = {"sys": ("exit",)}
_FREE = frozenset(
    (
        *("__build_class__", "__import__", "breakpoint", "copyright", "credits", "exit", "help", "input"),
        *("license", "open", "print", "quit", "__repr__", "__str__", "countTestCases", "getDescription"),
        *("id", "printErrorList", "printErrors", "shortDescription"),
    )
)


def remember() -> "Callable[[], list[str]]":
    """Remember the functions of the judges that are imported by now, and what is built in.

    Returns:
        What names those that the project has replaced since.
    """
    modules = {
        name: sys.modules[name]
        for name in ("builtins", "math", "sys", *_PYTEST, *_UNITTEST)
        if name in sys.modules
    }
    before = {name: dict(_parts(name, module)) for name, module in modules.items()}
    installed = _installed_places()

    def replaced() -> "list[str]":
        names = []
        for module, parts in before.items():
            if sys.modules.get(module) is not modules[module]:
                names.append(module)
                continue
            now = dict(_parts(module, modules[module]))
            for name, (value, code) in parts.items():
                other, other_code = now.get(name, (None, None))
                if (other is not value or other_code is not code) and not _is_installed(other, installed):
                    names.append(name)
        return names

    return replaced


def ended(replaced: "list[str]") -> bytes:
    """The report of Python code that came to its end."""
    names = ", ".join(f'"{name}"' for name in replaced)
    return f'{{"runner": "python", "ended": true, "patched": [{names}]}}'.encode()


def _parts(name: str, module: types.ModuleType) -> "Iterator[tuple[str, tuple[object, object]]]":
    """The functions and classes of a module, and the functions of its own classes; each with its code."""
    for part, value in list(vars(module).items()):
        if not callable(value) or part not in _ALONE.get(name, (part,) if part not in _FREE else ()):
            continue
        yield f"{name}.{part}", (value, _code(value))
        if isinstance(value, type) and value.__module__ == name and module is not builtins:
            for inner, held in list(vars(value).items()):
                if inner not in _FREE and (callable(held) or hasattr(held, "__get__")):
                    yield f"{name}.{part}.{inner}", (held, _code(held))


def _code(value: object) -> object:
    return getattr(getattr(value, "__func__", value), "__code__", None)


def _installed_places() -> "list[str]":
    """Where packages are installed: on the path before the checkout is, not in it, and not Python's own."""
    checkout = os.path.realpath(os.getcwd())
    places = [os.path.realpath(place) for place in sys.path if place]
    return [
        place
        for place in places
        if _has_packages(place)
        or not (_is_within(place, checkout) or _is_within(place, _STANDARD_LIBRARY) or place.endswith(".zip"))
    ]


def _is_installed(value: object, places: "list[str]") -> bool:
    """Whether it is a function of an installed plugin, which may change its runner.

    Its file is where packages are installed, is none of the judges' own, and has that function.
    """
    code = _code(value)
    file = os.path.realpath(getattr(code, "co_filename", ""))
    place = max((place for place in places if _is_within(file, place)), key=len, default=None)
    if place is None or (_is_within(file, _STANDARD_LIBRARY) and not _has_packages(place)):
        return False
    top = os.path.relpath(file, place).split(os.sep)[0]
    return top not in ("_pytest", "pluggy", "pytest") and _holds(file, code)


def _holds(file: str, code: "Any") -> bool:
    """Whether a file, compiled as it is or as pytest rewrites it, has this code."""
    try:
        with _OPEN(file, "rb") as opened:
            text = opened.read()
        trees = [compile(text, file, "exec", _ONLY_TREE, dont_inherit=True) for _ in range(2)]
        rewrite = getattr(sys.modules.get("_pytest.assertion.rewrite"), "rewrite_asserts", None)
        if rewrite is not None:
            rewrite(trees[1], text, file)
        codes = [compile(tree, file, "exec", dont_inherit=True) for tree in trees]
    except (AttributeError, OSError, RecursionError, SyntaxError, TypeError, ValueError):
        return False
    while codes:
        inner = codes.pop()
        if (inner.co_name, inner.co_firstlineno, inner.co_code) == (
            code.co_name,
            code.co_firstlineno,
            code.co_code,
        ):
            return True
        codes += [constant for constant in inner.co_consts if isinstance(constant, types.CodeType)]
    return False


def _is_within(file: str, place: str) -> bool:
    return file == place or file.startswith(os.path.join(place, ""))


def _has_packages(place: str) -> bool:
    return bool({"site-packages", "dist-packages"} & {*place.split(os.sep)})
