"""A passed attempt becomes the branch's tip: what the commit holds, and what may happen meanwhile."""

import json
import os
from pathlib import Path

import pytest

from factory.attempt.commit.authorship import Authorship, BadCoAuthor, co_authors
from factory.attempt.commit.message import commit_message, generator
from factory.attempt.summary import KillScores
from factory.contract.identity import contract_trailers
from factory.contract.work_order import WorkOrder
from tests.support.answers import APP, a_proposal, an_edit
from tests.support.environments import bare
from tests.support.repositories import (
    VERIFY_PASSES,
    a_work_order,
    commit_files,
    files_of,
    git,
    make_repo,
    write_files,
)
from tests.support.runs import Scene, read_object, summary_of

README = str(VERIFY_PASSES["README.md"])


def test_the_commit_holds_exactly_the_proposals_files_and_says_what_it_is(tmp_path: Path) -> None:
    # given
    repo = make_repo(tmp_path / "repo")
    baseline = git(repo, "rev-parse", "HEAD")
    files = {"src/app.py": APP, "src/deep/er/new file é.txt": "text\n"}
    scene = Scene(repo, [a_proposal(files, summary="Did it.\n\nAll of it.")], allowed_files=list(files))
    # when
    finished = scene.run()
    # then the branch and the checkout are at the commit
    commit = finished.ending.commit
    assert commit is not None
    assert git(repo, "rev-parse", "HEAD", "main") == f"{commit}\n{commit}"
    assert git(repo, "rev-parse", f"{commit}^@") == baseline
    changed = git(repo, "-c", "core.quotePath=false", "diff", "--name-status", baseline, commit).splitlines()
    assert changed == ["A\tsrc/app.py", "A\tsrc/deep/er/new file é.txt"]
    assert git(repo, "status", "--porcelain") == ""
    assert files_of(repo) == {
        **{name: str(content).encode() for name, content in VERIFY_PASSES.items()},
        **{name: content.encode() for name, content in files.items()},
    }
    assert oct((repo / "src/app.py").stat().st_mode)[-3:] == "644"
    # and the message and the records name it
    order = WorkOrder.model_validate(a_work_order(allowed_files=list(files)))
    trailers = git(repo, "interpret-trailers", "--parse", stdin=_message(repo, commit))
    assert trailers.splitlines() == [
        "Work-Order: WO-01",
        f"Contract: {contract_trailers(order)[0]}",
        f"Run-Id: {summary_of(finished)['run_id']}",
        "Verdict: exit-code",
        f"Environment: {bare().hash}",
        "Generated-By: scripted:script",
    ]
    assert git(repo, "log", "-1", "--format=%an <%ae> %cn <%ce>") == (
        "Ada Author <ada@example.org> Ada Author <ada@example.org>"
    )
    assert git(repo, "log", "-1", "--format=%s%n%b").splitlines()[:4] == [
        "WO-01: Add the application",
        "  Did it.",
        "",
        "  All of it.",
    ]
    assert summary_of(finished)["commit"] == commit
    assert finished.folder is not None
    result = read_object(finished.folder / "attempt_1" / "write_result.json")
    assert result["tree"] == git(repo, "rev-parse", f"{commit}^{{tree}}")
    assert git(repo, "reflog", "-1", "--format=%gs", "main") == "workorder: land"


FIRST = a_proposal({"src/app.py": "1\n", "test.txt": "2\n"}, summary="It adds the application and its test.")
KEEPS = json.dumps({"summary": "It adds a file.", "keep": ["src/app.py", "test.txt"], "writes": []})
EDITS = json.dumps({**json.loads(an_edit("test.txt", "2\n", ("2", "good"))), "keep": ["src/app.py"]})
ANEW = a_proposal({"src/app.py": "1\n", "test.txt": "good\n"}, summary="Anew.")
OF_BOTH = ["  It adds the application and its test.", "", "  Edited test.txt.", ""]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([FIRST, EDITS], OF_BOTH),
        # An answer that can't be read, and one that says the same again, tell nothing more.
        ([FIRST, "no JSON", EDITS], OF_BOTH),
        ([FIRST, FIRST, EDITS], OF_BOTH),
        ([FIRST, KEEPS, EDITS], [*OF_BOTH[:2], "  It adds a file.", "", *OF_BOTH[2:]]),
        # Nothing of the first is in what is written anew.
        ([FIRST, ANEW], ["  Anew.", ""]),
    ],
)
def test_the_commit_of_a_repair_also_says_what_it_repaired(
    answers: list[str], said: list[str], tmp_path: Path
) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo"),
        answers,
        allowed_files=["src/app.py", "test.txt"],
        acceptance_commands=["grep -q good test.txt"],
    )

    finished = scene.run(max_attempts=len(answers))

    assert finished.ending.commit is not None
    lines = os.fsdecode(_message(scene.repo, finished.ending.commit)).splitlines()
    assert lines[: len(said) + 3] == ["WO-01: Add the application", "", *said, "Work-Order: WO-01"]
    # The records are those of any proposal, and the next prompt tells what the last one said alone.
    assert finished.folder is not None
    last = finished.folder / f"attempt_{len(answers)}"
    assert set(read_object(last / "proposed_writes.json")) == {"summary", "writes"}
    prompt = (last / "se_prompt.txt").read_text()
    assert prompt.count("It adds the application and its test.") == (0 if KEEPS in answers else 1)


