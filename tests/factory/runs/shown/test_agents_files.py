"""The AGENTS.md files of a commit: which concern a file, and what can't be shown."""

from pathlib import Path

import pytest

from factory.attempt.prompt import AgentsFile
from factory.contract.limits import MAX_AGENTS_BYTES
from factory.contract.repo_path import RepoPath
from factory.runs.shown.agents_files import nearest_agents
from factory.system.git.client import Git
from tests.support.repositories import Files, commit_files, make_repo, write_files

FILES: Files = {
    "AGENTS.md": "root\n",
    "CLAUDE.md": "another's\n",
    "pkg/AGENTS.md": "pkg\n",
    "pkg/deep/agents.md": "another name\n",
    "pkg/deep/AGENTS.md.txt": "another name\n",
    "docs/guide/AGENTS.md": "guide\n",
}


def nearest(repo: Path, *paths: str) -> tuple[AgentsFile, ...]:
    git = Git.open(repo)
    commit = git.commit_id("HEAD")
    assert commit is not None
    return nearest_agents(git, commit, [RepoPath.parse(path) for path in paths])


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repo(tmp_path_factory.mktemp("agents") / "repo", FILES)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([], []),
        (["setup.py"], ["AGENTS.md"]),
        (["pkg/a.py", "pkg/new/b.py"], ["pkg/AGENTS.md"]),
        (["pkg/deep/er/none.py"], ["pkg/AGENTS.md"]),
        (["pkg/AGENTS.md"], ["pkg/AGENTS.md"]),
        (
            ["pkg/a.py", "docs/b.md", "docs/guide/c.md"],
            ["AGENTS.md", "docs/guide/AGENTS.md", "pkg/AGENTS.md"],
        ),
    ],
)
def test_the_nearest_of_each_file_is_shown_once(repo: Path, paths: list[str], expected: list[str]) -> None:
    assert [file.path for file in nearest(repo, *paths)] == expected


def test_of_many_files_each_is_looked_at(repo: Path) -> None:
    agents_files = nearest(repo, *(f"d{number}/x.py" for number in range(450)), "docs/guide/x.py")

    assert [file.path for file in agents_files] == ["AGENTS.md", "docs/guide/AGENTS.md"]


def test_only_the_commit_counts(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", FILES)
    write_files(repo, {"AGENTS.md": "changed\n", "pkg/deep/AGENTS.md": "new\n"})

    assert nearest(repo, "a.py", "pkg/deep/a.py") == (
        AgentsFile(RepoPath("AGENTS.md"), "root\n"),
        AgentsFile(RepoPath("pkg/AGENTS.md"), "pkg\n"),
    )


def test_links_count_as_none_and_what_is_no_text_is_named(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret\n")
    repo = make_repo(tmp_path / "repo", {"AGENTS.md": "root\n", "latin/AGENTS.md": b"Gr\xfc\xdfe\n"})
    for folder, target in {"out": secret, "inside": Path("../AGENTS.md"), "dir": Path("/")}.items():
        (repo / folder).mkdir()
        (repo / folder / "AGENTS.md").symlink_to(target)
    (repo / "linked").symlink_to("latin")
    commit_files(repo, {})

    assert nearest(repo, "out/a", "inside/a", "dir/a", "linked/a") == (
        AgentsFile(RepoPath("AGENTS.md"), "root\n"),
    )
    assert nearest(repo, "latin/a") == (AgentsFile(RepoPath("latin/AGENTS.md"), "", "is not UTF-8 (byte 2)"),)


def test_what_is_too_large_is_cut_at_the_end_of_a_line(tmp_path: Path) -> None:
    line = "ä" * 49 + "\n"
    near = line * 3
    whole = line * (MAX_AGENTS_BYTES // 99 - 1)
    repo = make_repo(
        tmp_path / "repo", {"AGENTS.md": whole, "a/AGENTS.md": near, "z/AGENTS.md": "x" * 1_000_001}
    )

    root, second, huge = nearest(repo, "x", "a/x", "z/x")

    # What is nearer to the files is shown whole, what is farther away is cut.
    assert (second.text, second.is_cut) == (near, False)
    assert (root.text, root.is_cut) == (whole[: -2 * len(line)], True)
    assert (huge.text, huge.problem) == ("", "is larger than 1,000,000 bytes")
