"""What a proposal may hold."""

from typing import Any

import pytest

from factory.contract.canonical import EMPTY_SHA256
from factory.contract.documents import schema_problems
from factory.contract.proposal import WriteProposal

WRITE = {"path": "a.py", "base_sha256": EMPTY_SHA256, "content": "x\n"}


def proposal(**write: Any) -> dict[str, Any]:
    return {"summary": "Done.", "writes": [{**WRITE, **write}]}


def test_an_ordinary_proposal_is_accepted() -> None:
    read = WriteProposal.model_validate(proposal(content=""))
    assert read.writes[0].path == "a.py"


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (proposal(path="../a"), "/writes/0/path"),
        (proposal(path=".git/config"), "/writes/0/path"),
        (proposal(base_sha256="A" * 64), "/writes/0/base_sha256"),
        (proposal(base_sha256="a" * 63), "/writes/0/base_sha256"),
        (proposal(base_sha256=None), "/writes/0/base_sha256"),
        (proposal(content=None), "/writes/0/content"),
        (proposal(content="é" * 100_001), "/writes/0/content"),
        (proposal(mode=0o755), "/writes/0/mode"),
        ({"summary": "x", "writes": []}, "/writes"),
        ({"summary": 1, "writes": [WRITE]}, "/summary"),
        ({"summary": "x", "writes": [{**WRITE, "content": "x" * 180_000}] * 3}, "/writes"),
    ],
)
def test_what_breaks_the_contract_is_refused_with_its_place(value: Any, pointer: str) -> None:
    assert [problem.pointer for problem in schema_problems(WriteProposal, value)] == [pointer]


def test_a_file_may_have_exactly_the_limit() -> None:
    assert schema_problems(WriteProposal, proposal(content="x" * 200_000)) == ()
