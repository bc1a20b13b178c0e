"""The environment of these tests: no proxy and no setting of a provider by whoever runs them."""

import os

import pytest


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL", "_AUTH_TOKEN")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
