"""Which commands are judged by what they print: `go test`, as JSON, and `cargo test`. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from factory.gates.verdict.prefix import without_prefix

_PROGRAM: Final = re.compile(r"(?:/.*/)?(?P<name>go|cargo)")
_GO_RUNS_NO_TEST: Final = frozenset(
    {"c", "exec", "fuzz", "h", "help", "list", "n", "o", "toolexec", "test.list"}
)
"""Options of `go test` with which it runs no test, or runs it in another way."""

_GO_WITH_VALUE: Final = frozenset(
    {
        "asmflags", "bench", "benchtime", "blockprofile", "buildmode", "compiler", "count", "covermode",
        "coverpkg", "coverprofile", "cpu", "cpuprofile", "gccgoflags", "gcflags", "installsuffix", "ldflags",
        "memprofile", "mod", "modfile", "mutexprofile", "outputdir", "overlay", "p", "parallel", "pkgdir",
        "pgo", "run", "shuffle", "skip", "tags", "timeout", "trace", "vet",
    }
)  # fmt: skip
"""Options of `go test` whose value may be a word of its own."""

_CARGO_RUNS_NO_TEST: Final = frozenset(
    {"--help", "-h", "--list", "--message-format", "--no-run", "--format", "-Z", "--logfile", "--bench"}
)


@dataclass(frozen=True)
class RewrittenPrinting:
    """A command whose printed lines tell which tests ran.

    Attributes:
        runner: whose lines they are.
        argv: what is executed.
        named: the packages or test targets that it names.
        is_verbose: whether people get the lines of tests that passed.
    """

    runner: Literal["go", "cargo"]
    argv: tuple[str, ...]
    named: tuple[str, ...]
    is_verbose: bool

    def names(self, word: str, group: str) -> bool:
        """Whether a word of the command names a package or a program, as far as that can be told."""
        if self.runner == "cargo":
            return word == group or group.endswith(f"/{word}")
        return word.startswith("./") and "..." not in word and group.endswith(word.rstrip("/")[1:])


def rewritten_printing(words: Sequence[str]) -> RewrittenPrinting | None:
    """The command so that its lines can be read; None if its exit code is all that can be known."""
    before, rest, _ = without_prefix(words, withheld=())
    program = _PROGRAM.fullmatch(rest[0]) if rest else None
    if program is None or len(rest) < 2:
        return None
    if program["name"] == "go" and rest[1] == "test":
        return _go((*before, rest[0]), rest[2:])
    if program["name"] == "cargo" and rest[1] in ("test", "t"):
        return _cargo(tuple(words), rest[2:])
    return None


def _go(before: tuple[str, ...], words: Sequence[str]) -> RewrittenPrinting | None:
    options: dict[str, str] = {}
    named: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-"):
            named.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if name == "args":
            break
        if name in _GO_WITH_VALUE and not equals and at < len(words):
            value = words[at]
            at += 1
        options[name.removeprefix("test.")] = value
    if _GO_RUNS_NO_TEST & {*options}:
        return None
    return RewrittenPrinting(
        "go",
        (*before, "test", *(() if "json" in options else ("-json",)), *words),
        named=tuple(named),
        is_verbose=options.get("v", "false") != "false",
    )


def _cargo(argv: tuple[str, ...], words: Sequence[str]) -> RewrittenPrinting | None:
    if _CARGO_RUNS_NO_TEST & {word.partition("=")[0] for word in words}:
        return None
    named = [f"tests/{name}.rs" for option, name in pairwise(words) if option == "--test"]
    named += [f"tests/{word.removeprefix('--test=')}.rs" for word in words if word.startswith("--test=")]
    plain = [name for name in named if re.fullmatch(r"tests/[\w-]+\.rs", name)]
    return RewrittenPrinting("cargo", argv, named=tuple(plain), is_verbose=True)
