"""Servers that speak Chat Completions, each with what it can't do. Values only: nothing is asked here."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from factory.llm.adapters.endpoint import OPENAI, Server


@dataclass(frozen=True)
class Preset:
    """How one kind of server is asked.

    Attributes:
        server: where it is, and whose key it takes.
        adapter: how the ledger calls it.
        limit: how it calls the limit of an answer's tokens.
        schema: whether it keeps answers to a JSON schema, or to JSON alone; what it doesn't keep to goes into
            the prompt.
        streams: whether answers are taken as they are written: local models take their time, and gateways
            cut silent connections.
        usage_option: whether it has to be asked for the usage of a stream.
        refuses: options that it is known to refuse, so that they are not tried.
        caches: how it is told what to cache: by a key, by marks in the prompt, or not at all.
        families: beginnings of its models' names, for suggestions.
    """

    server: Server
    adapter: str
    limit: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    schema: Literal["schema", "object"] = "schema"
    streams: bool = True
    usage_option: bool = True
    refuses: frozenset[str] = frozenset()
    caches: Literal["key", "marks", "alone"] = "alone"
    families: tuple[str, ...] = ()


OPENAI_CHAT: Final = Preset(OPENAI, "openai_chat", limit="max_completion_tokens", streams=False, caches="key")


def _hosted(label: str, url: str, variables: str) -> Server:
    return Server(label, url, f"{variables}_API_KEY", f"{variables}_BASE_URL")


def _local(label: str, port: int, variables: str) -> Server:
    url = f"http://127.0.0.1:{port}/v1"
    return Server(label, url, f"{variables}_API_KEY", f"{variables}_BASE_URL", needs_key=False)


PRESETS: Final = MappingProxyType(
    {
        "gemini": Preset(
            _hosted("Gemini", "https://generativelanguage.googleapis.com/v1beta/openai/", "GEMINI"),
            "gemini",
            families=("gemini", "gemma"),
        ),
        "mistral": Preset(
            _hosted("Mistral", "https://api.mistral.ai/v1", "MISTRAL"),
            "mistral",
            # It refuses what it does not know, and sends the usage unasked.
            usage_option=False,
            refuses=frozenset({"reasoning_effort"}),
            families=("mistral", "codestral", "devstral", "magistral", "ministral"),
        ),
        "deepseek": Preset(
            _hosted("DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK"),
            "deepseek",
            schema="object",
            refuses=frozenset({"reasoning_effort"}),
            families=("deepseek",),
        ),
        "xai": Preset(
            _hosted("xAI", "https://api.x.ai/v1", "XAI"),
            "xai",
            limit="max_completion_tokens",
            families=("grok",),
        ),
        "groq": Preset(
            _hosted("Groq", "https://api.groq.com/openai/v1", "GROQ"), "groq", limit="max_completion_tokens"
        ),
        "together": Preset(_hosted("Together", "https://api.together.xyz/v1", "TOGETHER"), "together"),
        "openrouter": Preset(
            _hosted("OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER"),
            "openrouter",
            caches="marks",
        ),
        "ollama": Preset(_local("Ollama", 11434, "OLLAMA"), "ollama"),
        "vllm": Preset(_local("vLLM", 8000, "VLLM"), "vllm", limit="max_completion_tokens"),
        "llamacpp": Preset(_local("llama.cpp", 8080, "LLAMACPP"), "llamacpp"),
        "lmstudio": Preset(_local("LM Studio", 1234, "LMSTUDIO"), "lmstudio"),
    }
)
"""The presets by the prefix that `--llm` takes."""
