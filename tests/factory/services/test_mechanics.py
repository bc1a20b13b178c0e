"""Commands with services around them, in a real checkout and the sandbox that works here."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from factory.attempt.failure import FailureClass, Stage
from factory.checkout.pool import checkout
from factory.contract.services.declared import Service
from factory.gates.bench import Executor
from factory.gates.check import CommandResult
from factory.gates.environment import gate_environment
from factory.gates.judge import judge
from factory.repository.target import target
from factory.services.resolution import resolve
from factory.system.git.client import Git
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.port import Sandbox, SandboxRefused, Terms
from tests.support.environments import bare
from tests.support.repositories import make_repo
from tests.support.results import a_context

SERVER = """
import os, signal, socketserver, sys
port, data = int(sys.argv[1]), sys.argv[2]
count = data + "/count"
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        asked = self.rfile.readline().decode().strip()
        if asked == "die": os._exit(3)
        if not asked: return
        number = int(open(count).read()) if os.path.exists(count) else 0
        open(count, "w").write(str(number + 1))
        self.wfile.write(str(number + 1).encode())
socketserver.TCPServer.allow_reuse_address = True
server = socketserver.TCPServer(("127.0.0.1", port), Handler)
print("listening", os.listdir("/proc/self/fd").__len__(), flush=True)
server.serve_forever()
"""
ASK = """
import os, socket, sys, time
with socket.create_connection(os.environ["COUNTER_ADDRESS"].split(":")) as asking:
    asking.sendall((sys.argv[1:] or ["more"])[0].encode() + b"\\n")
    print(asking.recv(100).decode())
if sys.argv[1:] == ["die"]:
    # The connection is closed a moment before the service has ended.
    time.sleep(1)
