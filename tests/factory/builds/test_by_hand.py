"""A person's work lands as the work order that failed, and the build goes on from there."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factory.builds.state.file import require_state
from factory.builds.state.machine import OrderPhase
from factory.commands.people.skip import attempt_after_all, leave_out
from factory.contract.repo_path import RepoPath
from factory.llm.port import Model, Request
from factory.llm.spending.prices import Price
from factory.people.adoptions import Adoption
from factory.people.skips import Skip, set_skip, skips_of
from factory.report.endings import render_ending
from factory.report.show import show_run
from factory.runs.inputs import Ports
from factory.runs.people.work import Taking
from factory.runs.record.files import ADOPTION
from factory.runs.record.tried import Named, named, tried
from factory.runs.run import Finished, RunSettings, run_work_order
from factory.system.clock import SystemClock
from factory.system.process.stop import Stop
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, write_plan, writes
from tests.support.repositories import git, make_repo, write_files
from tests.support.runs import run_settings

SAYS_A = "grep -q a a.txt"


def reply(order: str, _attempt: int, _request: Request) -> str:
    return a_proposal({"a.txt": "wrong\n"} if order == "WO-01" else {"b.txt": "b\n"})


class Hands(BuildScene):
    """A build whose first work order fails, and a worktree in which a person mends it."""

    def __init__(self, folder: Path) -> None:
        repo = make_repo(folder / "the repo")
        orders = [
            writes("a.txt", acceptance_commands=[SAYS_A]),
            writes("b.txt", depends_on=["WO-01"], context_files=["a.txt"]),
        ]
        super().__init__(repo, orders, reply)
        self.place = folder / "my place"
        assert self.build(max_attempts=1).ended.exit_code == 1
        git(repo, "worktree", "add", "--quiet", "-b", "mine", str(self.place))

    def adopt(self, *allowed: str, **attempts: Any) -> Finished:
        def model(_stop: Stop | None, _price: Price | None) -> Model:
            raise AssertionError("nobody is asked")

        taking = Taking(
            work_order="WO-01",
            plan=self.plan,
            source=self.place,
            allowed=tuple(map(RepoPath.parse, allowed)),
            summary="By hand.",
            author="Ada <ada@example.org>",
            said="now",
        )
        settings: RunSettings = run_settings(self.repo, Path("WO-01.json"), self.out, **attempts)
        ports = Ports(model, SystemClock(), lambda _text: None, os.environ)
        return run_work_order(replace(settings, taking=taking), ports)


@pytest.fixture
def hands(tmp_path: Path) -> Hands:
    return Hands(tmp_path)


def test_it_lands_as_the_work_order_and_the_build_goes_on(hands: Hands) -> None:
    write_files(hands.place, {"a.txt": "a\n", "more.txt": "m\n"})
    refused = hands.adopt().ending
    assert (refused.exit_code, hands.landed()) == (2, [])

    # A scope that is widened gives none of the user's configuration away.
    write_files(hands.place, {"workorder.toml": ""})
    configured = hands.adopt("more.txt", "workorder.toml").ending
    assert (configured.exit_code, "--allow-config workorder.toml" in configured.hint) == (2, True)
    (hands.place / "workorder.toml").unlink()

    landed = hands.adopt("more.txt", red_probe=True, co_authors=("Bo <bo@x>",))

    assert landed.ending.exit_code == 0, landed.ending.message
    message = git(hands.repo, "log", "-1", "--format=%B")
    trailers = [line.partition(": ")[0] for line in message.split("\n\n")[-1].splitlines()]
    assert trailers[-4:] == ["Environment", "Author-Kind", "Widened-Scope", "Co-authored-by"]
    assert "Generated-By" not in trailers
    assert "Widened-Scope: more.txt" in message
    assert git(hands.repo, "show", "--format=", "--name-only").split() == ["a.txt", "more.txt"]
    assert landed.folder is not None
    record = ADOPTION.read(landed.folder)
    assert isinstance(record, Adoption)
    assert record.widened == ("more.txt",)
    assert "the work of Ada <ada@example.org>, from" in show_run(landed.folder)

    built = hands.build()

    assert (built.ended.exit_code, hands.landed()) == (0, ["WO-01", "WO-02"])
    assert hands.model.asked.count(("WO-01", 1)) == 1
    order = require_state(hands.out).order("WO-01")
    # What it used is known, and what a person did is on record.
    assert [run.run_id == order.landed_run for run in order.runs] == [False, True]


def test_what_does_not_pass_lands_nothing_and_tells_why(hands: Hands) -> None:
    write_files(hands.place, {"a.txt": "still wrong\n"})
    before = git(hands.repo, "rev-parse", "main")

    failed = hands.adopt()

    assert (failed.ending.exit_code, git(hands.repo, "rev-parse", "main")) == (1, before)
    assert failed.folder is not None
    text = render_ending(failed.ending, failed.folder)
    assert "acceptance_failed" in text
    assert "  mend it where it is, then: factory adopt WO-01 --out" in text
    assert (failed.folder / "attempt_1" / "failure_brief.json").exists()
    # What the model did is as it was, and a next attempt of its own follows that.
    assert named("WO-01", hands.out).latest == failed.folder
    standing = tried(hands.out, "WO-01")
    assert (standing.attempts, standing.folder != failed.folder) == (1, True)
    assert named(str(failed.folder), None).work_order == "WO-01"

    # Nor does a model do what a person leaves out; another person may.
    skip = Skip(
        work_order="WO-01", contract=standing.contract, reason="later\x1b[1m", author="Bo", said="now"
    )
    set_skip(hands.repo / ".git", (standing.contract,), skip)
    ports = Ports(lambda _stop, _price: hands.model, SystemClock(), lambda _text: None, os.environ)
    ran = run_work_order(run_settings(hands.repo, hands.plan / "WO-01.json", hands.out), ports).ending
    assert ran.exit_code == 2
    assert "left out on purpose; Bo says why: later\\x1b[1m" in ran.message
    write_files(hands.place, {"a.txt": "a\n"})
    assert hands.adopt().ending.exit_code == 0


def test_better_words_neither_undo_a_skip_nor_make_another_plan(tmp_path: Path) -> None:
    orders = [writes("a.txt"), writes("b.txt", depends_on=[])]
    files = {"WO-01": "a.txt", "WO-02": "b.txt"}
    scene = BuildScene(
        make_repo(tmp_path / "repo", {"x": ""}),
        orders,
        lambda order_id, *_: a_proposal({files[order_id]: ""}) if order_id == "WO-01" else "no json",
    )
    assert scene.build(keep_going=True, max_attempts=1).ended.exit_code == 1
    leave_out(Named("WO-02", scene.out), "later")

    write_plan(scene.plan, [{**orders[0], "title": "Better"}, orders[1]])
    built = scene.build()
    assert (built.ended.exit_code, scene.landed()) == (0, ["WO-01"])
    order = require_state(scene.out).order("WO-01")
    assert (order.title, len(order.runs)) == ("Better", 1)

    write_plan(scene.plan, [orders[0], {**orders[1], "title": "Better", "notes": "Now clear."}])
    built = scene.build(accept_plan=True)
    assert built.ended.exit_code == 0
    assert require_state(scene.out).order("WO-02").state is OrderPhase.SKIPPED

    assert attempt_after_all(Named("WO-02", scene.out)) == "WO-02: the next build attempts it"
    assert skips_of(scene.repo / ".git") == {}
