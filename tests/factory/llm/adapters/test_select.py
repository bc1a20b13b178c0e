"""From the name after --llm to a model."""

import subprocess
import sys
from pathlib import Path

import pytest

from factory.contract.errors import WorkorderError
from factory.llm.adapters.select import Stage, names_in, select_model
from factory.llm.ledger.store import Ledger
from factory.llm.port import ProviderError
from tests.support.openai_stand_in import OpenAiStandIn, chat_completion
from tests.support.requests import a_request
from tests.support.scripted_model import ScriptedModel

WITH_KEY = {f"{name}_API_KEY": "sk-test" for name in ("OPENAI", "ANTHROPIC", "GEMINI", "OPENROUTER")}


@pytest.mark.parametrize(
    ("name", "stage", "adapter", "model"),
    [
        ("gpt-5.2", "factory", "openai_chat", "gpt-5.2"),
        ("gpt-5.2-codex", "planner", "openai_responses", "gpt-5.2-codex"),
        ("o3-mini", "planner", "openai_responses", "o3-mini"),
        ("ft:gpt-4o:acme::1", "factory", "openai_chat", "ft:gpt-4o:acme::1"),
        ("openai:qwen/qwen3:8b", "factory", "openai_chat", "qwen/qwen3:8b"),
        ("openai:qwen", "planner", "openai_responses", "qwen"),
        ("openai-chat:qwen", "planner", "openai_chat", "qwen"),
        ("anthropic:claude-x", "planner", "anthropic", "claude-x"),
        ("gemini:gemini-3-pro", "factory", "gemini", "gemini-3-pro"),
        ("openrouter:qwen/qwen3-32b:free", "planner", "openrouter", "qwen/qwen3-32b:free"),
        ("ollama:qwen3:8b", "factory", "ollama", "qwen3:8b"),
        ("command:  ask   --fast 'a b'", "planner", "command", "ask --fast 'a b'"),
    ],
)
def test_a_name_selects_an_adapter(tmp_path: Path, name: str, stage: Stage, adapter: str, model: str) -> None:
    selected = select_model(name, stage=stage, ledger=Ledger(tmp_path), environment=WITH_KEY)

    assert (selected.adapter, selected.name) == (adapter, model)
    assert list(tmp_path.iterdir()) == []


def test_what_is_selected_is_remembered_and_what_is_replayed_is_not(tmp_path: Path) -> None:
    with OpenAiStandIn(chat_completion("ok")) as server:
        for _ in range(2):
            model = select_model(
                "gpt-x", stage="factory", ledger=Ledger(tmp_path / "one"), environment=server.environment()
            )
            assert model.complete(a_request()).text == "ok"
    assert server.count("POST") == 1

    replayed = select_model(
        f"replay:{tmp_path / 'one'}", stage="factory", ledger=Ledger(tmp_path / "two"), environment={}
    )

    assert replayed.ask(a_request()).from_ledger
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize("name", ["openai:claude-opus", "openai-chat:claude-opus"])
def test_a_server_of_the_user_s_may_have_whatever_it_has(tmp_path: Path, name: str) -> None:
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}

    model = select_model(name, stage="planner", ledger=Ledger(tmp_path), environment=environment)

    assert model.name == "claude-opus"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("", "name a model as one of openai:NAME"),
        ("claude-opus", "write anthropic:claude-opus, with the key in ANTHROPIC_API_KEY"),
        ("Gemini-3-pro", "write gemini:Gemini-3-pro, with the key in GEMINI_API_KEY"),
        ("codestral-latest", "write mistral:codestral-latest"),
        ("qwen/qwen3-32b", "write openrouter:qwen/qwen3-32b, together:qwen/qwen3-32b or vllm:qwen/qwen3-32b"),
        ("qwen3", "a local one such as ollama:qwen3"),
        ("openai:claude-opus", "write anthropic:claude-opus"),
        ("openai-chat:grok-4", "write xai:grok-4, with the key in XAI_API_KEY"),
        ("olama:qwen3", "did you mean ollama:qwen3?"),
        ("marvin-3", "name a model as one of"),
        ("comand:ask", "did you mean command:ask?"),
        ("OpenAI:gpt", "did you mean openai:gpt?"),
        ("relay:", "did you mean replay:DIR?"),
        ("openai:", "write openai:NAME"),
        ("command: ", "write command:PROGRAM ARGS"),
        ("replay:", "write replay:DIR"),
        ("anthropic:", "write anthropic:NAME"),
    ],
)
def test_a_name_that_is_none_gets_a_suggestion(tmp_path: Path, name: str, hint: str) -> None:
    with pytest.raises(WorkorderError) as caught:
        select_model(name, stage="factory", ledger=Ledger(tmp_path), environment=WITH_KEY)

    assert hint in caught.value.hint
    assert not isinstance(caught.value, ProviderError)


@pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": " \n"}])
def test_a_missing_key_is_found_before_anything_is_written(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    with pytest.raises(ProviderError) as caught:
        select_model("gpt-5.2", stage="planner", ledger=Ledger(tmp_path / "l"), environment=environment)

    assert "OPENAI_API_KEY is not set" in caught.value.message
    assert "replay:DIR" in caught.value.hint
    assert not (tmp_path / "l").exists()


@pytest.mark.parametrize(
    "environment",
    [
        {"OPENAI_API_KEY": "sk-a\nb"},
        {"OPENAI_API_KEY": "sk-…"},
        {"OPENAI_BASE_URL": "localhost:8000"},
        {"OPENAI_BASE_URL": "http://"},
        {"OPENAI_BASE_URL": "http://x:port/"},
    ],
)
def test_a_key_or_url_that_cannot_be_one_is_refused(tmp_path: Path, environment: dict[str, str]) -> None:
    with pytest.raises(ProviderError) as caught:
        select_model("gpt-5.2", stage="planner", ledger=Ledger(tmp_path), environment=environment)

    assert caught.value.hint
    assert "sk-" not in str(caught.value)


def test_a_compatible_server_needs_no_key_and_its_password_is_not_shown(tmp_path: Path) -> None:
    with OpenAiStandIn(b"no") as server:
        url = server.base_url.replace("//", "//user:hunter2-hunter2@")
        model = select_model(
            "openai:m", stage="factory", ledger=Ledger(tmp_path), environment={"OPENAI_BASE_URL": url}
        )
        with pytest.raises(ProviderError) as caught:
            model.complete(a_request())

    assert "hunter2" not in str(caught.value)


def test_selecting_imports_no_sdk() -> None:
    code = (
        "import sys, pathlib; from factory.llm.adapters.select import select_model; "
        "from factory.llm.ledger.store import Ledger; "
        "[select_model(name, stage='planner', ledger=Ledger(pathlib.Path('x')), "
        "environment={'OPENAI_API_KEY': 'k', 'ANTHROPIC_API_KEY': 'k'})"
        " for name in ('gpt-5', 'anthropic:claude', 'ollama:q')]; "
        "sys.exit(any(name in sys.modules for name in ('openai', 'httpx2', 'anthropic', 'langgraph')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_scripted_model_is_a_model(tmp_path: Path) -> None:
    assert Ledger(tmp_path).wrap(ScriptedModel(["x"])).adapter == "scripted"


def test_a_comma_within_a_program_s_words_is_none_between_models() -> None:
    assert names_in("command:ask a,b, gpt-5.2,ollama:qwen3:8b") == [
        "command:ask a,b",
        "gpt-5.2",
        "ollama:qwen3:8b",
    ]
