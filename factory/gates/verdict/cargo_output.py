"""Reads what `cargo test` prints: what became of the tests of each program. Pure.

The lines come from the process that ran generated code: who prints the lines of Rust's own harness
can claim what they say. What is seen is a process that ends before its tests did.
"""

import re
from typing import Final

from factory.gates.verdict.report import GroupOfTests, PrintedReport

_PROGRAM: Final = re.compile(r"\s+(?:Running(?: unittests)? (?P<file>\S+) \(|Doc-tests (?P<crate>\S+))")
_BEGINS: Final = re.compile(r"running (?P<count>\d{1,9}) tests?\s*")
_ENDS: Final = re.compile(
    r"test result: (?:ok|FAILED)\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed; "
    r"(?P<ignored>\d{1,9}) ignored; (?P<measured>\d{1,9}) measured;"
)
_FAILS: Final = re.compile(r"test (?P<test>.+?) \.\.\. FAILED\s*")
_PASSES: Final = re.compile(r"test (?P<test>.+?)(?: - should panic)? \.\.\. ok\s*")
_IGNORES: Final = re.compile(r"test (?P<test>.+?) \.\.\. ignored(?:, .*)?\s*")
_LONGEST: Final = 1_000
_MOST: Final = 200


def read_cargo(printed: bytes) -> PrintedReport:
    """What became of the tests of each program that ran."""
    groups: list[GroupOfTests] = []
    name, count = "", -1
    failing, passing, ignored = list[str](), list[str](), list[str]()

    def cut_off() -> None:
        if count >= 0:
            groups.append(_group(name, failing, passing, ignored, ended=False))

    for line in printed.decode("utf-8", "replace").splitlines():
        program, begins, ends = _PROGRAM.match(line), _BEGINS.fullmatch(line), _ENDS.match(line)
        fails, passes = _FAILS.fullmatch(line), _PASSES.fullmatch(line)
        if program is not None or begins is not None:
            cut_off()
            count = int(begins["count"]) if begins is not None else -1
            failing, passing, ignored = [], [], []
        if program is not None:
            name = (program["file"] or f"documentation of {program['crate']}")[:_LONGEST]
        elif fails is not None:
            failing.append(fails["test"][:_LONGEST])
        elif passes is not None:
            passing.append(passes["test"][:_LONGEST])
        elif (ignores := _IGNORES.fullmatch(line)) is not None:
            ignored.append(ignores["test"][:_LONGEST])
        elif ends is not None and count >= 0:
            numbers = {key: int(value) for key, value in ends.groupdict().items()}
            ended = sum(numbers.values()) == count
            groups.append(_group(name, failing, passing, ignored, ended=ended, **numbers))
            count = -1
    cut_off()
    return PrintedReport(runner="cargo", groups=tuple(groups))


def _group(
    name: str,
    failing: list[str],
    passing: list[str],
    skipping: list[str],
    *,
    ended: bool,
    passed: int = 0,
    failed: int = 0,
    ignored: int = 0,
    measured: int = 0,
) -> GroupOfTests:
    return GroupOfTests(
        name=name or "tests",
        ended=ended,
        passed=passed + measured,
        failed=failed,
        skipped=ignored,
        failing=tuple(failing)[:_MOST],
        unended=(),
        passing=tuple(passing),
        skipping=tuple(skipping),
    )
