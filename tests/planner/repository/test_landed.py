"""A repository without what a plan's work orders have made in it."""

from pathlib import Path

import pytest

from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from planner.repository.landed import landed_plan
from tests.support.repositories import commit_files
from tests.support.revisions import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize("branch", [None, "main"])
def test_the_start_is_the_repository_without_what_landed(bench: Bench, branch: str | None) -> None:
    commit_files(bench.root / "repo", {"mine.py": "y = 1\n"})
    start = landed_plan(bench.root / "repo", bench.before, branch)
    assert start.files == {"README.md", "old.py", "mine.py"}
    assert start.written == {"WO-01": {"words.py", "old.py"}}
    read = start.sources.read
    assert (read("mine.py"), read("nowhere.py")) == (b"y = 1\n", None)
    # What is in them is read as it is now.
    assert start.sources.files == {"README.md", "old.py", "mine.py", "words.py"}
    assert read("words.py") == (bench.root / "repo" / "words.py").read_bytes()


def test_a_project_without_a_file_in_the_repository_is_refused(bench: Bench) -> None:
    commit_files(bench.root / "repo", {"web/mine.py": "y = 1\n"})

    start = landed_plan(bench.root / "repo", bench.before, project=RepoPath("web"))
    with pytest.raises(WorkorderError, match="`desk` is no directory of the repository") as caught:
        landed_plan(bench.root / "repo", bench.before, project=RepoPath("desk"))

    assert start.sources.alone == "web"
    assert (caught.value.where, "desk/README.md" in caught.value.hint) == ("--project desk", True)


def test_a_file_that_was_there_before_it_was_changed_is_a_part_of_the_start(bench: Bench) -> None:
    bench.land(bench.before, 3, {"old.py": "x = 3\n", "count.py": ""})
    commit_files(bench.root / "repo", {"old.py": "x = 4\n"})
    bench.land(bench.before, 2, {"old.py": "x = 5\n", "sort.py": ""})
    start = landed_plan(bench.root / "repo", bench.before)
    assert start.files == {"README.md", "old.py"}
    assert start.writes(bench.before) == (
        {"old.py", "words.py"},
        {"old.py", "sort.py"},
        {"old.py", "count.py"},
    )
