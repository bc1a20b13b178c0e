"""The files of a run's folder: each is documented, and one that is written is read again as it was."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from factory.attempt.failure import Failure, Stage
from factory.contract.documents import BadDocument
from factory.contract.errors import WorkorderError
from factory.runs.record import files
from factory.runs.record.files import FAILURE_BRIEF, WRITE_RESULT, Artifact
from factory.runs.record.model import WriteResult

DOCUMENTATION = Path(__file__).parents[4] / "docs" / "artifacts.md"
ARTIFACTS = [value for value in vars(files).values() if isinstance(value, Artifact)]
NAMES = [
    *(artifact.name for artifact in (*ARTIFACTS, *files.CHECK_RESULTS.values())),
    *(files.PROMPT_TEXT, files.ANSWER_TEXT, files.CHANGES),
]
FAILURE = Failure.environment(Stage.WRITE_FAILED, "the disk is full", where="a.py")


@pytest.mark.parametrize("name", NAMES)
def test_each_is_documented(name: str) -> None:
    assert f"{name}`" in DOCUMENTATION.read_text()


@pytest.mark.parametrize(
    ("artifact", "document"),
    [
        (FAILURE_BRIEF, FAILURE),
        (WRITE_RESULT, WriteResult(applied=False, failure=FAILURE)),
        (WRITE_RESULT, WriteResult(applied=True, written=("a.py",), tree="1" * 40)),
    ],
)
def test_what_is_written_is_read(artifact: Artifact[BaseModel], document: BaseModel, tmp_path: Path) -> None:
    artifact.write(tmp_path, document)

    assert artifact.read(tmp_path) == document


def test_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    assert WRITE_RESULT.read(tmp_path) is None


@pytest.mark.parametrize(
    ("content", "error"), [("{", WorkorderError), ("[]", WorkorderError), ('{"applied": 5}', BadDocument)]
)
def test_what_is_damaged_is_an_error_unless_only_sound_ones_are_wanted(
    content: str, error: type[Exception], tmp_path: Path
) -> None:
    (tmp_path / WRITE_RESULT.name).write_text(content)

    with pytest.raises(error):
        WRITE_RESULT.read(tmp_path)
    assert WRITE_RESULT.read_sound(tmp_path) is None
