"""Which files, modules and tests of the repository a command needs. Looks at its words only, at no disk."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from factory.languages.typescript.grammar import SUFFIXES
from factory.plans.commands.interpreters import is_python, is_shell, python_run, shell_run
from factory.plans.commands.node_code import evaluated, imported_files
from factory.plans.commands.programs import Invocation, Reading

_SCRIPT_INTERPRETERS: Final = frozenset({"node", "perl", "php", "ruby", "Rscript", "lua"})
_NODE_VALUES: Final = frozenset({
    "--conditions", "--env-file", "--experimental-loader", "--import", "--loader", "--require",
    "--test-concurrency", "--test-name-pattern", "--test-reporter", "--test-reporter-destination",
    "--test-skip-pattern", "--test-timeout", "-C", "-r",
})  # fmt: skip
_RUNNERS_OF_TESTS: Final = frozenset({"ava", "jest", "mocha", "npx", "vitest"})
_TEST_FILE: Final = re.compile(r"[\w@./-]+\.(?:spec|test)\.[cm]?[jt]sx?")
_SOURCE: Final = frozenset({".", "source"})
_PYTEST_VALUES: Final = frozenset(
    {"-k", "-m", "-p", "-c", "-o", "-n", "-W", "--ignore", "--deselect", "--rootdir"}
)
_UNITTEST_VALUES: Final = frozenset({"-k", "-p", "--pattern", "-t", "--top-level-directory"})
_ROOTS: Final = ("", "src")


@dataclass(frozen=True)
class Module:
    """A module that a command needs, of Python or of JavaScript.

    Attributes:
        name: its dotted name; of JavaScript its path as code imports it, with `./` in front.
        runs: whether it is run (`-m`), which a package without `__main__` can't be.
        roots: the directories it is looked for in.
    """

    name: str
    runs: bool
    roots: tuple[str, ...]

    def files(self) -> Iterator[str]:
        """The paths any of which is the module; for an import also the directory of a namespace package."""
        if self.name.startswith("./"):
            yield from imported_files(self.name)
            return
        for base in self._bases(self.name):
            yield f"{base}.py"
            yield f"{base}/__main__.py" if self.runs else base

    def packages(self) -> Iterator[str]:
        """The files that run on the way when the module is loaded, where they exist."""
        parts = self.name.split(".") if not self.name.startswith("./") else []
        for count in range(1, len(parts) + 1):
            for base in self._bases(".".join(parts[:count])):
                yield f"{base}/__init__.py"

    def _bases(self, name: str) -> Iterator[str]:
        path = name.replace(".", "/")
        for root in self.roots:
            yield f"{root}/{path}" if root else path


@dataclass(frozen=True)
class Needs:
    """What a command needs.

    Attributes:
        scripts: files that must be there for a program in the command to start.
        modules: modules that must be there.
        loose_modules: names that may be modules.
        mentions: words and texts that may name a file or a directory.
        suites: directories whose tests the command runs, `""` for all tests.
    """

    scripts: tuple[str, ...]
    modules: tuple[Module, ...]
    loose_modules: tuple[Module, ...]
    mentions: tuple[str, ...]
    suites: tuple[str, ...]


def command_needs(reading: Reading) -> Needs:
    """What the programs of a command need."""
    scripts: list[str] = []
    modules: list[Module] = []
    loose: list[Module] = []
    mentions: list[str] = []
    suites: list[str] = []
    for invocation in reading.invocations:
        scripts.extend(_scripts(invocation))
        modules.extend(_modules(invocation))
        loose.extend(_loose_modules(invocation))
        mentions.extend(_mentions(invocation))
        suites.extend(_suites(invocation))
    return Needs(
        scripts=_unique(scripts),
        modules=tuple(dict.fromkeys(modules)),
        loose_modules=tuple(dict.fromkeys(loose)),
        mentions=_unique(mentions),
        suites=tuple(dict.fromkeys(suites)),
    )


def started_scripts(invocation: Invocation) -> tuple[str, ...]:
    """The files that this program runs as a program, as paths of the repository or absolute ones."""
    if is_shell(invocation.name):
        shell = shell_run(invocation.arguments)
        return _paths(invocation, shell.script if shell.executes else None)
    if is_python(invocation.name):
        run = python_run(invocation.arguments)
        return _paths(invocation, run.target if run.kind == "script" else None)
    if invocation.name in _SOURCE:
        return _paths(invocation, invocation.arguments[0] if invocation.arguments else None)
    if invocation.name == "node":
        return tuple(invocation.path(path) for path in _given_to_node(invocation.arguments))
    if invocation.name in _SCRIPT_INTERPRETERS:
        first = invocation.arguments[0] if invocation.arguments else "-"
        return _paths(invocation, None if first.startswith("-") else first)
    return _paths(invocation, invocation.program if "/" in invocation.program else None)


def _scripts(invocation: Invocation) -> Iterator[str]:
    yield from started_scripts(invocation)
    if invocation.name == "pytest":
        for path in _arguments(invocation, _PYTEST_VALUES):
            if path.endswith(".py"):
                yield invocation.path(path)
    elif invocation.name in _RUNNERS_OF_TESTS:
        yield from (invocation.path(path) for path in invocation.arguments if _TEST_FILE.fullmatch(path))


def _given_to_node(arguments: tuple[str, ...]) -> list[str]:
    """The file that Node runs or checks, or those whose tests it runs."""
    if evaluated(arguments) is not None:
        return []
    plain = [
        argument
        for before, argument in zip(("", *arguments), arguments, strict=False)
        if not argument.startswith("-") and before not in _NODE_VALUES
    ]
    if "--test" not in arguments:
        return plain[:1]
    # A pattern is for Node itself, and how it takes a directory differs between its versions.
    return [path for path in plain if path.endswith(SUFFIXES) and not set(path) & set("*?[{")]


def _modules(invocation: Invocation) -> Iterator[Module]:
    roots = _roots(invocation)
    if is_python(invocation.name):
        run = python_run(invocation.arguments)
        if run.kind == "module" and _is_dotted(run.target):
            yield Module(run.target, True, roots)
    if invocation.name == "unittest":
        for argument in _arguments(invocation, _UNITTEST_VALUES):
            # Behind the module may come a class, by its first letter, and a method.
            names = list(takewhile(lambda name: not name[:1].isupper(), argument.split(".")))
            if argument.startswith("test") and _is_dotted(argument) and names:
                yield Module(".".join(names), False, roots)
    for name in invocation.code.imports if invocation.code else ():
        yield Module(name, False, roots)


def _loose_modules(invocation: Invocation) -> Iterator[Module]:
    names = list(invocation.code.attributes) if invocation.code else []
    if invocation.name == "unittest":
        # A name may go on into a class and a method, so each beginning of it may be the module.
        for argument in invocation.arguments:
            parts = argument.split(".") if _is_dotted(argument) else []
            names.extend(".".join(parts[:count]) for count in range(1, len(parts) + 1))
    roots = _roots(invocation)
    yield from (Module(name, False, roots) for name in names)


def _roots(invocation: Invocation) -> tuple[str, ...]:
    added = [*invocation.python_path, *(invocation.code.search_path if invocation.code else ())]
    roots = [invocation.path(root) for root in ("", *_ROOTS, *added)]
    return tuple(dict.fromkeys([*(root for root in roots if _is_inside(root)), *_ROOTS]))


def _mentions(invocation: Invocation) -> Iterator[str]:
    for argument in invocation.arguments:
        text = argument.partition("=")[2] if argument.startswith("-") else argument
        if text:
            yield invocation.path(text.partition("::")[0])
    for text in invocation.code.texts if invocation.code else ():
        if text:
            yield invocation.path(text)


def _suites(invocation: Invocation) -> Iterator[str]:
    if invocation.name == "pytest":
        named = [path for path in _arguments(invocation, _PYTEST_VALUES) if not path.endswith(".py")]
        if named:
            yield from (invocation.path(path) for path in named)
        elif not any(".py" in argument for argument in invocation.arguments):
            yield invocation.directory
    elif invocation.name == "unittest":
        arguments = _arguments(invocation, _UNITTEST_VALUES)
        if not arguments or arguments[0] == "discover":
            named = [argument for argument in arguments[1:] if not argument.startswith("-")]
            yield invocation.path(named[0]) if named else invocation.directory


def _arguments(invocation: Invocation, with_value: frozenset[str]) -> list[str]:
    """The arguments that are not options nor their values; of a test's address, the file."""
    result: list[str] = []
    is_value = False
    for argument in invocation.arguments:
        if is_value:
            is_value = False
        elif argument.startswith("-"):
            is_value = argument in with_value
        else:
            result.append(argument.partition("::")[0])
    return result


def _paths(invocation: Invocation, text: str | None) -> tuple[str, ...]:
    return (invocation.path(text),) if text else ()


def _unique(paths: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in paths if path))


def _is_inside(path: str) -> bool:
    return not path.startswith(("/", "../")) and path != ".."


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def is_test_file(path: str) -> bool:
    """Whether pytest or unittest would collect the file, or load it for those that they collect."""
    name = posixpath.basename(path)
    return name == "conftest.py" or (
        name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))
    )
