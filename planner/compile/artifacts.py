"""The files that a compile leaves for a person to look into: what was asked, answered and found.

The directory ignores itself for git, because it may lie in the target repository. Not here: the plan, which
`emit` writes.
"""

import re
from pathlib import Path
from typing import Final

from factory.contract.canonical import readable_json
from factory.contract.strict_json import JsonValue
from factory.system.files.tree import FileProblem, write_atomic

SUMMARY_NAME: Final = "compile_summary.json"
LEDGER_NAME: Final = "ledger"

_ATTEMPT_FILE: Final = re.compile(
    r"(prompt|llm_raw_response|llm_cut_off_response|manifest_raw|validation_errors)_attempt_[0-9]+\.(txt|json)"
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
                if path.name == SUMMARY_NAME or _ATTEMPT_FILE.fullmatch(path.name):
                    path.unlink()
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise FileProblem(f"can't hold the artifacts: {reason}", where=str(self.directory)) from error
        write_atomic(self.directory / ".gitignore", b"*\n")

    def prompt(self, attempt: int, text: str) -> None:
        """What the model was asked."""
        self._text(f"prompt_attempt_{attempt}.txt", text)

    def answer(self, attempt: int, text: str) -> None:
        """What it answered, to the letter."""
        self._text(f"llm_raw_response_attempt_{attempt}.txt", text)

    def cut_off_answer(self, attempt: int, text: str) -> None:
        """An answer that ended at the token limit and was asked for again."""
        self._text(f"llm_cut_off_response_attempt_{attempt}.txt", text)

    def manifest(self, attempt: int, document: JsonValue) -> None:
        """The JSON in the answer, before it was checked."""
        self._json(f"manifest_raw_attempt_{attempt}.json", document)

    def diagnostics(self, attempt: int, diagnostics: JsonValue) -> None:
        """What checking found; an empty list when it found nothing."""
        self._json(f"validation_errors_attempt_{attempt}.json", diagnostics)

    def summary(self, summary: JsonValue) -> None:
        """How the compile ended."""
        self._json(SUMMARY_NAME, summary)

    def _text(self, name: str, text: str) -> None:
        # An answer may hold half of a surrogate pair; it is kept as its escape.
        write_atomic(self.directory / name, text.encode("utf-8", "backslashreplace"))

    def _json(self, name: str, value: JsonValue) -> None:
        write_atomic(self.directory / name, readable_json(value))
