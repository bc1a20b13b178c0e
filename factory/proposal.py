"""From a model's answer to a `WriteProposal`, or the failure that says why it is none. Pure."""

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
            return _invalid(f"the model refused: {answer.text[:500]}")
        case FinishReason.CONTENT_FILTER:
            return _invalid("the provider's content filter stopped the answer")
    try:
        return read_document(WriteProposal, json_text(answer.text), _SOURCE)
    except BadJson as error:
        return _invalid(error.message, where=error.where, hint="answer with one JSON object and nothing else")
    except BadDocument as error:
        return _invalid(error.message, where=error.where, hint="answer with exactly the fields of the schema")


def fit_line_endings(content: str, old: bytes | None) -> str:
    """`content` with the line endings of the old file, if that used one kind throughout."""
    if not old or b"\n" not in old:
        return content
    windows = old.count(b"\r\n")
    if windows == 0:
        return content.replace("\r\n", "\n")
    if windows == old.count(b"\n"):
        return content.replace("\r\n", "\n").replace("\n", "\r\n")
    return content


def _invalid(message: str, *, where: str = _SOURCE, hint: str = "") -> Failure:
    return Failure(
        stage=Stage.LLM_OUTPUT_INVALID,
        failure_class=FailureClass.MODEL_DEFECT,
        message=message,
        where=where,
        hint=hint,
    )
