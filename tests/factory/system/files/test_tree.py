"""Files: nothing below an attempt's root leads out of it, blocks, or is half written."""

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from factory.contract.repo_path import RepoPath
from factory.system.files.tree import (
    FileProblem,
    FoundFile,
    Tree,
    read_bounded,
    remove_unfinished,
    write_atomic,
)

AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")


def path(text: str) -> RepoPath:
    return RepoPath.parse(text)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A directory beside the tree, with a file that nothing may read or write through the tree."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text("secret")
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("old\n")
    return Tree(root)


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


class TestReading:
    def test_a_file_is_read_with_its_mode(self, tree: Tree) -> None:
        (tree.root / "src/app.py").chmod(0o755)

        assert tree.read(path("src/app.py"), max_bytes=100) == FoundFile(b"old\n", 0o755)

    @pytest.mark.parametrize("missing", ["src/none.py", "none/app.py", "a/b/c/d.py"])
    def test_what_is_missing_is_none(self, missing: str, tree: Tree) -> None:
        assert tree.read(path(missing), max_bytes=100) is None
        assert not tree.exists(path(missing))

    def test_the_limit_counts_exactly(self, tree: Tree) -> None:
        assert tree.read(path("src/app.py"), max_bytes=4) is not None
        with pytest.raises(FileProblem, match="is larger than 3 bytes"):
            tree.read(path("src/app.py"), max_bytes=3)

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda place: place.symlink_to("src/app.py"), "is a symbolic link, not a file"),
            (lambda place: place.symlink_to("nowhere"), "is a symbolic link, not a file"),
            (lambda place: place.symlink_to("/etc/passwd"), "is a symbolic link, not a file"),
            (lambda place: place.mkdir(), "is a directory, not a file"),
            (lambda place: os.mkfifo(place), "is a special file, not a file"),
        ],
        ids=["link inside", "dangling link", "link outside", "directory", "fifo"],
    )
    def test_what_is_no_file_is_refused(self, make: object, message: str, tree: Tree) -> None:
        assert callable(make)
        make(tree.root / "odd")

        with pytest.raises(FileProblem) as reading:
            tree.read(path("odd"), max_bytes=100)
        with pytest.raises(FileProblem) as writing:
            tree.write(path("odd"), b"new", mode=0o644)

        assert (reading.value.message, writing.value.message) == (message, message)
        assert reading.value.where == "odd"
        assert tree.exists(path("odd"))

    def test_a_socket_is_refused(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tree.root)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("odd")

        with pytest.raises(FileProblem, match="is a special file, not a file"):
            tree.read(path("odd"), max_bytes=100)

    def test_a_link_on_the_way_is_refused(self, tree: Tree, outside: Path) -> None:
        (tree.root / "lib").symlink_to(outside)

        with pytest.raises(FileProblem, match="leads through `lib`, which is a symbolic link"):
            tree.read(path("lib/secret.txt"), max_bytes=100)
        with pytest.raises(FileProblem, match="leads through `lib`, which is a symbolic link"):
            tree.write(path("lib/secret.txt"), b"new", mode=0o644)
        assert not tree.exists(path("lib/secret.txt"))
        assert (outside / "secret.txt").read_text() == "secret"

    def test_a_file_on_the_way_is_refused(self, tree: Tree) -> None:
        with pytest.raises(FileProblem, match=r"leads through `src/app.py`, which is a file"):
            tree.write(path("src/app.py/x.py"), b"new", mode=0o644)
        with pytest.raises(FileProblem, match=r"leads through `src/app.py`, which is a file"):
            tree.read(path("src/app.py/x.py"), max_bytes=100)

    @AS_ROOT
    def test_a_file_without_permission_is_refused(self, tree: Tree) -> None:
        (tree.root / "src/app.py").chmod(0)

        with pytest.raises(FileProblem, match="can't be read: permission denied"):
            tree.read(path("src/app.py"), max_bytes=100)

    def test_a_link_as_the_root_is_the_caller_s_choice(self, tree: Tree, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tree.root)

        assert Tree(tmp_path / "link").exists(path("src/app.py"))

    def test_a_path_of_the_greatest_length_can_be_used(self, tree: Tree) -> None:
        deep = path("/".join(["d" * 60] * 16))

        tree.write(deep, b"deep", mode=0o644)

        assert tree.read(deep, max_bytes=10) == FoundFile(b"deep", 0o644)


