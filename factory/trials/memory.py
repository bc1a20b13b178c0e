"""The memory of trials: what one has found is not found out again.

Each is a directory, `TRIALS/NAME`, made beside its place and renamed, so there is never half of one; what it
holds is checked by hashes when it is read, so a crash of the machine leaves none that is believed either.
"""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from factory.contract.canonical import dump, readable_json, sha256_hex
from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.gates.trial import PartResult
from factory.system.files.tree import FileProblem, read_bounded
from factory.system.process.signals import shielded
from factory.system.removal import remove_tree
from factory.trials.conditions import Conditions
from factory.trials.evidence import MAX_FILE_BYTES, Stamps, collected, put_down, stamps
from factory.trials.identity import name_of
from factory.trials.port import Trials, ignore_beginning, ignore_end
from factory.trials.request import Repeat, TrialAnswer, TrialRequest, VerifyBase

TRIALS_FOLDER: Final = "trials"
"""In the directory of a build: what its trials have found."""

_VERDICT: Final = "verdict.json"
_EVIDENCE: Final = "evidence"
_MAKING: Final = ".making-"
_LARGEST_VERDICT: Final = 100_000_000


class _Verdict(BaseModel):
    """What is remembered of a trial.

    Attributes:
        schema_version: of this document.
        answer: what came out.
        answer_sha256: of the answer as it stands here, so that no half of it is believed.
        evidence: the SHA-256 of each file that it left.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    answer: TrialAnswer
    answer_sha256: str
    evidence: dict[RepoPath, str]


@dataclass(frozen=True)
class RememberedTrials:
    """Asks for a trial only if nobody knows what it finds; see `Trials`.

    Attributes:
        trials: who is asked.
        folder: where what was found is kept.
        reads: whether what is known is believed.
        writes: whether what is found is kept.
    """

    trials: Trials
    folder: Path
    reads: bool = True
    writes: bool = True

    @property
    def are_elsewhere(self) -> bool:
        return self.trials.are_elsewhere

    def ask(
        self,
        request: TrialRequest,
        conditions: Conditions,
        folder: Path,
        begins: Callable[[str], None] = ignore_beginning,
        ended: Callable[[PartResult], None] = ignore_end,
    ) -> TrialAnswer:
        if not is_remembered(request, conditions):
            return self.trials.ask(request, conditions, folder, begins, ended)
        name = name_of(request, conditions)
        known = self._known(name, request, conditions, folder)
        if known is not None:
            for part in known.results[0].parts if known.results else ():
                begins(part.name)
                ended(part)
            return known
        before = stamps(folder)
        answer = self.trials.ask(request, conditions, folder, begins, ended)
        self._keep(name, answer, folder, before)
        return answer

    def ask_all(
        self, requests: Sequence[tuple[TrialRequest, Path]], conditions: Conditions
    ) -> list[TrialAnswer]:
        names = [
            name_of(request, conditions) if is_remembered(request, conditions) else ""
            for request, _ in requests
        ]
        answers = [
            self._known(name, request, conditions, folder) if name else None
            for name, (request, folder) in zip(names, requests, strict=True)
        ]
        missing = [index for index, answer in enumerate(answers) if answer is None]
        before = {index: stamps(requests[index][1]) for index in missing}
        found = self.trials.ask_all([requests[index] for index in missing], conditions)
        for index, answer in zip(missing, found, strict=True):
            answers[index] = answer
            if names[index]:
                self._keep(names[index], answer, requests[index][1], before[index])
        return [answer for answer in answers if answer is not None]

    def _known(
        self, name: str, request: TrialRequest, conditions: Conditions, folder: Path
    ) -> TrialAnswer | None:
        """What a trial has found before, its evidence in its place; None if that is not known."""
        if not self.reads:
            return None
        place = self.folder / name
        try:
            text = read_bounded(place / _VERDICT, max_bytes=_LARGEST_VERDICT)
            verdict = _Verdict.model_validate_json(text)
            if sha256_hex(readable_json(dump(verdict.answer))) != verdict.answer_sha256:
                return None
            files = {
                path: read_bounded(place / _EVIDENCE / path, max_bytes=MAX_FILE_BYTES)
                for path in verdict.evidence
            }
        except (FileProblem, ValidationError):
            return None
        if any(sha256_hex(data) != verdict.evidence[path] for path, data in files.items()):
            return None
        folder.mkdir(parents=True, exist_ok=True)
        put_down(files, folder)
        conditions.told({"trial": request.question.kind, "name": name, "remembered": True})
        return verdict.answer

    def _keep(self, name: str, answer: TrialAnswer, folder: Path, before: Stamps) -> None:
        """Remember what a trial has found, unless something else could be found another time."""
        if not self.writes or not answer.is_lasting:
            return
        making = self.folder / f"{_MAKING}{secrets.token_hex(8)}"
        # Who can't remember finds it out again: no reason to end.
        with suppress(WorkorderError, OSError, ValueError), shielded():
            try:
                files = collected(folder, before)
                making.mkdir(parents=True)
                put_down(files, making / _EVIDENCE)
                verdict = _Verdict(
                    answer=answer,
                    answer_sha256=sha256_hex(readable_json(dump(answer))),
                    evidence={path: sha256_hex(data) for path, data in files.items()},
                )
                (making / _VERDICT).write_bytes(readable_json(dump(verdict)))
                # What is there and was not believed, or not asked, makes room.
                remove_tree(self.folder / name)
                making.rename(self.folder / name)
            finally:
                remove_tree(making)


def is_remembered(request: TrialRequest, conditions: Conditions) -> bool:
    """Whether a trial has a name that says all that could change it.

    The verification of a base has a memory of its own. What must not matter is tried where nothing is
    different to see whether anything else does: that has to be tried.
    """
    question = request.question
    if isinstance(question, VerifyBase) or (isinstance(question, Repeat) and not question.differences):
        return False
    return conditions.bench.checkout.git.throw_away


def remove_unfinished_trials(folder: Path) -> None:
    """Remove what a killed build left in the memory; call it when nobody else writes there."""
    for path in folder.glob(f"{_MAKING}*"):
        remove_tree(path)
