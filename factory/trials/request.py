"""What a trial is asked, and what it answers: values that can go to another machine and back."""

from itertools import zip_longest
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.baseline_report import BaselineCheck
from factory.gates.check import Probed
from factory.gates.trial import TrialResult
from factory.system.files.tree import NEW_FILE_MODE, FoundFile

_EXECUTABLE: Final = 0o755


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Examine(_Value):
    """Whether the tree passes parts of its checks, until one fails.

    Attributes:
        parts: the names of the parts, in order.
    """

    kind: Literal["examine"] = "examine"
    parts: tuple[str, ...]


class Repeat(_Value):
    """Whether parts pass where something is different that must not matter.

    Attributes:
        before: the parts that run first, where nothing is different; they may build what the others need.
        parts: the parts that are repeated.
        differences: the names of what is different.
    """

    kind: Literal["repeat"] = "repeat"
    before: tuple[str, ...] = ()
    parts: tuple[str, ...]
    differences: tuple[str, ...]


class Mutate(_Value):
    """What each part says, whatever the others say, if files have another text.

    Attributes:
        parts: the names of the parts; none to know only whether it compiles.
        sources: the text of each of these files.
        compiler: what returns 0 if it compiles, and is asked first; empty where nobody can tell.
        limit_seconds: the time limit of each command, if it is shorter than the usual one.
    """

    kind: Literal["mutant"] = "mutant"
    parts: tuple[str, ...]
    sources: dict[RepoPath, str] = {}
    compiler: tuple[str, ...] = ()
    limit_seconds: float | None = None


class Trace(_Value):
    """Which lines the parts execute.

    Attributes:
        parts: the names of the parts.
        lines: the lines that are asked about, by file.
        limit_seconds: the time limit of each command, if it is shorter than the usual one.
    """

    kind: Literal["trace"] = "trace"
    parts: tuple[str, ...]
    lines: dict[RepoPath, tuple[int, ...]]
    limit_seconds: float | None = None


class Probe(_Value):
    """What the acceptance commands do on the base, before the work."""

    kind: Literal["probe"] = "probe"


class VerifyBase(_Value):
    """What the repository's own verification says of the base.

    Attributes:
        exempt: whether it can't be verified as a whole yet: then it is only compiled.
    """

    kind: Literal["baseline"] = "baseline"
    exempt: bool = False


Question = Annotated[Examine | Repeat | Mutate | Trace | Probe | VerifyBase, Field(discriminator="kind")]


class Written(_Value):
    """A file that an attempt wrote.

    Attributes:
        path: where.
        text: its text.
        is_executable: whether it may be executed.
    """

    path: RepoPath
    text: str
    is_executable: bool = False

    @classmethod
    def of(cls, path: RepoPath, file: FoundFile) -> "Written":
        """A file as it was found in a checkout."""
        return cls(path=path, text=file.data.decode("utf-8"), is_executable=bool(file.mode & 0o100))

    @property
    def file(self) -> FoundFile:
        """It as it is written to a checkout."""
        return FoundFile(self.text.encode("utf-8"), _EXECUTABLE if self.is_executable else NEW_FILE_MODE)


class TrialRequest(_Value):
    """A trial, as it is asked for.

    Attributes:
        question: what is asked.
        base: the full id of the commit that it starts from.
        order: the work order; None where the base alone is judged.
        tree: git's id of the base with the files on it; None where nothing is written on it.
        files: what is written on the base.
    """

    question: Question
    base: str
    order: WorkOrder | None = None
    tree: str | None = None
    files: tuple[Written, ...] = ()

    @property
    def changed_lines(self) -> tuple[str, ...]:
        """Where a mutant's sources first differ from what was written, such as `src/a.py:12`; else none."""
        if not isinstance(self.question, Mutate):
            return ()
        written = {file.path: file.text.splitlines() for file in self.files}
        return tuple(
            f"{path}:{_first_difference(written.get(path, []), source.splitlines())}"
            for path, source in self.question.sources.items()
        )


def _first_difference(before: list[str], after: list[str]) -> int:
    """The number, from 1, of the first line that is not the same in both."""
    pairs = zip_longest(before, after)
    return next((number for number, (old, new) in enumerate(pairs, start=1) if old != new), 1)


class TrialAnswer(_Value):
    """What came out of a trial; of what its question does not ask, nothing.

    Attributes:
        results: what the checks said: one result for `examine` and `repeat`, one for each part of a mutant.
        failing_tests: the ids of the tests that failed, as far as that is known.
        compiles: whether a mutant compiles, or nobody can tell.
        executed: the lines that were executed, by file, of the files in which that could be told.
        probed: what each acceptance command did on the base.
        baseline: what each check of the verification found on the base.
        is_lasting: whether the same would come out again: no limit, no signal from outside and no error of
            the machine had a part in it.
    """

    results: tuple[TrialResult, ...] = ()
    failing_tests: tuple[str, ...] = ()
    compiles: bool = True
    executed: dict[RepoPath, tuple[int, ...]] = {}
    probed: tuple[Probed, ...] = ()
    baseline: tuple[BaselineCheck, ...] = ()
    is_lasting: bool = True

    @property
    def result(self) -> TrialResult:
        """The only result, of a question that has one."""
        (result,) = self.results
        return result
