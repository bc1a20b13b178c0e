"""Paths inside a repository: what is refused, and that what is accepted stays inside."""

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.repo_path import RepoPath, UnsafePath


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "src/board.py",
        ".github/workflows/ci.yml",
        ".gitignore",
        "a b/c d.txt",
        "ünïcode.py",
        "a..b",
        "...x",
        "console.py",
        "x" * 255,
        "git",
        "a.git/b",
    ],
)
def test_an_ordinary_path_is_kept(text: str) -> None:
    assert RepoPath.parse(text) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("/etc/passwd", "absolute"),
        ("C:x", "drive letter"),
        ("c:/x", "drive letter"),
        ("..", r"holds \.\."),
        ("a/../b", r"holds \.\."),
        ("./a", r"holds \."),
        ("a/.", r"holds \."),
        ("a//b", "empty name"),
        ("a/", "empty name"),
        ("a\\b", "backslash"),
        ("a\0b", "control"),
        ("a\nb", "control"),
        ("a\u200bb", "invisible"),
        ("a\ud800", "surrogate"),
        ("a\u2028b", "control"),
        ("*.py", "glob"),
        ("a?", "glob"),
        ("a[0]", "glob"),
        (".git", "git's own data"),
        (".git/config", "git's own data"),
        (".GIT/hooks/x", "git's own data"),
        ("sub/.Git/x", "git's own data"),
        ("git~1/config", "git's own data"),
        ("\uff0egit/x", "git's own data"),
        ("a./b", "dot or a space"),
        ("a /b", "dot or a space"),
        (" a", "space"),
        ("ab:c", "colon"),
        ("nul", "device"),
        ("a/CON.txt", "device"),
        ("com1", "device"),
        ("e\u0301", "normal form"),
        ("x" * 256, "longer than 255"),
        ("/".join(["x" * 100] * 11), "longer than 1024"),
    ],
)
def test_an_unsafe_path_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(UnsafePath, match=reason) as raised:
        RepoPath.parse(text)
    assert raised.value.where.isascii()


@given(st.text(st.characters(exclude_categories=[]) | st.sampled_from("./\\:~ git*"), max_size=30))
def test_what_is_accepted_stays_inside_and_means_one_thing(text: str) -> None:
    try:
        path = RepoPath.parse(text)
    except UnsafePath:
        return
    assert path == text
    assert posixpath.normpath(path) == path
    assert not path.startswith(("/", ".."))
    assert all(segment.casefold() not in ("", ".", "..", ".git") for segment in path.segments)
    assert RepoPath.parse(path) == path


@given(st.lists(st.text(st.sampled_from("abc_"), min_size=1), min_size=1, max_size=5))
def test_plain_names_joined_by_slashes_are_accepted(names: list[str]) -> None:
    assert RepoPath.parse("/".join(names)).segments == tuple(names)


@pytest.mark.parametrize(
    ("path", "other", "within"),
    [("src", "src", True), ("src/a", "src", True), ("src2/a", "src", False), ("src", "src/a", False)],
)
def test_a_path_is_within_itself_and_its_directories(path: str, other: str, within: bool) -> None:
    assert RepoPath.parse(path).is_within(RepoPath.parse(other)) is within
