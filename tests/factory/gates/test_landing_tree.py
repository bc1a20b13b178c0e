"""A recorded tree answers for single paths without being listed."""

from pathlib import Path

import pytest

from factory.gates.landing_tree import LandingTree
from factory.system.git.client import Git
from tests.support.repositories import git, make_repo

FILES = {"README.md": "x", "src/app.py": "x", "a b/ü[1]*.txt": "x", "src/deep/down/x.py": "x"}


@pytest.fixture
def tree(tmp_path: Path) -> LandingTree:
    repo = make_repo(tmp_path / "repo", FILES)
    (repo / "link").symlink_to("src")
    git(repo, "add", "link")
    return LandingTree(Git.open(repo), git(repo, "write-tree"))


@pytest.mark.parametrize("path", [*FILES, "link"])
def test_a_file_is_in_it(path: str, tree: LandingTree) -> None:
    assert path in tree
    assert not tree.is_directory(path)


@pytest.mark.parametrize("path", ["src", "src/deep", "a b"])
def test_a_directory_is_none_of_its_files(path: str, tree: LandingTree) -> None:
    assert path not in tree
    assert tree.is_directory(path)


@pytest.mark.parametrize(
    "path",
    ["", ".", "..", "../repo/README.md", "/README.md", "src/*", "SRC", "src/", "src/none", "README.md/x",
     "link/app.py", "a\nb", "a\0b", "--name-only", "\udcff"],
)  # fmt: skip
def test_anything_else_is_not_in_it(path: str, tree: LandingTree) -> None:
    assert path not in tree
    assert not tree.is_directory(path)


def test_all_files_can_be_listed(tree: LandingTree) -> None:
    assert list(tree) == sorted([*FILES, "link"])
