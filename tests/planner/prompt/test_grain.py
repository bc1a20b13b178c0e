"""The grain that suits a model and a specification."""

import pytest

from planner.prompt.grain import Grain, grain_words, suited

LARGE = 40_000


@pytest.mark.parametrize(
    ("model", "grain"),
    [
        ("claude-opus-4-8", Grain.COARSE),
        ("anthropic:claude-sonnet-5", Grain.COARSE),
        ("gpt-5.2-codex", Grain.COARSE),
        ("openai_responses:gpt-5.2-codex", Grain.COARSE),
        ("gemini:gemini-3-pro", Grain.COARSE),
        ("gpt-5-mini", Grain.FINE),
        ("claude-haiku-4-5", Grain.FINE),
        ("ollama:qwen3:8b", Grain.FINE),
        ("vllm:some/model", Grain.FINE),
        ("gemini:gemini-3-flash", Grain.FINE),
        ("mistral:mistral-large", Grain.MEDIUM),
        ("command:claude-opus --mini", Grain.MEDIUM),
        ("", Grain.MEDIUM),
    ],
)
def test_a_large_specification_gets_the_largest_grain_that_the_model_can_do(model: str, grain: Grain) -> None:
    assert suited(model, LARGE).grain is grain
    assert suited(model, None).grain is grain


@pytest.mark.parametrize(("size", "grain"), [(900, Grain.FINE), (3_000, Grain.MEDIUM), (3_700, Grain.COARSE)])
def test_a_small_product_gets_no_larger_grain_than_holds_it(size: int, grain: Grain) -> None:
    assert suited("claude-opus-4-8", size).grain is grain
    assert suited("gpt-5-nano", size).grain is Grain.FINE


def test_a_chosen_grain_says_what_and_why() -> None:
    assert suited("gpt-5-mini", LARGE).in_words == (
        "grain: fine, about 200 new lines a work order (gpt-5-mini counts as a small model)"
    )
    assert "600" in grain_words(Grain.MEDIUM)
