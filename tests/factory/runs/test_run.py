"""One work order from preflight to its end: every ending, its exit code, its words and its records."""

import json
import os
import shlex
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from factory.cli import main
from factory.llm.ledger.store import Ledger
from factory.llm.port import ProviderError, Request
from factory.runs.record.files import FINDINGS
from factory.runs.run import Finished
from factory.system.process.signals import interruptible
from tests.support.answers import APP, a_proposal
from tests.support.repositories import (
    VERIFY_PASSES,
    a_work_order,
    commit_files,
    files_of,
    git,
    make_repo,
    write_files,
    write_work_order,
)
from tests.support.runs import Scene, read_object, summary_of
from tests.support.scripted_model import ScriptedModel


def sh(script: str) -> str:
    return shlex.join(["sh", "-c", script])


def events_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def assert_complete(finished: Finished, outcome: str) -> None:
    """The records of a run are there and agree, however it ended."""
    assert finished.ending.outcome == outcome
    folder = finished.folder
    assert folder is not None
    summary, run = summary_of(finished), read_object(folder / "run.json")
    assert read_object(folder / "work_order.json")["id"] == "WO-01"
    assert folder.name == summary["run_id"] == run["run_id"]
    assert summary["outcome"] == run["outcome"] == outcome
    assert summary["exit_code"] == finished.ending.exit_code
    assert summary["message"] == finished.ending.message
    assert str(summary["started"]) <= str(summary["ended"]) == run["ended"]
    events = events_of(folder)
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert events[1]["event"] == "run_started"
    assert events[-1]["event"] == "run_ended"
    assert events[-1]["outcome"] == outcome


# Endings


def test_a_pass(tmp_path: Path, temporary_files: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))

    finished = scene.run()

    assert finished.ending.exit_code == 0
    assert finished.ending.message == f"WO-01 landed on main as {str(finished.ending.commit)[:12]}"
    assert_complete(finished, "landed")
    assert finished.folder is not None
    assert sorted(path.name for path in (finished.folder / "attempt_1").iterdir()) == [
        "acceptance_1.output.txt",
        "acceptance_result.json",
        "changes.diff",
        "llm_response.txt",
        "llm_usage.json",
        "proposed_writes.json",
        "se_prompt.txt",
        "verify.output.txt",
        "verify_result.json",
        "write_result.json",
    ]
    summary = summary_of(finished)
    assert summary["model_answers"] == 1
    assert summary["usage"]["input_tokens"] == 100  # type: ignore[index, call-overload]
    assert list(temporary_files.iterdir()) == []


def test_a_pass_at_the_second_attempt(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo"),
        [a_proposal({"src/app.py": "bad\n"}), a_proposal({"src/app.py": "good\n"})],
        acceptance_commands=[sh("grep good src/app.py")],
    )

    finished = scene.run()

    assert_complete(finished, "landed")
    assert [tried.passed for tried in finished.ending.attempts] == [False, True]
    assert summary_of(finished)["model_answers"] == 2
    assert git(scene.repo, "show", "HEAD:src/app.py") == "good"
    assert git(scene.repo, "rev-list", "--count", "HEAD") == "2"


