"""What prompts say of Python: to an engineer its symbols, to a planner commands, packages and tests, too."""

from typing import Final

SYMBOLS: Final = """\
`pkg.module:Class.method(…)` is `method` of `Class` in the module `pkg.module`; `pkg.module:Name` alone is a \
class or another name; `Class.__init__` may be the one that a dataclass gets. What binds is the name, the \
order, names, annotations and defaults of the parameters, the result, `async`, property, class method or \
static method; `...` as a default stands for any default."""

WORDS: Final = """\
Python. Symbols are written so:

| symbol | how it is written |
|---|---|
| function | `pkg.module:name(a: int, *, b: bool = False) -> list[str]` |
| coroutine function | `async pkg.module:name() -> None` |
| class, exception, type alias | `pkg.module:Name` |
| constant, attribute | `pkg.module:NAME: int`, `pkg.module:Class.field: int` |
| method | `pkg.module:Class.method(self, x: int) -> str` |
| how an object is made | `pkg.module:Class.__init__(self, x: int) -> None`, also for a dataclass |
| property, class method, static method | `@property pkg.module:Class.size(self) -> int`, `@classmethod \
pkg.module:Class.parse(cls, text: str) -> Class`, `@staticmethod pkg.module:Class.check(text: str) -> \
bool` |

- The module is one of the work order's `allowed_files`: `tally.counting` is `tally/counting.py`, or \
`tally/counting/__init__.py`. A name that `tally/__init__.py` imports from there is `tally:name`, too, \
which the work order that writes `tally/__init__.py` provides beside it, without a signature.
- A class and what is used of it are symbols of their own: the class, its `__init__` if others make \
objects, each method and attribute that others use.

- Prefer `python -m pytest -q tests/test_something.py`. Write `python -m pytest`, never `pytest` alone: \
with `python -m`, the root of the repository can be imported from.
- For one small fact, `python -c "…"` with an `assert` or an import. The code must be valid Python on one \
line: no `with`, `for`, `if`, `try` or `def` statement after a semicolon (a comprehension is fine). What \
needs more is a test file.

**Packages stand at the root** (`tally/counting.py`, not `src/tally/counting.py`), so that commands and \
tests import them without installation and without `PYTHONPATH`. If the specification or the repository \
demands a `src` directory, the first work order also writes a `conftest.py` at the root which puts `src` \
at the front of `sys.path`, and all checks of such code are pytest tests.

**Test files** are `tests/test_NAME.py`; each NAME is used once in the whole repository. Tests import the \
package as a user would. A test that starts a program uses `sys.executable` and `-m`, and gives a time \
limit. Tests that write files use `tmp_path`. What several test files need, such as a function that starts\
 the program, stands in `tests/conftest.py` as a fixture, made by the first work order whose tests use it."""
