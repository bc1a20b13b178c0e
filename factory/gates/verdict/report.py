"""What a program of ours reports of a command. Hostile: it comes from a process that ran generated code."""

from collections import Counter
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

Outcome = Literal[
    "passed", "failed", "error", "skipped", "xfailed", "xpassed", "changed", "replaced", "unreported"
]
"""How a test ended. `changed` if it raised and was reported as passed all the same; `replaced` if what ran
is not what its file says; `unreported` if it was
begun and has no whole report."""

Canary = Literal["failed", "passed", "skipped", "unreported", "not due"]
"""How the test ended that must fail."""

_Text = Annotated[str, Field(max_length=16_000)]
_Count = Annotated[int, Field(ge=0)]
_MOST: Final = 200
_Patched = tuple[_Text, ...]
"""What of its judge the project had replaced, such as `unittest.case.TestCase.assertEqual`."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Plugin(_Strict):
    """A plugin of pytest that is a file of the project.

    Attributes:
        file: the file, such as `tests/conftest.py`.
        hooks: the hooks that it has.
    """

    file: _Text
    hooks: Annotated[tuple[_Text, ...], Field(max_length=_MOST)]


class Named(_Strict):
    """A test, a file or a directory that a command names.

    Attributes:
        word: as the command names it.
        passed: how many of its tests ran and passed.
        deselected: how many of them were left out.
        vanished: how many of them were neither run nor left out openly.
    """

    word: _Text
    passed: _Count
    deselected: _Count
    vanished: _Count = 0


class CodeReport(_Strict):
    """Python code came to its last statement, a module to its end; `node -e` had nothing left to do."""

    runner: Literal["python", "eval"]
    ended: Literal[True]
    patched: _Patched = ()


Skips = Annotated[tuple[tuple[_Text, _Text], ...], Field(max_length=_MOST)]
"""What of a file of tests did not run or does not count, and the file that did that; empty if unknown."""


class UnittestReport(_Strict):
    """What unittest's own result counted, and how the tests ended that must fail; see `PytestReport`."""

    runner: Literal["unittest"]
    ended: Literal[True]
    passed: _Count
    failed: _Count
    errors: _Count
    skipped: _Count
    xfailed: _Count
    xpassed: _Count
    named: tuple[Named, ...] = ()
    skips: Skips = ()
    canary: Canary
    patched: _Patched = ()


class PytestReport(_Strict):
    """What the witness saw of a session of pytest.

    Attributes:
        runner: `pytest`.
        ended: whether the session went through all that it had chosen.
        exit_status: what pytest returned.
        lists: whether it only collected.
        collected: how many tests it found, before any were left out.
        deselected: how many were left out.
        outcomes: the id of each test that was begun, and how it ended.
        named: what the command names.
        skips: the ids of tests that were skipped, expected to fail or left out, and of files that were
            skipped as a whole, each with the file that did that, as far as it is known.
        canary: how the test ended that must fail; `not due` where none was to run.
        plugins: the project's own plugins.
        configuration: the file that pytest took its configuration from; None for none.
        addopts: the options that it took from there.
        patched: see above.
    """

    runner: Literal["pytest"]
    ended: bool
    exit_status: int
    lists: bool
    collected: _Count
    deselected: _Count
    outcomes: tuple[tuple[_Text, Outcome], ...]
    named: tuple[Named, ...]
    skips: Skips = ()
    canary: Canary
    plugins: Annotated[tuple[Plugin, ...], Field(max_length=_MOST)]
    configuration: _Text | None
    addopts: tuple[_Text, ...]
    patched: _Patched = ()

    def tests(self, *outcomes: Outcome) -> tuple[str, ...]:
        """The ids of the tests that ended so, sorted."""
        return tuple(sorted({test for test, outcome in self.outcomes if outcome in outcomes}))

    def counts(self) -> Counter[str]:
        """How many tests ended in each way."""
        return Counter(outcome for _, outcome in self.outcomes)


class FileOfTests(_Strict):
    """What a file of tests did, in a process of its own.

    Attributes:
        file: the file.
        words: by which words the command names it.
        ended: whether it ran to its end.
        exit_status: what its process returned; None if a signal ended it.
        passed: how many of its tests ran and passed; so with the others.
        failing: the names of those that failed.
        patched: what of its judge it had replaced.
    """

    file: _Text
    words: tuple[_Text, ...]
    ended: bool
    exit_status: int | None
    passed: _Count
    failed: _Count
    skipped: _Count
    todo: _Count
    failing: Annotated[tuple[_Text, ...], Field(max_length=_MOST)]
    patched: Annotated[_Patched, Field(max_length=_MOST)]


class NodeReport(_Strict):
    """What a program of ours saw of the test files that `node --test` or `vitest run` ran.

    Attributes:
        runner: which of them.
        exit_status: what that program was about to return.
        named: the files, directories and parts of names that the command names.
        files: the files that ran.
    """

    runner: Literal["node", "vitest"]
    exit_status: int
    named: tuple[_Text, ...]
    files: tuple[FileOfTests, ...]

    @property
    def patched(self) -> tuple[str, ...]:
        """What of the judge the project had replaced, with the file in whose process."""
        return tuple(f"{name} in {file.file}" for file in self.files for name in file.patched)

    @property
    def failing(self) -> tuple[str, ...]:
        """The tests that failed, each behind its file."""
        return tuple(f"{file.file}: {name}" for file in self.files for name in file.failing)


class GroupOfTests(_Strict):
    """What was printed of the tests of a package of Go, or of a program of Rust.

    Attributes:
        name: the package, or the source of the program.
        ended: whether they ran to their end.
        passed: how many tests ran and passed; so with the others.
        failing: the names of those that failed.
        unended: the names of those that were begun and have no end.
        passing: the names of those that passed.
        skipping: the names of those that were skipped or ignored.
    """

    name: _Text
    ended: bool
    passed: _Count
    failed: _Count
    skipped: _Count
    failing: Annotated[tuple[_Text, ...], Field(max_length=_MOST)]
    unended: Annotated[tuple[_Text, ...], Field(max_length=_MOST)]
    passing: tuple[_Text, ...] = ()
    skipping: tuple[_Text, ...] = ()


class PrintedReport(_Strict):
    """What `go test` or `cargo test` printed of the tests that ran; of who judged, nothing is known.

    Attributes:
        runner: which of them.
        groups: the packages or programs.
        patched: nothing.
    """

    runner: Literal["go", "cargo"]
    groups: tuple[GroupOfTests, ...]
    patched: tuple[()] = ()

    @property
    def failing(self) -> tuple[str, ...]:
        """The tests that failed, each behind its package or program."""
        return tuple(f"{group.name}: {name}" for group in self.groups for name in group.failing)


Report = CodeReport | UnittestReport | PytestReport | NodeReport | PrintedReport
_READER: Final[TypeAdapter[Report]] = TypeAdapter(Annotated[Report, Field(discriminator="runner")])


def parse_report(received: bytes, word: bytes) -> Report | None:
    """The report that a program of ours wrote; None if there is none, or it is another's.

    Args:
        received: all that arrived.
        word: what only that program was told.
    """
    said, _, rest = received.partition(b"\n")
    if said != word or not rest.endswith(b"\n"):
        return None
    try:
        return _READER.validate_json(rest)
    except ValidationError:
        return None
