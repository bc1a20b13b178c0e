"""What the user does to the repository while the model thinks is never lost, and what lands is never half."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from factory.llm.port import Request
from factory.runs.run import Finished
from tests.support.answers import APP, a_proposal
from tests.support.repositories import (
    VERIFY_PASSES,
    commit_files,
    copy_repo,
    files_of,
    git,
    make_repo,
    write_files,
)
from tests.support.runs import Scene, summary_of

README = str(VERIFY_PASSES["README.md"])


def meanwhile(happening: Callable[[], object], answer: str | None = None) -> Callable[[Request], str]:
    """A model that answers after something has happened in the repository."""

    def turn(_request: Request) -> str:
        happening()
        return answer or a_proposal()

    return turn


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


def edit_a_file_that_git_overlooks(repo: Path) -> None:
    git(repo, "update-index", "--assume-unchanged", "README.md")
    edit(repo)


@pytest.mark.parametrize("happening", [edit, stage_an_edit, edit_a_file_that_git_overlooks])
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
