"""Reads what `go test -json` prints: what became of each test, and the text for people. Pure.

The lines come from the process that ran generated code: who prints the lines of Go's own package for tests
can claim what they say. What is seen is a process that ends before its tests did.
"""

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from factory.gates.verdict.report import GroupOfTests, PrintedReport

# Behind what a test printed without a line's end.
_ENDED: Final = re.compile(r"--- (?P<how>PASS|FAIL|SKIP): (?P<test>\S+) \(")
_BEGUN: Final = re.compile(r"=== RUN\s+(?P<test>\S+)\s*")
_NOISE: Final = re.compile(r"=== (?:RUN|PAUSE|CONT|NAME)\b|\s*--- PASS: |PASS$")
_LONGEST: Final = 1_000
_MOST: Final = 200


@dataclass
class _Package:
    begun: list[str] = field(default_factory=list)
    ended: dict[str, str] = field(default_factory=dict)
    result: str = ""
    has_run: bool = False
    is_whole: bool = False


def read_go(printed: bytes, *, is_verbose: bool) -> tuple[PrintedReport, bytes]:
    """What became of each test, and what people are shown.

    Args:
        printed: all that the command printed.
        is_verbose: whether people get the lines of tests that passed.
    """
    packages: defaultdict[str, _Package] = defaultdict(_Package)
    text: list[str] = []
    for line in printed.decode("utf-8", "replace").splitlines(keepends=True):
        event = _event(line)
        if event is None:
            text.append(line)
            continue
        package = packages[event.get("Package", "")[:_LONGEST]]
        output = event.get("Output", "")
        if event["Action"] == "output":
            _take(package, output)
            if is_verbose or not _NOISE.match(output):
                text.append(output)
        elif event["Action"] in ("pass", "fail", "skip") and "Test" not in event:
            package.result = event["Action"]
    groups = tuple(_group(name, package) for name, package in sorted(packages.items()) if name)
    return PrintedReport(runner="go", groups=groups), "".join(text).encode()


def _event(line: str) -> dict[str, str] | None:
    """An event of a line; None if the line is none, as those of the compiler are."""
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or not isinstance(event.get("Action"), str):
        return None
    return {name: value for name, value in event.items() if isinstance(value, str)}


def _take(package: _Package, output: str) -> None:
    begun, ended = _BEGUN.fullmatch(output), _ENDED.search(output)
    if begun is not None:
        package.begun.append(begun["test"][:_LONGEST])
    elif ended is not None:
        package.ended.setdefault(ended["test"][:_LONGEST], ended["how"])
    elif output.rstrip("\r\n").endswith("PASS"):
        package.is_whole = True
    elif output.startswith("ok  \t"):
        package.has_run = True


def _group(name: str, package: _Package) -> GroupOfTests:
    ends = list(package.ended.values())
    unended = [test for test in package.begun if test not in package.ended]
    return GroupOfTests(
        name=name,
        # Its own last line is missing where its process was ended before.
        ended=package.result != "" and (package.is_whole or not package.has_run),
        passed=ends.count("PASS"),
        failed=ends.count("FAIL"),
        skipped=ends.count("SKIP"),
        failing=tuple(test for test, how in package.ended.items() if how == "FAIL")[:_MOST],
        unended=tuple(dict.fromkeys(unended))[:_MOST],
        passing=tuple(test for test, how in package.ended.items() if how == "PASS"),
        skipping=tuple(test for test, how in package.ended.items() if how == "SKIP"),
    )