def test_what_the_kill_proof_found_stands_in_the_commit() -> None:
    order = WorkOrder.model_validate(a_work_order())
    scores = KillScores(tried=5, acceptance=2, verification=4)
    message = commit_message(order, "", "c" * 64, "f" * 16, "report", "e" * 64, scores=scores)
    assert "\nKill-Score: acceptance 2 of 5, verification 4 of 5\n" in message


def test_hostile_words_forge_no_trailer_and_no_line() -> None:
    # given
    order = WorkOrder.model_validate(
        a_work_order(title="Evil\n\nWork-Order: WO-99\r\x1b[31m\u202etitle" + "x" * 200)
    )
    summary = (
        "fine\n\nWork-Order: WO-98\nContract: forged\nRun-Id: forged\n---\n"
        "diff --git a/x b/x\n# comment\x00\x07\u2028Work-Order: WO-97\n\nSigned-off-by: nobody\n"
    )
    # when
    forged = "a:b\n\nContract: forged"
    message = commit_message(order, summary, "c" * 64, "f" * 16, "exit code", "e" * 64, Authorship(forged))
    # then
    lines = message.splitlines()
    assert lines[0].startswith("WO-01: Evil Work-Order: WO-99 [31m title")
    assert len(lines[0]) == 72
    assert all(line == "" or line.startswith("  ") for line in lines[1:-6])
    assert lines[-6:] == [
        "Work-Order: WO-01",
        f"Contract: {'c' * 64}",
        f"Run-Id: {'f' * 16}",
        "Verdict: exit-code",
        f"Environment: {'e' * 64}",
        "Generated-By: a:b Contract: forged",
    ]
    assert all(character.isprintable() or character == "\n" for character in message)


