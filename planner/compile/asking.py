"""Asks the model for one attempt's answer, again if it was cut off, and keeps account of each call."""

from collections.abc import Callable
from dataclasses import dataclass

from factory.contract.strict_json import JsonObject
from factory.llm.ledger.store import RecordedModel
from factory.llm.port import Answer, FinishReason, Message, Parameters, ProviderError, Request
from factory.llm.template import transcript
from planner.compile.artifacts import ANSWER, CUT_OFF_ANSWER, PROMPT, Artifacts, AttemptFile
from planner.compile.ending import End, provider_failed, unusable
from planner.compile.summary import CallRecord
from planner.compile.watch import Answered, Asked, Watch, nobody


@dataclass(frozen=True)
class Form:
    """What is asked for: a plan, one that corrects another, or an opinion on one.

    Attributes:
        name: the name of the answer's schema.
        schema: the JSON schema of the answer.
        prompt: where the question is kept.
        answer: where the answer is kept.
        reviews: whether an opinion is asked for.
    """

    name: str
    schema: JsonObject
    prompt: AttemptFile = PROMPT
    answer: AttemptFile = ANSWER
    reviews: bool = False


class Asking:
    """The questions of one compile.

    The first answer that is cut off doubles the token limit, for the rest of the compile; the next one that
    is cut off ends it.

    Args:
        model: who is asked.
        parameters: how, at the start.
        artifacts: where prompts and answers are kept.
        progress: who hears of it.
        watch: told what happens.
    """

    def __init__(
        self,
        model: RecordedModel,
        parameters: Parameters,
        artifacts: Artifacts,
        progress: Callable[[str], None],
        watch: Watch = nobody,
    ) -> None:
        self._model = model
        self._parameters = parameters
        self._artifacts = artifacts
        self._progress = progress
        self._watch = watch
        self._was_cut_off = False
        self._calls: list[CallRecord] = []

    def ask(self, attempt: int, messages: tuple[Message, ...], form: Form) -> Answer | End:
        """The answer, or why there is none that can be checked."""
        self._artifacts.text(form.prompt, attempt, transcript(messages))
        try:
            answer = self._call(attempt, messages, form)
            if answer.finish_reason is FinishReason.LENGTH and not self._was_cut_off:
                self._artifacts.text(CUT_OFF_ANSWER, attempt, answer.text)
                self._double_the_limit(attempt)
                answer = self._call(attempt, messages, form)
        except ProviderError as error:
            return provider_failed(attempt, error)
        self._artifacts.text(form.answer, attempt, answer.text)
        return unusable(attempt, answer, self._parameters.max_output_tokens) or answer

    def take_calls(self) -> tuple[CallRecord, ...]:
        """The calls since this was last asked for."""
        calls, self._calls = tuple(self._calls), []
        return calls

    def _double_the_limit(self, attempt: int) -> None:
        self._was_cut_off = True
        limit = 2 * self._parameters.max_output_tokens
        self._parameters = self._parameters.model_copy(update={"max_output_tokens": limit})
        self._progress(f"attempt {attempt}: the answer was cut off; asking again for up to {limit:,} tokens")

    def _call(self, attempt: int, messages: tuple[Message, ...], form: Form) -> Answer:
        request = Request(
            purpose="review" if form.reviews else "plan" if attempt == 1 else "revise",
            messages=messages,
            schema_name=form.name,
            answer_schema=form.schema,
            parameters=self._parameters,
            attempt=attempt,
        )
        self._watch(Asked(attempt))
        recorded = self._model.ask(request)
        answer = recorded.answer
        self._watch(Answered(answer.usage, recorded.from_ledger))
        self._calls.append(
            CallRecord(
                max_output_tokens=self._parameters.max_output_tokens,
                finish_reason=answer.finish_reason,
                model=answer.model,
                request_id=answer.request_id,
                usage=answer.usage,
                from_ledger=recorded.from_ledger,
            )
        )
        return answer
