"""The work order that makes a new repository one that can be verified: its texts are fixed.

A model's answer names it as its first work order, `{"same_as": "WO-01"}`, and goes on from there.
"""

import shlex
from collections.abc import Iterable, Sequence
from typing import Final

from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonValue
from factory.contract.work_order import (
    COMPUTED_FIELDS,
    VERIFY_SCRIPT,
    Condition,
    FixedFile,
    Postcondition,
    WorkOrder,
    work_order_id,
)
from factory.languages.port import Language, Verification
from factory.languages.starters import starter
from factory.languages.table import language_of

_INTENT: Final = (
    "Write {}, as their texts are given: what verifies the whole repository after each work order, and what"
    " git leaves alone."
)


def bootstrap(
    files: frozenset[str], languages: Sequence[Language], verification: Iterable[Verification] = ()
) -> WorkOrder | None:
    """The first work order of a plan for a repository that can't be verified yet.

    Args:
        files: the tracked files of the repository.
        languages: those that the product is to be written in, at least one.
        verification: the default verification of the repository.

    Returns:
        The work order; None if the repository has a script that verifies it, says how else, or has tests.
    """
    if VERIFY_SCRIPT in files or any(_is_test(path) for path in files):
        return None
    if any(command.own for command in verification):
        return None
    given = tuple(
        FixedFile(path=RepoPath.parse(path), text=text) for path, text in starter(languages, files).items()
    )
    paths = tuple(file.path for file in given)
    return WorkOrder(
        id=work_order_id(1),
        title="Bootstrap verification",
        intent=_INTENT.format(" and ".join(paths)),
        preconditions=tuple(Condition(kind="file_absent", path=path) for path in paths),
        postconditions=tuple(Postcondition(kind="file_exists", path=path) for path in paths),
        allowed_files=paths,
        acceptance_commands=tuple(
            shlex.join(["grep", "-Fxq", "-e", _longest_line(file.text), file.path]) for file in given
        ),
        fixed_files=given,
    )


def with_given(document: JsonValue, given: WorkOrder) -> JsonValue:
    """An answer with the work order that its first element stands for, or before which it begins.

    Args:
        document: the answer as it was read.
        given: the work order that the model was told of.
    """
    if not isinstance(document, dict) or not isinstance(orders := document.get("work_orders"), list):
        return document
    whole: JsonValue = given.model_dump(mode="json", exclude=set(COMPUTED_FIELDS))
    match orders:
        case [{"same_as": given.id, **others}, *further] if all(value is None for value in others.values()):
            return {**document, "work_orders": [whole, *further]}
        case [{"id": str() as first}, *_] if first == work_order_id(2):
            return {**document, "work_orders": [whole, *orders]}
        case _:
            return document


def _is_test(path: str) -> bool:
    language = language_of(path)
    return language is not None and language.is_test(path)


def _longest_line(text: str) -> str:
    """The line by which a text is known: the first of the longest that are no comment."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return max(lines, key=len)
