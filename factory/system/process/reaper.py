"""The supervisor of one command, a program of its own: when the command ends, nothing it started lives on.

Started by `launch` as `python -I -S reaper.py LIFELINE_FD REPORT_FD GROUP_FDS -- COMMAND …`. It makes
itself the subreaper of its descendants (prctl(2), PR_SET_CHILD_SUBREAPER), so that a double fork or a new
session can't leave it. It kills them all when the command ends, and when the lifeline closes: the factory
closes it at a time limit, and the kernel closes it when the factory is killed. The command, not the
supervisor, enters the control groups whose `cgroup.procs` are open as GROUP_FDS, separated by commas, if any.

It is two processes, because a command may kill its parent: the guardian waits above the supervisor, inherits
what that leaves behind, and does its work if it can't. Without /proc only the command itself is found; the
rest of its process group is then killed by the factory.

Standard library only, and little of it, because it starts with every command: `ctypes`, `signal` and
`contextlib` would take as long as all the rest of its start, so it does with what they are made of. Imports
nothing of this project.
"""

import _ctypes
import _signal  # type: ignore[import-not-found]
import errno
import os
import select
import sys
import time

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_GIVE_UP_SECONDS = 5.0
_PATIENCE_SECONDS = _GIVE_UP_SECONDS + 3.0
_GAVE_UP = 3
_LEAST_NICE = -20
# The places of fields after the name, see proc_pid_stat(5).
_STATE, _PARENT, _BEGAN = 0, 1, 19
_IGNORED = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGQUIT, _signal.SIGTERM, _signal.SIGPIPE)


def main() -> None:
    lifeline, report, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[5:]
    groups = [int(word) for word in sys.argv[3].split(",") if word]
    for descriptor in (lifeline, report, *groups):
        os.set_inheritable(descriptor, False)
    for number in _IGNORED:
        _signal.signal(number, _signal.SIG_IGN)
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    # Ends when the supervisor does: only it holds the other end, and never uses it.
    supervising, held = os.pipe2(os.O_CLOEXEC)
    _become_subreaper()
    _come_first()
    supervisor = os.fork()
    if supervisor == 0:
        os.close(supervising)
        _become_subreaper()
        _supervise(command, lifeline, report, groups, nice)
    else:
        os.close(held)
        _guard(supervisor, supervising, lifeline, report)
        # Nothing is left to be done, and the interpreter would take its time to end.
        os._exit(0)


