"""A landing that was cut off: exactly what a kill leaves at each step, then the next run."""

import shutil
from pathlib import Path

import pytest

from tests.support.answers import a_proposal
from tests.support.repositories import (
    VERIFY_PASSES,
    commit_files,
    copy_repo,
    files_of,
    git,
    make_repo,
    write_files,
)
from tests.support.runs import Scene


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
