"""The program around a command that needs services: starts them, waits for them, runs the command.

Started as `python -I -S -c START WORD_FD,REPORT_FD,TEXT_FD ORDERS -- COMMAND …`, where START executes this
text, read from TEXT_FD; ORDERS are those of `Services`, as `marshal` writes them, in hexadecimal digits. It
runs inside the command's sandbox, where its services are in reach of the command and of nobody else. The
command gets standard input, output and further descriptors as they are; services get none of them. When the
command ends, services are asked to end, and this program ends as the command did.

On REPORT_FD it writes lines, after the word that makes them ours:

    starting NAME       what follows is about this service
    log NAME HEX        the beginning of what it prints, as it comes
    unready NAME HEX    it did not get ready, and why; then the command never ran
    ready MILLISECONDS  all are ready, and the command is started
    error NUMBER        the command can't be executed
    died NAME HEX       it ended before the command did, and how
    tail NAME BYTES HEX the end of a long log, and how much there was in all
    end CODE            how the command ended: its exit code, or below 0 the signal

The command, and whatever runs beside it, may kill this program, which is a failure, and can do nothing else
to it: its memory and descriptors are closed to them. Standard library only, and little of it, because it
starts with every command; imports nothing of this project.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import errno
import marshal
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_PR_SET_DUMPABLE = 4
_HEAD_BYTES = 200_000
_TAIL_BYTES = 100_000
_CHUNK = 65_536
_PAUSE_SECONDS = 0.005
_STOP_SECONDS = 5.0
_MOST_LOOKS = 200
_PAUSE_BETWEEN_COMMANDS = 0.05
_LONGEST_LINE = 8_192
_LOCAL = "127.0.0.1"


class Unready(Exception):
    """A service did not get ready; the text says why."""


class Service:
    """A service that is to run.

    Attributes:
        orders: what is known of it, see `resolved.Ordered`.
        name: its name.
        data: its directory.
        port: the port that it was given.
        leader: its first process; 0 before it is started.
        runs: whether that has been started and has not ended.
        ending: how it ended; empty while it runs.
        log: descriptors from which its log is read.
        said_ready: whether it has printed what it prints when it is ready.
    """

    def __init__(self, orders: "dict[str, Any]", say: "Callable[[str], None]") -> None:
        self.orders = orders
        self.name: str = orders["name"]
        self.data: str = orders["data"]
        self.port: int = orders["port"] or _free_port()
        self.leader = 0
        self.runs = False
        self.ending = ""
        self.log: set[int] = set()
        self.said_ready = False
        self._say = say
        self._printed = 0
        self._last = b""
        self._tail: list[bytes] = []
        self._tail_bytes = 0

    def filled(self, text: str) -> str:
        """A word with the values of its placeholders."""
        return text.replace("{port}", str(self.port)).replace("{data}", self.data)

    def words(self, name: str) -> "list[str]":
        """A command line of its orders."""
        return [self.filled(word) for word in self.orders[name]]

    def takes(self, chunk: bytes) -> None:
        """Report the beginning of what it prints, and keep the end."""
        if self.orders["ready_log"] and not self.said_ready:
            seen = self._last + chunk
            self.said_ready = self.orders["ready_log"].encode() in seen
            self._last = seen[-_LONGEST_LINE:]
        room = max(0, _HEAD_BYTES - self._printed)
        self._printed += len(chunk)
        if chunk[:room]:
            self._say(f"log {self.name} {chunk[:room].hex()}")
        if chunk[room:]:
            self._tail.append(chunk[room:])
            self._tail_bytes += len(chunk[room:])
        while self._tail and self._tail_bytes - len(self._tail[0]) >= _TAIL_BYTES:
            self._tail_bytes -= len(self._tail.pop(0))

    def tell_tail(self) -> None:
        """Report the end of a log that was too long."""
        if self._printed > _HEAD_BYTES:
            self._say(f"tail {self.name} {self._printed} {b''.join(self._tail)[-_TAIL_BYTES:].hex()}")


class Course:
    """The processes of one start: services, what is run for them, and the command.

    Attributes:
        services: the services, in the order in which they start.
        say: reports a line.
        ended: the processes that were collected, and how each ended.
    """

    def __init__(self, orders: "list[dict[str, Any]]", say: "Callable[[str], None]") -> None:
        self.services = [Service(ordered, say) for ordered in orders]
        self.say = say
        self.ended: dict[int, int] = {}
        self._wake, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        _signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)

    def look(self, seconds: "float | None") -> bool:
        """Wait for something to happen, so long at most; take what services print, and collect who ended.

        Returns:
            Whether something happened.
        """
        logs = {descriptor: service for service in self.services for descriptor in service.log}
        ready, _, _ = select.select([self._wake, *logs], [], [], seconds)
        if self._wake in ready:
            os.read(self._wake, _CHUNK)
        for descriptor in ready:
            if descriptor in logs:
                chunk = os.read(descriptor, _CHUNK)
                if chunk:
                    logs[descriptor].takes(chunk)
                else:
                    logs[descriptor].log.discard(descriptor)
                    os.close(descriptor)
        self._collect()
        return bool(ready)

    def look_at_rest(self) -> None:
        """Take what has been printed by now, of one that goes on printing a part."""
        for _ in range(_MOST_LOOKS):
            if not self.look(0):
                return

    def _collect(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            self.ended[pid] = code
            for service in self.services:
                if service.leader == pid:
                    service.runs = False
                    service.ending = _how(code)

    def start(self, service: Service, words: "list[str]") -> int:
        """Start a program of a service, in a session of its own and with its log for output.

        Raises:
            Unready: it can't be executed.
        """
        log_read, log_write = os.pipe2(os.O_CLOEXEC)
        error_read, error_write = os.pipe2(os.O_CLOEXEC)
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                nothing = os.open(os.devnull, os.O_RDONLY)
                os.dup2(nothing, 0)
                os.dup2(log_write, 1)
                os.dup2(log_write, 2)
                kept = 100
                os.dup2(error_write, kept, inheritable=False)
                # What the command alone is handed is nothing for a service.
                os.closerange(3, kept)
                os.closerange(kept + 1, 4_096)
                _signals_as_at_start()
                try:
                    os.execvp(words[0], words)
                except OSError as error:
                    os.write(kept, str(_error_number(error, words[0])).encode())
            finally:
                os._exit(127)
        os.close(log_write)
        os.close(error_write)
        service.log.add(log_read)
        with open(error_read, "rb") as failing:
            failed = failing.read()
        if failed:
            raise Unready(f"{words[0]} can't be started: {os.strerror(int(failed)).lower()}")
        return pid

    def finish(self, service: Service, words: "list[str]", end: float, late: str) -> int:
        """Run a program of a service to its end.

        Returns:
            How it ended.

        Raises:
            Unready: it can't be executed, or does not end in time.
        """
        pid = self.start(service, words)
        while pid not in self.ended:
            left = end - time.monotonic()
            if left <= 0:
                _signal_to(os.killpg, pid, _signal.SIGKILL)
                raise Unready(late)
            self.look(left)
        return self.ended[pid]


def main() -> None:
    word_fd, report_fd, text_fd = map(int, sys.argv[1].split(","))
    orders, command = marshal.loads(bytes.fromhex(sys.argv[2])), sys.argv[4:]
    close_to_others()
    word = os.read(word_fd, 100)
    os.close(word_fd)
    os.close(text_fd)
    os.set_inheritable(report_fd, False)

    def say(line: str) -> None:
        rest = line.encode() + b"\n"
        while rest:
            rest = rest[os.write(report_fd, rest) :]

    say(word.decode("ascii"))
    started = time.monotonic()
    course = Course(orders, say)
    for service in course.services:
        say(f"starting {service.name}")
        try:
            _make_ready(service, course)
        except Unready as problem:
            _give_up(service, str(problem), course)
        except OSError as problem:
            _give_up(service, f"its data can't be made: {problem.strerror}", course)
        for name, value in service.orders["set"].items():
            os.environ[name] = service.filled(value)
    say(f"ready {int((time.monotonic() - started) * 1000)}")
    _end_as(_run(command, course))


def _make_ready(service: Service, course: Course) -> None:
    orders = service.orders
    end = time.monotonic() + orders["ready_seconds"]
    late = f"within {orders['ready_seconds']} s"
    _make_directory(service, course, end, f"what prepares it did not end {late}")
    for name in orders["stale"]:
        # One that was killed with an earlier command could not remove it.
        if os.path.lexists(f"{service.data}/{name}"):
            os.unlink(f"{service.data}/{name}")
    service.leader = course.start(service, service.words("command"))
    service.runs = True
    while not _is_ready(service, course, end, f"it was not ready {late}"):
        if service.ending:
            raise Unready(f"it {service.ending}")
        if time.monotonic() > end:
            raise Unready(f"it was not ready {late}")
        course.look(_PAUSE_BETWEEN_COMMANDS if orders["ready_command"] else _PAUSE_SECONDS)
    if service.ending:
        raise Unready(f"it {service.ending}")


def _make_directory(service: Service, course: Course, end: float, late: str) -> None:
    """Its directory, where no earlier command of the pass has left one that was made whole."""
    made = f"{service.data}.made"
    if os.path.lexists(made):
        return
    if os.path.lexists(service.data):
        # The command was ended while it was being made.
        free = next(number for number in range(10_000) if not os.path.lexists(f"{service.data}.{number}"))
        os.rename(service.data, f"{service.data}.{free}")
    if service.orders["template"]:
        _copy(service.orders["template"], service.data)
    else:
        os.mkdir(service.data, 0o700)
    if service.orders["prepare"]:
        code = course.finish(service, service.words("prepare"), end, late)
        if code != 0:
            raise Unready(f"what prepares it {_how(code)}")
    os.close(os.open(made, os.O_WRONLY | os.O_CREAT, 0o600))


def _is_ready(service: Service, course: Course, end: float, late: str) -> bool:
    if service.orders["ready_log"]:
        return service.said_ready
    if service.orders["ready_command"]:
        return course.finish(service, service.words("ready_command"), end, late) == 0
    probe = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        return probe.connect_ex((_LOCAL, service.port)) == 0
    finally:
        probe.close()


def _give_up(service: Service, why: str, course: Course) -> None:
    # What it said last may tell more.
    course.look_at_rest()
    service.tell_tail()
    course.say(f"unready {service.name} {why.encode('utf-8', 'backslashreplace').hex()}")
    _stop(course)
    os._exit(1)


def _run(command: "list[str]", course: Course) -> int:
    """Run the command to its end, report it, and end the services; how it ended."""
    error_read, error_write = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        try:
            # A group of its own: what it sends to its group reaches nobody here.
            os.setsid()
            _signals_as_at_start()
            for service in course.services:
                for descriptor in service.log:
                    os.close(descriptor)
            try:
                os.execvp(command[0], command)
            except OSError as error:
                os.write(error_write, str(_error_number(error, command[0])).encode())
        finally:
            os._exit(127)
    os.close(error_write)
    with open(error_read, "rb") as failing:
        failed = failing.read()
    if failed:
        course.say(f"error {int(failed)}")
    while pid not in course.ended:
        course.look(None)
    # A service that ended first is collected by now.
    course.look_at_rest()
    for service in course.services:
        if service.ending:
            course.say(f"died {service.name} {service.ending.encode().hex()}")
    _stop(course)
    for service in course.services:
        service.tell_tail()
    course.say(f"end {course.ended[pid]}")
    return course.ended[pid]


def _stop(course: Course) -> None:
    """Ask every service to end, and kill what does not; what is left in the sandbox ends with it."""
    running = [service for service in course.services if service.runs]
    for service in running:
        _signal_to(os.kill, service.leader, service.orders["stop_signal"])
    end = time.monotonic() + _STOP_SECONDS
    while any(service.runs for service in running) and time.monotonic() < end:
        course.look(max(0.0, end - time.monotonic()))
    for service in course.services:
        if service.leader:
            # Also what it left of itself in its session.
            _signal_to(os.killpg, service.leader, _signal.SIGKILL)
    while any(service.runs for service in running):
        course.look(None)
    course.look_at_rest()


def _signal_to(send: "Callable[[int, int], None]", pid: int, number: int) -> None:
    try:
        send(pid, number)
    except OSError:
        # It has ended.
        return


def _end_as(code: int) -> None:
    """End as the command did."""
    if code < 0:
        if -code != _signal.SIGKILL:
            _signal.signal(-code, _signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


def _how(code: int) -> str:
    return f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"


def _free_port() -> int:
    """A port that nothing uses now."""
    probe = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        probe.bind((_LOCAL, 0))
        return int(probe.getsockname()[1])
    finally:
        probe.close()


def _copy(source: str, target: str) -> None:
    """Copy a directory, for its new owner alone."""
    os.mkdir(target, 0o700)
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _copy(entry.path, f"{target}/{entry.name}")
            elif entry.is_file(follow_symlinks=False):
                _copy_file(entry.path, f"{target}/{entry.name}")


def _copy_file(source: str, target: str) -> None:
    reading = os.open(source, os.O_RDONLY)
    writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    while chunk := os.read(reading, _CHUNK):
        os.write(writing, chunk)
    os.close(reading)
    os.close(writing)


def _signals_as_at_start() -> None:
    _signal.set_wakeup_fd(-1)
    for number in (_signal.SIGCHLD, _signal.SIGPIPE, _signal.SIGXFSZ, _signal.SIGINT):
        _signal.signal(number, _signal.SIG_DFL)


def _error_number(error: OSError, program: str) -> int:
    """The error number. A program that is nowhere on PATH is missing, even if a directory on it is closed."""
    if error.errno != errno.EACCES or "/" in program:
        return error.errno or errno.EIO
    exists = any(os.path.lexists(f"{folder}/{program}") for folder in os.get_exec_path())
    return errno.EACCES if exists else errno.ENOENT


def close_to_others() -> None:
    """Keep other processes of the same user out of the memory and the descriptors of this one."""
    if sys.platform == "linux":
        import _ctypes

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, os.RTLD_NOW), "prctl")  # type: ignore[arg-type]
        _ctypes.call_function(prctl, (_PR_SET_DUMPABLE, 0, 0, 0, 0))


if __name__ in ("__main__", "<services>"):
    main()