def test_attempts_that_are_spent(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    before = files_of(repo), git(repo, "for-each-ref")
    scene = Scene(repo, [a_proposal()] * 3, acceptance_commands=[sh("echo the reason; exit 3")])

    finished = scene.run(max_attempts=3)

    assert finished.ending.exit_code == 1
    assert finished.ending.message == (
        "WO-01 failed: 3 attempts are spent, the last at acceptance_failed: the command returned 3"
        " (sh -c 'echo the reason; exit 3')"
    )
    assert "--max-attempts" in finished.ending.hint
    assert finished.ending.failure is not None
    assert finished.ending.failure.excerpt == "the reason"
    assert_complete(finished, "failed")
    assert finished.folder is not None
    assert [path.name for path in sorted(finished.folder.glob("attempt_*"))] == [
        "attempt_1",
        "attempt_2",
        "attempt_3",
    ]
    assert (files_of(repo), git(repo, "for-each-ref")) == before


def test_where_the_plan_gives_the_files_nobody_is_asked(tmp_path: Path) -> None:
    # given a model that could not even be made
    scene = Scene(
        make_repo(tmp_path / "repo", VERIFY_PASSES),
        allowed_files=["notes.txt", "run.sh"],
        fixed_files=[{"path": "run.sh", "text": "exit 0\n"}, {"path": "notes.txt", "text": "é\n"}],
        acceptance_commands=["grep -x 'exit 0' run.sh"],
    )
    scene.refuses_a_model = True

    finished = scene.run(red_probe=True, second_pass=True, oracle_check="always")

    assert_complete(finished, "landed")
    summary = summary_of(finished)
    assert (summary["model_answers"], summary["cost_usd"]) == (0, 0)
    assert git(scene.repo, "show", "HEAD:run.sh") == "exit 0"
    assert git(scene.repo, "log", "-1", "--format=%(trailers:key=Generated-By,valueonly)").strip() == "plan"


def test_files_of_the_plan_that_fail_their_checks_are_the_plans_defect(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo"),
        allowed_files=["run.sh"],
        fixed_files=[{"path": "run.sh", "text": "exit 0\n"}],
        acceptance_commands=["grep -x 'exit 1' run.sh"],
    )

    finished = scene.run(max_attempts=3)

    assert finished.ending.exit_code == 4
    assert len(finished.ending.attempts) == 1
    assert_complete(finished, "stopped")
    assert finished.folder is not None
    assert read_object(finished.folder / "repair_request.json")["at_fault"] == "plan"
    assert scene.asked == 0


def test_a_plan_defect_stops_before_a_model_is_asked(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo"),
        preconditions=[{"kind": "file_exists", "path": "src/board.py"}],
        acceptance_commands=["test -f src/app.py"],
    )

    finished = scene.run()

    assert finished.ending.exit_code == 4
    assert finished.ending.message == (
        "plan defect at preflight: WO-01.json: 1 error, 0 warnings\n"
        "error[E101] WO-01 /preconditions/0: `src/board.py` does not exist at this point\n"
        "  hint: let an earlier work order create it, or drop the precondition"
    )
    assert scene.asked == 0
    assert_complete(finished, "stopped")
    assert finished.folder is not None
    recorded = FINDINGS.read(finished.folder)
    assert recorded is not None
    (found,) = recorded.found
    assert (found.code, found.pointer, Path(found.file).name) == ("E101", "/preconditions/0", "WO-01.json")


def test_what_is_both_allowed_and_forbidden_stops_before_a_model_is_asked(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), forbidden=["docs", "src/"])

    finished = scene.run()

    assert finished.ending.exit_code == 4
    assert "`src` forbids `src/app.py`, which `allowed_files` allows" in finished.ending.message
    assert scene.asked == 0


def test_words_in_forbidden_are_told_once_shown_to_the_model_and_refuse_nothing(tmp_path: Path) -> None:
    words = "Do not modify any lib/ source files or src/ and \u00abdocs\u00bb"
    scene = Scene(
        make_repo(tmp_path / "repo", {**VERIFY_PASSES, "docs/a.md": "x\n"}),
        [a_proposal({"src/app.py": "bad\n"}), a_proposal({"src/app.py": "good\n"})],
        forbidden=[words],
        acceptance_commands=[sh("grep good src/app.py")],
    )

    finished = scene.run()

    assert_complete(finished, "landed")
    (line,) = [line for line in scene.progress if "forbidden" in line]
    assert line == (
        f"WO-01: `forbidden` says in words, which the model is shown: {words}; they name `lib`, `src`,"
        " `docs`; `src/app.py` may be written all the same, by `allowed_files`"
    )
    assert finished.folder is not None
    assert f'"{words}"' in (finished.folder / "attempt_1" / "se_prompt.txt").read_text("utf-8")
    assert read_object(finished.folder / "work_order.json")["forbidden"] == [words]


