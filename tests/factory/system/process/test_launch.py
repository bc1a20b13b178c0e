"""`run` with real programs: however one behaves, its end is reported in time and nothing of it lives on."""

import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from factory.gates.environment import gate_environment
from factory.system.process.capture import capture
from factory.system.process.command import Command, Outcome
from factory.system.process.launch import run
from factory.system.process.output import HEAD_BYTES, TAIL_BYTES
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import Policy, Resources
from factory.system.sandbox.port import Confinement, Prepared
from tests.support.environments import bare

# Of the environment a child gets nothing but this.
ENVIRONMENT = {"PATH": os.defpath}


def run_python(source: str, folder: Path, *, timeout: float = 30.0, stdin: bytes = b"") -> Outcome:
    """Run a Python program; its output goes to `folder/out.txt`."""
    return run_words((sys.executable, "-I", "-S", "-c", textwrap.dedent(source)), folder, timeout, stdin)


def run_words(words: tuple[str, ...], folder: Path, timeout: float = 30.0, stdin: bytes = b"") -> Outcome:
    return run(
        Command(
            argv=words,
            cwd=folder,
            env=ENVIRONMENT,
            timeout_seconds=timeout,
            stdout=folder / "out.txt",
            stdin=stdin,
        )
    )


def printed(folder: Path) -> bytes:
    return (folder / "out.txt").read_bytes()


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != b"Z"


def wait_until_dead(pid: int) -> bool:
    end = time.monotonic() + 5
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_alive(pid)


# A process that leaves its parent, its session and its standard streams, and writes its id to `pid`.
DAEMON = """
    import os, signal, sys, time
    def daemon():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for stream in (0, 1, 2):
                    os.close(stream)
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                with open("pid.part", "w") as file:
                    file.write(str(os.getpid()))
                os.rename("pid.part", "pid")
                time.sleep(600)
            os._exit(0)
        while not os.path.exists("pid"):
            time.sleep(0.01)
"""


def test_a_program_that_ends_tells_its_exit_code_and_its_output(tmp_path: Path) -> None:
    outcome = run_python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", tmp_path)

    assert (outcome.exit_code, outcome.signal, outcome.timed_out, outcome.ok) == (3, None, False, False)
    assert sorted(printed(tmp_path).split()) == [b"err", b"out"]
    assert outcome.output_bytes == len(printed(tmp_path))


def test_standard_error_can_go_to_a_file_of_its_own(tmp_path: Path) -> None:
    command = Command(
        argv=("sh", "-c", "echo out; echo err >&2"),
        cwd=tmp_path,
        env=ENVIRONMENT,
        timeout_seconds=30,
        stdout=tmp_path / "out.txt",
        stderr=tmp_path / "err.txt",
    )

    assert run(command).ok
    assert printed(tmp_path) == b"out\n"
    assert (tmp_path / "err.txt").read_bytes() == b"err\n"