"""
FILES = {"README.md": "a product\n", "server.py": SERVER, "ask.py": ASK}
COUNTER = Service(
    name="counter",
    command="python3 server.py {port} {data}",
    ready_timeout_seconds=30,
    set={"COUNTER_ADDRESS": "127.0.0.1:{port}"},
)


@pytest.fixture(params=["bwrap", "none"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "none":
        return Unconfined()
    return bubblewrap()


def bubblewrap() -> Sandbox:
    for level in levels(os.environ):
        if level.name == "bwrap":
            if level.sandbox is None:
                pytest.skip(level.reason)
            return level.sandbox
    pytest.skip("bubblewrap is not installed")


@pytest.fixture
def confined(tmp_path: Path) -> Iterator[Executor]:
    """An executor in bubblewrap, without services."""
    yield from an_executor(tmp_path, bubblewrap())


@pytest.fixture
def executor(tmp_path: Path, sandbox: Sandbox) -> Iterator[Executor]:
    yield from an_executor(tmp_path, sandbox)


def an_executor(folder: Path, sandbox: Sandbox) -> Iterator[Executor]:
    goal = target(Git.open(make_repo(folder / "repo", FILES)), None)
    with checkout(goal, in_place=False, sandbox=sandbox) as opened:
        opened.stage([])
        environment = gate_environment(os.environ, bare(), home=opened.home, temporary=opened.temporary)
        yield Executor(opened, bare(), environment, 60.0, folder, terms=Terms(sandbox))


def executed(executor: Executor, words: Sequence[str], *services: Service) -> CommandResult:
    resolved = resolve(services or (COUNTER,), (), executor.terms, os.environ)
    return replace(executor, services=resolved)("check", " ".join(words), tuple(words))


def printed(result: CommandResult) -> str:
    assert result.unready is None, result.unready
    return result.excerpt.strip()


def test_a_command_finds_its_service_and_the_data_lives_as_long_as_a_pass(executor: Executor) -> None:
    asked = [executed(executor, ["python", "ask.py"]) for _ in range(2)]

    assert [(printed(result), result.exit_code, result.leftovers) for result in asked] == [
        ("1", 0, 0),
        ("2", 0, 0),
    ]
    assert asked[0].verdict == "completion"
    (service,) = asked[0].services
    assert (service.name, service.died) == ("counter", "")
    assert (executor.folder / service.log_file).read_text().startswith("listening")
    executor.checkout.restore()
    assert printed(executed(executor, ["python", "ask.py"])) == "1"


@pytest.mark.parametrize(
    ("program", "code", "signal"),
    [("raise SystemExit(7)", 7, None), ("import os; os.kill(os.getpid(), 15)", None, 15), ("pass", 0, None)],
)
def test_a_command_ends_as_without_services(
    executor: Executor, program: str, code: int | None, signal: int | None
) -> None:
    words = ["python3", "-u", "-c", f"print('said'); {program}"]

    bare = executor("check", "…", tuple(words))
    result = executed(executor, words)

    assert (result.exit_code, result.signal, result.excerpt) == (bare.exit_code, bare.signal, bare.excerpt)
    assert (result.verdict, result.shortcoming) == (bare.verdict, bare.shortcoming)
    if executor.terms is not None and executor.terms.sandbox.level == "none":
        assert (result.exit_code, result.signal) == (code, signal)


def test_pytest_reports_past_a_service(executor: Executor) -> None:
    (executor.checkout.root / "test_a.py").write_text("def test_a():\n    assert True\n")

    result = executed(executor, ["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_a.py"])

    assert (result.exit_code, result.verdict, result.shortcoming) == (0, "report", "")


def test_a_program_that_is_missing_is_told_as_without_services(executor: Executor) -> None:
    for words in (["no-such-program"], ["./README.md"]):
        assert executed(executor, words).not_started == executor("check", "…", tuple(words)).not_started


def test_a_service_gets_nothing_of_the_command(confined: Executor) -> None:
    words = ["python", "-c", "import sys; print(repr(sys.stdin.read()))"]
    (confined.checkout.root / "lists.py").write_text(
        "import os, time\nprint(*sorted(os.listdir('/proc/self/fd')))\n"
        "print('up', flush=True)\ntime.sleep(60)\n"
    )
    listing = Service(
        name="lister",
        command="python3 lists.py",
        ready_log="up",
    )

    result = executed(confined, words, listing)

    assert printed(result) == "''"
    log = (confined.folder / result.services[0].log_file).read_text()
    # The fourth is that of the listing itself.
    assert log.split("\n")[0] == "0 1 2 3"


def test_a_service_that_dies_is_told_beside_the_failure_of_the_command(executor: Executor) -> None:
    result = executed(executor, ["python", "ask.py", "die"], COUNTER)
    context = replace(a_context(executor.folder), execute=executor)

    # It got an empty answer, and did not mind.
    assert (result.exit_code, result.services[0].died) == (0, "ended with exit code 3")
    assert judge(result, Stage.ACCEPTANCE_FAILED, context) is None
    failed = result.model_copy(update={"exit_code": 1})
    failure = judge(failed, Stage.ACCEPTANCE_FAILED, context)
    assert failure is not None
    assert failure.message.endswith("returned 1; the service counter ended with exit code 3 before")
    assert "=== log of counter ===\nlistening" in failure.excerpt


@pytest.mark.parametrize(
    ("service", "why"),
    [
        ({"command": "no-such-server {port}"}, "no-such-server can't be started: no such file or directory"),
        ({"command": "python3 -c 'print(\"broken\"); exit(4)' {port}"}, "it ended with exit code 4"),
        (
            {"command": "sleep 60", "ready_log": "never", "ready_timeout_seconds": 1},
            "it was not ready within 1 s",
        ),
        (
            {"command": "sleep 60", "ready_command": "false", "ready_timeout_seconds": 1},
            "it was not ready within 1 s",
        ),
        (
            {"command": "sleep 60 {port}", "prepare": "python3 -c 'exit(2)'"},
            "what prepares it ended with exit code 2",
        ),
    ],
    ids=["missing", "ends", "late", "asked in vain", "not prepared"],
)
def test_a_service_that_does_not_get_ready_is_the_machines_fault_and_no_command_runs(
    executor: Executor, service: dict[str, object], why: str
) -> None:
    declared = Service.model_validate({"name": "broken", **service})

    result = executed(executor, ["python3", "-c", "open('ran', 'w')"], declared)
    failure = judge(result, Stage.VERIFY_FAILED, replace(a_context(executor.folder), execute=executor))

    assert result.unready is not None
    assert (result.unready.name, result.unready.why) == ("broken", why)
    assert result.machine_failed
    assert not (executor.checkout.root / "ran").exists()
    assert failure is not None
    assert failure.failure_class is FailureClass.ENVIRONMENT


def test_services_are_ready_in_their_order_and_prepared_once_in_a_pass(executor: Executor) -> None:
    first = Service(
        name="first",
        command="python3 server.py {port} {data}",
        prepare='python3 -c \'import sys; open(sys.argv[1] + "/count", "a").write("40")\' {data}',
        set={"COUNTER_ADDRESS": "127.0.0.1:{port}"},
    )
    second = Service(name="second", command="sh -c 'python3 ask.py; exec sleep 60'", ready_log="4")

    asked = [executed(executor, ["python", "ask.py"], first, second) for _ in range(2)]

    assert [printed(result) for result in asked] == ["42", "44"]


def test_landlock_refuses_services_with_the_reason() -> None:
    class Landlock(Unconfined):
        level = "landlock"

    with pytest.raises(SandboxRefused, match="no loopback of"):
        resolve((COUNTER,), (), Terms(Landlock()), os.environ)


KILL = """
import os, signal, sys
for entry in sorted(filter(str.isdigit, os.listdir("/proc")), key=int):
    if int(entry) not in (1, os.getpid()):
        line = open(f"/proc/{entry}/cmdline", "rb").read()
        if b"<services>" in line:
            print("killed", flush=True)
            os.kill(int(entry), signal.SIGKILL)
