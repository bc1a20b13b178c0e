"""The end of a retry's prompt: what was proposed before, why it failed, and what may stay of it. Pure."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from types import MappingProxyType
from typing import Final

from factory.attempt.answers.versions import Versions, proposed_hash
from factory.attempt.failure import Failure, Stage
from factory.contract.answer import SHOWN_DIGITS, AnswerFormat
from factory.contract.limits import MAX_PROPOSAL_BYTES
from factory.contract.proposal import Write, WriteProposal
from factory.contract.repo_path import RepoPath
from factory.languages.table import language_of
from factory.llm.template import quoted

_BY_COMMANDS: Final = (Stage.VERIFY_FAILED, Stage.ACCEPTANCE_FAILED)

_HEADING: Final = """# Your attempt before failed

Everything it wrote was undone: the files above are as they are now."""

_EITHER: Final = """\
So the slip may be in the test or in the code: work out from the work order and the specification which of \
the two is right, and mend the other one. A value that they state is right."""

_MAY_STAY: Final[Mapping[AnswerFormat, str]] = MappingProxyType(
    {
        "blocks": """\
Find the cause, then answer with what changes. Of your proposal nothing stays by itself: name each file that \
was right on a line of its own, `KEEP: ` and its path, and edit the others, by a block with passages of the \
text that you proposed. A file that has neither a block nor such a line stays as it is in the repository.""",
        "json": """\
Find the cause, then answer with what changes. Of your proposal nothing stays by itself: name under `keep` \
each file that was right, and edit the others, by an entry of `writes` whose `base_sha256` is the one that \
stands with the proposed file, and whose `edits` are made in the text that you proposed. A file that is \
neither written nor kept stays as it is in the repository.""",
    }
)


@dataclass(frozen=True)
class PreviousAttempt:
    """What was proposed before, and why it failed.

    Attributes:
        proposal: the last proposal; None if there was none that could be read.
        failure: why the attempt before failed.
        answer: the answer of that attempt, if it was no proposal; empty if it is not worth repeating.
        earlier: why the proposal failed, if it was that of an attempt before the last one.
    """

    proposal: WriteProposal | None
    failure: Failure
    answer: str = ""
    earlier: Failure | None = None


def retry_text(previous: PreviousAttempt, versions: Versions, answer_format: AnswerFormat) -> list[str]:
    """The paragraphs.

    Args:
        previous: what failed.
        versions: the files that the prompt shows, and what of the proposal can still be edited or kept.
        answer_format: the form of the answer.
    """
    parts = [
        "# Your attempt before failed\n\nEverything it wrote was undone: the files above are as they are now."
    ]
    if previous.proposal is None or previous.earlier is not None:
        if 0 < len(previous.answer) <= MAX_PROPOSAL_BYTES:
            parts.append("Your answer was:\n" + quoted("answer", previous.answer))
        parts += _failure_text(previous.failure, "It")
    if previous.proposal is not None:
        if previous.earlier is not None:
            parts.append(
                "The attempt before that one had proposed something, which is all that can be edited or kept."
            )
        failure = previous.earlier or previous.failure
        parts += [
            "Its summary of what it proposed:\n" + quoted("summary", previous.proposal.summary),
            *(write_text(write, versions, answer_format) for write in previous.proposal.writes),
            *_failure_text(failure, "The proposal"),
            *_own_tests(previous.proposal, failure),
            *_named_files(failure, versions),
        ]
    parts.append(
        _MAY_STAY[answer_format]
        if versions.proposed
        else "Find the cause, then propose all the files of the work order again."
    )
    return parts


def _failure_text(failure: Failure, subject: str) -> list[str]:
    # Whose fault it is, is not for the model to decide by.
    document = failure.model_dump(mode="json", exclude={"failure_class", "excerpt", "test"})
    brief = {key: value for key, value in document.items() if value not in ("", None)}
    parts = [
        f"{subject} failed for this reason:\n"
        + quoted("failure", json.dumps(brief, ensure_ascii=False, indent=2))
    ]
    if failure.excerpt:
        parts.append("What the command printed, shortened:\n" + quoted("output", failure.excerpt))
    return parts


def own_failed_tests(proposal: WriteProposal, failure: Failure) -> list[RepoPath]:
    """The test files that the proposal wrote and the output of the failed command names."""
    if failure.stage not in _BY_COMMANDS:
        return []
    tests = (write.path for write in proposal.writes if _is_test(write.path))
    return [*_named(tests, failure.excerpt)]


def _own_tests(proposal: WriteProposal, failure: Failure) -> list[str]:
    tests = own_failed_tests(proposal, failure)
    if not tests:
        return []
    names = ", ".join(f"`{path}`" for path in tests)
    return [f"The output names {names}, which the same attempt wrote. {_EITHER}"]


def _named_files(failure: Failure, versions: Versions) -> list[str]:
    """The files that the failure names, whole, where the prompt shows a part of them."""
    parts = {path: file for path, file in versions.files.items() if file.part is not None}
    return [
        f"The output names `{path}`, of which only a part is shown above. This is all of it, read only:\n"
        + quoted("file", parts[path].content or "")
        for path in _named(parts, f"{failure.excerpt}\n{failure.message}")
    ]


def _is_test(path: RepoPath) -> bool:
    language = language_of(path)
    return language is not None and language.is_test(path)


def _named(paths: Iterable[RepoPath], text: str) -> list[RepoPath]:
    """Those whose file names stand in a text; some tools leave out the folders."""
    return [
        path
        for path in paths
        if re.search(rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?![\w-]|\.\w)", text)
    ]


def write_text(write: Write, versions: Versions | None, answer_format: AnswerFormat = "blocks") -> str:
    """A file that was proposed; only what would change in it, if it is shown above and that is less.

    Args:
        write: the file.
        versions: what can still be edited; None where nothing of a proposal can be.
        answer_format: the form of the answer; in JSON the version has a hash.
    """
    if versions is None:
        note = ""
    elif write.path not in versions.proposed:
        note = ", but the file has changed since, so this can't be edited or kept"
    else:
        note = ""
        if answer_format == "json":
            note = f" (base_sha256 to edit it: {proposed_hash(write)[:SHOWN_DIGITS]})"
        text = versions.text(write.path)
        changes = _difference(text, write.content) if text is not None else write.content
        if len(changes) < len(write.content):
            return f"It proposed these changes to `{write.path}`{note}:\n{quoted('diff', changes)}"
    return f"It proposed this as `{write.path}`{note}:\n{quoted('file', write.content)}"


def _difference(old: str, new: str) -> str:
    """The difference of two texts, line endings aside, as `diff -u` has it without the names."""
    before, after = (text.replace("\r\n", "\n").split("\n") for text in (old, new))
    lines = list(unified_diff(before, after, lineterm=""))
    return "\n".join(lines[2:]) or "(none)"
