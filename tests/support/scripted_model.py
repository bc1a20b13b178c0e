"""A model that says what a test tells it to, in order, and remembers what it was asked."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from factory.llm.port import Answer, FinishReason, ProviderError, Request, Usage

Script: TypeAlias = str | Answer | BaseException | Callable[[Request], str | Answer]
"""One turn: a text, a whole answer, something to raise, or a function of the request."""


class ScriptedModel:
    """A `factory.llm.port.Model` for tests.

    Attributes:
        requests: every request so far, in order.
    """

    def __init__(self, script: Iterable[Script], *, adapter: str = "scripted", name: str = "script") -> None:
        self.requests: list[Request] = []
        self.adapter = adapter
        self.name = name
        self._turns = list(script)

    def complete(self, request: Request) -> Answer:
        self.requests.append(request)
        if not self._turns:
            raise ProviderError("the script of the test has no further turn")
        turn = self._turns.pop(0)
        if isinstance(turn, BaseException):
            raise turn
        reply = turn if isinstance(turn, str | Answer) else turn(request)
        return reply if isinstance(reply, Answer) else answer(reply)


def answer(text: str, finish_reason: FinishReason = FinishReason.STOP) -> Answer:
    """An answer with plausible, fixed usage."""
    usage = Usage(input_tokens=100, cached_tokens=40, output_tokens=20, reasoning_tokens=5)
    return Answer(text=text, finish_reason=finish_reason, usage=usage, model="script-1", request_id="req-1")
