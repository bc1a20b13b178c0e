"""The files of a commit: one by one, and several by one call of git."""

from pathlib import Path

import pytest

from factory.system.files.tree import FileProblem
from factory.system.git.client import Git
from factory.system.git.committed import CommittedFiles
from tests.support.repositories import commit_files, git, make_repo


def test_what_is_read_together_is_what_is_read_one_by_one(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {})
    names = {"empty": b"", "lines": b"a\n\nb", "d/\xe9 \n.bin": b"\0\n blob 3\n", "large": b"x" * 11}
    (repo / "link").symlink_to("lines")
    commit = commit_files(repo, names)
    assert "link" in git(repo, "ls-files").split()

    files = CommittedFiles(Git.open(repo), commit, max_bytes=10)

    read = files.read_together([*names, "link", "nowhere"])
    assert read == {name: data for name, data in names.items() if name != "large"}
    assert {name: files.read(name) for name in read} == read
    assert files.read("nowhere") is None
    assert files.names == {*names, "link"}
    for name in ("link", "large"):
        with pytest.raises(FileProblem):
            files.read(name)
