"""What a person says to the next attempt: it is told, once the attempts before it have been told nothing."""

import os
from pathlib import Path

import pytest

from factory.builds.build import build
from factory.contract.errors import WorkorderError
from factory.llm.ledger.store import Ledger
from factory.llm.port import Request
from factory.llm.spending.prices import Price
from factory.people.hints import HINTS_FILE, Hint, add_hint, attempts_with, others_for, texts_for
from factory.report.show import show_run
from factory.runs.inputs import Ports
from factory.runs.record.tried import run_folder, tried
from factory.system.clock import SystemClock
from factory.system.terminal.arguments import parse_price
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, ReplyingModel, writes
from tests.support.repositories import git, make_repo

SAID = "Write `a`, </hint> never `b`."


def hint(out: Path, text: str = SAID) -> Hint:
    standing = tried(out, "WO-01")
    return Hint(
        work_order="WO-01",
        contract=standing.contract,
        after=standing.attempts,
        text=text,
        author="Ada <ada@example.org>",
        said="2026-01-01T00:00:00.000Z",
    )


def reply(_order: str, _attempt: int, request: Request) -> str:
    return a_proposal({"a.txt": "a\n" if "What a person says" in request.messages[-1].content else "b\n"})


def test_a_hint_reaches_one_attempt_more_and_nothing_is_paid_again(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    order = writes("a.txt", acceptance_commands=["grep -q a a.txt"])
    scene = BuildScene(repo, [order], reply)
    assert scene.build().ended.exit_code == 1
    add_hint(scene.out, hint(scene.out))

    built = scene.build()

    assert built.ended.exit_code == 0
    # The first two were remembered, and their prompts are as they were.
    assert scene.model.asked == [("WO-01", 1), ("WO-01", 2), ("WO-01", 3)]
    told = scene.model.prompts["WO-01", 3]
    assert told.index("Your attempt before failed") < told.index("What a person says") < told.index(SAID)
    with pytest.raises(WorkorderError, match="WO-01 has landed"):
        tried(scene.out, "WO-01")
    folder = run_folder("WO-01", scene.out)
    assert run_folder(folder.name, scene.out) == run_folder(str(folder), None) == folder
    assert "attempt 3" in show_run(folder)


def test_what_was_said_counts_for_its_contract_and_for_later_attempts(tmp_path: Path) -> None:
    assert texts_for(tmp_path, "c", 1) == ()
    assert attempts_with(tmp_path, "c", 2) == 2
    for text, after in (("one", 0), ("two", 2)):
        add_hint(
            tmp_path,
            Hint(work_order="WO-01", contract="c", after=after, text=text, author="a", said="now"),
        )
    assert texts_for(tmp_path, "c", 1) == ("one",)
    assert texts_for(tmp_path, "c", 3) == ("one", "two")
    assert texts_for(tmp_path, "d", 3) == ()
    assert [attempts_with(tmp_path, "c", most) for most in (2, 3, 5)] == [3, 3, 5]


def test_another_model_makes_the_attempt_that_a_person_gives_it_to(tmp_path: Path) -> None:
    scene = BuildScene(
        make_repo(tmp_path / "repo"),
        [writes("a.txt", acceptance_commands=["grep -q a a.txt"]), writes("b.txt")],
        lambda order, _attempt, _request: a_proposal(
            {"a.txt": "b\n"} if order == "WO-01" else {"b.txt": "b"}
        ),
    )
    assert scene.build().ended.exit_code == 1
    other = ReplyingModel(lambda _order, _attempt, _request: a_proposal({"a.txt": "a\n"}))
    other.name = "other"
    ledger = Ledger(scene.out / "ledger")
    add_hint(scene.out, hint(scene.out, "").model_copy(update={"llm": "other", "price": "1,2"}))
    ports = Ports(
        lambda _stop, _price: ledger.wrap(scene.model),
        SystemClock(),
        lambda _text: None,
        os.environ,
        other=lambda said, _stop: (ledger.wrap(other), Price(*parse_price(said.price))),
    )

    built = build(scene.settings(), ports, lambda _state, _event: None)

    assert built.ended.exit_code == 0, built.ended.message
    assert (other.asked, scene.model.asked[-1]) == ([("WO-01", 3)], ("WO-02", 1))
    assert "What a person says" not in other.prompts["WO-01", 3]
    said = git(scene.repo, "log", "--format=%(trailers:key=Generated-By,valueonly,separator=)", "main")
    assert said.split() == ["replying:script", "replying:other"]
    assert built.state is not None
    shares = {share.model: share.spent.cost_usd for share in built.state.by_model}
    assert shares["replying:other"] is not None
    assert shares["replying:script"] is None


def test_who_makes_which_attempt(tmp_path: Path) -> None:
    def said(after: int, llm: str, text: str = "") -> None:
        add_hint(
            tmp_path,
            Hint(work_order="WO-01", contract="c", after=after, text=text, llm=llm, author="a", said="now"),
        )

    for after, llm in ((2, "one"), (3, "two"), (3, "three"), (4, "four"), (4, "")):
        said(after, llm)
    said(2, "", "words take nobody's place")
    assert {number: hint.llm for number, hint in others_for(tmp_path, "c").items()} == {3: "one", 4: "three"}
    assert others_for(tmp_path, "d") == {}
    assert texts_for(tmp_path, "c", 9) == ("words take nobody's place",)
    assert attempts_with(tmp_path, "c", 2) == 5


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / HINTS_FILE).write_text('{"hints": [{}]}')
    with pytest.raises(WorkorderError, match="hints/0"):
        texts_for(tmp_path, "c", 1)


def test_what_was_never_tried_has_no_next_attempt(tmp_path: Path) -> None:
    with pytest.raises(WorkorderError, match="holds no run of WO-01"):
        tried(tmp_path, "WO-01")
