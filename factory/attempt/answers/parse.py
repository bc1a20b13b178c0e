"""From a model's answer to a `WriteProposal`, or the failure that says why it is none. Pure."""

import codecs
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from factory.attempt.answers.edits import BadEdit, edited
from factory.attempt.answers.versions import Versions, proposed_hash
from factory.attempt.failure import Failure, Stage
from factory.attempt.reply.blocks import BadBlocks, read_blocks
from factory.attempt.reply.mended import mended
from factory.contract.answer import AnsweredWrite, WriteAnswer
from factory.contract.documents import BadDocument, read_document, schema_problems
from factory.contract.limits import MAX_REMARK_CHARS, MAX_REMARKS
from factory.contract.proposal import Repair, Write, WriteProposal
from factory.contract.reply import json_text
from factory.contract.strict_json import BadJson, JsonValue
from factory.llm.port import Answer, FinishReason

_SOURCE = "the answer"


def parse_answer(
    answer: Answer, versions: Versions, known: Mapping[str, str] | None = None
) -> WriteProposal | Failure:
    """Read a proposal out of an answer; prose around it is passed over.

    Args:
        answer: the answer.
        versions: what it may edit or keep: the files that the model was shown, and what it proposed before.
        known: if fenced blocks were asked for, the files of the work order with their hashes; JSON is
            understood all the same.

    Returns:
        The proposal, a `Repair` if it edits or keeps what was proposed before; or the failure.
    """
    unfinished = _unfinished(answer)
    if unfinished is not None:
        return unfinished
    try:
        read = _read(answer.text, known, versions)
    except BadBlocks as error:
        return _invalid(error.message, hint=error.hint)
    except BadJson as error:
        return _invalid(error.message, where=error.where, hint="answer with one JSON object and nothing else")
    except BadDocument as error:
        form = "exactly the fields of the schema" if known is None else "files in the form that was asked for"
        return _invalid(error.message, where=error.where, hint=f"answer with {form}")
    writes: list[JsonValue] = []
    is_repair = False
    for number, write in enumerate(read.writes):
        where = f"{_SOURCE} /writes/{number}"
        meant = versions.meant(write.path, write.base_sha256)
        content = _content(write, meant, versions, where)
        if isinstance(content, Failure):
            return content
        # Whichever version it is about, it replaces the file as it is.
        base = meant if isinstance(meant, str) else meant.base_sha256
        is_repair |= write.content is None and isinstance(_edited_version(write, meant, versions), Write)
        writes.append({"path": write.path, "base_sha256": base, "content": content})
    written = {write.path for write in read.writes}
    for number, path in enumerate(dict.fromkeys(read.keep)):
        kept = versions.proposed.get(path)
        if path in written:
            continue
        if kept is None:
            return _invalid(
                f"`{path}` can't be kept: no proposal of the file that is there now failed before",
                where=f"{_SOURCE} /keep/{number}",
                hint="write the file, or don't keep it if it shall stay as it is in the repository",
            )
        writes.append({"path": path, "base_sha256": kept.base_sha256, "content": kept.content})
        is_repair = True
    document: JsonValue = {"summary": read.summary, "writes": writes, "remarks": [*_bounded(read.remarks)]}
    problems = schema_problems(WriteProposal, document)
    if problems:
        return _invalid(
            "; ".join(f"{problem.pointer}: {problem.message}" for problem in problems),
            hint="write less, as far as the work order allows it",
        )
    proposal = WriteProposal.model_validate(document)
    return Repair(**dict(proposal), repaired=versions.summaries) if is_repair else proposal


def _unfinished(answer: Answer) -> Failure | None:
    """Why an answer is none that came to its end; None if it did."""
    match answer.finish_reason:
        case FinishReason.STOP:
            return None
        case FinishReason.LENGTH:
            return _invalid(
                f"the answer was cut off after {answer.usage.output_tokens:,} tokens",
                hint="answer more briefly, or raise --max-output-tokens",
            )
        case FinishReason.REFUSAL:
            # Half of a surrogate pair can't be stored; it goes as its escape.
            said = answer.text[:500].encode("utf-8", "backslashreplace").decode("utf-8")
            return _invalid(f"the model refused: {said}")
        case FinishReason.CONTENT_FILTER:
            return _invalid("the provider's content filter stopped the answer")
        case FinishReason.CONTEXT_WINDOW:
            return _invalid(
                f"the model's context was full after {answer.usage.output_tokens:,} tokens of the answer",
                hint="answer more briefly, name fewer context files, or ask a model with a larger context",
            )


