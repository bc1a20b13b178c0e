"""TR: a proposal is written whole and exactly, or refused before its first byte."""

import os
import resource
import stat
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, FailureClass, Stage
from factory.configuration.guarded_parts import Guard
from factory.contract.canonical import EMPTY_SHA256, sha256_hex
from factory.contract.proposal import WriteProposal
from factory.contract.work_order import WorkOrder
from factory.runs.nodes.tr import write_all
from factory.system.files.tree import Tree
from tests.support.answers import APP, a_proposal
from tests.support.repositories import a_work_order, files_of, git, make_repo, write_files
from tests.support.runs import Scene, read_object
from tests.support.scripted_model import ScriptedModel


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "tree"
    write_files(root, {"old.py": "old\n", "windows.txt": "a\r\nb\r\n", "run.sh": "#!/bin/sh\n"})
    (root / "run.sh").chmod(0o755)
    (root / "dangling").symlink_to("nowhere")
    (root / "inside").symlink_to("old.py")
    (root / "outside").symlink_to(tmp_path)
    (root / "folder").mkdir()
    return Tree(root)


UNTOUCHED = Guard(lambda _path: None)
"""Of a repository in which the user configured nothing."""


def order(*allowed: str, forbidden: tuple[str, ...] = ()) -> WorkOrder:
    return WorkOrder.model_validate(a_work_order(allowed_files=list(allowed), forbidden=list(forbidden)))


def proposal(*writes: tuple[str, str] | tuple[str, str, str]) -> WriteProposal:
    """A proposal of (path, content) or (path, content, content before)."""
    return WriteProposal.model_validate(
        {
            "summary": "s",
            "writes": [
                {
                    "path": write[0],
                    "content": write[1],
                    "base_sha256": sha256_hex(write[2].encode()) if len(write) > 2 else EMPTY_SHA256,
                }
                for write in writes
            ],
        }
    )


def test_files_are_written_and_changed(tree: Tree) -> None:
    written = write_all(
        proposal(("a/b/new.py", "new\n"), ("old.py", "changed\n", "old\n")),
        order("a/b/new.py", "old.py"),
        tree,
        UNTOUCHED,
    )

    assert written == ["a/b/new.py", "old.py"]
    assert (tree.root / "a/b/new.py").read_text() == "new\n"
    assert (tree.root / "old.py").read_text() == "changed\n"


def test_modes_and_line_endings_are_kept(tree: Tree) -> None:
    before = os.umask(0o077)
    try:
        write_all(
            proposal(
                ("new.py", "new\n"),
                ("run.sh", "#!/bin/bash\n", "#!/bin/sh\n"),
                ("windows.txt", "a\nc\n", "a\r\nb\r\n"),
            ),
            order("new.py", "run.sh", "windows.txt"),
            tree,
            UNTOUCHED,
        )
    finally:
        os.umask(before)

    modes = {name: stat.S_IMODE((tree.root / name).stat().st_mode) for name in ("new.py", "run.sh")}
    assert modes == {"new.py": 0o644, "run.sh": 0o755}
    assert (tree.root / "windows.txt").read_bytes() == b"a\r\nc\r\n"


def test_a_model_may_show_a_windows_file_its_own_line_endings(tree: Tree) -> None:
    write_all(proposal(("windows.txt", "a\r\nc\r\n", "a\r\nb\r\n")), order("windows.txt"), tree, UNTOUCHED)

    assert (tree.root / "windows.txt").read_bytes() == b"a\r\nc\r\n"