class TestWriting:
    def test_directories_are_made(self, tree: Tree) -> None:
        tree.write(path("a/b/c.py"), b"new", mode=0o644)

        assert (tree.root / "a/b/c.py").read_bytes() == b"new"

    @pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
    @pytest.mark.parametrize("mode", [0o644, 0o755])
    def test_the_mode_is_the_one_given_whatever_the_umask(self, mask: int, mode: int, tree: Tree) -> None:
        with umask(mask):
            tree.write(path("new.py"), b"new", mode=mode)

        assert stat.S_IMODE((tree.root / "new.py").stat().st_mode) == mode

    def test_no_file_runs_as_another_user(self, tree: Tree) -> None:
        tree.write(path("new.py"), b"new", mode=0o6755)

        assert stat.S_IMODE((tree.root / "new.py").stat().st_mode) == 0o755

    def test_a_hard_link_elsewhere_keeps_its_content(self, tree: Tree, outside: Path) -> None:
        # Given a file that has another name outside, as package managers make them
        (tree.root / "linked.txt").hardlink_to(outside / "secret.txt")

        tree.write(path("linked.txt"), b"new", mode=0o644)

        assert (tree.root / "linked.txt").read_bytes() == b"new"
        assert (outside / "secret.txt").read_text() == "secret"

    def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(self, tree: Tree) -> None:
        # Given a limit on the size of files that stands for a full disk, in a process of its own
        pid = os.fork()
        if pid == 0:
            _write_on_a_full_disk(tree)
        _, status = os.waitpid(pid, 0)

        assert os.waitstatus_to_exitcode(status) == 0
        assert (tree.root / "src/app.py").read_bytes() == b"old\n"
        assert [entry.name for entry in (tree.root / "src").iterdir()] == ["app.py"]

    def test_a_reader_sees_the_old_file_or_the_new_one(self, tree: Tree) -> None:
        contents = {b"a" * 100_000, b"b" * 100_000}
        seen: set[bytes] = set()
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                seen.add((tree.root / "big").read_bytes())

        tree.write(path("big"), b"a" * 100_000, mode=0o644)
        reader = threading.Thread(target=read)
        reader.start()
        for _ in range(100):
            for content in contents:
                tree.write(path("big"), content, mode=0o644)
        done.set()
        reader.join()

        assert seen <= contents

    def test_a_directory_that_turns_into_a_link_meanwhile_leads_nowhere(
        self, tree: Tree, outside: Path
    ) -> None:
        # Given somebody who swaps a directory for a link outside and back, as fast as they can
        folder, aside, link = tree.root / "src", tree.root / "aside", tree.root / "link"
        link.symlink_to(outside)
        done = threading.Event()

        def swap() -> None:
            while not done.is_set():
                with suppress(OSError):
                    folder.rename(aside)
                    link.rename(folder)
                    folder.rename(link)
                    aside.rename(folder)

        swapper = threading.Thread(target=swap)
        swapper.start()
        try:
            for _ in range(300):
                with suppress(FileProblem):
                    tree.write(path("src/secret.txt"), b"overwritten", mode=0o644)
                with suppress(FileProblem):
                    file = tree.read(path("src/secret.txt"), max_bytes=100)
                    assert file is None or file.data == b"overwritten"
        finally:
            done.set()
            swapper.join()

        assert (outside / "secret.txt").read_text() == "secret"
        assert [entry.name for entry in outside.iterdir()] == ["secret.txt"]


def _write_on_a_full_disk(tree: Tree) -> None:
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
    try:
        tree.write(path("src/app.py"), b"x" * 5_000, mode=0o644)
    except FileProblem as error:
        os._exit(0 if error.message == "can't be written: file too large" else 2)
    except BaseException:
        os._exit(3)
    os._exit(1)


