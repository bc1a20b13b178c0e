"""What is told of the memory and the files that a command's processes have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from factory.system.sandbox.watch.usage import hides_files, memory_of

# Starts a process below its own, as a supervisor's second one does, and ends with it.
SECOND = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)"
BEGINNING = """
import ctypes, mmap, multiprocessing, os, socket, sys, tempfile
file = tempfile.TemporaryFile(dir=".")
file.write(b"x"); file.flush()
held = socket.socketpair()
"""
END = "\nprint('ready', flush=True); sys.stdin.read()"

SENT = "socket.send_fds(held[0], [b'x'], [file.fileno()]); file.close()"
MAPPED = """
library = ctypes.CDLL(None)
library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
library.mmap(None, 1, 1, 1, file.fileno(), 0); file.close()
"""
CLOSED = "ctypes.CDLL(None).prctl(4, 0)"
# What counts by its descriptor, or lies in memory.
OPEN = "memory = mmap.mmap(-1, 4096); lock = multiprocessing.Lock()"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("source", "hides"),
    [
        pytest.param(SENT, True, id="in a message"),
        pytest.param(MAPPED, True, id="only mapped"),
        pytest.param(CLOSED, os.geteuid() != 0, id="closed to all but root"),
        pytest.param(OPEN, False, id="open"),
    ],
)
def test_files_that_no_descriptor_leads_to_are_noticed(source: str, hides: bool, tmp_path: Path) -> None:
    words = [sys.executable, "-c", SECOND, BEGINNING + source + END]
    with subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        hidden = hides_files(os.getpid(), tmp_path.stat().st_dev)

    assert hidden is hides


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_memory_of_a_process_is_told_apart_from_its_files(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(os.urandom(32 * 2**20))
    source = """
import mmap, os, sys
own = bytearray(os.urandom(16 * 2**20))
mapped = mmap.mmap(os.open("large", os.O_RDONLY), 0, prot=mmap.PROT_READ)
sum(mapped[place] for place in range(0, len(mapped), 4096))
print("ready", flush=True); sys.stdin.read()
"""
    words = [sys.executable, "-c", source]
    with subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        own, of_files = memory_of(started.pid)

    assert 16 * 2**20 < own < 48 * 2**20 < of_files + 16 * 2**20
    # What has ended has neither.
    assert memory_of(started.pid) == (0, 0)