REFUSED = {
    "outside of the allowed files": (("other.py", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "allowed in another case": (("OLD.py", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "forbidden": (("secret/x.py", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "twice": (("new.py", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "twice in another case": (("NEW.py", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "below another file of the proposal": (("new.py/x.py", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "a dangling link": (("dangling", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "a link inside": (("inside", "x", "old\n"), Stage.WRITE_SCOPE_VIOLATION),
    "through a link outside": (("outside/x.py", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "a directory": (("folder", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "below a file": (("old.py/x.py", "x"), Stage.WRITE_SCOPE_VIOLATION),
    "a stale hash": (("old.py", "x", "older\n"), Stage.STALE_CONTEXT),
    "a new file taken for an old one": (("new2.py", "x", "old\n"), Stage.STALE_CONTEXT),
    "an old file taken for a new one": (("old.py", "x"), Stage.STALE_CONTEXT),
}


@pytest.mark.parametrize(("last", "stage"), REFUSED.values(), ids=REFUSED)
def test_what_leaves_the_contract_is_refused_before_the_first_byte(
    last: tuple[str, str], stage: Stage, tree: Tree, tmp_path: Path
) -> None:
    # Given a proposal that is right but for its last file
    before = files_of(tmp_path)
    allowed = {write[0] for write, _ in REFUSED.values()} - {"other.py", "OLD.py"} | {"first.py", "old.py"}
    contract = order(*sorted(allowed), forbidden=("secret/",))

    refused = write_all(proposal(("first.py", "x"), ("new.py", "x"), last), contract, tree, UNTOUCHED)

    assert isinstance(refused, Failure)
    assert refused.stage is stage
    assert refused.where == last[0]
    assert f"`{last[0]}`" in refused.message
    assert files_of(tmp_path) == before
    assert not (tree.root / "first.py").exists()


def test_an_empty_file_that_exists_has_the_hash_of_no_bytes(tree: Tree) -> None:
    (tree.root / "empty.py").touch()

    assert write_all(proposal(("empty.py", "full\n")), order("empty.py"), tree, UNTOUCHED) == ["empty.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission_is_the_machine_s_fault(tree: Tree) -> None:
    (tree.root / "folder").chmod(0o555)

    failed = write_all(
        proposal(("first.py", "x"), ("folder/x.py", "x")), order("first.py", "folder/x.py"), tree, UNTOUCHED
    )

    assert isinstance(failed, Failure)
    assert (failed.stage, failed.failure_class) == (Stage.WRITE_FAILED, FailureClass.ENVIRONMENT)
    assert failed.message == "`folder/x.py` can't be written: permission denied"


def test_a_write_that_fails_in_the_middle_is_undone_with_the_attempt(
    tmp_path: Path, temporary_files: Path
) -> None:
    # Given a disk that is full when the second of three files is written
    repo = make_repo(tmp_path / "repo")
    before = files_of(repo)
    files = {"first.py": "1\n", "second.py": "2" * 150_000, "third.py": "3\n"}
    scene = Scene(repo, [a_proposal(files)], allowed_files=list(files))
    scene.progress = disk = FullFromNowOn("TR applies the proposal")

    try:
        finished = scene.run()
    finally:
        disk.free()

    assert finished.ending.exit_code == ExitCode.ENVIRONMENT
    assert "write_failed: `second.py` can't be written: file too large" in finished.ending.message
    assert files_of(repo) == before
    assert list(temporary_files.iterdir()) == []


class FullFromNowOn(list[str]):
    """Progress that makes the disk look full at one point: no file of this process grows beyond 100 kB."""

    def __init__(self, moment: str) -> None:
        super().__init__()
        self._moment = moment
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def append(self, text: str) -> None:
        super().append(text)
        if self._moment in text:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, self._before[1]))

    def free(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)


def test_what_was_written_is_recorded(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")

    finished = Scene(repo).run()

    assert finished.folder is not None
    attempt = finished.folder / "attempt_1"
    result = read_object(attempt / "write_result.json")
    assert (result["applied"], result["written"], result["failure"]) == (True, ["src/app.py"], None)
    assert b"+print('hello')" in (attempt / "changes.diff").read_bytes()


def test_a_proposal_that_changes_nothing_never_lands(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"scripts/verify.sh": "exit 0\n", "src/app.py": APP})
    before = git(repo, "rev-parse", "HEAD")
    bases = {"src/app.py": APP}
    better = a_proposal({"src/app.py": f"{APP}MORE = 1\n"}, bases=bases)
    scene = Scene(repo, [a_proposal({"src/app.py": APP}, bases=bases), better])

    finished = scene.run()

    assert finished.ending.outcome == "landed"
    assert git(repo, "rev-parse", "HEAD~1") == before
    first = finished.ending.attempts[0]
    assert first.failure is not None
    assert first.failure.failure_class is FailureClass.MODEL_DEFECT
    assert "the proposal changes nothing" in first.failure.message
    assert isinstance(scene.model, ScriptedModel)
    assert "the proposal changes nothing" in scene.model.requests[1].messages[-1].content
