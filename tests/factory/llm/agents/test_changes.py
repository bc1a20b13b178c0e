"""What an agent changed: what of it can be part of a proposal, and what is said of the rest."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from factory.contract.canonical import EMPTY_SHA256, sha256_hex
from factory.contract.repo_path import RepoPath
from factory.llm.agents.changes import Changes, changes, look
from factory.llm.agents.workplace import Workplace

BASE = {"src/a.py": "A = 1\n", "src/other.py": "O = 1\n", "dir/x.py": "X = 1\n"}
ALLOWED = ("src/a.py", "src/new.py")


def changed_by(
    root: Path,
    act: Callable[[], object],
    ignored: Callable[[Sequence[str]], frozenset[str]] = lambda _paths: frozenset(),
) -> Changes:
    for path, text in BASE.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    place = Workplace(
        root=root,
        home=root,
        temporary=root,
        variables={},
        confined=lambda _further: None,
        may_write=tuple(map(RepoPath, ALLOWED)),
        before=lambda path: BASE[path].encode() if path in BASE else None,
        ignored=ignored,
        restore=lambda: None,
    )
    before = look(root)
    act()
    return changes(place, before, look(root, before), lambda text: "sk-secret" in text)


def test_changed_and_new_files_are_whole_writes(tmp_path: Path) -> None:
    def act() -> None:
        (tmp_path / "src/a.py").write_text("A = 2\n")
        (tmp_path / "src/new.py").write_text("")
        (tmp_path / "src/other.py").touch()
        (tmp_path / "empty").mkdir()

    made = changed_by(tmp_path, act)

    assert [(write.path, write.base_sha256, write.content) for write in made.writes] == [
        ("src/a.py", sha256_hex(b"A = 1\n"), "A = 2\n"),
        ("src/new.py", EMPTY_SHA256, ""),
    ]
    assert made.refused == ()


def test_a_change_elsewhere_is_refused_with_its_diff(tmp_path: Path) -> None:
    made = changed_by(tmp_path, lambda: (tmp_path / "src/other.py").write_text("O = 2\n"))

    assert [(refused.path, refused.why) for refused in made.refused] == [
        ("src/other.py", "was changed, and is not one of the work order's allowed files")
    ]
    assert "-O = 1\n+O = 2\n" in made.diff


def test_new_files_that_git_ignores_are_passed_over(tmp_path: Path) -> None:
    def act() -> None:
        (tmp_path / "cache").write_text("")
        (tmp_path / "src/other.py").write_text("")

    made = changed_by(tmp_path, act, ignored=frozenset)

    assert [refused.path for refused in made.refused] == ["src/other.py"]


ACTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "deleted": (lambda path: path.unlink(), "was deleted or renamed"),
    "link": (lambda path: (path.unlink(), path.symlink_to("other.py")), "is a symbolic link now"),
    "pipe": (lambda path: (path.unlink(), os.mkfifo(path)), "neither a file nor a directory"),
    "directory": (lambda path: (path.unlink(), path.mkdir()), "was deleted or renamed"),
    "executable": (lambda path: path.chmod(0o755), "is executable"),
    "binary": (lambda path: path.write_bytes(b"\xff\xfe"), "is not UTF-8"),
    "nul": (lambda path: path.write_bytes(b"a\0"), "holds NUL"),
    "large": (lambda path: path.write_bytes(b"a" * 200_001), "is larger than"),
    "sparse": (lambda path: os.truncate(path, 1 << 40), "is larger than"),
    "key": (lambda path: path.write_text("KEY = 'sk-secret'\n"), "holds the agent's key"),
}


@pytest.mark.parametrize("name", ACTS)
def test_what_no_proposal_can_say_is_refused_by_name(tmp_path: Path, name: str) -> None:
    act, why = ACTS[name]
    made = changed_by(tmp_path, lambda: act(tmp_path / "src/a.py"))

    assert made.writes == ()
    assert why in made.refused[0].why
    assert "sk-secret" not in made.refused[0].model_dump_json()


def test_links_to_directories_closed_places_and_gits_own_are_survived(tmp_path: Path) -> None:
    def act() -> None:
        (tmp_path / "dir/x.py").unlink()
        (tmp_path / "dir").rmdir()
        (tmp_path / "dir").symlink_to("src")
        (tmp_path / ".git").mkdir()
        (tmp_path / ".git/config").write_text("[core]\n")
        (tmp_path / "src/.git").mkdir()
        (tmp_path / "src/.git/config").write_text("[core]\n")
        os.mkfifo(tmp_path / ".gitignore")
        deep = tmp_path / "src"
        for _ in range(30):
            deep /= "d" * 200
            if len(str(deep)) < 4_000:
                deep.mkdir()

    made = changed_by(tmp_path, act, ignored=lambda _paths: pytest.fail("git would wait for the pipe"))

    assert [refused.path for refused in made.refused] == [".gitignore", "dir", "dir/x.py", "src/.git/config"]
