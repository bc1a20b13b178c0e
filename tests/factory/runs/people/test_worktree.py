"""A worktree for a person: what failed is there, and nothing of it leads out of there."""

from pathlib import Path
from typing import Any

import pytest

from factory.attempt.failure import Failure, Stage
from factory.contract.canonical import EMPTY_SHA256, sha256_hex
from factory.contract.identity import contract_hash
from factory.contract.proposal import Write, WriteProposal
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.repository.target import Refused, target
from factory.runs.people.worktree import Failed, Worktree, open_worktree
from factory.system.git.client import Git
from tests.support.answers import APP, a_proposal
from tests.support.repositories import a_work_order, git, make_repo
from tests.support.runs import Scene

FILES = {"README.md": "a product\n", "src/app.py": "A = 1\n", "away": "-> /tmp"}
ORDER = WorkOrder.model_validate(
    a_work_order(
        title="Evil \x1b[2J\ntitle",
        intent="Write it.\n\x1b]0;title\x07",
        allowed_files=["src/app.py", "new/b.py", "out/c.py", ".gitattributes"],
    )
)


def proposed(**texts: str) -> Failed:
    bases = {"src/app.py": sha256_hex(b"A = 1\n")}
    writes = tuple(
        Write(path=RepoPath.parse(path), base_sha256=bases.get(path, EMPTY_SHA256), content=text)
        for path, text in texts.items()
    )
    failure = Failure.model_defect(Stage.ACCEPTANCE_FAILED, "it failed\x1b[1m", excerpt="line\n\x07")
    return Failed(WriteProposal(summary="", writes=writes), failure)


def opened(repo: Path, failed: Failed, **changes: Any) -> Worktree:
    settings: dict[str, Any] = {
        "out": repo.parent / "the out",
        "at": None,
        "accepted": frozenset(),
        "author": "Ada",
        "adopt": "factory adopt WO-01 --out 'the out'",
        "now": lambda: "now",
    }
    return open_worktree(target(Git.open(repo), None), ORDER, None, failed, **(settings | changes))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "the repo", FILES)


def test_what_failed_is_there_uncommitted_and_the_user_s_checkout_is_as_it_was(repo: Path) -> None:
    (repo / "mine.txt").write_text("not committed")
    worktree = opened(repo, proposed(**{"src/app.py": "A = 2\n", "new/b.py": "B\n"}))

    place = Path(worktree.opened.place)
    assert place == repo.parent / "the out" / "open" / "WO-01"
    assert git(place, "status", "--porcelain") == " M src/app.py\n?? new/"
    assert (place / "src/app.py").read_text() == "A = 2\n"
    assert git(place, "symbolic-ref", "HEAD") == "refs/heads/workorder/WO-01"
    assert git(repo, "status", "--porcelain") == "?? mine.txt"
    assert git(repo, "symbolic-ref", "HEAD") == "refs/heads/main"
    brief = worktree.brief.read_text()
    assert worktree.brief.parent == place.parent
    assert "factory adopt WO-01 --out '" in brief
    assert "it failed\\x1b[1m" in brief
    assert not any(character in brief for character in "\x1b\x07")


def test_what_a_model_proposed_outside_of_its_scope_or_on_other_files_is_left_out(repo: Path) -> None:
    git(repo, "rm", "--quiet", "away")
    (repo / "out").symlink_to(repo.parent)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "a link")
    failed = proposed(
        **{
            "src/other.py": "not listed\n",
            "out/c.py": "through a link\n",
            ".gitattributes": "* filter=x\n",
            "new/b.py": "B\n",
        }
    )
    stale = Write(path=RepoPath.parse("src/app.py"), base_sha256="0" * 64, content="A = 3\n")
    assert failed.proposal is not None
    writes = (*failed.proposal.writes, stale)
    worktree = opened(repo, Failed(failed.proposal.model_copy(update={"writes": writes}), None))

    assert worktree.written == ("new/b.py",)
    assert set(worktree.left_out) == {"src/other.py", "out/c.py", ".gitattributes", "src/app.py"}
    assert not (repo.parent / "c.py").exists()
    assert "Proposed, but not there:" in worktree.brief.read_text()


def test_it_is_opened_once_and_anew_when_it_is_gone(repo: Path, tmp_path: Path) -> None:
    first = opened(repo, Failed(), at=tmp_path / "a place" / "of mine")
    assert Path(first.opened.place) == tmp_path / "a place" / "of mine"
    with pytest.raises(Refused, match="WO-01 is open already, by Ada"):
        opened(repo, Failed())
    git(repo, "worktree", "remove", first.opened.place)
    again = opened(repo, Failed())
    assert again.opened.branch == "workorder/WO-01-2"
    with pytest.raises(Refused, match="the worktree lies inside the repository"):
        opened(repo, Failed(), out=tmp_path / "other", at=repo / "inside")


def test_the_latest_proposal_of_the_contract_is_what_failed(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo"), [a_proposal(), "prose"], acceptance_commands=["false"], title="T"
    )
    folder = scene.run().folder
    assert folder is not None
    order = WorkOrder.model_validate(a_work_order(acceptance_commands=["false"], title="T"))
    failed = Failed.latest(folder, contract_hash(order))
    assert failed.proposal is not None
    assert failed.proposal.writes[0].content == APP
    assert failed.failure is not None
    assert failed.failure.stage == Stage.LLM_OUTPUT_INVALID
    assert Failed.latest(folder, "another") == Failed.latest(None, "c") == Failed()
