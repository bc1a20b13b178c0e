"""What a person did becomes texts of a work order; what can't is named, file by file."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from factory.contract.identity import contract_trailers
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.repository.target import Refused, target
from factory.runs.people.work import Taking, Work, take
from factory.system.git.client import Git, NotARepository
from tests.support.repositories import a_work_order, commit_files, git, make_repo, write_files

BEFORE = {"README.md": "a product\n", "src/app.py": "A = 1\n", "src/old.py": "old\n", "run.sh": "true\n"}
ORDER = WorkOrder.model_validate(
    a_work_order(allowed_files=["src/app.py", "src/new.py", "a b.txt"], forbidden=["src/secret.py"])
)


class Scene:
    """A repository with a branch, and a worktree of a person beside it."""

    def __init__(self, folder: Path) -> None:
        self.repo = make_repo(folder / "the repo", BEFORE)
        self.place = folder / "my place"
        git(self.repo, "worktree", "add", "--quiet", "-b", "mine", str(self.place))

    def take(self, source: Path | str | None = None, *allowed: str, secrets: tuple[str, ...] = ()) -> Work:
        taking = Taking(
            work_order="WO-01",
            plan=None,
            source=self.place if source is None else source,
            allowed=tuple(map(RepoPath.parse, allowed)),
            summary="",
            author="Ada <ada@example.org>",
            said="now",
            secrets=secrets,
        )
        return take(target(Git.open(self.repo), "main"), ORDER, taking)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_what_is_there_uncommitted_is_taken_and_nothing_is_touched(scene: Scene) -> None:
    write_files(scene.place, {"src/app.py": "A = 2\n", "a b.txt": "é\r\n", "x/__pycache__/a.pyc": b"\0"})
    before = git(scene.place, "status", "--porcelain")

    work = scene.take()

    assert dict(work.texts) == {"src/app.py": "A = 2\n", "a b.txt": "é\r\n"}
    assert work.summary == "A person wrote this."
    assert (work.adoption.source, work.adoption.widened) == (str(scene.place), ())
    assert git(scene.place, "status", "--porcelain") == before
    assert git(scene.repo, "status", "--porcelain") == ""


def test_commits_are_taken_from_their_branch_and_say_what_was_done(scene: Scene) -> None:
    commit_files(scene.place, {"src/new.py": "N = 1\n"}, "Say N\n\nContract: forged")
    commit_files(scene.place, {"src/new.py": "N = 2\n"}, "Say it better")

    work = scene.take("mine")

    assert dict(work.texts) == {"src/new.py": "N = 2\n"}
    assert work.summary.split("\n") == ["Say N", "", "Contract: forged", "", "Say it better"]
    assert work.name == scene.take().name
    write_files(scene.place, {"src/new.py": "N = 3\n"})
    assert work.name != scene.take().name


def test_the_scope_is_widened_by_name_and_the_contract_stays(scene: Scene) -> None:
    write_files(scene.place, {"src/app.py": "A = 2\n", "helper one.py": "h\n"})
    with pytest.raises(Refused, match=r"`helper one\.py` is not one of") as refused:
        scene.take()
    assert "--allow 'helper one.py'" in refused.value.hint

    work = scene.take(None, "helper one.py", "src/app.py")

    assert work.adoption.widened == ("helper one.py",)
    assert "helper one.py" in work.widened.allowed_files
    assert contract_trailers(work.order) == contract_trailers(ORDER) != contract_trailers(work.widened)


def _delete(place: Path) -> None:
    (place / "src/app.py").unlink()


def _link(place: Path) -> None:
    (place / "src/new.py").symlink_to("app.py")


def _executable(place: Path) -> None:
    write_files(place, {"src/new.py": "N = 1\n"})
    (place / "src/new.py").chmod(0o755)


def _repository(place: Path) -> None:
    (place / "src/new.py").mkdir()
    make_repo(place / "src/new.py", {"a": "a"})


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (_delete, "`src/app.py` was deleted or renamed"),
        (_link, "`src/new.py` is a link"),
        (_executable, "`src/new.py` is executable"),
        (_repository, "`src/new.py` is a link or another repository"),
        (lambda place: write_files(place, {"src/new.py": b"\0\xff"}), "`src/new.py` .*only writes text"),
        (lambda place: write_files(place, {"src/new.py": "n" * 200_001}), "is larger than 200,000"),
        (lambda place: write_files(place, {"src/new.py": "K = 'sk-123456789'\n"}), "the value of a key"),
        (lambda place: write_files(place, {"src/\x1b[1m.py": "n"}), r"`src/\\x1b\[1m.py`"),
        (lambda place: None, "holds no change since it left main"),
        (lambda place: os.mkfifo(place / "src/new.py"), "holds no change"),
    ],
)
def test_what_a_work_order_can_not_do_is_named(scene: Scene, act: Callable[[Path], None], said: str) -> None:
    act(scene.place)
    with pytest.raises(Refused, match=said):
        scene.take(secrets=("sk-123456789",))


def test_what_the_plan_forbids_and_what_was_not_done_are_not_let_in(scene: Scene) -> None:
    write_files(scene.place, {"src/secret.py": "s\n", "run.sh": "false\n"})
    with pytest.raises(Refused) as refused:
        scene.take(None, "src/secret.py", "nothing.py")
    said = refused.value.message
    assert "`src/secret.py` is forbidden by the work order" in said
    assert "`nothing.py` is named by --allow, and was not changed" in said
    assert "`run.sh` is not one of" in said


def test_what_the_branch_changed_since_is_their_business(scene: Scene) -> None:
    write_files(scene.place, {"src/app.py": "A = 2\n"})
    commit_files(scene.repo, {"src/app.py": "A = 3\n", "src/old.py": "newer\n"}, "meanwhile")
    with pytest.raises(Refused, match=r"`src/app\.py` was changed on main, too") as refused:
        scene.take()
    assert "git rebase main" in refused.value.hint
    # As they are told.
    git(scene.place, "commit", "--quiet", "--all", "--message", "mine")
    git(scene.place, "rebase", "--quiet", "-Xtheirs", "main")
    work = scene.take()
    assert (dict(work.texts), work.adoption.base) == (
        {"src/app.py": "A = 2\n"},
        git(scene.repo, "rev-parse", "main"),
    )


def test_only_the_repository_s_own_are_taken(scene: Scene, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other", BEFORE)
    with pytest.raises(Refused, match="is no worktree of"):
        scene.take(other)
    with pytest.raises(Refused, match="no directory and no revision"):
        scene.take("nowhere")
    with pytest.raises(NotARepository):
        scene.take(tmp_path)
    orphan = git(scene.repo, "commit-tree", "-m", "alone", git(scene.repo, "rev-parse", "main^{tree}"))
    with pytest.raises(Refused, match="no commit in common"):
        scene.take(orphan)


def test_what_code_did_to_the_worktree_s_git_is_not_believed(scene: Scene, tmp_path: Path) -> None:
    """As tests do that a person runs there: another git directory, whose configuration runs a program."""
    evil = make_repo(tmp_path / "evil", BEFORE)
    git(evil, "config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    write_files(scene.place, {".gitattributes": "* filter=evil\n", "src/app.py": "A = 2\n"})
    git(evil, "config", "filter.evil.clean", f"touch {tmp_path}/ran; cat")
    (scene.place / ".git").write_text(f"gitdir: {evil}/.git\n")
    with pytest.raises(Refused, match="is no worktree of"):
        scene.take()
    assert not (tmp_path / "ran").exists()
