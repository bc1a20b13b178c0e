"""What comes from a worker is believed as far as it can be checked."""

from collections.abc import Callable

import pytest

from factory.contract.canonical import sha256_hex
from factory.contract.repo_path import RepoPath
from factory.engines.message import Garbage, Reply, encoded, packed, unpacked
from factory.trials.request import TrialAnswer

PATH = RepoPath("a.output.txt")
REPLY = Reply(
    name="n",
    worker="w",
    outcome="answered",
    answer=TrialAnswer(),
    evidence={PATH: sha256_hex(b"said")},
)


def test_a_reply_comes_back_as_it_was() -> None:
    assert unpacked(packed(REPLY, {PATH: b"said"}), "n") == (REPLY, {PATH: b"said"})


def document(value: dict[str, object], text: bytes) -> dict[str, object]:
    return {**value, "document": text, "sha256": sha256_hex(text)}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _value: None,
        lambda _value: b"bytes",
        lambda value: {**value, "more": b""},
        lambda value: {**value, "document": "text"},
        lambda value: {**value, "sha256": "0" * 64},
        lambda value: {**value, "files": []},
        lambda value: {**value, "files": {}},
        lambda value: {**value, "files": {"a.output.txt": b"other"}},
        lambda value: {**value, "files": {"a.output.txt": "said"}},
        lambda value: {**value, "files": {"a.output.txt": b"said", "../b": b"x"}},
        lambda value: {**value, "files": {"a.output.txt": b"said", "b": b"x"}},
        lambda value: document(value, b"{"),
        lambda value: document(value, b"[]"),
        lambda value: document(value, encoded(REPLY)[:-1] + b',"more":1}'),
        lambda value: document(value, encoded(REPLY.model_copy(update={"name": "other"}))),
        lambda value: document(value, encoded(REPLY.model_copy(update={"answer": None}))),
    ],
)
def test_anything_else_is_garbage(spoil: Callable[[dict[str, object]], object]) -> None:
    with pytest.raises(Garbage):
        unpacked(spoil(packed(REPLY, {PATH: b"said"})), "n")
