"""What is done now, in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.gates.step import Occasion, Step, StepKind
from factory.report.live.steps import render_step
from factory.system.terminal.console import visible


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Step(StepKind.PREPARING), "preparing a checkout"),
        (Step(StepKind.PROBE, "test -f a", 2, 3), "probe 2/3 test -f a"),
        (Step(StepKind.ASKING, "openai:gpt-5.2"), "asking openai:gpt-5.2"),
        (Step(StepKind.OPINION, "python -c 1"), "asking for a second opinion"),
        (Step(StepKind.CHECK, "verify.sh"), "verify.sh"),
        (Step(StepKind.CHECK, "pytest", occasion=Occasion.LANDING), "on the tip: pytest"),
        (
            Step(StepKind.ACCEPTANCE, "python -m pytest", 1, 4, Occasion.SECOND_PASS),
            "second pass: acceptance 1/4 python -m pytest",
        ),
        (Step(StepKind.MUTANT, "a.py:7", 3, 5), "mutant 3/5 a.py:7"),
        (Step(StepKind.WAITING, "WO-04"), "waiting to land behind WO-04"),
        (Step(StepKind.WAITING), "waiting to land"),
    ],
)
def test_each_kind_has_its_words(step: Step, words: str) -> None:
    assert render_step(step) == words


@given(st.sampled_from(StepKind), st.sampled_from(Occasion), st.text())
def test_a_subject_that_a_model_wrote_is_one_harmless_line(
    kind: StepKind, occasion: Occasion, subject: str
) -> None:
    text = render_step(Step(kind, subject, 1, 2, occasion))

    assert visible(text) == text
    assert "\n" not in text and "\t" not in text
