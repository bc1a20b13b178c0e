"""How the name given to `--llm` becomes a model. No model is asked here, and no SDK imported."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Literal

from factory.contract.errors import WorkorderError
from factory.llm.adapters.abandonable import AbandonableModel
from factory.llm.adapters.anthropic import ANTHROPIC, Anthropic
from factory.llm.adapters.command import CommandModel
from factory.llm.adapters.endpoint import OPENAI, Endpoint
from factory.llm.adapters.openai.chat import OpenAiChat
from factory.llm.adapters.openai.presets import PRESETS
from factory.llm.adapters.openai.responses import OpenAiResponses
from factory.llm.adapters.replay import ReplayModel
from factory.llm.ledger.store import Ledger, RecordedModel
from factory.llm.port import Heard, Model, unheard
from factory.llm.spending.budget import Budget
from factory.llm.spending.prices import Price, price_of
from factory.system.process.stop import Stop

Stage = Literal["planner", "factory"]

_OPENAI_NAME: Final = re.compile(r"(?:ft:)?(?:gpt-|chatgpt-|codex-|o[1-9])[\w.:-]*")
# Each kind, and what stands after its colon.
_KINDS: Final = {
    "openai": "NAME",
    "openai-chat": "NAME",
    "anthropic": "NAME",
    **dict.fromkeys(PRESETS, "NAME"),
    "command": "PROGRAM ARGS",
    "replay": "DIR",
}
_BETWEEN: Final = re.compile(rf",(?=\s*(?:(?:{'|'.join(_KINDS)}):|{_OPENAI_NAME.pattern}))")
# Beginnings of the names of models that don't answer at OpenAI, and the kind that asks for them.
_ELSEWHERE: Final = {"claude": "anthropic"} | {
    family: name for name, preset in PRESETS.items() for family in preset.families
}
_FORMS: Final = ", ".join(f"{kind}:{rest}" for kind, rest in _KINDS.items())


def names_in(text: str) -> list[str]:
    """The models that `--escalate` names, with commas between; a comma within a program's words is none."""
    return [name.strip() for name in _BETWEEN.split(text)]


def select_model(
    name: str,
    *,
    stage: Stage,
    ledger: Ledger,
    environment: Mapping[str, str],
    budget: Budget | None = None,
    stop: Stop | None = None,
    price: Price | None = None,
    otherwise: Price | None = None,
    heard: Heard = unheard,
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
        otherwise: what it costs if nobody knows.
        heard: told of what comes of an answer, where the adapter streams.

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
            asked = _openai(rest, by_chat=by_chat, ledger=ledger, environment=environment, heard=heard)
        case "anthropic":
            asked = Anthropic(rest, Endpoint.from_environment(environment, ANTHROPIC), heard=heard)
        case _:
            preset = PRESETS[kind]
            endpoint = Endpoint.from_environment(environment, preset.server)
            asked = OpenAiChat(rest, endpoint, preset, heard=heard)
    if stop is not None and kind != "command":
        asked = AbandonableModel(asked, stop)
    return ledger.wrap(asked, budget.permit(asked, stop, price, otherwise) if budget is not None else None)


def price_of_named(name: str) -> Price | None:
    """What the model of that name costs, if that is known; no key is needed, and nobody is asked.

    Raises:
        WorkorderError: there is no such model.
    """
    kind, rest = _parse(name)
    return price_of("openai_chat" if kind.startswith("openai") else kind, rest)


def _openai(
    name: str, *, by_chat: bool, ledger: Ledger, environment: Mapping[str, str], heard: Heard
) -> Model:
    endpoint = Endpoint.from_environment(environment)
    if by_chat:
        return OpenAiChat(name, endpoint, heard=heard)
    return OpenAiResponses(name, endpoint, ledger.pending)


def _refuse_foreign(kind: str, name: str, environment: Mapping[str, str]) -> None:
    """Refuse to ask OpenAI for somebody else's model; what another server has is for that to say."""
    elsewhere = _kind_for(name)
    if not environment.get(OPENAI.url_variable, "").strip() and elsewhere is not None:
        raise WorkorderError(
            "OpenAI has no such model, and no other server is named",
            where=f"--llm {kind}:{name}",
            hint=_written(elsewhere, name),
        )


def _kind_for(name: str) -> str | None:
    """The kind that asks for a model which is not OpenAI's; None if it may be one of OpenAI's."""
    return next((kind for begin, kind in _ELSEWHERE.items() if name.lower().startswith(begin)), None)


def _written(kind: str, name: str) -> str:
    server = ANTHROPIC if kind == "anthropic" else PRESETS[kind].server
    return f"write {kind}:{name}, with the key in {server.key_variable}"


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
    elsewhere = _kind_for(name)
    if elsewhere is not None:
        return _written(elsewhere, name)
    if "/" in kind:
        return f"write openrouter:{name}, together:{name} or vllm:{name}, whichever server has it"
    close = get_close_matches(kind.lower(), _KINDS, n=1)
    if close:
        return f"did you mean {close[0]}:{rest or _KINDS[close[0]]}?"
    return f"name a model as one of {_FORMS}; a local one such as ollama:{name}"
