"""A command needs a module or script that no one is sure to have made.

## What it finds

An acceptance command that runs a script (`bash scripts/x.sh`, `python tools/x.py`, `./x`), a test file or a
module (`python -m app.cli`, `python -m unittest tests.test_x`), or imports one in `python -c` or `node -e`,
or gives `node --test`, `node --check` or a runner of tests such a file, where neither the repository nor
this or an earlier work order makes it. Python's standard library and pytest are there. So is every allowed
file of the work order itself, and what has the name of a package that the repository says that it needs
(`pyproject.toml`, `requirements*.txt`, `package.json`, locks and the like), or that the plan declares. A
module below a package of the product's own is another matter: E301.

Also a program that is none of the usual ones, an option of one of pytest's plugins (as that for coverage),
a plugin itself (`-p`) and a module of Node, unless it has the name of such a package. Of several projects
in a repository, those packages count that the project of the work order declares.

What an earlier command of the same work order builds is there: after `npx tsc`, `npm run build`, `go
build`, `cargo build`, `make` and the like a file that the command names (`-o bin/tally`), or one where
builds put their results (`dist/`, `build/`, `target/` and the like).

## Why it matters

The command fails whatever the model writes, if the file is not made. It is only a warning, because a module
may come from an installed package.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python -m greeter.cli"]
    }
  ]
}
```

## Fix

Correct the name, let this or an earlier work order create the file and promise it in a postcondition, or
move the command to the work order that does. For a package that is installed and declared nowhere, say so
in `accepted_warnings`.
"""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from factory.contract.packages.names import parse_requirement
from factory.contract.work_order import WorkOrder
from factory.plans.commands.code.uses import outright
from factory.plans.commands.installed import unusual_needs
from factory.plans.commands.needs import Needs, command_needs, started_scripts
from factory.plans.commands.programs import Invocation
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.file_state import Presence
from factory.plans.states.place import Place
from factory.plans.states.sources import names_package

KNOWN_MODULES: Final = sys.stdlib_module_names | {
    "_pytest", "iniconfig", "packaging", "pip", "pluggy", "pygments", "pytest",
}  # fmt: skip
"""What is there without any declaration."""

_PACKAGES_OF: Final[Mapping[str, str]] = {
    "Crypto": "pycryptodome",
    "OpenSSL": "pyopenssl",
    "PIL": "pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "git": "gitpython",
    "jose": "python-jose",
    "jwt": "pyjwt",
    "multipart": "python-multipart",
    "psycopg2": "psycopg2-binary",
    "serial": "pyserial",
    "sklearn": "scikit-learn",
    "slugify": "python-slugify",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
"""The packages of modules that have other names."""

_BUILDERS: Final = frozenset({
    "babel", "build", "bundle", "c++", "cargo", "cc", "clang", "clang++", "cmake", "compile",
    "esbuild", "g++", "gcc", "javac", "make", "ninja", "parcel", "rollup", "rustc", "swc", "tsc",
    "tsup", "vite", "webpack",
})  # fmt: skip
"""Words of commands that make files which nobody writes."""

_INSTALLED: Final = "do without it, or declare it where the project says what it needs"
_PROMISE: Final = "promise it there with a postcondition"
_MAKE: Final = (
    "correct the name, or let this or an earlier work order create it; ignore this for an installed package"
)


def find(subject: Subject) -> Iterator[Finding]:
    """Judge what each acceptance command needs by the files that are there after its work order."""
    if subject.product is None:
        return
    orders = {placed.index: placed.order for placed in subject.orders}
    builds: dict[int, list[Invocation]] = {}
    for index, command, reading in subject.acceptance_commands:
        built = builds.setdefault(index, [])
        built += filter(_builds, reading.invocations)
        # What can't be there at all is an error, of another rule.
        impossible = subject.product.impossible_modules(reading, index, subject.places[index])
        declares = _declaring(subject, orders[index])
        needs = command_needs(reading)
        needs = replace(
            needs,
            scripts=tuple(path for path in needs.scripts if not _is_built(subject, path, built)),
            modules=tuple(
                module
                for module in needs.modules
                if not _is_built(subject, module.name.removeprefix("./"), built)
            ),
        )
        for message, hint in _missing(needs, subject.places[index], impossible, declares):
            yield Finding(command.pointer, message, hint)
        program = outright(reading)
        for what, name in unusual_needs(program) if program is not None else ():
            # The package of the product itself is not installed, and so is no program.
            is_own = not what.startswith("the program") and subject.product.files(name, index)
            if not declares(name) and not is_own:
                yield Finding(
                    command.pointer, f"the command needs {what}, which may not be installed", _INSTALLED
                )


def _builds(invocation: Invocation) -> bool:
    """Whether a program builds something, by its name, what it is told to do, or a script's name."""
    words = (invocation.name, *invocation.arguments)
    return any(word.rpartition("/")[2].partition(".")[0] in _BUILDERS for word in words)


def _is_built(subject: Subject, path: str, builds: Sequence[Invocation]) -> bool:
    """Whether a file that no work order writes is what one of these programs makes."""
    starts = {script for build in builds for script in started_scripts(build)}
    named = {build.path(word.rpartition("=")[2]) for build in builds for word in build.arguments}
    is_result = subject.writers is not None and subject.writers.is_made_by_tools(path)
    return bool(builds) and path not in starts and (is_result or path in named)


def _declaring(subject: Subject, order: WorkOrder) -> Callable[[str], bool]:
    """Whether the repository or the plan declares a package of a name for the project of a work order."""
    wanted = subject.plan.wanted_environment(order.project) if subject.plan is not None else None
    planned: tuple[str, ...] = ()
    if wanted is not None:
        python = (parse_requirement(text).name for text in wanted.python)
        planned = (*python, *wanted.node, *wanted.node_dev)

    version = wanted.python_version if wanted is not None else None

    def declares(name: str) -> bool:
        names = {name, _PACKAGES_OF.get(name, name)}
        if version is not None and f"{name}.".startswith(f"python{version}."):
            return True
        # How a configuration names the version of an interpreter.
        names |= {name.removeprefix("python")} if name.startswith("python3.") else set()
        return any(names_package(each, among=planned) for each in names) or (
            subject.sources is not None
            and any(subject.sources.declares(each, order.project) for each in names)
        )

    return declares


def _missing(
    needs: Needs, place: Place, impossible: Collection[str], declares: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    for path in needs.scripts:
        # A path outside the repository is not for a plan to make.
        if not path.startswith(("/", "../")):
            yield from _lack(f"the file {quote(path)}", place.best((path,)))
    for module in needs.modules:
        top = module.name.partition(".")[0]
        if module.name in impossible or top in KNOWN_MODULES:
            continue
        presence = place.best(module.files())
        # A path is no package's, whatever is declared.
        if presence is Presence.CERTAIN or not top or not declares(top):
            yield from _lack(f"the module {quote(module.name)}", presence)


def _lack(what: str, presence: Presence) -> Iterator[tuple[str, str]]:
    match presence:
        case Presence.CERTAIN:
            return
        case Presence.POSSIBLE:
            yield (
                f"the command needs {what}, which an earlier work order may write but does not promise",
                _PROMISE,
            )
        case Presence.ABSENT:
            yield f"the command needs {what}, which no work order up to this one makes", _MAKE


RULE = Rule("W101", "missing-program", Severity.WARNING, explanation=__doc__, find=find)
