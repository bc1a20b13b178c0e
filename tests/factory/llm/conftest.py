"""The environment of these tests: no proxy and no OpenAI setting of whoever runs them."""

import os

import pytest


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("OPENAI_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
