"""Rewrites `node --test`, `node -e` and `vitest run` so that a program of ours runs what they name. Pure."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from factory.gates.verdict.prefix import without_prefix

START: Final = "eval(require('node:fs').readFileSync({text},'utf8'))"
"""What the interpreter is given instead; what it requires is built in, so that no file can take its place."""

_NODE: Final = re.compile(r"(?:.*/)?node(?:js)?")
_VITEST: Final = re.compile(r"(?:(?:\./)?node_modules/\.bin/)?vitest")
_NPM_OPTIONS: Final = frozenset({"-s", "--silent"})
_LAUNCHERS: Final = frozenset({"--no", "--no-install", "--offline", "-y", "--yes", "--"})
_WITH_VALUE: Final = frozenset(
    {
        "--import", "--loader", "--experimental-loader", "--conditions", "-C", "--require", "-r",
        "--test-name-pattern", "--test-skip-pattern", "--test-timeout", "--max-old-space-size",
        "--stack-trace-limit", "--test-reporter",
    }
)  # fmt: skip
"""Options of node whose value may be a word of its own."""

_PLAIN: Final = frozenset(
    {
        "--enable-source-maps", "--expose-gc", "--no-deprecation", "--no-warnings", "--preserve-symlinks",
        "--test-force-exit", "--test-only", "--throw-deprecation", "--trace-deprecation", "--trace-warnings",
        "--trace-uncaught",
    }
)  # fmt: skip
_EXPERIMENT: Final = re.compile(r"--(?:no-)?experimental-[a-z-]+")
_NOT_OURS: Final = re.compile(
    r"--(?:watch|test-shard|test-isolation|test-update-snapshots|test-coverage|test-reporter-destination"
    r"|experimental-test-coverage|experimental-test-isolation|experimental-default-config|env-file|eval|print)"
)
"""Options with which `node --test` is more than its files run one by one."""

_EVALUATES: Final = frozenset({"-e", "--eval", "-p", "--print", "-pe"})
_FOR_THE_RUNNER: Final = ("--test-concurrency",)
_PRELOADS: Final = re.compile(r"import|require|loader|(?:^|\s)-r")
_CHOOSES: Final = ("--test-name-pattern", "--test-skip-pattern", "--test-only", "-t", "--testNamePattern")
_VITEST_LISTS: Final = frozenset({"--help", "-h", "--version", "-v", "--watch", "-w", "--standalone"})
_MOST_SCRIPTS: Final = 3


@dataclass(frozen=True)
class RewrittenNode:
    """A command whose tests a program of ours runs.

    Attributes:
        runner: which program.
        before: the words before the interpreter's options.
        options: of the interpreter, for the processes of the tests.
        arguments: of `node --test` the files and directories it names, of `node -e` the option, the code and
            its arguments, of `vitest` all its words.
        environment: the variables that only the processes of the tests get.
        reporter: what prints for people.
    """

    runner: Literal["node", "vitest", "eval"]
    before: tuple[str, ...]
    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    reporter: str = "spec"

    @property
    def chooses(self) -> bool:
        """Whether the command itself leaves out tests of those that it names."""
        return any(word.startswith(_CHOOSES) for word in (*self.options, *self.arguments))

    def words(self, descriptors: Sequence[int]) -> tuple[str, ...]:
        """What is executed.

        Args:
            descriptors: of the word, the report and the text.
        """
        details = {
            "options": self.options,
            "words": self.arguments,
            "environment": dict(self.environment),
            "reporter": self.reporter,
        }
        start = START.format(text=descriptors[2])
        joined = ",".join(map(str, descriptors))
        return (*self.before, "--input-type=commonjs", "-e", start, "--", joined, json.dumps(details))


def rewritten_node(words: Sequence[str], *, script: Callable[[str], str | None]) -> RewrittenNode | None:
    """The command as a program of ours runs it; None if its exit code is all that can be known.

    Args:
        words: the command's words.
        script: the text of a script of `package.json` by its name; None if there is none, or others are run
            before or after it.
    """
    before, rest, withheld = without_prefix(words, withheld=("NODE_OPTIONS",))
    for _ in range(_MOST_SCRIPTS):
        named = _script_of(rest)
        if named is None:
            break
        text = script(named[0])
        if text is None or not re.fullmatch(r"[\w@=:./ -]+", text):
            return None
        rest = [*text.split(), *named[1]]
    if not rest or _PRELOADS.search(withheld.get("NODE_OPTIONS", "")):
        return None
    environment = tuple(withheld.items())
    if _NODE.fullmatch(rest[0]):
        return _node((*before, rest[0]), rest[1:], environment)
    if rest[0] == "npx":
        rest = rest[1:]
        while rest and rest[0] in _LAUNCHERS:
            rest = rest[1:]
    if rest and _VITEST.fullmatch(rest[0]):
        return _vitest(tuple(before), rest[1:], environment)
    return None


def _script_of(words: Sequence[str]) -> tuple[str, Sequence[str]] | None:
    """The script of `package.json` that npm is asked to run, and its arguments; None if it runs none."""
    if not words or words[0] != "npm":
        return None
    rest = [word for word in words[1:] if word not in _NPM_OPTIONS]
    if not rest:
        return None
    if rest[0] in ("run", "run-script"):
        rest = rest[1:]
        if not rest or rest[0].startswith("-"):
            return None
    elif rest[0] in ("t", "tst"):
        rest = ["test", *rest[1:]]
    elif rest[0] != "test":
        return None
    if len(rest) > 1 and rest[1] != "--":
        return None
    return rest[0], rest[2:]


def _node(
    before: tuple[str, ...], words: Sequence[str], environment: tuple[tuple[str, str], ...]
) -> RewrittenNode | None:
    options: list[str] = []
    files: list[str] = []
    reporter = "spec"
    tests = False
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        name, equals, value = word.partition("=")
        if word in _EVALUATES and not tests and not files:
            given = (word, *words[at:])
            # Code that ends its process by itself has said so in the plan.
            is_plain = len(given) > 1 and "process.exit" not in given[1]
            return RewrittenNode("eval", before, tuple(options), given, environment) if is_plain else None
        if word == "--":
            files += words[at:]
            break
        if not word.startswith("-") or word == "-":
            files.append(word)
            continue
        if word == "--test" and not files:
            tests = True
            continue
        # What node finds behind the first file is the file's own.
        if (files and not tests) or _NOT_OURS.match(name):
            return None
        if name in (*_WITH_VALUE, *_FOR_THE_RUNNER) and not equals:
            if at == len(words):
                return None
            value = words[at]
            at += 1
        if name in _FOR_THE_RUNNER:
            continue
        if name == "--test-reporter":
            reporter = value
        elif name in ("--require", "-r") and not re.fullmatch(r"@?[a-z][\w./-]*", value):
            # It would run before what bears witness.
            return None
        elif name in _WITH_VALUE:
            options += [f"{name}={value}"] if name.startswith("--") else [name, value]
        elif name in _PLAIN or _EXPERIMENT.fullmatch(word) or (name == "--input-type" and equals):
            options.append(word)
        else:
            return None
    if not tests:
        return None
    return RewrittenNode("node", before, tuple(options), tuple(files), environment, reporter)


def _vitest(
    before: tuple[str, ...], words: Sequence[str], environment: tuple[tuple[str, str], ...]
) -> RewrittenNode | None:
    if words[:1] == ["run"]:
        words = words[1:]
    elif "--run" in words:
        words = [word for word in words if word != "--run"]
    else:
        return None
    if _VITEST_LISTS & {*words} or environment:
        return None
    return RewrittenNode("vitest", (*before, "node"), arguments=tuple(words))