def _become_subreaper() -> None:
    if sys.platform == "linux":
        prctl = _ctypes.dlsym(_ctypes.dlopen(None, os.RTLD_NOW), "prctl")  # type: ignore[arg-type]
        _ctypes.call_function(prctl, (_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        # Or the command could open the lifeline and the report through /proc/PID/fd, root excepted.
        _ctypes.call_function(prctl, (_PR_SET_DUMPABLE, 0, 0, 0, 0))


def _come_first() -> None:
    """Let a command that keeps every processor busy not keep its own end from coming."""
    if sys.platform != "linux":
        return
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        # Only root may, and in a control group without time for that root may do the other alone.
        try:  # noqa: SIM105
            os.setpriority(os.PRIO_PROCESS, 0, _LEAST_NICE)
        except PermissionError:
            pass


def _guard(supervisor: int, supervising: int, lifeline: int, report: int) -> None:
    """Wait for the supervisor to end, and do its work if it was killed or stopped."""
    ended, _, _ = select.select([supervising, lifeline], [], [])
    if supervising not in ended:
        ended, _, _ = select.select([supervising], [], [], _PATIENCE_SECONDS)
        if not ended:
            os.kill(supervisor, _signal.SIGKILL)
    _, status = os.waitpid(supervisor, 0)
    if status != 0:
        leftovers, _, _ = _end_descendants(0)
        if os.waitstatus_to_exitcode(status) != _GAVE_UP:
            _send(report, f"supervisor_killed leftovers={leftovers} {_used()}")


def _supervise(command: list[str], lifeline: int, report: int, groups: list[int], nice: int) -> None:
    """Run the command, end everything that it started, and report."""
    wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    _signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    child, error = _start(command, groups, nice)
    if child is None:
        _send(report, f"error={error}")
        return
    status = None
    while status is None:
        ready, _, _ = select.select([lifeline, wake_read], [], [])
        if wake_read in ready:
            os.read(wake_read, 4096)
            status = _reap(child)
        if lifeline in ready:
            break
    leftovers, killed_status, all_ended = _end_descendants(child)
    status = killed_status if status is None else status
    code = os.waitstatus_to_exitcode(status) if status is not None else -_signal.SIGKILL
    end = f"{'exit_code' if code >= 0 else 'signal'}={abs(code)}"
    _send(report, f"{end} leftovers={leftovers} {_used()}")
    # At once: the guardian takes a supervisor that lingers for one that was stopped.
    os._exit(0 if all_ended else _GAVE_UP)


def _start(command: list[str], groups: list[int], nice: int) -> tuple[int | None, int]:
    """Fork, enter the control groups and execute; the child's pid, or None with the number of an error."""
    error_read, error_write = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if child == 0:
        try:
            _signal.set_wakeup_fd(-1)
            # Python ignores SIGXFSZ, too.
            for number in (*_IGNORED, _signal.SIGCHLD, _signal.SIGXFSZ):
                _signal.signal(number, _signal.SIG_DFL)
            if sys.platform == "linux":
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
                os.setpriority(os.PRIO_PROCESS, 0, nice)
            # Before there is anything that could start a process outside of them.
            for group in groups:
                os.write(group, b"0")
            os.execvp(command[0], command)
        except OSError as error:
            os.write(error_write, str(error.errno or errno.EIO).encode())
        finally:
            os._exit(127)
    os.close(error_write)
    with open(error_read, "rb") as report:
        failed = report.read()
    if failed:
        os.waitpid(child, 0)
        return None, int(failed)
    return child, 0


def _reap(child: int) -> int | None:
    """Collect every ended child; the wait status of `child` if it is among them."""
    ended = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        if pid == child:
            ended = status


def _end_descendants(child: int) -> tuple[int, int | None, bool]:
    """Kill until no descendant is left.

    Returns:
        How many there were beside `child`, the wait status of `child` if it was one, and whether all ended.
    """
    seen: set[int] = set()
    status = None
    end = time.monotonic() + _GIVE_UP_SECONDS
    while True:
        # A descendant without a living parent is our child: without children there are no descendants.
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return len(seen), status, True
        if pid == child:
            status = ended
        if pid != 0:
            continue
        if time.monotonic() > end:
            return len(seen), status, False
        for descendant, (alive, began) in _descendants(child).items():
            if alive and descendant != child:
                seen.add(descendant)
            _kill(descendant, began)
        time.sleep(0.001)


def _used() -> str:
    """What the descendants used that were waited for.

    The most bytes that one of them ever had resident, the bytes that all of them wrote to disks, and the
    milliseconds of processor time of all of them.
    """
    # Not when the command starts: that would take longer.
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Only Linux counts memory in kibibytes.
    unit = 1024 if sys.platform == "linux" else 1
    milliseconds = int((used.ru_utime + used.ru_stime) * 1000)
    return f"peak={used.ru_maxrss * unit} written={used.ru_oublock * 512} cpu={milliseconds}"


def _kill(descendant: int, began: bytes) -> None:
    """Kill a process, and the group that it leads: before its members have multiplied further.

    Numbers are used again quickly where processes multiply. A descriptor keeps this one for the process that
    has it, and the time of its beginning tells whether that is still the descendant.
    """
    try:
        if not began or not hasattr(os, "pidfd_open"):
            os.kill(descendant, _signal.SIGKILL)
            return
        held = os.pidfd_open(descendant)
        try:
            fields = _fields(descendant)
            if fields is None or fields[_BEGAN] != began:
                return
            _signal.pidfd_send_signal(held, _signal.SIGKILL)
            if os.getpgid(descendant) == descendant:
                os.killpg(descendant, _signal.SIGKILL)
        finally:
            os.close(held)
    except OSError:
        # It is gone, or it is not ours to kill.
        return


def _descendants(child: int) -> dict[int, tuple[bool, bytes]]:
    """The descendants of this process: whether each is alive, and when it began.

    Without /proc, `child` alone, and no time.
    """
    own, parents, descendants = os.getpid(), {}, {}
    try:
        # Another process namespace's /proc would make us kill strangers.
        entries = os.listdir("/proc") if os.readlink("/proc/self") == str(own) else None
    except OSError:
        entries = None
    if entries is None:
        return {child: (True, b"")} if child else {}
    for entry in entries:
        fields = _fields(int(entry)) if entry.isdigit() else None
        if fields is not None:
            # A zombie may be a process whose first thread alone has ended, so it is killed like the others.
            parents[int(entry)] = int(fields[_PARENT])
            descendants[int(entry)] = (fields[_STATE] != b"Z", fields[_BEGAN])
    return {pid: descendants[pid] for pid in descendants if _is_below(pid, own, parents)}


def _fields(pid: int) -> list[bytes] | None:
    """What /proc tells of a process after its name, see proc_pid_stat(5); None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name in parentheses may hold anything: the fields begin after the last one.
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return None


def _is_below(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    # Bounded, because numbers are used again while /proc is read: parents can seem to go round in a circle.
    for _ in parents:
        pid = parents.get(pid, 0)
        if pid == ancestor:
            return True
        if pid == 0:
            return False
    return False


def _send(report: int, message: str) -> None:
    try:
        os.write(report, message.encode() + b"\n")
    except BrokenPipeError:
        # The factory was killed.
        return


if __name__ == "__main__":
    main()