def _bounded(remarks: Sequence[str]) -> list[str]:
    """The remarks that are kept; one that is too long, or too many of them, is no reason to refuse work."""
    said = [remark.strip() for remark in remarks if remark.strip()]
    return [
        remark if len(remark) <= MAX_REMARK_CHARS else f"{remark[: MAX_REMARK_CHARS - 1]}…"
        for remark in said[:MAX_REMARKS]
    ]


def _of_its_version(write: AnsweredWrite, versions: Versions) -> AnsweredWrite:
    """An edit in a block, which names no version: of what was proposed, unless it only fits what is shown."""
    proposed, text = versions.proposed.get(write.path), versions.text(write.path)
    if not write.edits or proposed is None:
        return write
    if (
        isinstance(edited(proposed.content, write.edits), BadEdit)
        and text is not None
        and isinstance(edited(text, write.edits), str)
    ):
        return write
    return write.model_copy(update={"base_sha256": proposed_hash(proposed)})


def _read(text: str, known: Mapping[str, str] | None, versions: Versions) -> WriteAnswer:
    """The answer as a document.

    Raises:
        BadJson, BadDocument, BadBlocks: it is none.
    """
    # A file in a block may be JSON itself.
    if known is not None and not text.lstrip().startswith("{"):
        try:
            document = json.dumps(read_blocks(text, known))
        except BadBlocks:
            # It may hold the JSON of another form in a block of its own.
            if json_text(text) == text.strip():
                raise
        else:
            read = read_document(WriteAnswer, document, _SOURCE)
            writes = tuple(_of_its_version(write, versions) for write in read.writes)
            return read.model_copy(update={"writes": writes})
    try:
        return read_document(WriteAnswer, json_text(text), _SOURCE)
    except BadJson:
        tidied = mended(text, "writes")
        if tidied is not None:
            # What is still wrong with it is told of the answer as it is.
            with suppress(BadJson):
                return read_document(WriteAnswer, tidied, _SOURCE)
        raise


def _content(write: AnsweredWrite, meant: Write | str, versions: Versions, where: str) -> str | Failure:
    """The whole new text of a file."""
    if write.content is not None:
        content = write.content
    else:
        assert write.edits is not None
        version = _edited_version(write, meant, versions)
        if version is None:
            return _invalid(
                f"`{write.path}` is not among the files that were shown, so it can't be edited",
                where=f"{where}/edits",
                hint="give the whole text of a new file",
            )
        made = edited(version.content if isinstance(version, Write) else version, write.edits)
        if isinstance(made, BadEdit):
            passage = write.edits[made.number].old
            return _invalid(
                f"an edit of `{write.path}` can't be made: {made.message}: {_shortened(passage)}",
                where=f"{where}/edits/{made.number}/old",
                hint=made.hint,
            )
        content = made
    if "\0" in content:
        return _invalid(
            f"the content of `{write.path}` holds NUL, so it is not a text",
            where=where,
            hint="write the character as an escape of the file's language",
        )
    return content


def _edited_version(write: AnsweredWrite, meant: Write | str, versions: Versions) -> Write | str | None:
    """What is edited: what was proposed, or the text of the file; None if there is no text of it."""
    if isinstance(meant, Write):
        return meant
    text = versions.text(write.path)
    # Of a file that does not exist there is only what was proposed.
    return versions.proposed.get(write.path) if text is None else text


def _shortened(passage: str) -> str:
    return json.dumps(passage if len(passage) <= 200 else f"{passage[:200]}…", ensure_ascii=False)


def fitted(content: str, old: bytes | None) -> str:
    """`content` with what an editor would keep of the old file, and a model can't see in a prompt.

    That is a byte order mark, and the line endings if the old file used one kind throughout.
    """
    if not old:
        return content
    if b"\n" in old:
        windows = old.count(b"\r\n")
        if windows == 0:
            content = content.replace("\r\n", "\n")
        elif windows == old.count(b"\n"):
            content = content.replace("\r\n", "\n").replace("\n", "\r\n")
    if old.startswith(codecs.BOM_UTF8) and not content.startswith("\ufeff"):
        content = "\ufeff" + content
    return content


def _invalid(message: str, *, where: str = _SOURCE, hint: str = "") -> Failure:
    return Failure.model_defect(Stage.LLM_OUTPUT_INVALID, message, where=where, hint=hint)