def test_an_error_of_the_provider(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), [ProviderError("rate limit reached", hint="wait")])

    finished = scene.run()

    assert finished.ending.exit_code == 3
    assert "rate limit reached" in finished.ending.message
    assert finished.ending.hint == "wait"
    assert_complete(finished, "stopped")
    assert scene.run().ending.exit_code == 3


def test_a_model_that_can_not_be_made_is_no_reason_to_touch_anything(tmp_path: Path) -> None:
    # given a provider that refuses when the model is made
    repo = make_repo(tmp_path / "repo")
    write_work_order(tmp_path / "WO-01.json")
    options = ["run", "--repo", str(repo), "--work-order", str(tmp_path / "WO-01.json")]
    # when a key is missing, or the model has no such name
    without_key = main([*options, "--out", str(tmp_path / "out"), "--llm", "gpt-5.2"])
    without_name = main([*options, "--out", str(tmp_path / "out"), "--llm", "gtp5"])
    # then
    assert (without_key, without_name) == (3, 2)


def test_an_error_of_the_environment(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), acceptance_commands=["no-such-program --now"])

    finished = scene.run()

    assert finished.ending.exit_code == 8
    assert "no-such-program can't be started" in finished.ending.message
    assert "install it" in finished.ending.hint
    assert scene.asked == 1
    assert_complete(finished, "stopped")


def test_a_bug_is_recorded_and_raised(tmp_path: Path, temporary_files: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    scene = Scene(repo, [ZeroDivisionError("a bug in an adapter")])

    with pytest.raises(ZeroDivisionError):
        scene.run()

    (folder,) = [path.parent for path in scene.out.glob("*/run.json")]
    summary = read_object(folder / "run_summary.json")
    assert summary["outcome"] == "internal_error"
    assert summary["exit_code"] == 70
    assert "a bug in an adapter" in str(summary["message"])
    assert list(temporary_files.iterdir()) == []
    assert git(repo, "status", "--porcelain") == ""
    # and the next run works
    assert Scene(repo).run().ending.outcome == "landed"


def test_a_bug_ends_in_a_crash_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # given a path that no system call takes
    options = ["run", "--repo", str(tmp_path), "--work-order", "WO\0.json", "--out", str(tmp_path / "out")]

    exit_code = main(options)

    assert exit_code == 70
    errors = capsys.readouterr().err
    assert (
        f"this is a bug in factory; what is known about it is in {tmp_path / 'out' / 'crash.log'}" in errors
    )
    assert "Traceback" in (tmp_path / "out" / "crash.log").read_text()

    (tmp_path / "file").write_text("")
    options[-1] = str(tmp_path / "file")
    assert main(options) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_damaged_ledger_is_a_corrupt_state(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), [a_proposal(), a_proposal()], acceptance_commands=["false"])
    ledger = Ledger(tmp_path / "ledger")
    scene.model = ledger.wrap(scene.model)
    scene.run(max_attempts=1)
    (entry,) = (tmp_path / "ledger").glob("*.json")
    entry.write_text("{}")

    finished = scene.run(max_attempts=1)

    assert finished.ending.exit_code == 7
    assert "damaged" in finished.ending.message
    assert_complete(finished, "stopped")


# Again


