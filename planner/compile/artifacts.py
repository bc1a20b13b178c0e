"""The files that a compile leaves for a person to look into: the name of each, and who writes them.

The directory ignores itself for git, because it may lie in the target repository. Not here: the plan, which
`emit` writes.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from factory.contract.canonical import dump, readable_json
from factory.contract.strict_json import JsonValue
from factory.system.files.tree import FileProblem, write_atomic
from planner.compile.summary import CompileSummary

SUMMARY_NAME: Final = "compile_summary.json"
LEDGER_NAME: Final = "ledger"


@dataclass(frozen=True)
class AttemptFile:
    """A file of each attempt, `STEM_attempt_N.SUFFIX`."""

    stem: str
    suffix: Literal["txt", "json"]

    def name(self, attempt: int | str) -> str:
        """Its name in an attempt, by the attempt's number."""
        return f"{self.stem}_attempt_{attempt}.{self.suffix}"

    def has_name(self, name: str) -> bool:
        """Whether it has this name in some attempt."""
        return (
            re.fullmatch(re.escape(self.name("")).replace("_attempt_", "_attempt_[0-9]+"), name) is not None
        )


PROMPT: Final = AttemptFile("prompt", "txt")
ANSWER: Final = AttemptFile("llm_raw_response", "txt")
CUT_OFF_ANSWER: Final = AttemptFile("llm_cut_off_response", "txt")
MANIFEST: Final = AttemptFile("manifest_raw", "json")
DIAGNOSTICS: Final = AttemptFile("validation_errors", "json")
REVIEW_PROMPT: Final = AttemptFile("review_prompt", "txt")
REVIEW_ANSWER: Final = AttemptFile("review_answer", "txt")
ATTEMPT_FILES: Final = (
    PROMPT,
    ANSWER,
    CUT_OFF_ANSWER,
    MANIFEST,
    DIAGNOSTICS,
    REVIEW_PROMPT,
    REVIEW_ANSWER,
)


def default_directory(outdir: Path) -> Path:
    """Beside the plan, so that the plan's directory holds the plan only: `OUTDIR.artifacts`."""
    resolved = outdir.resolve()
    return resolved.with_name(f"{resolved.name}.artifacts")


class Artifacts:
    """The artifact directory of one compile.

    Args:
        directory: where they go; it is made when the first file is written.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def open(self) -> None:
        """Make the directory, and remove what an earlier compile left, except the stored model calls.

        Otherwise a third attempt of yesterday would stand beside the only attempt of today.

        Raises:
            FileProblem: the directory can't be made or written.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            for path in self.directory.iterdir():
                if path.name == SUMMARY_NAME or any(file.has_name(path.name) for file in ATTEMPT_FILES):
                    path.unlink()
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise FileProblem(f"can't hold the artifacts: {reason}", where=str(self.directory)) from error
        write_atomic(self.directory / ".gitignore", b"*\n")

    def text(self, file: AttemptFile, attempt: int, text: str) -> None:
        """Write a text of an attempt to the letter, but half of a surrogate pair as its escape."""
        write_atomic(self.directory / file.name(attempt), text.encode("utf-8", "backslashreplace"))

    def document(self, file: AttemptFile, attempt: int, document: JsonValue) -> None:
        """Write a document of an attempt."""
        write_atomic(self.directory / file.name(attempt), readable_json(document))

    def summary(self, summary: CompileSummary) -> None:
        """Write how the compile ended."""
        write_atomic(self.directory / SUMMARY_NAME, readable_json(dump(summary)))
