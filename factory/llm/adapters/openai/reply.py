"""The part of a Responses API reply that is used; servers may add what they like. Only reading, no asking."""

from typing import Final

from pydantic import BaseModel

from factory.llm.port import Request, Usage, estimate_tokens
from factory.llm.schema_text import prompt_text

_RUNNING: Final = frozenset({"queued", "in_progress"})


class _Part(BaseModel):
    type: str
    text: str | None = None
    refusal: str | None = None


class _Item(BaseModel):
    type: str
    phase: str | None = None
    content: list[_Part] | None = None


class _Incomplete(BaseModel):
    reason: str | None = None


class _Error(BaseModel):
    code: str | None = None
    message: str = ""


class _InputDetails(BaseModel):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _OutputDetails(BaseModel):
    reasoning_tokens: int | None = None


class _Usage(BaseModel):
    input_tokens: int
    output_tokens: int
    input_tokens_details: _InputDetails | None = None
    output_tokens_details: _OutputDetails | None = None


class ResponseReply(BaseModel):
    """A response as the server describes it, running or ended."""

    id: str | None = None
    model: str | None = None
    # A server that knows no background mode may leave the status out.
    status: str = "completed"
    output: list[_Item] = []
    incomplete_details: _Incomplete | None = None
    error: _Error | None = None
    usage: _Usage | None = None

    @property
    def ended(self) -> bool:
        """Whether the response will not change any more."""
        return self.status not in _RUNNING

    @property
    def text(self) -> str:
        """The answer, without the comments that a model makes while it works."""
        return "".join(part.text or "" for part in self._parts() if part.type == "output_text")

    @property
    def refusal(self) -> str | None:
        """Why the model refused, or None if it did not."""
        return next((part.refusal or "" for part in self._parts() if part.type == "refusal"), None)

    @property
    def incomplete_reason(self) -> str | None:
        """Why the answer is incomplete, as the server says."""
        return self.incomplete_details.reason if self.incomplete_details else None

    @property
    def failure(self) -> str:
        """The server's error, or nothing."""
        if self.error is None:
            return ""
        return ": ".join(filter(None, (self.error.code, self.error.message)))

    def used(self, request: Request, text: str) -> Usage:
        """The tokens of the call; an estimate if the server reports none."""
        if self.usage is None:
            return Usage(
                input_tokens=estimate_tokens(prompt_text(request)),
                output_tokens=estimate_tokens(text),
                estimated=True,
            )
        details, produced = self.usage.input_tokens_details, self.usage.output_tokens_details
        return Usage(
            input_tokens=self.usage.input_tokens,
            cached_tokens=(details.cached_tokens if details else None) or 0,
            cache_write_tokens=(details.cache_write_tokens if details else None) or 0,
            output_tokens=self.usage.output_tokens,
            reasoning_tokens=(produced.reasoning_tokens if produced else None) or 0,
        )

    def _parts(self) -> list[_Part]:
        messages = [item for item in self.output if item.type == "message" and item.phase != "commentary"]
        return [part for item in messages for part in item.content or []]
