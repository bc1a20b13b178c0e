"""What is on the disk for good before something else says that it is there, as far as fsync(2) reaches."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from factory.repository.landing import land
from factory.repository.recovery import recover
from factory.repository.target import target
from factory.system.files.tree import write_atomic
from factory.system.git.client import Git
from tests.support.answers import a_proposal
from tests.support.repositories import commit_files, git, make_repo, write_files
from tests.support.runs import Scene


@contextmanager
def flushed(monkeypatch: pytest.MonkeyPatch, note: Path) -> Iterator[set[Path]]:
    """The files and directories that are flushed while `note` is there."""
    flushed_paths: set[Path] = set()
    fsync = os.fsync

    def remember(descriptor: int) -> None:
        if note.exists():
            flushed_paths.add(Path(f"/proc/self/fd/{descriptor}").readlink())
        fsync(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", remember)
        yield flushed_paths


def test_a_landing_is_on_the_disk_before_its_note_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo(tmp_path / "repo", {"old/gone.txt": "gone\n", "a.txt": "a\n"})
    goal = target(Git.open(repo), None)
    git(repo, "rm", "--quiet", "old/gone.txt")
    new = commit_files(repo, {"new/b.txt": "b\n", "a.txt": "changed\n"})
    git(repo, "reset", "--quiet", "--hard", goal.baseline)
    note = repo / ".git" / "workorder" / "landing.json"

    with flushed(monkeypatch, note) as flushed_paths:
        land(goal, new)

    assert not note.exists()
    assert git(repo, "status", "--porcelain") == ""
    assert flushed_paths >= {repo, repo / "a.txt", repo / "new", repo / "new/b.txt", repo / ".git"}
    assert note.with_name("landing.index") in flushed_paths


def test_a_landing_that_is_finished_after_a_kill_is_on_the_disk_before_its_note_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo(tmp_path / "repo")
    old = git(repo, "rev-parse", "HEAD")
    new = commit_files(repo, {"new/b.txt": "b\n"})
    git(repo, "read-tree", "-m", "-u", new, old)
    note = repo / ".git" / "workorder" / "landing.json"
    write_files(
        repo, {note.relative_to(repo).as_posix(): f'{{"new":"{new}","old":"{old}","ref":"refs/heads/main"}}'}
    )

    with flushed(monkeypatch, note) as flushed_paths:
        assert recover(Git.open(repo)) is not None

    assert git(repo, "status", "--porcelain") == ""
    assert flushed_paths >= {repo, repo / "new", repo / "new/b.txt", repo / ".git/index", repo / ".git"}


def test_objects_are_on_the_disk_before_a_branch_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.which("git")
    trace = tmp_path / "trace"
    write_files(tmp_path, {"bin/git": f'#!/bin/sh\nGIT_TRACE2_EVENT={trace} exec {real} "$@"\n'})
    (tmp_path / "bin" / "git").chmod(0o755)
    scene = Scene(make_repo(tmp_path / "repo"), [a_proposal()])
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    assert scene.run().ending.exit_code == 0

    events = [json.loads(line) for line in trace.read_text().splitlines()]
    named = {event["sid"]: event["name"] for event in events if event["event"] == "cmd_name"}
    flushes = {named[event["sid"]] for event in events if event.get("category") == "fsync"}
    assert flushes >= {"add", "write-tree", "commit-tree", "update-ref"}


def test_a_new_directory_is_on_the_disk_with_its_first_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with flushed(monkeypatch, tmp_path) as flushed_paths:
        write_atomic(tmp_path / "out" / "ledger" / "key.json", b"{}")

    assert flushed_paths >= {tmp_path, tmp_path / "out", tmp_path / "out" / "ledger"}