def test_a_program_that_a_signal_ends_tells_the_signal(tmp_path: Path) -> None:
    outcome = run_python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", tmp_path)

    assert (outcome.exit_code, outcome.signal, outcome.ok) == (None, signal.SIGSEGV, False)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("no-such-program",), "no such file or directory"),
        (("./missing.sh",), "no such file or directory"),
        (("./plain.txt",), "permission denied"),
        (("./no_interpreter",), "no such file or directory"),
        (("./no_first_line",), "exec format error"),
        (("./folder",), "permission denied"),
    ],
)
def test_a_program_that_cannot_be_started_tells_why(
    words: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain.txt").write_text("text")
    for name, content in {"no_interpreter": "#!/no/such/program\n", "no_first_line": "data"}.items():
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(0o755)

    outcome = run_words(words, tmp_path)

    assert (outcome.not_started, outcome.exit_code, outcome.ok) == (reason, None, False)


def test_a_directory_that_is_gone_is_told_and_not_raised(tmp_path: Path) -> None:
    outcome = run(Command(("true",), tmp_path / "gone", ENVIRONMENT, 30, tmp_path / "out.txt"))

    assert outcome.not_started == "the directory to run it in is gone"


def test_output_is_stored_raw(tmp_path: Path) -> None:
    run_python(r"import os; os.write(1, b'\xff\xfe\x00\x1b]0;title\x07\r\n')", tmp_path)

    assert printed(tmp_path) == b"\xff\xfe\x00\x1b]0;title\x07\r\n"


def test_standard_input_is_what_was_given_and_ends(tmp_path: Path) -> None:
    run_python("import sys; print(sys.stdin.read().upper())", tmp_path, stdin=b"given " + b"x" * 200_000)

    assert printed(tmp_path) == b"GIVEN " + b"X" * 200_000 + b"\n"


def test_a_program_that_reads_without_being_given_anything_finds_the_end(tmp_path: Path) -> None:
    assert run_python("import sys; assert sys.stdin.read() == ''", tmp_path).ok


def test_a_child_sees_its_three_streams_and_no_other_descriptor(tmp_path: Path) -> None:
    # Given descriptors of ours that are open, inheritable ones included
    leaked = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(leaked, True)
    try:
        outcome = run_python("import os; print(*sorted(os.listdir('/proc/self/fd'), key=int))", tmp_path)
    finally:
        os.close(leaked)

    assert outcome.ok
    # The last one is that of the directory while it is listed.
    assert printed(tmp_path).split() == [b"0", b"1", b"2", b"3"]


def test_a_child_gets_the_default_signals_and_a_session_without_a_terminal(tmp_path: Path) -> None:
    outcome = run_python(
        """
        import os
        status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
        # Python itself ignores SIGPIPE (13) and SIGXFSZ (25).
        ours = (1 << 12) | (1 << 24)
        # The C library's own signals, from 32 on, are none of ours.
        ours |= ~((1 << 31) - 1)
        assert int(status["SigIgn"], 16) & ~ours == 0, status["SigIgn"]
        assert int(status["SigBlk"], 16) == 0, status["SigBlk"]
        try:
            os.open("/dev/tty", os.O_RDWR)
        except OSError:
            print("no terminal")
        """,
        tmp_path,
    )

    assert (outcome.ok, printed(tmp_path)) == (True, b"no terminal\n")


def test_a_pipe_that_closes_ends_a_program_as_in_a_shell(tmp_path: Path) -> None:
    outcome = run_words(("bash", "-c", "yes | head -n 1; echo ${PIPESTATUS[0]}"), tmp_path)

    assert (outcome.ok, printed(tmp_path)) == (True, b"y\n141\n")


def test_the_time_limit_ends_a_program_that_ignores_every_polite_signal(tmp_path: Path) -> None:
    outcome = run_python(
        """
        import signal, time
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        print("still here", flush=True)
        while True:
            time.sleep(60)
        """,
        tmp_path,
        timeout=0.5,
    )

    assert (outcome.timed_out, outcome.exit_code, outcome.ok) == (True, None, False)
    assert outcome.seconds < 5
    assert printed(tmp_path) == b"still here\n"


def test_the_time_limit_counts_also_for_a_program_that_closed_its_output(tmp_path: Path) -> None:
    outcome = run_python("import os, time; os.close(1); os.close(2); time.sleep(600)", tmp_path, timeout=0.5)

    assert outcome.timed_out
    assert outcome.seconds < 5


def test_a_program_that_closed_its_output_is_waited_for(tmp_path: Path) -> None:
    outcome = run_python(
        "import os, time; os.close(1); os.close(2); time.sleep(0.3); open('done', 'w'); os._exit(4)", tmp_path
    )

    assert outcome.exit_code == 4
    assert (tmp_path / "done").exists()


@pytest.mark.parametrize("end", ["sys.exit(0)", "time.sleep(600)"], ids=["at the end", "at the time limit"])
def test_a_process_that_left_its_session_is_killed(end: str, tmp_path: Path) -> None:
    outcome = run_python(DAEMON + f"    daemon()\n    {end}\n", tmp_path, timeout=1)

    assert outcome.leftovers == 1
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_many_processes_left_behind_are_all_killed(tmp_path: Path) -> None:
    outcome = run_python(
        """
        import os, time
        for number in range(40):
            if os.fork() == 0:
                if number % 2:
                    os.setsid()
                time.sleep(600)
        """,
        tmp_path,
    )

    assert (outcome.exit_code, outcome.leftovers) == (0, 40)


def test_a_program_that_forks_without_end_is_stopped(tmp_path: Path) -> None:
    outcome = run_python(
        """
        import os, time
        end = time.monotonic() + 1
        open("group", "w").write(str(os.getpgid(0)))
        while time.monotonic() < end:
            if os.fork() == 0:
                # Every child goes on like its parent, but not faster than a machine for tests can bear.
                time.sleep(0.1)
        os._exit(0)
        """,
        tmp_path,
        timeout=0.6,
    )

    assert outcome.seconds < 15
    group = int((tmp_path / "group").read_text())
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)


