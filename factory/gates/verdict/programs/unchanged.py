"""Remembers what decides how a test ends, before any code of the project runs, and names what it replaced."""

import builtins
import math  # noqa: F401
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
        name: sys.modules[name] for name in ("builtins", "math", *_PYTEST, *_UNITTEST) if name in sys.modules
    }
    before = {name: dict(_parts(name, module)) for name, module in modules.items()}

    def replaced() -> "list[str]":
        names = []
        for module, parts in before.items():
            if sys.modules.get(module) is not modules[module]:
                names.append(module)
                continue
            now = dict(_parts(module, modules[module]))
            for name, (value, code) in parts.items():
                other, other_code = now.get(name, (None, None))
                if (other is not value or other_code is not code) and not _is_installed(other):
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
        if part in _FREE or not callable(value):
            continue
        yield f"{name}.{part}", (value, _code(value))
        if isinstance(value, type) and value.__module__ == name and module is not builtins:
            for inner, held in list(vars(value).items()):
                if inner not in _FREE and (callable(held) or hasattr(held, "__get__")):
                    yield f"{name}.{part}.{inner}", (held, _code(held))


def _code(value: object) -> object:
    return getattr(getattr(value, "__func__", value), "__code__", None)


def _is_installed(value: object) -> bool:
    """Whether it is a function of an installed plugin, which may change its runner."""
    file = getattr(_code(value), "co_filename", "")
    inside = os.path.relpath(os.path.realpath(file), os.path.realpath(os.getcwd())) if file else ".."
    return os.path.isfile(file) and (inside.startswith("..") or "site-packages" in inside.split(os.sep))
