"""The port to a language model: one request in, one answer out. Adapters implement `Model`; tests fake it.

Not here: how a name such as `gpt-5.2` becomes an adapter (`select`), and what is remembered (`ledger`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final, Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from factory.contract.canonical import canonical_json
from factory.contract.errors import Fault, WorkorderError

_FRAME_TOKENS: Final = 64
"""What a provider adds around one message, generously."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(_Frozen):
    """One message of the conversation.

    Attributes:
        role: who speaks.
        content: the text.
        stable: lengths of beginnings of the text that other requests begin with, too, ascending, in
            characters: where a provider may be told to cache. No model sees them, and they are no part of the
            ledger's key. Nothing of a system text changes from request to request, so it needs none.
    """

    role: Literal["system", "user"]
    content: str
    stable: tuple[int, ...] = Field(default=(), exclude_if=lambda value: not value)

    @property
    def sections(self) -> tuple[str, ...]:
        """The text, cut where `stable` says; nothing is empty."""
        cuts = [0, *(cut for cut in self.stable if cut < len(self.content)), len(self.content)]
        return tuple(self.content[start:end] for start, end in pairwise(cuts) if start < end)


class Parameters(_Frozen):
    """What changes how a model answers; all of it is part of the ledger's key.

    Attributes:
        max_output_tokens: the most tokens the answer may have, reasoning included.
        temperature: sampling temperature; None leaves it to the provider.
        reasoning_effort: how long a reasoning model may think; None leaves it to the provider.
    """

    max_output_tokens: int
    temperature: float | None = None
    reasoning_effort: str | None = None


class Request(_Frozen):
    """One question to a model.

    Attributes:
        purpose: which point of the tool is asking.
        messages: system text first, then the user's.
        schema_name: a name for the answer's schema, letters, digits and underscores.
        answer_schema: the JSON schema of the answer, in the subset that strict structured outputs accept;
            None when the answer is free text.
        parameters: see `Parameters`.
        attempt: which attempt of the asking loop this is, from 1, so that a repeated question is a new call.
        subject: what the question is about, such as a contract's hash, so that its answers can be found;
            no model sees it, and it is no part of the ledger's key.
        base: git's id of the tree that it is answered in, of who answers by changing files; else empty.
    """

    purpose: Literal["plan", "revise", "review", "propose", "oracle"]
    messages: tuple[Message, ...]
    schema_name: str
    # pydantic's own type of JSON values, the same as `strict_json.JsonValue`, which it can't resolve.
    answer_schema: dict[str, JsonValue] | None
    parameters: Parameters
    attempt: int
    subject: str = ""
    base: str = Field(default="", exclude_if=lambda value: not value)


class FinishReason(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    CONTEXT_WINDOW = "context_window"


class Usage(_Frozen):
    """Tokens of one call.

    Attributes:
        input_tokens: all tokens of the prompt, the cached ones included.
        cached_tokens: the part of `input_tokens` that the provider had cached.
        cache_write_tokens: the part of `input_tokens` that the provider cached for later calls, and charges
            for that.
        output_tokens: all tokens of the answer, reasoning included.
        reasoning_tokens: the part of `output_tokens` spent on reasoning.
        estimated: whether the numbers are our estimate, because the adapter does not report any.
        cost_usd: what who answered says that it cost, in US dollars; None if that is not said.
    """

    input_tokens: int
    cached_tokens: int = 0
    cache_write_tokens: int = Field(default=0, exclude_if=lambda value: not value)
    output_tokens: int
    reasoning_tokens: int = 0
    estimated: bool = False
    cost_usd: float | None = Field(default=None, exclude_if=lambda value: value is None)


def total(usages: Iterable[Usage]) -> Usage:
    """The tokens of several calls together; an estimate as soon as one of them is."""
    calls = tuple(usages)
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in calls),
        cached_tokens=sum(usage.cached_tokens for usage in calls),
        cache_write_tokens=sum(usage.cache_write_tokens for usage in calls),
        output_tokens=sum(usage.output_tokens for usage in calls),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in calls),
        estimated=any(usage.estimated for usage in calls),
        cost_usd=_sum_of_costs(calls),
    )


def _sum_of_costs(calls: tuple[Usage, ...]) -> float | None:
    """What all of them say that they cost together; None if one does not say it, or there is none."""
    costs = [usage.cost_usd for usage in calls]
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if known and len(known) == len(costs) else None


class Answer(_Frozen):
    """What a model said.

    Attributes:
        text: the answer; of a refusal, the reason given.
        finish_reason: why it ended.
        usage: what it cost in tokens.
        model: the model that answered, as the provider names it.
        request_id: the provider's id of the call, for support questions; None when there is none.
    """

    text: str
    finish_reason: FinishReason
    usage: Usage
    model: str
    request_id: str | None = None


class Model(Protocol):
    """A language model.

    Attributes:
        adapter: the adapter's name, such as `openai_chat` or `command`.
        name: the model's name within the adapter, such as `gpt-5.2`.
    """

    @property
    def adapter(self) -> str: ...

    @property
    def name(self) -> str: ...

    def complete(self, request: Request) -> Answer:
        """Ask.

        Raises:
            ProviderError: no answer could be had, after the adapter's own retries.
        """
        ...


Heard: TypeAlias = Callable[[int], None]
"""Told how many characters of an answer have come, each time some do: for who waits, and for nothing else."""


def unheard(_characters: int) -> None:
    """Nobody waits."""


def identity(model: Model) -> str:
    """A model's name with its adapter's, such as `anthropic:claude-opus-4-5`."""
    return f"{model.adapter}:{model.name}"


@dataclass(frozen=True)
class Wrapper:
    """The base of a model around another: its identity is that of the one inside."""

    model: Model

    @property
    def adapter(self) -> str:
        return self.model.adapter

    @property
    def name(self) -> str:
        return self.model.name


class ProviderError(WorkorderError):
    """The model's API gave no answer: a wrong key, a limit, a broken connection, a failed response.

    Args:
        message: what is wrong.
        where: the model, and its server.
        hint: what to do next.
        may_be_paid: whether the model may have worked on the call all the same.
    """

    fault = Fault.PROVIDER

    def __init__(self, message: str, *, where: str = "", hint: str = "", may_be_paid: bool = False) -> None:
        super().__init__(message, where=where, hint=hint)
        self.may_be_paid = may_be_paid


def worst_case(request: Request) -> Usage:
    """The most tokens that a call can use.

    No token of a byte-level encoder is shorter than a byte, so the bytes of the prompt and of the schema
    bound its tokens from above.
    """
    schema = len(canonical_json(request.answer_schema)) if request.answer_schema is not None else 0
    prompt = sum(len(message.content.encode("utf-8")) + _FRAME_TOKENS for message in request.messages)
    return Usage(input_tokens=prompt + schema, output_tokens=request.parameters.max_output_tokens)


def estimate_tokens(text: str) -> int:
    """An upper bound for the tokens of `text`: one token for every two bytes of UTF-8, rounded up.

    Byte-pair encoders in use yield about one token for every three to four bytes of prose and code; two
    keeps the estimate above the truth for dense text, too.
    """
    return -(-len(text.encode("utf-8")) // 2)