def test_a_process_whose_first_thread_has_ended_is_killed_though_it_looks_like_a_zombie(
    tmp_path: Path,
) -> None:
    outcome = run_python(
        """
        import ctypes, os, threading, time
        def go_on():
            time.sleep(0.2)
            open("alive", "w")
            time.sleep(600)
        if os.fork() == 0:
            threading.Thread(target=go_on).start()
            ctypes.CDLL(None).syscall(60, 0)  # exit(2) ends the calling thread alone
        while not os.path.exists("alive"):
            time.sleep(0.01)
        """,
        tmp_path,
    )

    assert (outcome.exit_code, outcome.seconds < 4) == (0, True)


def test_a_program_that_kills_its_parent_is_found_out_and_leaves_nothing(tmp_path: Path) -> None:
    outcome = run_python(
        DAEMON + "    daemon()\n    os.kill(os.getppid(), signal.SIGKILL)\n    time.sleep(600)\n",
        tmp_path,
        timeout=20,
    )

    assert outcome.supervisor_killed
    assert (outcome.ok, outcome.timed_out, outcome.exit_code) == (False, False, None)
    assert outcome.seconds < 10
    assert outcome.leftovers == 2
    assert not is_alive(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"])
def test_a_polite_signal_to_the_supervisor_changes_nothing(number: str, tmp_path: Path) -> None:
    outcome = run_python(
        f"""
        import os, signal, time
        os.kill(os.getppid(), signal.{number})
        time.sleep(0.2)
        os._exit(7)
        """,
        tmp_path,
    )

    assert outcome.exit_code == 7


def test_a_program_that_stops_its_supervisor_meets_the_time_limit(tmp_path: Path) -> None:
    outcome = run_python(
        DAEMON + "    daemon()\n    os.kill(os.getppid(), signal.SIGSTOP)\n    time.sleep(600)\n",
        tmp_path,
        timeout=1,
    )

    assert (outcome.timed_out, outcome.ok) == (True, False)
    assert outcome.seconds < 19
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_killing_both_supervisors_still_ends_in_time_and_kills_the_group(tmp_path: Path) -> None:
    outcome = run_python(
        """
        import os, signal, time
        parent = os.getppid()
        above = int(open(f"/proc/{parent}/stat", "rb").read().rpartition(b")")[2].split()[1])
        open("pid", "w").write(str(os.getpid()))
        os.kill(above, signal.SIGKILL)
        os.kill(parent, signal.SIGKILL)
        print("alone", flush=True)
        time.sleep(600)
        """,
        tmp_path,
        timeout=30,
    )

    assert outcome.supervisor_killed
    assert outcome.seconds < 10
    assert wait_until_dead(int((tmp_path / "pid").read_text()))


def test_a_foreign_process_that_was_handed_the_output_does_not_make_us_wait(tmp_path: Path) -> None:
    # Given a process that is no descendant of the command, and gets the command's output through a socket
    keeper = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent(
                """
                import socket, sys, time
                server = socket.socket(socket.AF_UNIX)
                server.bind(sys.argv[1])
                server.listen()
                print("ready", flush=True)
                kept = socket.recv_fds(server.accept()[0], 1, 1)
                time.sleep(600)
                """
            ),
            str(tmp_path / "s"),
        ],
        stdout=subprocess.PIPE,
    )
    try:
        assert keeper.stdout is not None
        keeper.stdout.readline()

        outcome = run_python(
            """
            import socket
            client = socket.socket(socket.AF_UNIX)
            client.connect("s")
            socket.send_fds(client, [b"."], [1])
            print("handed over", flush=True)
            """,
            tmp_path,
        )
    finally:
        keeper.kill()
        keeper.communicate()

    assert outcome.exit_code == 0
    assert outcome.seconds < 10
    assert printed(tmp_path) == b"handed over\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open the descriptors of any process")
