"""One writer at a time, whatever became of the last one."""

import subprocess
import sys
from pathlib import Path

import pytest

from factory.system.files.lock import Locked, exclusive, is_held

HOLDER = (
    "import pathlib, sys, time\n"
    "from factory.system.files.lock import exclusive\n"
    "with exclusive(pathlib.Path(sys.argv[1]), 'factory run WO-05'):\n"
    "    print('held', flush=True)\n"
    "    time.sleep(600)\n"
)


def test_a_lock_is_free_again_after_its_block(tmp_path: Path) -> None:
    for _ in range(2):
        with exclusive(tmp_path / "lock", "a run"):
            assert (tmp_path / "lock").exists()


def test_whether_it_is_held_can_be_asked_without_holding_it(tmp_path: Path) -> None:
    lock = tmp_path / "lock"

    assert not is_held(lock)
    assert not lock.exists()
    with exclusive(lock, "a run"):
        assert is_held(lock)
    assert not is_held(lock)
    content = lock.read_bytes()
    assert not is_held(lock)
    assert lock.read_bytes() == content


def test_the_holder_is_named_and_its_death_frees_the_lock(tmp_path: Path) -> None:
    # given another process that holds the lock
    lock = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[4]
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        # when this one wants it
        with pytest.raises(Locked) as caught, exclusive(lock, "another run"):
            pass
        # then it hears who has it
        assert f"process {holder.pid}, factory run WO-05" in caught.value.message
        holder.kill()
    # and a kill leaves no lock behind
    with exclusive(lock, "another run"):
        pass


def test_what_a_killed_holder_started_with_the_lock_is_waited_for(tmp_path: Path) -> None:
    # given a holder that is killed while a process that holds its lock, too, has something to do
    started = HOLDER.replace(
        "'):\n",
        "') as held:\n"
        "    import subprocess\n"
        "    subprocess.Popen(['sh', '-c', 'sleep 0.5; touch $0', sys.argv[1] + '.done'], pass_fds=[held])\n",
    )
    lock = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", started, str(lock)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[4]
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.kill()
    # when the next one comes, then it begins after that is done
    with exclusive(lock, "the next run"):
        assert (tmp_path / "lock.done").exists()


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\x00", b'{"pid": "x"}', b'{"pid": 1}', b"{" * 5_000])
def test_whatever_is_in_the_file_the_lock_works(tmp_path: Path, content: bytes) -> None:
    lock = tmp_path / "lock"
    lock.write_bytes(content)

    with exclusive(lock, "first"):
        held = lock.read_bytes()
        lock.write_bytes(content)
        with pytest.raises(Locked, match="holder unknown"), exclusive(lock, "second"):
            pass

    assert b"first" in held


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("data")
    (tmp_path / "lock").symlink_to(tmp_path / "precious")

    with pytest.raises(OSError, match="symbolic links"), exclusive(tmp_path / "lock", "a run"):
        pass

    assert (tmp_path / "precious").read_text() == "data"
