"""A build up to the first call of a model: what it finds, and that it leaves nothing behind."""

import os
from decimal import Decimal
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.builds.rehearsal import Ready, Rehearsed, rehearse
from factory.contract.identity import contract_hash
from factory.contract.work_order import WorkOrder
from factory.gates.check import Probed
from factory.llm.port import Model, ProviderError, Request
from factory.llm.spending.prices import Price
from factory.people.skips import Skip, set_skip
from factory.report.rehearsal import render_rehearsal
from factory.runs.inputs import Ports
from factory.system.clock import SystemClock
from factory.system.process.stop import Stop
from tests.support.build_states import an_order
from tests.support.builds import BuildScene, writes
from tests.support.repositories import files_of, git, make_repo, write_files


def nobody(order_id: str, attempt: int, _request: Request) -> str:
    return pytest.fail(f"{order_id} was asked for attempt {attempt}")


def scene_of(tmp_path: Path, *orders: dict[str, object]) -> BuildScene:
    return BuildScene(make_repo(tmp_path / "repo"), orders, nobody)  # type: ignore[arg-type]


def rehearsed(scene: BuildScene) -> Rehearsed:
    def model(_stop: Stop | None, _price: Price | None) -> Model:
        return scene.model

    ports = Ports(model, SystemClock(), lambda _text: None, os.environ)
    return rehearse(scene.settings(red_probe=True), ports)


FIXED = writes("a.txt", fixed_files=[{"path": "a.txt", "text": "a\n"}], postconditions=[], depends_on=[])


def test_what_is_ready_is_tried_and_nothing_is_left(tmp_path: Path) -> None:
    scene = scene_of(
        tmp_path,
        FIXED,
        writes("b.txt", depends_on=["WO-01"]),
        writes("c.txt", depends_on=["WO-02"]),
        writes("d.txt", depends_on=[]),
    )
    before = files_of(scene.repo), git(scene.repo, "for-each-ref"), git(scene.repo, "status", "--porcelain")

    result = rehearsed(scene)

    assert result.ended is None
    assert (result.landed, result.alone, result.waiting) == ((), ("WO-01",), ("WO-03",))
    assert [ready.order.id for ready in result.ready] == ["WO-02", "WO-04"]
    assert [[probed.colour for probed in ready.probed] for ready in result.ready] == [["red"], ["red"]]
    assert all(ready.prompt_tokens > 100 for ready in result.ready)
    after = files_of(scene.repo), git(scene.repo, "for-each-ref"), git(scene.repo, "status", "--porcelain")
    assert after == before
    assert not scene.out.exists()
    assert scene.landed() == []


def test_a_model_that_can_not_be_asked_is_told_after_all_that_needs_none(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, FIXED, writes("b.txt", depends_on=["WO-01"]))

    def model(_stop: Stop | None, _price: Price | None) -> Model:
        raise ProviderError("OPENAI_API_KEY is not set", hint="export it")

    ports = Ports(model, SystemClock(), lambda _text: None, os.environ)
    result = rehearse(scene.settings(red_probe=True), ports, Price(Decimal(1), Decimal(2)))

    assert result.ended is None
    assert (result.alone, [ready.order.id for ready in result.ready]) == (("WO-01",), ["WO-02"])
    assert result.unasked is not None
    assert result.unasked.exit_code is ExitCode.PROVIDER
    *before, refused, message, hint = render_rehearsal(result, 3, 1000).splitlines()
    assert "$" in before[-1]
    assert refused == "but a build would be refused as things are, before anything is begun:"
    assert (message, hint) == ("OPENAI_API_KEY is not set", "  hint: export it")


def test_a_command_that_proves_nothing_is_told_before_anything_is_paid(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, {"allowed_files": ["b.txt"], "acceptance_commands": ["true"]})
    result = rehearsed(scene)
    assert result.ended is not None
    assert result.ended.exit_code is ExitCode.PLAN_DEFECT
    assert "passes before anything was done" in render_rehearsal(result, 2, 100)


def test_a_dirty_repository_is_refused_although_its_copy_is_clean(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, writes("b.txt"))
    write_files(scene.repo, {"mine.txt": "x"})
    result = rehearsed(scene)
    assert result.ended is not None
    assert result.ended.exit_code is ExitCode.REFUSED
    assert "not clean" in result.ended.message


def test_what_is_told_of_it() -> None:
    probed = (
        Probed(command="test -f b.txt", colour="red"),
        Probed(command="true\x1b[31m", colour="green", weak=True),
    )
    ready = Ready(an_order(2), probed, 1_500)
    price = Price(Decimal(2), Decimal(10))
    result = Rehearsed(None, (ready,), alone=("WO-01",), waiting=("WO-03",), price=price)
    lines = render_rehearsal(result, 2, 1_000).splitlines()
    assert lines[:-1] == [
        "WO-01: lands without a model, and passes its gates",
        "WO-02: ready; 1 of 2 commands fail now, as they should; a prompt of at most 1,500 tokens",
        "  passes already, and proves nothing: true\\x1b[31m",
        "waiting for others: WO-03",
        "nothing was asked, and nothing has landed; 2 work orders need a model",
    ]
    assert lines[-1].startswith("the first prompts have at most 1,500 tokens, $0.00; at most 4 answers of at")
    assert " most 1,000 tokens, $0.04, and" in lines[-1]
    assert render_rehearsal(Rehearsed(None, landed=("WO-01",)), 2, 9).endswith("nothing is left to be asked")


def test_what_a_person_leaves_out_is_not_tried(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, writes("a.txt", depends_on=[]), writes("b.txt", depends_on=["WO-01"]))
    order = WorkOrder.model_validate(scene.order("WO-01"))
    contract = contract_hash(order)
    skip = Skip(work_order="WO-01", contract=contract, reason="later", author="A", said="now")
    set_skip(scene.repo / ".git", (contract,), skip)

    result = rehearsed(scene)

    assert (result.left_out, result.waiting, result.ready) == (("WO-01",), ("WO-02",), ())
    assert "WO-01: is left out, on purpose" in render_rehearsal(result, 2, 100)
