"""What a person says to the next attempt: it is told, once the attempts before it have been told nothing."""

from pathlib import Path

import pytest

from factory.contract.errors import WorkorderError
from factory.llm.port import Request
from factory.people.hints import HINTS_FILE, Hint, add_hint, attempts_with, texts_for
from factory.report.show import show_run
from factory.runs.record.tried import run_folder, tried
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, writes
from tests.support.repositories import make_repo

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


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / HINTS_FILE).write_text('{"hints": [{}]}')
    with pytest.raises(WorkorderError, match="hints/0"):
        texts_for(tmp_path, "c", 1)


def test_what_was_never_tried_has_no_next_attempt(tmp_path: Path) -> None:
    with pytest.raises(WorkorderError, match="holds no run of WO-01"):
        tried(tmp_path, "WO-01")
