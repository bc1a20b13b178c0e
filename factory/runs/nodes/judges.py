"""What judges the mutants of an attempt: its checks, and the compilers of its languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.checks.languages import reading
from factory.languages.port import Language
from factory.languages.table import language_of
from factory.mutation.kill_proof import KillProof, PlacedMutant
from factory.trials.conditions import Conditions
from factory.trials.port import Trials
from factory.trials.request import Mutate, Question, Trace, TrialAnswer, TrialRequest, Written


@dataclass(frozen=True)
class Judges:
    """The checks of an attempt, for what it wrote with some of it changed.

    Attributes:
        order: the work order.
        tree: git's id of what the attempt made.
        files: what it wrote.
        conditions: where and how its checks run.
        trials: runs them.
        parts: the names of the checks' parts that judge.
        limit_seconds: the time limit of each command.
        folder: where artifacts go.
    """

    order: WorkOrder
    tree: str
    files: tuple[Written, ...]
    conditions: Conditions
    trials: Trials
    parts: tuple[str, ...]
    limit_seconds: float
    folder: Path

    def answers(self, mutants: Sequence[PlacedMutant]) -> list[TrialAnswer]:
        """What becomes of each mutant: a trial each, so that they can run at once.

        Args:
            mutants: the mutants, numbered from 1 in the names of the folders of their artifacts.
        """
        compilers = self._compilers(mutants)
        questions = [
            Mutate(
                parts=self.parts,
                sources={RepoPath(placed.path): placed.mutant.source},
                compiler=compilers.get(placed.path, ()),
                limit_seconds=self.limit_seconds,
            )
            for placed in mutants
        ]
        requests = [
            (self._request(question), self.folder / str(number))
            for number, question in enumerate(questions, start=1)
        ]
        return self.trials.ask_all(requests, self.conditions)

    def with_executed_lines(self, proof: KillProof) -> KillProof:
        """The proof, of each mutant with whether the checks execute its line; one more pass tells."""
        lines: dict[RepoPath, set[int]] = {}
        for fate in proof.fates:
            lines.setdefault(RepoPath(fate.path), set()).add(fate.line)
        question = Trace(
            parts=self.parts,
            lines={path: tuple(sorted(its_own)) for path, its_own in lines.items()},
            limit_seconds=self.limit_seconds,
        )
        answer = self.trials.ask(self._request(question), self.conditions, self.folder / "executed")
        fates = (
            fate.model_copy(update={"executed": fate.line in answer.executed[path]})
            if (path := RepoPath(fate.path)) in answer.executed
            else fate
            for fate in proof.fates
        )
        return proof.model_copy(update={"fates": tuple(fates)})

    def _request(self, question: Question) -> TrialRequest:
        return TrialRequest(
            question=question,
            base=self.conditions.bench.checkout.baseline,
            order=self.order,
            tree=self.tree,
            files=self.files,
        )

    def _compilers(self, mutants: Sequence[PlacedMutant]) -> Mapping[str, tuple[str, ...]]:
        """By the path of a mutant the command that tells whether it compiles, of those for which one can."""
        languages: dict[str, Language] = {}
        for placed in mutants:
            language = language_of(placed.path)
            if language is not None:
                languages[placed.path] = language
        known: dict[str, tuple[str, ...]] = {}
        for language in languages.values():
            if language.key not in known:
                known[language.key] = self._compiler(language)
        return {path: known[language.key] for path, language in languages.items()}

    def _compiler(self, language: Language) -> tuple[str, ...]:
        """The command that tells for a language; empty if there is none, or if it fails anyway."""
        context = self.conditions.bench.context(self.order, self.tree, self.folder).of_order
        words = language.compiling(frozenset(context.landing), reading(context.tree))
        if not words:
            return ()
        question = Mutate(parts=(), compiler=words, limit_seconds=self.limit_seconds)
        answer = self.trials.ask(self._request(question), self.conditions, self.folder / "compile")
        return words if answer.compiles and answer.is_lasting else ()
