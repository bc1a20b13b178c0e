"""Environments are made once, used by many, and never removed while somebody uses them."""

import os
import stat
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from unittest.mock import ANY

import pytest

from factory.contract.errors import Fault, WorkorderError
from factory.environments.cache import CACHE_VARIABLE, Cache, cache_folder

# After anything that a run of all tests does, however long it takes.
LATER = time.time() + 1_000_000


@pytest.fixture
def cache() -> Cache:
    """An empty one, where everybody may enter."""
    return Cache(Path(os.environ[CACHE_VARIABLE]) / "tests" / f"{os.getpid()}-{time.monotonic_ns()}")


def _writing(text: str) -> Callable[[Path, Path], None]:
    def make(folder: Path, _final: Path) -> None:
        (folder / "file").write_text(text)

    return make


def _never(_folder: Path, _final: Path) -> None:
    raise AssertionError("it is there")


def test_an_entry_is_made_once_and_closed_for_writing(cache: Cache) -> None:
    def make(folder: Path, final: Path) -> None:
        (folder / "place").write_text(str(final))
        (folder / "programs").mkdir(mode=0o700)
        (folder / "programs" / "start").touch(mode=0o700)

    with cache.entry("a", make) as path:
        assert (path / "place").read_text() == str(path)
    with cache.entry("a", _never) as path:
        modes = {
            name: stat.S_IMODE((path / name).stat().st_mode)
            for name in ("place", "programs/start", "programs", ".")
        }

    assert modes == {"place": 0o444, "programs/start": 0o555, "programs": 0o755, ".": 0o755}


def test_what_could_not_be_made_leaves_nothing(cache: Cache) -> None:
    def fails(folder: Path, _final: Path) -> None:
        (folder / "file").write_text("half")
        raise ValueError

    with pytest.raises(ValueError), cache.entry("a", fails):
        pass

    assert [path.name for path in cache.folder.iterdir()] == ["a.lock"]
    with cache.entry("a", _writing("whole")) as path:
        assert (path / "file").read_text() == "whole"


def test_a_full_disk_is_told_with_what_to_do(cache: Cache) -> None:
    def full(_folder: Path, _final: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(WorkorderError, match="no space left") as caught, cache.entry("a", full):
        pass

    assert caught.value.fault is Fault.ENVIRONMENT
    assert CACHE_VARIABLE in caught.value.hint


def test_what_a_killed_process_left_half_made_is_made_anew(cache: Cache) -> None:
    (cache.folder / "a.making").mkdir(parents=True)
    (cache.folder / "a.making" / "half").touch()

    with cache.entry("a", _writing("whole")) as path:
        assert [file.name for file in path.iterdir()] == ["file"]

    assert {path.name for path in cache.folder.iterdir()} == {"a", "a.lock"}


def test_of_two_at_once_one_makes_it_and_both_use_it(cache: Cache) -> None:
    begin, both, made = Barrier(2), Barrier(2), []

    def make(folder: Path, _final: Path) -> None:
        made.append(folder)
        time.sleep(0.05)
        (folder / "file").write_text("text")

    def use() -> str:
        begin.wait(30)
        with cache.entry("a", make) as path:
            both.wait(30)
            return (path / "file").read_text()

    with ThreadPoolExecutor(2) as threads:
        used = [threads.submit(use) for _ in range(2)]
        assert [one.result() for one in used] == ["text", "text"]
    assert len(made) == 1


def test_what_is_in_use_is_not_pruned(cache: Cache) -> None:
    with cache.entry("a", _writing("a")) as used, cache.entry("b", _writing("b")):
        pass
    with cache.entry("a", _never) as used:
        removed, in_use = cache.prune(LATER)
        assert (used / "file").read_text() == "a"

    assert [entry.name for entry in removed] == ["b"]
    assert [entry.name for entry in in_use] == ["a"]
    assert {path.name for path in cache.folder.iterdir()} == {"a", "a.lock"}


def test_what_was_used_since_stays(cache: Cache) -> None:
    for name in ("old", "new"):
        with cache.entry(name, _writing(name)):
            pass
    os.utime(cache.folder / "old.lock", (1, 1))

    assert [(entry.name, entry.last_used) for entry in cache.entries()] == [("new", ANY), ("old", 1)]
    removed, _ = cache.prune(time.time() - 60)

    assert [entry.name for entry in removed] == ["old"]
    assert [entry.name for entry in cache.entries()] == ["new"]


def test_pruning_clears_what_killed_processes_left(cache: Cache) -> None:
    for name in ("a.making", "b.removing"):
        (cache.folder / name).mkdir(parents=True)

    cache.prune(0)

    assert not any(path.is_dir() for path in cache.folder.iterdir())


def test_pruning_while_others_use_and_make_takes_nothing_from_them(cache: Cache) -> None:
    over = Event()

    def prune() -> None:
        while not over.is_set():
            cache.prune(LATER)

    def use(number: int) -> None:
        for _ in range(40):
            with cache.entry(f"entry-{number % 2}", _writing("text")) as path:
                assert (path / "file").read_text() == "text"

    with ThreadPoolExecutor(5) as threads:
        pruning = threads.submit(prune)
        try:
            for done in [threads.submit(use, number) for number in range(4)]:
                done.result()
        finally:
            over.set()
        pruning.result()


def test_a_directory_that_others_may_write_to_is_refused(cache: Cache) -> None:
    cache.folder.mkdir(parents=True)
    cache.folder.chmod(0o777)

    with pytest.raises(WorkorderError, match="others may write"), cache.entry("a", _never):
        pass


def test_a_place_where_nothing_can_be_made_is_told_with_what_to_do() -> None:
    with pytest.raises(WorkorderError) as caught, Cache(Path("/proc/nowhere")).entry("a", _never):
        pass

    assert caught.value.fault is Fault.ENVIRONMENT
    assert CACHE_VARIABLE in caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's commands become another user")
def test_root_keeps_nothing_where_its_commands_can_not_go(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    with pytest.raises(WorkorderError, match="can't reach"), Cache(tmp_path / "cache").entry("a", _never):
        pass


def test_the_folder_is_what_the_variable_names() -> None:
    assert cache_folder({CACHE_VARIABLE: "/somewhere/./else"}) == Path("/somewhere/else")
    with pytest.raises(WorkorderError, match="no absolute path"):
        cache_folder({CACHE_VARIABLE: "here"})


def test_without_the_variable_it_is_where_the_system_keeps_such_things(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    expected = Path("/var/cache") if os.geteuid() == 0 else tmp_path
    assert cache_folder({}) == expected / "workorder"
