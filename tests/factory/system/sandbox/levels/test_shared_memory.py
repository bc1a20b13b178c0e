"""Of the user's own files in shared memory, only those go that a command can have left."""

import os
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

import pytest

from factory.system.sandbox.levels.shared_memory import SHARED_MEMORY, clearing

pytestmark = pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="there is no shared memory")


@pytest.fixture
def name() -> Iterator[Path]:
    path = SHARED_MEMORY / f"workorder-test-{os.getpid()}"
    yield path
    for file in SHARED_MEMORY.glob(f"{path.name}*"):
        file.unlink()


def test_what_was_there_before_stays(name: Path) -> None:
    name.write_text("mine")

    clear = clearing(None)
    name.write_text("still mine")
    clear()

    assert name.read_text() == "still mine"


def test_what_appeared_and_nobody_holds_goes(name: Path) -> None:
    clear = clearing(None)
    name.write_text("left")
    clear()

    assert not name.exists()


def test_what_a_program_has_open_stays(name: Path) -> None:
    clear = clearing(None)
    with name.open("w"):
        clear()

        assert name.exists()


def test_what_a_program_has_in_its_memory_stays() -> None:
    clear = clearing(None)
    # The descriptor of a semaphore is closed as soon as it is in memory.
    lock = get_context("spawn").Lock()
    semaphore = SHARED_MEMORY / f"sem.{lock._semlock.name.lstrip('/')}"  # type: ignore[attr-defined]
    assert semaphore.exists()
    clear()

    assert semaphore.exists()


def test_a_new_name_of_an_older_file_goes_and_the_file_stays(name: Path) -> None:
    name.write_text("mine")

    clear = clearing(None)
    second = name.with_suffix(".second")
    second.hardlink_to(name)
    clear()

    assert (name.read_text(), second.exists()) == ("mine", False)


def test_an_older_file_that_was_renamed_stays(name: Path) -> None:
    name.write_text("mine")

    clear = clearing(None)
    renamed = name.rename(name.with_suffix(".renamed"))
    clear()

    assert renamed.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has throw-away users")
def test_all_that_a_throw_away_user_owns_goes(name: Path) -> None:
    clear = clearing(1_900_000_001)
    name.write_text("left")
    os.chown(name, 1_900_000_001, -1)
    other = name.with_suffix(".other")
    other.write_text("root's own")
    clear()

    assert (name.exists(), other.exists()) == (False, True)