def test_what_has_landed_is_a_success_that_asks_no_model(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    commit = scene.run().ending.commit
    # given other work since, and a checkout that is not clean
    commit_files(scene.repo, {"src/app.py": "changed since\n"})
    write_files(scene.repo, {"draft": ""})

    finished = scene.run()

    assert finished.ending.exit_code == 0
    assert finished.ending.commit == commit
    assert finished.ending.message == f"WO-01 has landed before as {str(commit)[:12]}"
    assert scene.asked == 1
    assert_complete(finished, "already_landed")


def test_the_same_id_with_another_contract_is_executed(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    Scene(repo).run()
    changed = Scene(
        repo,
        [a_proposal({"src/app.py": "new\n"}, bases={"src/app.py": APP})],
        intent="Write it differently.",
    )

    finished = changed.run()

    assert finished.ending.outcome == "landed"
    assert changed.asked == 1
    assert git(repo, "rev-list", "--count", "HEAD") == "3"


def test_computed_fields_are_no_part_of_the_contract(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    Scene(repo).run()

    again = Scene(repo, verify_exempt=True, depends_on=["WO-02"])

    assert again.run().ending.outcome == "already_landed"


def test_a_work_order_of_its_plan_that_was_not_landed_before_is_named(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    Scene(repo).run()
    provenance = {"compile_hash": "0" * 16, "plan_hash": "0" * 64}
    # What a compiled work order says of its dependencies itself is not believed.
    scene = Scene(
        repo,
        [a_proposal({"b.py": ""})],
        id="WO-03",
        allowed_files=["b.py"],
        depends_on=["WO-01"],
        provenance=provenance,
    )
    last = read_object(scene.work_order)
    middle = {**last, "id": "WO-02", "allowed_files": ["a.py"]}
    last["context_files"] = ["src/app.py", "a.py"]
    scene.stands_in_a_plan(a_work_order(), middle, last)

    assert scene.run().ending.outcome == "landed"

    assert scene.progress[0] == "WO-03 depends on WO-02, which no commit on main names"


def test_what_has_landed_on_another_branch_has_not_landed_on_this_one(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    Scene(repo).run(branch="side")

    scene = Scene(repo)

    assert scene.run().ending.outcome == "landed"
    assert scene.run(branch="side").ending.outcome == "already_landed"


def test_a_branch_that_is_made_from_what_has_landed_holds_it(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    commit = scene.run().ending.commit

    finished = scene.run(branch="next")

    assert (finished.ending.outcome, finished.ending.commit) == ("already_landed", commit)
    assert git(scene.repo, "rev-parse", "next") == commit
    assert scene.asked == 1


def test_a_rerun_after_a_failure_pays_for_nothing_twice(tmp_path: Path) -> None:
    # given a run whose answers are in the ledger
    scene = Scene(make_repo(tmp_path / "repo"), [a_proposal(), a_proposal()], acceptance_commands=["false"])
    scripted = scene.model
    assert isinstance(scripted, ScriptedModel)
    scene.model = Ledger(tmp_path / "ledger").wrap(scripted)
    assert scene.run().ending.exit_code == 1
    # when it is run again
    finished = scene.run()
    # then it fails in the same way and asks nothing
    assert finished.ending.exit_code == 1
    assert len(scripted.requests) == 2
    assert summary_of(finished)["model_answers"] == 2
    assert finished.folder is not None
    events = events_of(finished.folder)
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert [event.get("event") for event in events].count("run_ended") == 2


def test_the_attempts_of_an_earlier_run_are_not_taken_for_this_ones(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    failing = Scene(
        repo, [a_proposal({"src/app.py": "bad\n"})] * 2, acceptance_commands=[sh("grep good src/*")]
    )
    folder = failing.run().folder
    assert folder is not None
    # a refusal leaves them to be read
    write_files(repo, {"draft": ""})
    assert failing.run().ending.exit_code == 2
    assert (folder / "attempt_2" / "failure_brief.json").exists()
    (repo / "draft").unlink()
    # a run does not
    failing.model = ScriptedModel([a_proposal({"src/app.py": "good\n"})])

    assert failing.run().ending.outcome == "landed"

    assert (folder / "attempt_1").exists()
    assert not (folder / "attempt_2").exists()


def test_a_run_that_a_kill_cut_off_is_completed_by_the_next(tmp_path: Path) -> None:
    # given the folder of a run that never ended, and one of another repository
    repo = make_repo(tmp_path / "repo")
    scene = Scene(repo)
    killed, foreign = scene.out / "0123456789abcdef", scene.out / "fedcba9876543210"
    facts = {
        "run_id": killed.name,
        "contract": "c" * 64,
        "branch": "main",
        "repository": str(repo / ".git"),
        "started": "2026-01-01T00:00:00.000Z",
        "outcome": None,
        "ended": None,
    }
    write_files(
        killed, {"run.json": json.dumps(facts), "events.jsonl": '{"sequence": 0}\n{"sequence": 1, "ti'}
    )
    write_files(foreign, {"run.json": json.dumps({**facts, "repository": "/elsewhere/.git"})})
    write_files(scene.out, {"broken/run.json": "{", "list/run.json": "[]"})
    # when
    scene.run()
    # then
    summary = read_object(killed / "run_summary.json")
    assert summary["outcome"] == read_object(killed / "run.json")["outcome"] == "killed"
    assert summary["exit_code"] == 137
    assert summary["commit"] is None
    assert "nothing landed" in str(summary["message"])
    assert set(summary) >= {"attempts", "usage", "failure", "hint", "ended", "model_answers"}
    assert [event["sequence"] for event in events_of(killed)] == [0, 1]
    assert events_of(killed)[-1]["outcome"] == "killed"
    assert not (foreign / "run_summary.json").exists()


def test_a_run_that_landed_before_it_was_killed_is_told_so(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    finished = scene.run()
    assert finished.folder is not None
    run = read_object(finished.folder / "run.json")
    (finished.folder / "run.json").write_text(json.dumps({**run, "outcome": None, "ended": None}))
    (finished.folder / "run_summary.json").unlink()

    scene.run()

    summary = summary_of(finished)
    assert summary["outcome"] == "killed"
    assert summary["commit"] == finished.ending.commit
    assert "after it had landed" in str(summary["message"])


# Interrupted


def in_the_model(repo: Path, kill: str) -> Scene:
    def turn(_request: Request) -> str:
        os.kill(os.getpid(), signal.SIGTERM if "TERM" in kill else signal.SIGINT)
        return a_proposal()

    return Scene(repo, [turn, a_proposal()])


def while_a_file_is_added(repo: Path, kill: str) -> Scene:
    git(repo, "config", "filter.kill.clean", f"sh -c '{kill}; cat'")
    commit_files(repo, {".gitattributes": "*.py filter=kill\n"})
    return Scene(repo, [a_proposal(), a_proposal()])


def in_a_gate(repo: Path, kill: str) -> Scene:
    once = repo.parent / "once"
    command = sh(f"test -e {once} || {{ touch {once}; {kill}; sleep 600; }}")
    return Scene(repo, [a_proposal(), a_proposal()], acceptance_commands=[command])


# Each stage in both kinds of checkouts, by one signal in one kind and the other in the other.
@pytest.mark.parametrize(
    ("stage", "name", "in_place"),
    [
        (in_the_model, "INT", False),
        (in_the_model, "TERM", True),
        (while_a_file_is_added, "TERM", False),
        (while_a_file_is_added, "INT", True),
        (in_a_gate, "INT", False),
        (in_a_gate, "TERM", True),
    ],
)
def test_an_interruption_puts_everything_back(
    tmp_path: Path,
    temporary_files: Path,
    stage: Callable[[Path, str], Scene],
    name: str,
    in_place: bool,
) -> None:
    # given
    exit_code = {"INT": 130, "TERM": 143}[name]
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitignore": ".env\n"})
    if not in_place:
        write_files(repo, {".env": "KEY=1\n"})
    scene = stage(repo, f"kill -{name} {os.getpid()}")
    before = files_of(repo), git(repo, "for-each-ref"), git(repo, "status", "--porcelain", "--ignored")
    # when
    with interruptible():
        finished = scene.run(in_place=in_place)
    # then
    assert finished.ending.exit_code == exit_code
    assert finished.ending.message == f"ended by SIG{name}; nothing is left half done"
    assert_complete(finished, "interrupted")
    assert (
        files_of(repo),
        git(repo, "for-each-ref"),
        git(repo, "status", "--porcelain", "--ignored"),
    ) == before
    assert list(temporary_files.iterdir()) == []
    assert sorted(path.name for path in (repo / ".git" / "workorder").iterdir()) == ["lock"]
    assert not list((repo / ".git").rglob("*.lock"))
    # and the next run works
    if stage is while_a_file_is_added:
        git(repo, "config", "filter.kill.clean", "cat")
    assert scene.run(in_place=in_place).ending.outcome == "landed"


@pytest.mark.parametrize(("name", "exit_code"), [("INT", 130), ("TERM", 143)])
def test_an_interruption_of_the_landing_waits_until_it_has_landed(
    tmp_path: Path, temporary_files: Path, name: str, exit_code: int
) -> None:
    # given a filter that runs when the checkout gets the new file, and interrupts
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitattributes": "*.py filter=kill\n"})
    git(repo, "config", "filter.kill.smudge", f"sh -c 'kill -{name} {os.getpid()}; cat'")
    scene = Scene(repo)
    # when
    with interruptible():
        finished = scene.run()
    # then
    assert finished.ending.exit_code == exit_code
    assert finished.ending.commit == git(repo, "rev-parse", "main")
    assert "after it had landed" in finished.ending.message
    assert_complete(finished, "interrupted")
    assert (repo / "src/app.py").read_text() == APP
    assert git(repo, "status", "--porcelain") == ""
    assert list(temporary_files.iterdir()) == []
    git(repo, "config", "filter.kill.smudge", "cat")
    assert scene.run().ending.outcome == "already_landed"


# The rules, and the plan beside the work order


def test_what_a_rule_warns_of_is_told_once_and_stops_nothing(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo"), context_files=["absent.md"], acceptance_commands=["test -f src/app.py"]
    )

    assert scene.run().ending.outcome == "landed"

    told = [text for text in scene.progress if "W102" in text]
    assert len(told) == 1
    assert told[0].startswith("WO-01.json: 0 errors, 1 warning\nwarning[W102] WO-01 /context_files/0: ")


def test_what_a_rule_warns_of_stops_a_work_order_that_could_say_why_it_stays(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo"),
        context_files=["absent.md"],
        acceptance_commands=["grep -q good src/app.py"],
        requirements=["REQ-01"],
    )

    finished = scene.run()

    assert (finished.ending.exit_code, scene.asked) == (4, 0)
    assert "warning[W102] WO-01 /context_files/0: " in finished.ending.message
    assert "`accepted_warnings`" in finished.ending.hint


def test_a_command_for_a_shell_stops_the_run_and_asks_for_another_plan(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), acceptance_commands=["cat src/app.py | grep good"])

    finished = scene.run()

    assert finished.ending.exit_code == 4
    assert (
        "error[E003] WO-01 /acceptance_commands/0: `|` is an operator of a shell" in finished.ending.message
    )
    assert scene.asked == 0
    assert_complete(finished, "stopped")
    assert finished.folder is not None
    request = read_object(finished.folder / "repair_request.json")
    assert (request["at_fault"], request["stage"]) == ("plan", "preflight")


def test_a_work_order_that_differs_from_its_plan_is_refused_as_a_build_refuses_it(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    scene.stands_in_a_plan(a_work_order())
    write_work_order(scene.work_order, intent="Write something else.")

    finished = scene.run()

    assert (finished.ending.exit_code, finished.folder) == (2, None)
    assert "WO-01.json differs from the same work order in the manifest" in finished.ending.message
    assert scene.asked == 0
