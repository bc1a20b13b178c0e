"""The supervisor of one command, a program of its own: when the command ends, nothing it started lives on.

Started by `factory.system.process` as `python -I -S reaper.py LIFELINE_FD REPORT_FD -- COMMAND …`. It makes
itself the subreaper of its descendants (prctl(2), PR_SET_CHILD_SUBREAPER), so that a double fork or a new
session can't leave it. It kills them all when the command ends, and when the lifeline closes: the factory
closes it at a time limit, and the kernel closes it when the factory is killed.

Standard library only, because it starts with every command; imports nothing of this project.
"""

import ctypes
import json
import os
import select
import signal
import sys
import time

_PR_SET_CHILD_SUBREAPER = 36
_GIVE_UP_SECONDS = 10.0


def main() -> None:
    lifeline, report, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4:]
    os.set_inheritable(lifeline, False)
    os.set_inheritable(report, False)
    _become_subreaper()
    wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)

    child, error = _start(command)
    if child is None:
        _send(report, {"error": error})
        return
    status = None
    while status is None:
        ready, _, _ = select.select([lifeline, wake_read], [], [])
        if wake_read in ready:
            os.read(wake_read, 4096)
            status = _reap(child)
        if lifeline in ready and status is None:
            break
    leftovers, killed_status = _end_descendants(child)
    status = killed_status if status is None else status
    code = os.waitstatus_to_exitcode(status) if status is not None else -signal.SIGKILL
    _send(
        report,
        {
            "exit_code": code if code >= 0 else None,
            "signal": -code if code < 0 else None,
            "leftovers": leftovers,
        },
    )


def _become_subreaper() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _start(command: list[str]) -> tuple[int | None, int]:
    """Fork and execute; the child's pid, or None with the error number of the failed exec."""
    told_read, told_write = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if child == 0:
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            os.execvp(command[0], command)
        except OSError as error:
            os.write(told_write, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(told_write)
    with open(told_read, "rb") as told:
        failed = told.read()
    if failed:
        os.waitpid(child, 0)
        return None, int(failed)
    return child, 0


def _reap(child: int) -> int | None:
    """Collect every ended child; the wait status of `child` if it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == child:
            found = status


def _end_descendants(child: int) -> tuple[int, int | None]:
    """Kill until no descendant is left; how many there were beside `child`, and the status of `child`."""
    seen: set[int] = set()
    status = None
    end = time.monotonic() + _GIVE_UP_SECONDS
    while time.monotonic() < end:
        for pid in _descendants():
            seen.add(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == child:
            status = ended
        if pid == 0:
            time.sleep(0.002)
    return len(seen - {child}), status


def _descendants() -> list[int]:
    parents: dict[int, int] = {}
    try:
        entries = os.listdir("/proc")
    except OSError:
        return []
    for entry in entries:
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                # The name in parentheses may hold anything: the fields begin after the last one.
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] != b"Z":
            parents[int(entry)] = int(fields[1])
    own, found = os.getpid(), []
    for pid in parents:
        ancestor = pid
        while ancestor in parents and ancestor != own:
            ancestor = parents[ancestor]
        if ancestor == own and pid != own:
            found.append(pid)
    return found


def _send(report: int, message: dict[str, int | None]) -> None:
    os.write(report, json.dumps(message).encode())


if __name__ == "__main__":
    main()