def test_a_program_cannot_open_the_descriptors_of_its_supervisor(tmp_path: Path) -> None:
    outcome = run_python("import os; os.listdir(f'/proc/{os.getppid()}/fd')", tmp_path)

    assert outcome.exit_code == 1
    assert b"PermissionError" in printed(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may open the descriptors of any process")
@pytest.mark.parametrize("forged", ["exit_code=0 leftovers=0", "nonsense", ""])
def test_a_forged_report_is_no_success(forged: str, tmp_path: Path) -> None:
    outcome = run_python(
        f"""
        import os, stat, sys
        for name in os.listdir(f"/proc/{{os.getppid()}}/fd"):
            path = f"/proc/{{os.getppid()}}/fd/{{name}}"
            if int(name) > 2 and stat.S_ISFIFO(os.stat(path).st_mode):
                try:
                    os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK), {forged!r}.encode() + b"\\n")
                except OSError:
                    pass
        sys.exit(1)
        """,
        tmp_path,
    )

    assert not outcome.ok


def test_a_flood_of_output_is_bounded_in_memory_and_on_the_disk(tmp_path: Path) -> None:
    # Given a process of its own that runs a program which prints 600 MB, so that its memory is its alone
    flood = "import os\\nfor n in range(600): os.write(1, b'%06d ' % n * 142858)"
    script = f"""
import resource, sys
from pathlib import Path
from factory.system.process.command import Command
from factory.system.process.launch import run
here = Path(sys.argv[1])
def command(source):
    return Command((sys.executable, "-I", "-S", "-c", source), here, {{}}, 110, here / "out.txt")
run(command("print(1)"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
outcome = run(command("{flood}"))
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(outcome.ok, outcome.output_bytes, grown)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[4])},
    )
    ok, total, grown_kilobytes = done.stdout.split()

    assert (ok, total) == ("True", "600003600")
    assert int(grown_kilobytes) < 16_000
    stored = printed(tmp_path)
    assert len(stored) == HEAD_BYTES + TAIL_BYTES + len(b"\n[... 591003600 bytes left out ...]\n")
    assert stored.startswith(b"000000 ")
    assert b"\n[... 591003600 bytes left out ...]\n" in stored
    assert stored.endswith(b"000599 ")


@pytest.mark.parametrize("extra", [-1, 0, 1, 70_000])
def test_output_at_the_limit_is_whole_and_beyond_it_loses_its_middle(extra: int, tmp_path: Path) -> None:
    size = HEAD_BYTES + TAIL_BYTES + extra
    run_python(f"import os, sys; sys.stdout.write('a' * {HEAD_BYTES} + 'z' * {TAIL_BYTES + extra})", tmp_path)
    stored = printed(tmp_path)

    mark = b"\n[... %d bytes left out ...]\n" % extra if extra > 0 else b""
    assert len(stored) == min(size, HEAD_BYTES + TAIL_BYTES) + len(mark)
    assert stored.count(b"a") == HEAD_BYTES + mark.count(b"a")
    assert mark in stored


def test_an_exception_meanwhile_ends_the_program_before_it_goes_on(tmp_path: Path) -> None:
    class Stop(BaseException):
        pass

    def stop(_number: int, _frame: object) -> None:
        raise Stop

    # Given a signal that arrives when the program has begun
    before = signal.signal(signal.SIGUSR1, stop)
    main_thread = threading.main_thread().ident
    assert main_thread is not None

    def interrupt() -> None:
        end = time.monotonic() + 10
        while not (tmp_path / "pid").exists() and time.monotonic() < end:
            time.sleep(0.01)
        signal.pthread_kill(main_thread, signal.SIGUSR1)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(Stop):
            run_python(DAEMON + "    daemon()\n    time.sleep(600)\n", tmp_path)
    finally:
        thread.join()
        signal.signal(signal.SIGUSR1, before)

    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_output_that_cannot_be_stored_ends_the_program(tmp_path: Path) -> None:
    # Given a limit on the size of files that stands for a full disk, in a process of its own
    script = """
import resource, signal, sys
from pathlib import Path
from factory.system.process.command import Command
from factory.system.process.launch import run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
here = Path(sys.argv[1])
source = "import os; open('pid', 'w').write(str(os.getpid()))\\nwhile True: os.write(1, b'x' * 65536)"
try:
    run(Command((sys.executable, "-I", "-S", "-c", source), here, {}, 60, here / "out.txt"))
except OSError as error:
    print(error.strerror)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[4])},
    )

    assert done.stdout == "File too large\n"
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_nothing_of_us_stays_open_and_no_zombie_remains(tmp_path: Path) -> None:
    def open_descriptors() -> list[str]:
        return sorted(path.name for path in Path("/proc/self/fd").iterdir())

    def pythons() -> list[str]:
        children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
        return [pid for pid in children if Path(f"/proc/{pid}/comm").read_text().startswith("python")]

    # The process that starts others for tests, where it runs, is another's.
    before, pythons_before = open_descriptors(), pythons()
    for source in ("pass", "import time; time.sleep(600)", "import os; os.kill(os.getppid(), 9)"):
        run_python(source, tmp_path, timeout=0.5)
    run_words(("no-such-program",), tmp_path)

    assert open_descriptors() == before
    assert pythons() == pythons_before