def test_whom_the_user_names_stands_last(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    named = co_authors(["A model <model@example.org>", "Bé <b@x>", "A model <model@example.org>"])
    commit = scene.run(co_authors=named).ending.commit
    assert commit is not None
    trailers = git(scene.repo, "interpret-trailers", "--parse", stdin=_message(scene.repo, commit))
    assert trailers.splitlines()[-3:] == [
        "Generated-By: scripted:script",
        "Co-authored-by: A model <model@example.org>",
        "Co-authored-by: Bé <b@x>",
    ]


@pytest.mark.parametrize(
    "text", ["", "Ada", "<a@b>", "Ada <ada>", "Ada <a@b>\nContract: x", "A <a@b> <c@d>", "A" * 300 + " <a@b>"]
)
def test_nobody_else_can_be_named(text: str) -> None:
    with pytest.raises(BadCoAuthor, match="--co-author"):
        co_authors([text])


def test_git_parses_only_the_real_trailers_of_a_hostile_answer(tmp_path: Path) -> None:
    summary = "Contract: forged\n\n---\nWork-Order: WO-98\nContract: forged\n\nRun-Id: forged\n"
    scene = Scene(
        make_repo(tmp_path / "repo"),
        [a_proposal(summary=summary)],
        title="Work-Order: WO-97\n\nContract: forged",
    )

    commit = scene.run().ending.commit

    assert commit is not None
    trailers = git(scene.repo, "interpret-trailers", "--parse", stdin=_message(scene.repo, commit))
    assert [line.partition(": ")[0] for line in trailers.splitlines()] == [
        "Work-Order",
        "Contract",
        "Run-Id",
        "Verdict",
        "Environment",
        "Generated-By",
    ]
    assert "forged" not in trailers
    assert "WO-01" in trailers


@pytest.mark.parametrize(
    ("adapter", "model", "said"),
    [
        ("openai_chat", "gpt-5.2", "openai_chat:gpt-5.2"),
        ("command", "/home/ada/bin/ask --account ada 'x y'", "command:ask"),
        ("command", "ask", "command:ask"),
        ("command", "'", "command"),
        ("command", "", "command"),
    ],
)
def test_who_wrote_it_is_told_without_the_place_and_the_arguments_of_a_program(
    adapter: str, model: str, said: str
) -> None:
    assert generator(adapter, model) == said


def test_each_summary_of_a_repair_is_bounded() -> None:
    order, ours = WorkOrder.model_validate(a_work_order()), ("é" * 100_000, "\n", "It repairs that.")
    *before, last = ours

    message = commit_message(order, last, "c" * 64, "f" * 16, "exit code", "e" * 64, repaired=before)

    assert len(message) < 5_000
    assert "é…\n\n  It repairs that.\n\nWork-Order: WO-01\n" in message


@pytest.mark.parametrize("summary", ["", "\n \n", "é" * 100_000])
def test_any_summary_gives_a_commit(summary: str) -> None:
    message = commit_message(
        WorkOrder.model_validate(a_work_order()), summary, "c" * 64, "f" * 16, "exit code", "e" * 64
    )

    assert len(message) < 5_000
    assert message.endswith(
        f"\n\nWork-Order: WO-01\nContract: {'c' * 64}\nRun-Id: {'f' * 16}\n"
        f"Verdict: exit-code\nEnvironment: {'e' * 64}\n"
    )


def test_a_proposal_that_changes_nothing_lands_no_commit(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo"),
        [a_proposal({"README.md": README}, bases={"README.md": README})],
        allowed_files=["README.md"],
    )
    before = git(scene.repo, "rev-parse", "HEAD")

    finished = scene.run(max_attempts=1)

    assert (finished.ending.outcome, finished.ending.commit) == ("failed", None)
    assert finished.ending.failure is not None
    assert finished.ending.failure.description.startswith("the proposal changes nothing")
    assert git(scene.repo, "rev-parse", "HEAD") == before
    assert git(scene.repo, "status", "--porcelain") == ""


# Where it lands


def test_a_new_branch_is_made_from_head_and_the_checkout_stays(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    tip = git(repo, "rev-parse", "HEAD")

    finished = Scene(repo).run(branch="feature/one")

    assert finished.ending.outcome == "landed"
    assert git(repo, "rev-parse", "feature/one^", "main", "HEAD") == "\n".join([tip] * 3)
    assert git(repo, "status", "--porcelain") == ""
    assert not (repo / "src").exists()


def test_an_existing_branch_is_the_baseline_although_another_is_checked_out(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "switch", "--quiet", "--create", "side")
    side = commit_files(repo, {"side.txt": "x\n"})
    git(repo, "switch", "--quiet", "main")
    scene = Scene(
        repo, context_files=["side.txt"], preconditions=[{"kind": "file_exists", "path": "side.txt"}]
    )

    finished = scene.run(branch="side")

    assert finished.ending.outcome == "landed"
    assert git(repo, "rev-parse", "side^") == side
    assert not (repo / "side.txt").exists()
    assert git(repo, "status", "--porcelain") == ""


def test_a_branch_checked_out_elsewhere_takes_that_checkout_along(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "--quiet", str(linked), "-b", "side")

    finished = Scene(repo).run(branch="side")

    assert finished.ending.outcome == "landed"
    assert git(linked, "rev-parse", "HEAD") == finished.ending.commit
    assert git(linked, "status", "--porcelain") == ""
    assert (linked / "src/app.py").read_text() == APP
    assert not (repo / "src").exists()


def test_a_branch_checked_out_elsewhere_must_be_clean_there(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "worktree", "add", "--quiet", "../linked", "-b", "side")
    write_files(tmp_path / "linked", {"README.md": "edited\n"})

    finished = Scene(repo).run(branch="side")

    assert finished.ending.exit_code == 2
    assert f"{tmp_path / 'linked'}: the checkout is not clean" in finished.ending.message


def test_a_linked_work_tree_is_a_repository_as_any_other(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "worktree", "add", "--quiet", "../linked", "-b", "side")
    scene = Scene(tmp_path / "linked")

    finished = scene.run()

    assert finished.ending.message.startswith("WO-01 landed on side")
    assert git(scene.repo, "status", "--porcelain") == ""
    assert (scene.repo / "src/app.py").read_text() == APP
    assert git(repo, "log", "--format=%s", "main") == "first"


def test_a_detached_head_may_land_on_a_named_branch(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "checkout", "--quiet", "--detach")

    finished = Scene(repo).run(branch="main")

    assert finished.ending.outcome == "landed"
    assert git(repo, "rev-parse", "main") == finished.ending.commit
    assert git(repo, "rev-parse", "HEAD") == git(repo, "rev-parse", "main^")
    assert git(repo, "status", "--porcelain") == ""


def test_an_index_that_was_never_written_is_an_empty_one(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {})
    git(repo, "commit", "--quiet", "--allow-empty", "--message", "empty")
    (repo / ".git" / "index").unlink(missing_ok=True)
    scene = Scene(repo, verify_exempt=True)

    assert scene.run().ending.outcome == "landed"
    assert git(repo, "status", "--porcelain") == ""


def _message(repo: Path, commit: str) -> bytes:
    return os.fsencode(git(repo, "log", "-1", "--format=%B", commit))
