"""Where a branch may go on from here, read from real repositories."""

from pathlib import Path

import pytest

from factory.repository.onward import Onward, onward
from factory.system.git.client import Git
from tests.support.repositories import git, make_repo


def test_a_repository_alone_has_nowhere_to_go(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    assert onward(Git.open(repo), "main") == Onward("main")
    git(repo, "checkout", "--quiet", "--detach")
    assert onward(Git.open(repo), "main") == Onward()


@pytest.mark.parametrize(
    ("url", "forge"),
    [
        ("git@github.com:ada/product.git", "github"),
        ("https://ada:sec%40ret@GitHub.com/ada/product", "github"),
        ("ssh://git@gitlab.example.org:2222/ada/product.git", "gitlab"),
        ("https://example.org/github.com", ""),
        ("/srv/git/product.git", ""),
    ],
)
def test_the_server_tells_who_runs_it(url: str, forge: str, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "remote", "add", "hub", url)

    assert onward(Git.open(repo), "built") == Onward("main", "hub", forge)


def test_a_branchs_own_remote_comes_before_origin_and_that_before_others(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    for name in ("a", "origin", "mine"):
        git(repo, "remote", "add", name, f"/srv/{name}")
    git(repo, "config", "branch.built.remote", "mine")
    git(repo, "config", "branch.other.remote", "gone")

    assert [onward(Git.open(repo), branch).remote for branch in ("built", "other", "main")] == [
        "mine",
        "origin",
        "origin",
    ]