def test_a_tool_that_answers_at_once_is_captured() -> None:
    answered = capture(["sh", "-c", "cat; echo no >&2; exit 3"], cwd=None, env=ENVIRONMENT, stdin=b"in")

    assert (answered.exit_code, answered.stdout, answered.stderr, answered.ok) == (3, b"in", b"no\n", False)


def test_a_tool_that_is_not_installed_raises() -> None:
    with pytest.raises(FileNotFoundError):
        capture(["no-such-tool"], cwd=None, env=ENVIRONMENT)


@pytest.mark.parametrize("path", [".", "bin", "./bin", "", ":"])
def test_a_tool_is_never_one_that_lies_in_the_checkout(path: str, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "true").write_text("#!/bin/sh\necho hostile\n")
        (folder / "true").chmod(0o755)

    for environment in ({"PATH": f"{path}:{os.defpath}"}, {"PATH": path}):
        answered = capture(["true"], cwd=tmp_path, env=environment)
        assert (answered.ok, answered.stdout) == (True, b"")


@pytest.mark.parametrize("places", [":/opt/lib", "/opt/lib;"])
def test_a_library_in_the_checkout_never_gets_into_the_supervisor(places: str, tmp_path: Path) -> None:
    # Loaded outside of the sandbox, it would do whatever the user may do. This one could not be loaded.
    (tmp_path / "libc.so.6").write_text("hostile\n")
    own = {"PATH": os.defpath, "LD_LIBRARY_PATH": places}
    environment = gate_environment(own, bare(), home=tmp_path / "home", temporary=tmp_path / "tmp")

    outcome = run(Command(("true",), tmp_path, environment, 30.0, tmp_path / "out.txt"))

    assert outcome.ok, printed(tmp_path)


def test_resource_limits_of_the_caller_are_not_changed(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    run_python("pass", tmp_path)

    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


class SlowToBegin(Unconfined):
    """A sandbox that needs more than the command may have before it lets the command begin."""

    def wrap(self, command: Command, policy: Policy) -> Prepared:
        prepared = super().wrap(command, policy)
        first = (
            "import os, sys, tempfile, time\n"
            "with tempfile.TemporaryFile() as file:\n"
            "    file.write(b'x' * 1_000_000)\n"
            "    file.flush()\n"
            "    time.sleep(0.3)\n"
            "os.execv(sys.argv[1], sys.argv[1:])\n"
        )
        argv = (sys.executable, "-I", "-S", "-c", first, *prepared.argv)
        return replace(prepared, argv=argv)


def test_limits_are_those_of_the_command_not_of_what_lets_it_begin(tmp_path: Path) -> None:
    policy = Policy(tmp_path, tmp_path, tmp_path, tmp_path, resources=Resources(file_bytes=4096))
    command = Command(
        (sys.executable, "-I", "-S", "-c", "print('begun')"),
        tmp_path,
        ENVIRONMENT,
        30.0,
        tmp_path / "out.txt",
        confined=Confinement(SlowToBegin(), policy),
    )

    outcome = run(command)

    assert (outcome.exit_code, outcome.killed, outcome.sandbox_failed) == (0, None, None)
    assert printed(tmp_path) == b"begun\n"
