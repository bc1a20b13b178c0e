"""A call that can't be ended can be left."""

import threading

import pytest

from factory.llm.adapters.abandonable import AbandonableModel
from factory.llm.port import Answer, ProviderError, Request
from factory.system.process.stop import Stop, Stopped
from tests.support.requests import a_request
from tests.support.scripted_model import ScriptedModel, answer


def test_answers_and_errors_come_through() -> None:
    with Stop() as stop:
        model = AbandonableModel(ScriptedModel(["yes", ProviderError("down")], name="m"), stop)

        assert (model.adapter, model.name) == ("scripted", "m")
        assert model.complete(a_request()).text == "yes"
        with pytest.raises(ProviderError, match="down"):
            model.complete(a_request())


def test_a_call_without_an_answer_is_left_when_the_stop_is_asked_for() -> None:
    with Stop() as stop:
        over = threading.Event()

        def waits(_request: Request) -> Answer:
            stop.ask()
            over.wait(30)
            return answer("late")

        with pytest.raises(Stopped):
            AbandonableModel(ScriptedModel([waits]), stop).complete(a_request())
        over.set()


def test_nobody_is_asked_after_the_stop() -> None:
    with Stop() as stop:
        stop.ask()
        asked = ScriptedModel(["yes"])

        with pytest.raises(Stopped):
            AbandonableModel(asked, stop).complete(a_request())

    assert asked.requests == []
