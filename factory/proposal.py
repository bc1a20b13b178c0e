"""From a model's answer to a `WriteProposal`, or the failure that says why it is none. Pure."""

import codecs

from factory.contract.documents import BadDocument, read_document
from factory.contract.proposal import WriteProposal
from factory.contract.reply import json_text
from factory.contract.strict_json import BadJson
from factory.failure import Failure, FailureClass, Stage
from factory.llm.port import Answer, FinishReason

_SOURCE = "the answer"


def parse_answer(answer: Answer) -> WriteProposal | Failure:
    """Read a proposal out of an answer; a Markdown fence around it is understood, prose is not."""
    match answer.finish_reason:
        case FinishReason.STOP:
            pass
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
    try:
        proposal = read_document(WriteProposal, json_text(answer.text), _SOURCE)
    except BadJson as error:
        return _invalid(error.message, where=error.where, hint="answer with one JSON object and nothing else")
    except BadDocument as error:
        return _invalid(error.message, where=error.where, hint="answer with exactly the fields of the schema")
    for number, write in enumerate(proposal.writes):
        if "\0" in write.content:
            return _invalid(
                f"the content of `{write.path}` holds NUL, so it is not a text",
                where=f"{_SOURCE} /writes/{number}/content",
                hint="write the character as an escape of the file's language",
            )
    return proposal


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
    return Failure(
        stage=Stage.LLM_OUTPUT_INVALID,
        failure_class=FailureClass.MODEL_DEFECT,
        message=message,
        where=where,
        hint=hint,
    )