class TestTrustedPlaces:
    def test_a_bounded_read_returns_the_bytes(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"1234")

        assert read_bounded(tmp_path / "file", max_bytes=4) == b"1234"

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda _: None, "can't be read: no such file or directory"),
            (lambda place: place.mkdir(), "is a directory, not a file"),
            (os.mkfifo, "is a special file, not a file"),
            (lambda place: place.write_bytes(b"12345"), "is larger than 4 bytes"),
        ],
        ids=["missing", "directory", "fifo", "too large"],
    )
    def test_what_cannot_be_read_says_why_and_never_blocks(
        self, make: object, message: str, tmp_path: Path
    ) -> None:
        assert callable(make)
        make(tmp_path / "file")

        with pytest.raises(FileProblem) as caught:
            read_bounded(tmp_path / "file", max_bytes=4)

        assert (caught.value.message, caught.value.where) == (message, str(tmp_path / "file"))

    def test_a_device_without_end_is_no_file(self) -> None:
        with pytest.raises(FileProblem, match="is a special file"):
            read_bounded(Path("/dev/zero"))

    def test_an_atomic_write_makes_directories_and_replaces(self, tmp_path: Path) -> None:
        place = tmp_path / "a" / "b" / "file.json"

        write_atomic(place, b"one")
        with umask(0o077):
            write_atomic(place, b"two")

        assert place.read_bytes() == b"two"
        assert stat.S_IMODE(place.stat().st_mode) == 0o644
        assert [entry.name for entry in place.parent.iterdir()] == ["file.json"]

    def test_an_atomic_write_over_a_directory_changes_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "file").mkdir()

        with pytest.raises(FileProblem, match="can't be written"):
            write_atomic(tmp_path / "file", b"one")

        assert [entry.name for entry in tmp_path.iterdir()] == ["file"]

    def test_an_atomic_write_below_a_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("text")

        with pytest.raises(FileProblem, match="can't be written"):
            write_atomic(tmp_path / "file" / "below", b"one")


class TestUnfinished:
    """What a killed writer leaves."""

    def test_it_is_removed_and_nothing_else_is(self, tmp_path: Path) -> None:
        script = (
            "import os, pathlib, signal, sys\n"
            "from factory.system.files.tree import write_atomic\n"
            "def kill(event, args):\n"
            "    if event == 'os.rename':\n"
            "        os.kill(os.getpid(), signal.SIGKILL)\n"
            "sys.addaudithook(kill)\n"
            "write_atomic(pathlib.Path(sys.argv[1]), b'new')\n"
        )
        target = tmp_path / "state.json"
        target.write_bytes(b"old")
        kept = [".other.workorder-abcdefgh", ".mine.tmp", "x.workorder-abcdefgh.tmp", "state.json"]
        for name in kept:
            (tmp_path / name).touch()
        killed = subprocess.run(
            [sys.executable, "-c", script, str(target)], cwd=Path(__file__).parents[4], check=False
        )
        assert killed.returncode == -signal.SIGKILL
        assert len(list(tmp_path.iterdir())) == len(kept) + 1

        assert remove_unfinished(tmp_path) == 1

        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)
        assert target.read_bytes() == b"old"
        assert remove_unfinished(tmp_path / "absent") == 0

    def test_a_link_is_no_file_of_a_writer(self, tmp_path: Path) -> None:
        (tmp_path / "precious").touch()
        (tmp_path / ".a.workorder-abcdefgh.tmp").symlink_to("precious")

        assert remove_unfinished(tmp_path) == 0

        assert len(list(tmp_path.iterdir())) == 2

    def test_living_writers_are_not_disturbed(self, tmp_path: Path) -> None:
        over = threading.Event()

        def remove() -> int:
            removed = 0
            while not over.is_set():
                removed += remove_unfinished(tmp_path)
            return removed

        with ThreadPoolExecutor(4) as pool:
            removers = [pool.submit(remove) for _ in range(2)]
            try:
                for number in range(200):
                    write_atomic(tmp_path / "file", b"%d" % number)
            finally:
                over.set()

        assert (tmp_path / "file").read_bytes() == b"199"
        for remover in removers:
            remover.result()
        assert [path.name for path in tmp_path.iterdir()] == ["file"]
