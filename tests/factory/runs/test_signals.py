"""A signal unwinds the program once, and waits where something must not be cut in two."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from factory.system.process.capture import capture
from factory.system.process.signals import Interrupted, interruptible, shielded


@pytest.fixture(autouse=True)
def handlers_as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        assert signal.getsignal(number) is handler


@pytest.mark.parametrize(
    ("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_the_first_signal_unwinds(number: int, exit_code: int) -> None:
    undone = []

    with pytest.raises(Interrupted) as caught, interruptible():
        try:
            os.kill(os.getpid(), number)
            time.sleep(5)
        finally:
            undone.append(True)

    assert caught.value.exit_code == exit_code
    assert str(caught.value) == signal.Signals(number).name
    assert undone == [True]


def test_a_terminal_that_closes_may_say_so_twice() -> None:
    undone = []

    with pytest.raises(Interrupted), interruptible():
        try:
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(5)
        finally:
            os.kill(os.getpid(), signal.SIGHUP)
            undone.append(True)

    assert undone == [True]


def test_what_nohup_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_no_handler_of_ordinary_failures_swallows_it() -> None:
    with pytest.raises(Interrupted), interruptible(), suppress(Exception):
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_shield_delays_it_to_the_end_of_the_outermost_block() -> None:
    done = []

    with pytest.raises(Interrupted), interruptible(), shielded():
        with shielded():
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("inner")
        done.append("outer")

    assert done == ["inner", "outer"]


def test_an_error_in_a_shield_goes_first_and_the_signal_follows_at_the_next() -> None:
    with pytest.raises(Interrupted), interruptible():
        with pytest.raises(ValueError, match="first"), shielded():
            os.kill(os.getpid(), signal.SIGTERM)
            raise ValueError("first")
        with shielded():
            pass
        pytest.fail("the signal was lost")


def test_a_signal_outside_of_the_block_is_not_ours() -> None:
    received = []
    before = signal.signal(signal.SIGTERM, lambda *_: received.append(True))
    with interruptible():
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    signal.signal(signal.SIGTERM, before)

    assert received == [True]


def test_what_one_block_left_pending_does_not_reach_the_next() -> None:
    with pytest.raises(ValueError, match="x"), interruptible(), shielded():
        os.kill(os.getpid(), signal.SIGTERM)
        raise ValueError("x")

    with interruptible(), shielded():
        pass


def test_a_second_signal_ends_the_process_at_once_and_says_what_is_left() -> None:
    program = (
        "import os, signal, time\n"
        "from factory.system.process.signals import interruptible, shielded\n"
        "with interruptible(lambda: 'left: a checkout'), shielded():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    print('shielded', flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    time.sleep(30)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[3], capture_output=True, check=False
    )

    assert done.stdout == b"shielded\n"
    assert done.stderr == b"left: a checkout\n"
    assert done.returncode == 143


def test_a_shield_of_another_thread_does_not_hold_the_signal_back() -> None:
    with interruptible(), ThreadPoolExecutor(1) as pool:
        inside, over = threading.Event(), threading.Event()

        def work() -> None:
            with shielded():
                inside.set()
                over.wait(30)

        worker = pool.submit(work)
        inside.wait(30)
        try:
            with pytest.raises(Interrupted):
                os.kill(os.getpid(), signal.SIGTERM)
        finally:
            over.set()
        # And the signal is not the worker's.
        worker.result(30)


def test_a_tool_that_is_waited_for_is_ended_by_the_signal(tmp_path: Path) -> None:
    # The pause lets this process begin to wait.
    script = f"echo $$ > {tmp_path / 'pid'}; sleep 0.3; kill -TERM {os.getpid()}; exec sleep 600"

    with pytest.raises(Interrupted), interruptible():
        capture(["sh", "-c", script], cwd=None, env=os.environ)

    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
