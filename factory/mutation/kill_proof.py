"""The kill proof as values: which lines were written, which mutants are tried, how many were noticed. Pure.

Running the checks on mutants is done in `nodes.proof`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.attempt.failure import Failure, Stage
from factory.attempt.summary import KillScores
from factory.contract.repo_path import RepoPath
from factory.languages.edits import LOGIC
from factory.languages.port import MUTANTS, Mutant
from factory.languages.table import language_of

ENOUGH: Final = 3
"""So many changes of executed lines, all unnoticed, are no chance."""

_HUNK: Final = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class Fate(BaseModel):
    """What became of one mutant.

    Attributes:
        path: the file.
        line: the line, from 1.
        operator: the kind of change.
        change: the change in words.
        killed_by: the first check that noticed; None for a survivor.
        noticed_by: the parts of the checks that noticed, such as `acceptance`, each by itself.
        executed: whether a command comes to the line; None if that was not looked at, because something
            noticed a change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    line: int
    operator: str
    change: str
    killed_by: str | None
    noticed_by: tuple[str, ...] = ()
    executed: bool | None = Field(default=None, exclude_if=lambda value: value is None)


class Unchanged(BaseModel):
    """A written source whose lines can't be changed.

    Attributes:
        path: the file.
        why: what its language lacks.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    why: str


class KillProof(BaseModel):
    """How good the checks of a work order are at noticing changes of what it wrote.

    Attributes:
        verdict: `measured`; `not measured` if there was nothing to mutate, which is no pass.
        fates: of the mutants that were tried, in their order.
        unchanged: written sources in languages without mutants.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["measured", "not measured"]
    fates: tuple[Fate, ...]
    unchanged: tuple[Unchanged, ...] = ()

    @property
    def killed(self) -> int:
        """How many were noticed."""
        return sum(fate.killed_by is not None for fate in self.fates)

    @property
    def percent(self) -> int | None:
        """The share that was noticed, rounded down; None if nothing was measured."""
        return 100 * self.killed // len(self.fates) if self.fates else None

    @property
    def scores(self) -> KillScores | None:
        """What acceptance and verification noticed, each by itself; None if nothing was measured."""
        if not self.fates and not self.unchanged:
            return None
        noticed = [part for fate in self.fates for part in fate.noticed_by]
        executed = [fate.executed for fate in self.fates if fate.executed is not None]
        return KillScores(
            tried=len(self.fates),
            acceptance=noticed.count("acceptance"),
            verification=noticed.count("verify"),
            unchanged=tuple(source.path for source in self.unchanged),
            executed=sum(executed) if executed else None,
        )

    @property
    def is_doubtful(self) -> bool:
        """Whether so many mutants survived all checks that it matters which lines are executed at all."""
        return len(self.fates) >= ENOUGH and self.killed == 0

    @property
    def blindness(self) -> Failure | None:
        """The failure of an attempt of whose executed lines many were changed, and no change was noticed."""
        survivors = [fate for fate in self.fates if fate.executed]
        if self.killed or len(survivors) < ENOUGH:
            return None
        return Failure.model_defect(
            Stage.ACCEPTANCE_FAILED,
            f"the checks execute the written lines and notice none of {len(survivors)} changes of them,"
            " so they prove nothing",
            where=survivors[0].path,
            hint="write tests that fail for each of these changes; where there are such tests, let nothing"
            " keep them from running or from failing",
            excerpt=_listed(survivors),
        )

    def shortfall(self, threshold: int) -> Failure | None:
        """The failure of an attempt whose checks notice less than `threshold` percent; None if they don't."""
        if self.percent is None or self.percent >= threshold:
            return None
        survivors = [fate for fate in self.fates if fate.killed_by is None]
        return Failure.model_defect(
            Stage.ACCEPTANCE_FAILED,
            f"the checks notice {self.killed} of {len(self.fates)} changes of the written lines,"
            f" and at least {threshold} % is demanded",
            where=survivors[0].path,
            hint="write tests that fail for each of these changes",
            excerpt=_listed(survivors),
        )


def _listed(survivors: Sequence[Fate]) -> str:
    return "\n".join(f"{fate.path}:{fate.line}: {fate.change}" for fate in survivors)


@dataclass(frozen=True)
class PlacedMutant:
    """One mutant of one file."""

    path: RepoPath
    mutant: Mutant


def is_product_code(path: str) -> bool:
    """Whether a written file's lines count: a source in a known language that is no test."""
    language = language_of(path)
    return language is not None and not language.is_test(path)


def unchangeable(paths: Iterable[str]) -> tuple[Unchanged, ...]:
    """Those of the product's sources whose languages have no mutants, each with the reason."""
    lacking = ((path, language_of(path)) for path in sorted(paths))
    return tuple(
        Unchanged(path=path, why=f"{language.name}: {language.lacks[MUTANTS]}")
        for path, language in lacking
        if language is not None and MUTANTS in language.lacks
    )


def written_lines(patch: bytes) -> frozenset[int]:
    """The numbers of the lines that a patch of one file without context (`-U0`) adds."""
    numbers: set[int] = set()
    for start, count in _HUNK.findall(patch):
        numbers.update(range(int(start), int(start) + int(count or b"1")))
    return frozenset(numbers)


def chosen_mutants(
    sources: Mapping[RepoPath, str], lines: Mapping[RepoPath, frozenset[int]], most: int
) -> list[PlacedMutant]:
    """The mutants that are tried, in the order of files and lines; spread evenly over the files.

    Changes of logic come first, see `LOGIC`: others only where a work order has too little of it.

    Args:
        sources: the text of each file.
        lines: the lines of each that count.
        most: how many there may be in all.
    """
    by_file: list[list[PlacedMutant]] = [
        [PlacedMutant(path, mutant) for mutant in _mutants(path, source, lines[path], most)]
        for path, source in sorted(sources.items())
    ]
    chosen: list[PlacedMutant] = []
    for is_logic in (True, False):
        alike = [
            [placed for placed in made if (placed.mutant.operator in LOGIC) is is_logic] for made in by_file
        ]
        chosen += _shared(alike, most - len(chosen))
    kept = set(map(id, chosen))
    return [placed for made in by_file for placed in made if id(placed) in kept]


def _shared(by_file: Sequence[Sequence[PlacedMutant]], most: int) -> list[PlacedMutant]:
    counts: list[int] = [0] * len(by_file)
    for _ in range(most):
        # One more from a file that has given the fewest so far.
        open_files = [number for number, made in enumerate(by_file) if counts[number] < len(made)]
        if not open_files:
            break
        counts[min(open_files, key=lambda number: (counts[number], number))] += 1
    # Each from the middle of its share: the first change of a file is seldom the one that tells most.
    return [
        made[(2 * number + 1) * len(made) // (2 * count)]
        for made, count in zip(by_file, counts, strict=True)
        for number in range(count)
    ]


def _mutants(path: str, source: str, lines: frozenset[int], most: int) -> tuple[Mutant, ...]:
    language = language_of(path)
    return language.mutants(path, source, lines, limit=most) if language is not None else ()