"""


def test_a_command_that_kills_what_is_around_it_has_failed(confined: Executor) -> None:
    result = executed(confined, ["python3", "-c", KILL])
    failure = judge(result, Stage.ACCEPTANCE_FAILED, a_context(confined.folder))

    assert result.exit_code is None
    assert result.supervisor_killed
    assert failure is not None
    assert failure.failure_class is FailureClass.MODEL_DEFECT


STEAL = """
import os, socket, sys, time
print("up", flush=True)
while True:
    for entry in filter(str.isdigit, os.listdir("/proc")):
        if int(entry) == os.getpid():
            continue
        try:
            names = os.listdir(f"/proc/{entry}/fd")
        except OSError:
            continue
        for name in names:
            try:
                link = os.readlink(f"/proc/{entry}/fd/{name}")
                if not link.startswith(("socket:", "/memfd:")):
                    continue
                opened = os.open(f"/proc/{entry}/fd/{name}", os.O_RDWR)
                os.write(opened, b"forged")
                print("broke out:", link, flush=True)
            except OSError as error:
                print(link.partition(":")[0], error.errno, flush=True)
"""


def test_no_service_gets_at_the_report_of_a_command_that_is_being_started(confined: Executor) -> None:
    (confined.checkout.root / "steal.py").write_text(STEAL)
    thief = Service(name="thief", command="python3 steal.py", ready_log="up")
    # The interpreter that a command starts is open to others of its user for a moment.
    opened = "import time; time.sleep(0.3)"

    result = executed(confined, ["env", "A=b", "python3", "-c", opened], thief)

    assert (result.exit_code, result.shortcoming) == (0, "")
    log = (confined.folder / result.services[0].log_file).read_text()
    assert "broke out" not in log


def test_a_service_that_writes_to_the_checkout_is_noticed(confined: Executor) -> None:
    writer = Service(
        name="writer",
        command="sh -c 'echo mine >> README.md; echo 1; exec sleep 60'",
        ready_log="1",
    )

    assert executed(confined, ["true"], writer).changed == ("README.md",)


def test_a_log_without_end_is_bounded_and_shown_without_control_characters(confined: Executor) -> None:
    (confined.checkout.root / "loud.py").write_text(
        "import sys\nprint('\\x1b[31mred\\x1b[0m \\x07 up', flush=True)\n"
        "for _ in range(3000): print('x' * 1000)\nprint('the last', flush=True)\nsys.exit(5)\n"
    )
    loud = Service(name="loud", command="python3 -u loud.py", ready_log="the end")

    result = executed(confined, ["true"], loud)

    assert result.unready is not None
    assert "\x1b" not in result.unready.excerpt
    assert result.unready.excerpt.endswith("the last")
    (service,) = result.services
    assert service.log_bytes > 3_000_000
    assert (confined.folder / service.log_file).stat().st_size < 320_000


def test_commands_that_run_at_the_same_time_reach_their_own_service_alone(tmp_path: Path) -> None:
    sandbox = bubblewrap()
    with ExitStack() as stack:
        executors = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            executors.append(stack.enter_context(contextmanager(an_executor)(tmp_path / name, sandbox)))
        slow = ["python3", "-c", "import time; time.sleep(1); exec(open('ask.py').read())"]
        with ThreadPoolExecutor() as pool:
            results = list(pool.map(lambda executor: executed(executor, slow), executors))

    # Each counts by itself, behind the same port.
    assert [printed(result) for result in results] == ["1", "1"]


def test_a_command_is_the_first_of_its_group(confined: Executor) -> None:
    result = executed(confined, ["python3", "-c", "import os; os.killpg(0, 15)"])

    assert not result.supervisor_killed
    assert result.exit_code == 128 + 15
