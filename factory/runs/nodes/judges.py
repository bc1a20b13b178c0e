"""What judges the mutants of an attempt: its checks, and the compilers of its languages."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.bench import Bench
from factory.gates.check import CheckContext
from factory.gates.checks.languages import reading
from factory.gates.trial import CheckGroup, Trial, TrialResult, try_out
from factory.languages.port import Language
from factory.languages.table import language_of
from factory.mutation.kill_proof import KillProof, PlacedMutant
from factory.runs.nodes.written import put
from factory.system.files.tree import FoundFile


@dataclass(frozen=True)
class Judges:
    """The checks of an attempt, for what it wrote with some of it changed.

    Attributes:
        order: the work order.
        bench: where the checks run.
        checks: of the attempt.
        files: what the attempt wrote.
        folder: where artifacts go.
    """

    order: WorkOrder
    bench: Bench
    checks: tuple[CheckGroup, ...]
    files: Mapping[RepoPath, FoundFile]
    folder: Path

    def results(self, sources: Mapping[RepoPath, str], name: str) -> list[TrialResult]:
        """What each part of the checks says if some files have another text.

        Args:
            sources: the text of each.
            name: what the folder of the artifacts is called.
        """
        tree = self._put(sources)
        context = self.context(tree, name)
        return [try_out(Trial(self.order, tree, (part,)), context) for part in self.checks]

    def exit_code(self, words: tuple[str, ...], sources: Mapping[RepoPath, str], name: str) -> int | None:
        """What a command returns if some files have another text; None if it has no end of its own.

        Args:
            words: the command.
            sources: the text of each of these files.
            name: what the folder of the artifacts is called.
        """
        context = self.context(self._put(sources), name).of_order
        return context.execute("compile", " ".join(words), words).exit_code

    def context(self, tree: str, name: str) -> CheckContext:
        """What commands may use.

        Args:
            tree: git's id of what the checkout holds.
            name: what the folder of the artifacts is called.
        """
        artifacts = self.folder / name
        artifacts.mkdir(parents=True, exist_ok=True)
        return self.bench.context(self.order, tree, artifacts)

    def _put(self, sources: Mapping[RepoPath, str]) -> str:
        changed = {
            path: replace(self.files[path], data=source.encode("utf-8")) for path, source in sources.items()
        }
        return put({**self.files, **changed}, self.bench.checkout)

    def with_executed_lines(self, proof: KillProof, sources: Mapping[RepoPath, str]) -> KillProof:
        """The proof, of each mutant with whether the checks execute its line; one more pass tells."""
        marks = {
            (fate.path, fate.line): str(self.bench.checkout.temporary / f".workorder-line-{index}")
            for index, fate in enumerate(proof.fates)
        }
        by_file = {
            path: {line: mark for (file, line), mark in marks.items() if file == path} for path in sources
        }
        # What can't be marked tells nothing.
        changed = {
            path: text
            for path, source in sources.items()
            if (text := _marked(path, source, by_file[path])) is not None
        }
        self.results(changed, "executed")
        fates = (
            fate.model_copy(update={"executed": os.path.lexists(marks[fate.path, fate.line])})
            if fate.path in changed
            else fate
            for fate in proof.fates
        )
        return proof.model_copy(update={"fates": tuple(fates)})


class Compilers:
    """Tells mutants from changes that do not compile, which say nothing about tests.

    Args:
        judges: where commands run on what the attempt wrote.
        tree: git's id of that.
    """

    def __init__(self, judges: Judges, tree: str) -> None:
        self._judges = judges
        self._tree = tree
        self._commands: dict[str, tuple[str, ...]] = {}

    def accept(self, placed: PlacedMutant, name: str) -> bool:
        """Whether a change is a mutant: it compiles, or nobody can tell.

        Args:
            placed: the change.
            name: what the folder of its artifacts is called.
        """
        language = language_of(placed.path)
        if language is None:
            return True
        if language.key not in self._commands:
            self._commands[language.key] = self._command(language)
        words = self._commands[language.key]
        return not words or self._judges.exit_code(words, {placed.path: placed.mutant.source}, name) in (
            0,
            None,
        )

    def _command(self, language: Language) -> tuple[str, ...]:
        """The command that tells for a language; empty if there is none, or if it fails anyway."""
        judges = self._judges
        context = judges.bench.context(judges.order, self._tree, judges.folder).of_order
        words = language.compiling(frozenset(context.landing), reading(context.tree))
        return words if words and self._judges.exit_code(words, {}, "compile") == 0 else ()


def _marked(path: str, source: str, marks: Mapping[int, str]) -> str | None:
    language = language_of(path)
    return language.marked(path, source, marks) if language is not None else None
