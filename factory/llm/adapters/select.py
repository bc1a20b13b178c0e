"""How the name given to `--llm` becomes a model. No model is asked here, and no SDK imported."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Literal

from factory.contract.errors import WorkorderError
from factory.llm.adapters.abandonable import AbandonableModel
from factory.llm.adapters.command import CommandModel
from factory.llm.adapters.openai.chat import OpenAiChat
from factory.llm.adapters.openai.endpoint import KEY_VARIABLE, URL_VARIABLE, Endpoint
from factory.llm.adapters.openai.responses import OpenAiResponses
from factory.llm.adapters.replay import ReplayModel
from factory.llm.ledger.store import Ledger, RecordedModel
from factory.llm.port import Model
from factory.llm.spending.budget import Budget
from factory.llm.spending.prices import Price
from factory.system.process.stop import Stop

Stage = Literal["planner", "factory"]

_OPENAI_NAME: Final = re.compile(r"(ft:)?(gpt-|chatgpt-|codex-|o[1-9])[\w.:-]*")
# Each kind, and what stands after its colon.
_KINDS: Final = {
    "openai": "NAME",
    "openai-chat": "NAME",
    "anthropic": "NAME",
    "command": "PROGRAM ARGS",
    "replay": "DIR",
}
# Whose models don't answer at OpenAI, and where they do by Chat Completions.
_ELSEWHERE: Final = {
    "claude": "https://api.anthropic.com/v1/",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai/",
    "grok": "https://api.x.ai/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "mistral": "https://api.mistral.ai/v1",
    "codestral": "https://api.mistral.ai/v1",
}
_FORMS: Final = ", ".join(f"{kind}:{rest}" for kind, rest in _KINDS.items() if kind != "anthropic")


def select_model(
    name: str,
    *,
    stage: Stage,
    ledger: Ledger,
    environment: Mapping[str, str],
    budget: Budget | None = None,
    stop: Stop | None = None,
    price: Price | None = None,
) -> RecordedModel:
    """The model of that name, its calls remembered in `ledger`; a recording is its own ledger.

    Args:
        name: what the user gave to `--llm`.
        stage: who asks; the planner asks OpenAI in the background, the factory by chat.
        ledger: where calls are remembered.
        environment: the variables of this process, for keys and URLs.
        budget: what may be spent; None for no limits. A recording costs nothing.
        stop: ends or leaves a call when another thread asks for that; None if none will.
        price: what the repository says that the model costs, if the user says nothing.

    Raises:
        WorkorderError: there is no such model, or its price is needed and not known.
        ProviderError: the model can't be asked as things are, such as without a key.
    """
    kind, rest = _parse(name)
    match kind:
        case "replay":
            return ReplayModel(Path(rest))
        case "command":
            asked: Model = CommandModel(rest, environment=environment, stop=stop)
        case "openai" | "openai-chat":
            _refuse_foreign(kind, rest, environment)
            by_chat = kind == "openai-chat" or stage == "factory"
            asked = _openai(rest, by_chat=by_chat, ledger=ledger, environment=environment)
            if stop is not None:
                asked = AbandonableModel(asked, stop)
        case _:
            raise WorkorderError(
                "asking Anthropic directly comes with a later release",
                where=f"--llm {name}",
                hint="until then, use a program that asks it: command:PROGRAM ARGS",
            )
    return ledger.wrap(asked, budget.permit(asked, stop, price) if budget is not None else None)


def _openai(name: str, *, by_chat: bool, ledger: Ledger, environment: Mapping[str, str]) -> Model:
    endpoint = Endpoint.from_environment(environment)
    if by_chat:
        return OpenAiChat(name, endpoint)
    return OpenAiResponses(name, endpoint, ledger.pending)


def _refuse_foreign(kind: str, name: str, environment: Mapping[str, str]) -> None:
    """Refuse to ask OpenAI for somebody else's model; what another server has is for that to say."""
    if not environment.get(URL_VARIABLE, "").strip() and _url_of(name) is not None:
        raise WorkorderError(
            "OpenAI has no such model, and no other server is named",
            where=f"--llm {kind}:{name}",
            hint=_by_chat(name),
        )


def _url_of(name: str) -> str | None:
    """Where a model answers that is not OpenAI's; None if it may be one of OpenAI's."""
    family = next((begin for begin in _ELSEWHERE if name.lower().startswith(begin)), None)
    return None if family is None else _ELSEWHERE[family]


def _by_chat(name: str) -> str:
    return (
        f"write openai-chat:{name} with {URL_VARIABLE}={_url_of(name)}, the URL of a compatible server that"
        f" has it, and its key in {KEY_VARIABLE}"
    )


def _parse(name: str) -> tuple[str, str]:
    """The kind of model, and what stands after the colon."""
    if _OPENAI_NAME.fullmatch(name):
        return "openai", name
    kind, colon, rest = name.partition(":")
    if not colon or kind not in _KINDS:
        raise WorkorderError("no such model", where=f"--llm {name}", hint=_suggestion(name, kind, rest))
    if not rest.strip():
        raise WorkorderError(
            "nothing stands after the colon", where=f"--llm {name}", hint=f"write {kind}:{_KINDS[kind]}"
        )
    return kind, rest.strip()


def _suggestion(name: str, kind: str, rest: str) -> str:
    if _url_of(name) is not None:
        return _by_chat(name)
    close = get_close_matches(kind.lower(), _KINDS, n=1)
    if close:
        return f"did you mean {close[0]}:{rest or _KINDS[close[0]]}?"
    return f"name a model as one of {_FORMS}; for a server at {URL_VARIABLE}, openai-chat:{name}"
