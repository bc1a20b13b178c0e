"""A passed attempt becomes the branch's tip: what the commit holds, and what may happen meanwhile."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from factory.attempt.commit_message import commit_message
from factory.contract.canonical import contract_hash
from factory.contract.work_order import WorkOrder
from factory.llm.port import Request
from factory.runs.run import Finished
from tests.support.answers import APP, a_proposal
from tests.support.repositories import (
    VERIFY_PASSES,
    a_work_order,
    commit_files,
    copy_repo,
    files_of,
    git,
    make_repo,
    write_files,
)
from tests.support.runs import Scene, read_object, summary_of

README = str(VERIFY_PASSES["README.md"])


def meanwhile(happening: Callable[[], object], answer: str | None = None) -> Callable[[Request], str]:
    """A model that answers after something has happened in the repository."""

    def turn(_request: Request) -> str:
        happening()
        return answer or a_proposal()

    return turn


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
        f"Contract: {contract_hash(order)}",
        f"Run-Id: {summary_of(finished)['run_id']}",
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
    message = commit_message(order, summary, "c" * 64, "f" * 16)
    # then
    lines = message.splitlines()
    assert lines[0].startswith("WO-01: Evil Work-Order: WO-99 [31m title")
    assert len(lines[0]) == 72
    assert all(line == "" or line.startswith("  ") for line in lines[1:-3])
    assert lines[-4:] == ["", "Work-Order: WO-01", f"Contract: {'c' * 64}", f"Run-Id: {'f' * 16}"]
    assert all(character.isprintable() or character == "\n" for character in message)


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
    assert [line.partition(": ")[0] for line in trailers.splitlines()] == ["Work-Order", "Contract", "Run-Id"]
    assert "forged" not in trailers
    assert "WO-01" in trailers


@pytest.mark.parametrize("summary", ["", "\n \n", "é" * 100_000])
def test_any_summary_gives_a_commit(summary: str) -> None:
    message = commit_message(WorkOrder.model_validate(a_work_order()), summary, "c" * 64, "f" * 16)

    assert len(message) < 5_000
    assert message.endswith(f"\n\nWork-Order: WO-01\nContract: {'c' * 64}\nRun-Id: {'f' * 16}\n")


def test_a_proposal_that_changes_nothing_lands_as_an_empty_commit(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo"),
        [a_proposal({"README.md": README}, bases={"README.md": README})],
        allowed_files=["README.md"],
    )
    before = git(scene.repo, "rev-parse", "HEAD^{tree}")

    finished = scene.run()

    assert finished.ending.outcome == "landed"
    assert git(scene.repo, "rev-parse", "HEAD^{tree}") == before
    assert git(scene.repo, "status", "--porcelain") == ""


# What the user does while the model thinks


def failed_to_land(finished: Finished, scene: Scene, tip: str) -> None:
    assert finished.ending.exit_code == 8
    assert finished.ending.outcome == "stopped"
    assert git(scene.repo, "rev-parse", "main") == tip
    assert not (scene.repo / ".git" / "index.lock").exists()
    assert not (scene.repo / ".git" / "workorder" / "landing.json").exists()
    assert summary_of(finished)["commit"] is None


def test_a_branch_that_moved_meanwhile_is_not_moved(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    scene = Scene(repo, [meanwhile(lambda: commit_files(repo, {"theirs.txt": "x\n"})), a_proposal()])

    finished = scene.run()

    failed_to_land(finished, scene, git(repo, "rev-parse", "HEAD"))
    assert "moved" in finished.ending.message
    assert git(repo, "log", "-1", "--format=%s") == "more"
    assert not (repo / "src").exists()
    # and the next run starts from the new tip
    assert scene.run().ending.outcome == "landed"
    assert files_of(repo)["theirs.txt"] == b"x\n"


def test_an_edit_of_another_file_meanwhile_is_kept(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")

    def work() -> None:
        write_files(repo, {"README.md": "staged\n"})
        git(repo, "add", "README.md")
        write_files(repo, {"README.md": "edited\n", "draft.txt": "mine\n"})

    finished = Scene(repo, [meanwhile(work)]).run()

    assert finished.ending.outcome == "landed"
    assert files_of(repo)["README.md"] == b"edited\n"
    assert git(repo, "show", ":README.md") == "staged"
    assert git(repo, "status", "--porcelain").splitlines() == ["MM README.md", "?? draft.txt"]


def edit(repo: Path) -> None:
    write_files(repo, {"README.md": "my own edit\n"})


def stage_an_edit(repo: Path) -> None:
    edit(repo)
    git(repo, "add", "README.md")


def edit_a_file_that_git_was_told_to_overlook(repo: Path) -> None:
    git(repo, "update-index", "--assume-unchanged", "README.md")
    edit(repo)


@pytest.mark.parametrize("happening", [edit, stage_an_edit, edit_a_file_that_git_was_told_to_overlook])
def test_an_edit_of_the_same_file_meanwhile_is_never_overwritten(
    tmp_path: Path, happening: Callable[[Path], None]
) -> None:
    repo = make_repo(tmp_path / "repo")
    tip = git(repo, "rev-parse", "HEAD")
    answer = a_proposal({"README.md": "theirs\n"}, bases={"README.md": README})
    scene = Scene(repo, [meanwhile(lambda: happening(repo), answer)], allowed_files=["README.md"])

    finished = scene.run()

    failed_to_land(finished, scene, tip)
    assert "would overwrite files in the checkout" in finished.ending.message
    assert "README.md" in finished.ending.message
    assert "run again" in finished.ending.hint
    assert (repo / "README.md").read_bytes() == b"my own edit\n"


@pytest.mark.parametrize(
    ("created", "kept"),
    [
        ("src/app.py", "src/app.py"),
        ("src", "src"),
    ],
)
@pytest.mark.parametrize("ignored", [False, True])
def test_a_file_that_came_into_being_at_a_new_path_is_never_overwritten(
    tmp_path: Path, created: str, kept: str, ignored: bool
) -> None:
    # given a user who makes a file where the proposal has one, or a directory of it
    repo = make_repo(tmp_path / "repo")
    tip = git(repo, "rev-parse", "HEAD")

    def work() -> None:
        write_files(repo, {created: "mine\n"})
        if ignored:
            write_files(repo, {".git/info/exclude": "src\n"})

    scene = Scene(repo, [meanwhile(work)])
    # when
    finished = scene.run()
    # then
    failed_to_land(finished, scene, tip)
    assert "would overwrite" in finished.ending.message
    assert (repo / kept).read_bytes() == b"mine\n"


def test_a_link_that_came_into_being_on_the_way_is_not_followed(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    tip = git(repo, "rev-parse", "HEAD")
    (tmp_path / "elsewhere").mkdir()
    write_files(repo, {".git/info/exclude": ""})

    def work() -> None:
        (repo / "src").symlink_to(tmp_path / "elsewhere")
        write_files(repo, {".git/info/exclude": "src\n"})

    scene = Scene(repo, [meanwhile(work)])

    failed_to_land(scene.run(), scene, tip)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (repo / "src").is_symlink()


def test_switching_to_another_branch_meanwhile_leaves_that_checkout_alone(tmp_path: Path) -> None:
    # given a user who switches to a new branch at the same commit
    repo = make_repo(tmp_path / "repo")
    scene = Scene(repo, [meanwhile(lambda: git(repo, "switch", "--quiet", "--create", "side"))])
    # when
    finished = scene.run()
    # then the branch has moved and the checkout, which shows the other one, has not
    assert finished.ending.outcome == "landed"
    assert git(repo, "rev-parse", "main") == finished.ending.commit
    assert git(repo, "rev-parse", "HEAD", "side") == "\n".join([git(repo, "rev-parse", "main^")] * 2)
    assert git(repo, "status", "--porcelain") == ""
    assert not (repo / "src").exists()


def test_checking_out_the_target_meanwhile_brings_that_checkout_along(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "branch", "side")
    scene = Scene(repo, [meanwhile(lambda: git(repo, "switch", "--quiet", "side"))])

    finished = scene.run(branch="side")

    assert finished.ending.outcome == "landed"
    assert git(repo, "rev-parse", "HEAD") == finished.ending.commit
    assert git(repo, "status", "--porcelain") == ""
    assert (repo / "src/app.py").read_text() == APP


def test_a_merge_begun_meanwhile_is_left_to_the_user(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "switch", "--quiet", "--create", "side")
    commit_files(repo, {"side.txt": "x\n"})
    git(repo, "switch", "--quiet", "main")
    tip = git(repo, "rev-parse", "HEAD")
    scene = Scene(repo, [meanwhile(lambda: git(repo, "merge", "--quiet", "--no-ff", "--no-commit", "side"))])

    finished = scene.run()

    failed_to_land(finished, scene, tip)
    assert "a merge is in progress in the checkout" in finished.ending.message
    assert (repo / ".git" / "MERGE_HEAD").exists()


def test_a_rebase_begun_meanwhile_is_left_to_the_user(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    tip = commit_files(repo, {"a.txt": "x\n"})
    editor = {"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/edit/"}
    scene = Scene(
        repo,
        [meanwhile(lambda: git(repo, "rebase", "--quiet", "-i", "--force-rebase", "HEAD~1", env=editor))],
    )

    finished = scene.run()

    failed_to_land(finished, scene, tip)
    assert "the branch main is being rebased" in finished.ending.message
    git(repo, "rebase", "--continue", env={"GIT_EDITOR": "true"})


def test_another_git_that_holds_the_index_is_not_disturbed(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    tip = git(repo, "rev-parse", "HEAD")
    lock = repo / ".git" / "index.lock"
    scene = Scene(repo, [meanwhile(lambda: lock.write_bytes(b"theirs"))])

    finished = scene.run()

    assert finished.ending.exit_code == 8
    assert "another git is at work in the checkout" in finished.ending.message
    assert git(repo, "rev-parse", "main") == tip
    assert lock.read_bytes() == b"theirs"


def test_a_ref_that_is_locked_is_told_as_such(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    tip = git(repo, "rev-parse", "HEAD")
    lock = repo / ".git" / "refs" / "heads" / "main.lock"
    scene = Scene(repo, [meanwhile(lock.touch)])

    finished = scene.run()

    failed_to_land(finished, scene, tip)
    assert "the branch main can't be moved" in finished.ending.message
    assert "main.lock" in finished.ending.message


# A checkout whose files are as committed, though git's index knows other ones


def changing_readme(repo: Path, *happenings: Callable[[], object]) -> Scene:
    """A scene in which an attempt changes a file that the repository has."""
    answer = a_proposal({"README.md": "theirs\n"}, bases={"README.md": README})
    turns = [meanwhile(happening, answer) for happening in happenings]
    return Scene(repo, turns or [answer], allowed_files=["README.md"])


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("keeps_times", [False, True])
def test_a_copied_repository_is_landed_in(tmp_path: Path, keeps_times: bool, in_place: bool) -> None:
    repo = copy_repo(make_repo(tmp_path / "original"), tmp_path / "repo", keeps_times=keeps_times)

    finished = changing_readme(repo).run(in_place=in_place)

    assert finished.ending.outcome == "landed"
    assert files_of(repo)["README.md"] == b"theirs\n"
    # Without a look of git's that would bring its index up to date.
    assert git(repo, "diff-files", "--name-only") == ""
    assert git(repo, "status", "--porcelain") == ""


def test_a_copied_repository_in_which_the_first_attempt_in_place_fails_is_landed_in(tmp_path: Path) -> None:
    repo = copy_repo(make_repo(tmp_path / "original"), tmp_path / "repo")
    answers = [a_proposal({"README.md": text}, bases={"README.md": README}) for text in ("bad\n", "good\n")]
    scene = Scene(
        repo, answers, allowed_files=["README.md"], acceptance_commands=["grep --quiet good README.md"]
    )

    finished = scene.run(in_place=True)

    assert finished.ending.outcome == "landed"
    assert files_of(repo)["README.md"] == b"good\n"
    assert git(repo, "status", "--porcelain") == ""


def touch(repo: Path) -> None:
    os.utime(repo / "README.md", (1_000_000_000, 1_000_000_000))


def write_the_same_anew(repo: Path) -> None:
    (repo / "README.md").unlink()
    write_files(repo, VERIFY_PASSES)


def overlook_and_touch(repo: Path) -> None:
    git(repo, "update-index", "--assume-unchanged", "README.md")
    touch(repo)


@pytest.mark.parametrize("happening", [touch, write_the_same_anew, overlook_and_touch])
def test_a_file_that_was_written_anew_as_it_was_meanwhile_is_no_edit(
    tmp_path: Path, happening: Callable[[Path], None]
) -> None:
    repo = make_repo(tmp_path / "repo")

    finished = changing_readme(repo, lambda: happening(repo)).run()

    assert finished.ending.outcome == "landed"
    assert files_of(repo)["README.md"] == b"theirs\n"
    assert git(repo, "status", "--porcelain") == ""


def test_an_edit_in_a_copied_repository_is_never_overwritten(tmp_path: Path) -> None:
    repo = copy_repo(make_repo(tmp_path / "original"), tmp_path / "repo")
    tip = git(repo, "rev-parse", "HEAD")
    index = (repo / ".git" / "index").read_bytes()
    scene = changing_readme(repo, lambda: edit(repo))

    finished = scene.run()

    failed_to_land(finished, scene, tip)
    assert "README.md" in finished.ending.message
    assert files_of(repo)["README.md"] == b"my own edit\n"
    # and the user's index is not ours to write while nothing lands
    assert (repo / ".git" / "index").read_bytes() == index


def test_a_conflict_that_somebody_left_in_the_index_meanwhile_is_left_to_them(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    tip = git(repo, "rev-parse", "HEAD")
    blob = git(repo, "rev-parse", "HEAD:README.md")
    stages = f"0 {'0' * 40}\tREADME.md\n" + "".join(f"100644 {blob} {n}\tREADME.md\n" for n in (1, 2, 3))
    scene = changing_readme(
        repo, lambda: git(repo, "update-index", "--index-info", stdin=stages.encode("ascii"))
    )

    finished = scene.run()

    failed_to_land(finished, scene, tip)
    assert "would overwrite files in the checkout" in finished.ending.message
    assert git(repo, "ls-files", "--unmerged") != ""


def test_a_checkout_of_the_repository_that_this_is_a_copy_of_is_left_alone(tmp_path: Path) -> None:
    # given a copy that still names the linked checkout of its original
    original = make_repo(tmp_path / "original")
    git(original, "worktree", "add", "--quiet", "../linked", "-b", "side")
    repo = copy_repo(original, tmp_path / "repo")
    scene = changing_readme(repo)
    # when
    finished = scene.run(branch="side")
    # then the branch of the copy moved, and nothing else
    assert finished.ending.outcome == "landed"
    assert git(repo, "rev-parse", "side") == finished.ending.commit
    assert files_of(tmp_path / "linked")["README.md"] == README.encode()
    for elsewhere in (original, tmp_path / "linked"):
        assert git(elsewhere, "rev-parse", "side", "HEAD") == "\n".join(
            [git(original, "rev-parse", "main")] * 2
        )
        assert git(elsewhere, "status", "--porcelain") == ""


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


# A landing that was cut off: exactly what a kill leaves at each step, then the next run


class CutOff:
    """A repository in which a landing was killed: first landed for real, then taken back step by step.

    Attributes:
        scene: runs the same work order again.
        old: the commit before.
        new: the commit after.
    """

    def __init__(self, tmp_path: Path) -> None:
        self.repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "a.txt": "old\n", "b.txt": "old\n"})
        self.old = git(self.repo, "rev-parse", "HEAD")
        self.files = {"a.txt": "new and longer\n", "dir/c.txt": "created\n"}
        answer = a_proposal(self.files, bases={"a.txt": "old\n"})
        self.scene = Scene(self.repo, [answer, answer], allowed_files=list(self.files))
        finished = self.scene.run()
        assert finished.ending.commit is not None
        self.new = finished.ending.commit
        git(self.repo, "reset", "--quiet", "--hard", self.old)
        shutil.rmtree(self.repo / "dir", ignore_errors=True)
        self.note = self.repo / ".git" / "workorder" / "landing.json"

    def write_note(self) -> None:
        self.note.write_text(f'{{"new": "{self.new}", "old": "{self.old}", "ref": "refs/heads/main"}}')

    def hold_lock(self) -> None:
        (self.repo / ".git" / "index.lock").hardlink_to(self.note)
        shutil.copyfile(self.repo / ".git" / "index", self.note.with_name("landing.index"))

    def move_branch(self) -> None:
        git(self.repo, "update-ref", "refs/heads/main", self.new)

    def write_half_a_file(self) -> None:
        write_files(self.repo, {"a.txt": "new and"})
        self.note.with_name("landing.index.lock").touch()

    def write_all_files(self) -> None:
        write_files(self.repo, self.files)

    def replace_index(self) -> None:
        copy = self.note.with_name("landing.index")
        git(self.repo, "read-tree", self.new, env={"GIT_INDEX_FILE": str(copy)})
        copy.replace(self.repo / ".git" / "index")

    def release_lock(self) -> None:
        (self.repo / ".git" / "index.lock").unlink()

    def use_a_copy(self, to: Path) -> None:
        """Go on in a copy of the repository."""
        self.scene.repo = self.repo = copy_repo(self.repo, to)
        self.note = self.repo / ".git" / "workorder" / self.note.name

    def assert_at(self, commit: str) -> None:
        assert git(self.repo, "rev-parse", "main") == commit
        assert git(self.repo, "status", "--porcelain") == ""
        left = [path.name for path in self.note.parent.iterdir()]
        assert left == ["lock"]
        assert not (self.repo / ".git" / "index.lock").exists()


def cut_off_after(tmp_path: Path, *steps: str) -> CutOff:
    state = CutOff(tmp_path)
    actions = {
        "note": state.write_note,
        "lock": state.hold_lock,
        "branch": state.move_branch,
        "half of a file": state.write_half_a_file,
        "files": state.write_all_files,
        "index": state.replace_index,
        "unlock": state.release_lock,
    }
    for step in steps:
        actions[step]()
    return state


@pytest.mark.parametrize(
    "steps",
    [
        ("note",),
        ("note", "lock"),
        ("note", "lock", "branch"),
        ("note", "lock", "branch", "half of a file"),
        ("note", "lock", "branch", "files"),
        ("note", "lock", "branch", "files", "index"),
        ("note", "lock", "branch", "files", "index", "unlock"),
    ],
)
def test_a_landing_that_was_cut_off_ends_before_or_after_and_never_between(
    tmp_path: Path, steps: tuple[str, ...]
) -> None:
    # given
    state = cut_off_after(tmp_path, *steps)
    # when any run starts
    finished = state.scene.run()
    # then it is after, because the branch had moved, or before, and this run landed
    if "branch" in steps:
        assert finished.ending.outcome == "already_landed"
        assert finished.ending.commit == state.new
        state.assert_at(state.new)
        assert any("finished the landing" in line for line in state.scene.progress) == ("index" not in steps)
    else:
        assert finished.ending.outcome == "landed"
        assert finished.ending.commit is not None
        state.assert_at(finished.ending.commit)
    assert files_of(state.repo)["a.txt"] == b"new and longer\n"
    assert files_of(state.repo)["dir/c.txt"] == b"created\n"


@pytest.mark.parametrize("name", ["a.txt", "dir/c.txt"])
def test_an_edit_after_the_kill_is_never_overwritten(tmp_path: Path, name: str) -> None:
    state = cut_off_after(tmp_path, "note", "lock", "branch", "half of a file")
    write_files(state.repo, {name: "my edit after the crash\n"})

    finished = state.scene.run()

    assert finished.ending.exit_code == 6
    assert finished.ending.outcome == "not_restored"
    assert f"these files hold changes of yours: {name}" in finished.ending.message
    assert f"git reset --hard {state.new}" in finished.ending.hint
    assert (state.repo / name).read_bytes() == b"my edit after the crash\n"
    # and following the instructions leads out
    git(state.repo, "reset", "--quiet", "--hard", state.new)
    assert state.scene.run().ending.outcome == "already_landed"
    state.assert_at(state.new)


def test_an_edit_that_is_only_staged_is_not_lost_either(tmp_path: Path) -> None:
    state = cut_off_after(tmp_path, "note", "branch")
    write_files(state.repo, {"a.txt": "staged\n"})
    git(state.repo, "add", "a.txt")
    write_files(state.repo, {"a.txt": "old\n"})

    assert state.scene.run().ending.exit_code == 6
    assert git(state.repo, "show", ":a.txt") == "staged"


def test_edits_of_other_files_after_the_kill_stay_and_the_landing_is_finished(tmp_path: Path) -> None:
    state = cut_off_after(tmp_path, "note", "lock", "branch", "half of a file")
    write_files(state.repo, {"b.txt": "my edit\n", "dir/mine.txt": "mine\n"})

    finished = state.scene.run()

    assert finished.ending.outcome == "already_landed"
    assert files_of(state.repo)["b.txt"] == b"my edit\n"
    assert git(state.repo, "status", "--porcelain").splitlines() == [" M b.txt", "?? dir/mine.txt"]


def test_a_user_who_went_on_working_is_not_disturbed(tmp_path: Path) -> None:
    # given a user who put the checkout right and then edited
    state = cut_off_after(tmp_path, "note", "branch")
    git(state.repo, "reset", "--quiet", "--hard")
    write_files(state.repo, {"a.txt": "later work\n"})

    finished = state.scene.run()

    assert finished.ending.outcome == "already_landed"
    assert git(state.repo, "status", "--porcelain") == " M a.txt"
    assert (state.repo / "a.txt").read_bytes() == b"later work\n"


def test_a_user_who_went_to_another_branch_is_not_disturbed(tmp_path: Path) -> None:
    state = cut_off_after(tmp_path, "note", "branch")
    git(state.repo, "reset", "--quiet", "--hard")
    git(state.repo, "switch", "--quiet", "--create", "side", state.old)

    finished = state.scene.run(branch="main")

    assert finished.ending.outcome == "already_landed"
    assert git(state.repo, "rev-parse", "HEAD") == state.old
    assert git(state.repo, "status", "--porcelain") == ""
    assert not state.note.exists()


def test_a_user_who_committed_on_top_is_not_disturbed(tmp_path: Path) -> None:
    state = cut_off_after(tmp_path, "note", "branch")
    git(state.repo, "reset", "--quiet", "--hard")
    tip = commit_files(state.repo, {"b.txt": "mine\n"})

    assert state.scene.run().ending.outcome == "already_landed"
    assert git(state.repo, "rev-parse", "main") == tip
    assert git(state.repo, "status", "--porcelain") == ""


def test_a_repository_that_was_moved_after_the_kill_is_recovered_where_it_is(tmp_path: Path) -> None:
    state = cut_off_after(tmp_path, "note", "lock", "branch", "half of a file")
    moved = tmp_path / "moved"
    state.repo.rename(moved)
    state.scene.repo = state.repo = moved
    state.note = moved / ".git" / "workorder" / "landing.json"

    assert state.scene.run().ending.outcome == "already_landed"
    state.assert_at(state.new)


@pytest.mark.parametrize(
    "steps",
    [("note", "lock"), ("note", "lock", "branch"), ("note", "lock", "branch", "half of a file")],
)
def test_a_repository_that_was_copied_after_the_kill_is_recovered_in_the_copy(
    tmp_path: Path, steps: tuple[str, ...]
) -> None:
    state = cut_off_after(tmp_path, *steps)
    state.use_a_copy(tmp_path / "copy")

    finished = state.scene.run()

    assert finished.ending.outcome == ("already_landed" if "branch" in steps else "landed")
    assert finished.ending.commit is not None
    state.assert_at(finished.ending.commit)
    assert files_of(state.repo)["a.txt"] == b"new and longer\n"


def test_a_lock_that_is_not_ours_is_not_taken_away(tmp_path: Path) -> None:
    state = cut_off_after(tmp_path, "note", "branch")
    lock = state.repo / ".git" / "index.lock"
    lock.write_bytes(b"")

    finished = state.scene.run()

    assert finished.ending.exit_code == 6
    assert "index.lock" in finished.ending.message
    assert lock.exists()
    lock.unlink()
    assert state.scene.run().ending.outcome == "already_landed"
    state.assert_at(state.new)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"new": 1, "old": 2, "ref": 3}'])
def test_a_damaged_note_is_told_and_not_guessed_at(tmp_path: Path, content: str) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))
    note = scene.repo / ".git" / "workorder" / "landing.json"
    note.parent.mkdir()
    note.write_text(content)

    finished = scene.run()

    assert finished.ending.exit_code == 6
    assert f"{note}: the note about a landing that was cut off is damaged" in finished.ending.message
    note.unlink()
    assert scene.run().ending.outcome == "landed"


def test_line_endings_of_the_checkout_do_not_look_like_edits(tmp_path: Path) -> None:
    # given a checkout whose files have other line endings than the repository's
    state = cut_off_after(tmp_path, "note")
    git(state.repo, "config", "core.autocrlf", "true")
    for name in ("a.txt", "b.txt"):
        (state.repo / name).unlink()
    git(state.repo, "checkout", "--quiet", "--", ".")
    assert (state.repo / "a.txt").read_bytes() == b"old\r\n"
    state.move_branch()

    finished = state.scene.run()

    assert finished.ending.outcome == "already_landed"
    assert (state.repo / "a.txt").read_bytes() == b"new and longer\r\n"
    state.assert_at(state.new)


def _message(repo: Path, commit: str) -> bytes:
    return os.fsencode(git(repo, "log", "-1", "--format=%B", commit))
