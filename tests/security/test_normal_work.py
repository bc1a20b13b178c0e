"""What ordinary projects do works in the sandbox; what the weaker level does not allow is listed here."""

import inspect
import os
import shutil
import subprocess
import textwrap
import venv
from pathlib import Path

import pytest

from factory.gates.verdict.programs import begin
from tests.security.attacks import PLAIN
from tests.security.scene import EACH_ONCE, PLAIN_USER, USERS, drive, protected_place

PRODUCT_TESTS = """
import asyncio, getpass, multiprocessing, os, pathlib, pty, shutil, socket, socketserver, sqlite3
import subprocess, sys, tempfile, threading, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from multiprocessing import shared_memory
import pytest

def double(number):
    return 2 * number

def test_subprocess():
    done = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True, check=True)
    assert done.stdout == "42\\n"

def test_shell_pipeline():
    assert subprocess.check_output("printf 'b\\na\\n' | sort | head -n 1", shell=True) == b"a\\n"

@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(double, [1, 2, 3]) == [2, 4, 6]

def test_manager():
    with multiprocessing.Manager() as manager:
        assert list(manager.list([1])) == [1]

def test_shared_memory():
    memory = shared_memory.SharedMemory(create=True, size=100)
    memory.buf[0] = 7
    memory.close()
    memory.unlink()

def test_threads():
    results = []
    threads = [threading.Thread(target=results.append, args=(n,)) for n in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert len(results) == 20

def test_asyncio_processes_and_threads():
    async def main():
        process = await asyncio.create_subprocess_exec("echo", "hi", stdout=-1)
        out, _ = await process.communicate()
        return out, await asyncio.to_thread(double, 4)
    assert asyncio.run(main()) == (b"hi\\n", 8)

def test_asyncio_server():
    async def main():
        async def handle(reader, writer):
            writer.write(await reader.readline())
            await writer.drain()
            writer.close()
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"hello\\n")
            answer = await reader.readline()
            writer.close()
            return answer
    assert asyncio.run(main()) == b"hello\\n"

def test_http_server_by_name():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"served")
        def log_message(self, *args):
            pass
    server = HTTPServer(("localhost", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    assert urllib.request.urlopen(f"http://localhost:{server.server_port}/").read() == b"served"
    server.shutdown()
    server.server_close()

def test_unix_socket(tmp_path):
    path = tempfile.mktemp()
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    assert server.accept()

def test_socketpair():
    left, right = socket.socketpair()
    left.send(b"x")
    assert right.recv(1) == b"x"

def test_temporary_files(tmp_path):
    (tmp_path / "a").write_text("x")
    with tempfile.TemporaryDirectory() as folder:
        assert os.access(folder, os.W_OK)
    assert shutil.disk_usage(tempfile.gettempdir()).free > 0

def test_pty():
    pid, descriptor = pty.fork()
    if pid == 0:
        os.execvp("echo", ["echo", "in a terminal"])
    assert os.read(descriptor, 100).startswith(b"in a terminal")

def test_sqlite(tmp_path):
    with sqlite3.connect(tmp_path / "base") as base:
        base.execute("pragma journal_mode=wal")
        base.execute("create table t (x)")
        base.execute("insert into t values (1)")
        assert base.execute("select sum(x) from t").fetchone() == (1,)

def test_who_and_where():
    assert getpass.getuser() == "workorder"
    home = pathlib.Path.home()
    (home / ".config").mkdir(exist_ok=True)
    assert os.cpu_count() and os.getcwd()

def test_git_reading():
    def git(*words):
        return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout
    assert git("status", "--porcelain") == ""
    assert git("log", "--format=%s") == "first\\n"
    assert git("ls-files").split() == ["test_product.py"]
    assert "v1" in git("describe", "--tags")
    assert git("diff") == ""
    assert git("grep", "-c", "test_git_reading")

def test_git_repository_of_its_own(tmp_path):
    for line in ("init -q", "-c user.name=x -c user.email=x commit -q --allow-empty -m x"):
        subprocess.run(["git", *line.split()], cwd=tmp_path, check=True)

def test_facts_about_itself():
    for name in ("status", "stat", "statm", "maps", "smaps_rollup", "cmdline", "limits", "cgroup"):
        assert pathlib.Path("/proc/self", name).read_bytes() or name == "cgroup"
    before = len(os.listdir("/proc/self/fd"))
    with open(os.devnull) as file:
        assert len(os.listdir("/proc/self/fd")) == before + 1
        assert os.readlink(f"/proc/self/fd/{file.fileno()}") == os.devnull
        assert open(f"/proc/self/fd/{file.fileno()}").read() == ""
    reading, writing = os.pipe()
    with open(f"/proc/self/fd/{writing}", "wb", buffering=0) as again:
        again.write(b"x")
    assert os.read(reading, 1) == b"x"
    assert pathlib.Path("/proc/self/exe").resolve().exists() and os.path.samefile("/proc/self/cwd", ".")

def test_time_and_random():
    import time, uuid, ssl, zoneinfo
    ssl.create_default_context()
    assert uuid.uuid4() and time.time() and zoneinfo.ZoneInfo("Europe/Berlin")
"""

# What needs sockets that can be connected to, or a terminal; the level says so itself.
NOT_WITH_LANDLOCK = {
    "test_multiprocessing[forkserver]",
    "test_manager",
    "test_asyncio_server",
    "test_http_server_by_name",
    "test_unix_socket",
    "test_pty",
}


@pytest.fixture(params=USERS)
def user(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def commit_product(place: Path, user: str) -> None:
    """Put the tests of a product into the checkout and commit them."""
    checkout = place / "checkout"
    shutil.rmtree(checkout / ".venv")
    (checkout / "test_product.py").write_text(PRODUCT_TESTS)
    (checkout / ".git/info").mkdir(exist_ok=True)
    (checkout / ".git/info/exclude").write_text("port\n")
    safe = ["git", "-c", f"safe.directory={checkout}", "-c", "user.name=x", "-c", "user.email=x@x"]
    for words in (["add", "."], ["commit", "-q", "-m", "first"], ["tag", "v1"]):
        subprocess.run([*safe, *words], cwd=checkout, check=True)
    if user == PLAIN and os.geteuid() == 0:
        for path in (checkout, *checkout.rglob("*")):
            os.chown(path, PLAIN_USER, PLAIN_USER, follow_symlinks=False)


def failures(output: str) -> set[str]:
    """The tests that pytest names as failed."""
    return {line.split("::")[1].split(" ")[0] for line in output.splitlines() if line.startswith("FAILED")}


OPTIONS = ["-q", "-p", "no:cacheprovider", "--tb=short", "-rf"]
CLOSED = f"""
{inspect.getsource(begin)}
import pytest, sys
close_to_others()
sys.exit(pytest.main({OPTIONS}))
"""
RUNNERS = {
    "a runner that is open": ["python", "-m", "pytest", *OPTIONS],
    "a runner that closed itself": ["python", "-c", CLOSED],
}
# Both at each level and for each user.
CASES = {
    "a runner that is open": {(USERS[0], "bwrap-noproc"), (USERS[0], "landlock"), (PLAIN, "bwrap")},
    "a runner that closed itself": {(USERS[0], "bwrap"), (PLAIN, "bwrap-noproc"), (PLAIN, "landlock")},
}


@pytest.mark.parametrize(
    ("runner", "user", "level"), [(name, *case) for name, cases in CASES.items() for case in sorted(cases)]
)
def test_the_tests_of_a_product_pass(runner: str, user: str, level: str) -> None:
    with protected_place(user) as place:
        commit_product(place, user)
        request = {"name": "tests", "argv": RUNNERS[runner], "timeout": 100}
        tests = drive(user, level, place, [request])["tests"]

    assert failures(tests["output"]) == (NOT_WITH_LANDLOCK if level == "landlock" else set()), tests["output"]
    assert " passed" in tests["output"].splitlines()[-1]


@pytest.mark.parametrize(("user", "level"), EACH_ONCE)
def test_tools_of_python_work(user: str, level: str) -> None:
    commands = {
        "venv": "python -m venv --without-pip new && new/bin/python -c 'import sys; print(sys.prefix)'",
        "pytest": "python -m pytest --version",
        "compileall": "python -m compileall -q .",
        "shell": "test -w . && test -x /bin/sh && mktemp > /dev/null",
        "who": "id -un && whoami",
    }
    requests = [{"name": name, "argv": ["sh", "-ec", text], "apart": True} for name, text in commands.items()]
    with protected_place(user) as place:
        answers = drive(user, level, place, requests)

    expected_failures = {"who"} if level == "landlock" else set()
    failed = {name: answer["output"] for name, answer in answers.items() if answer["exit_code"] != 0}
    assert set(failed) <= expected_failures, failed
    assert answers["venv"]["output"].endswith("/checkout/new\n")


@pytest.mark.parametrize("level", ["bwrap", "landlock"])
def test_an_environment_that_was_provided_is_used_and_not_changed(level: str, user: str) -> None:
    with protected_place(user) as place:
        environment = place / "elsewhere/env"
        venv.create(environment, with_pip=False, symlinks=True)
        packages = next(environment.glob("lib/python*/site-packages"))
        (packages / "installed.py").write_text("VALUE = 7\n")
        program = textwrap.dedent("""
            import installed, sys
            print(sys.prefix, installed.VALUE)
            open(installed.__file__, "a")
        """)
        request = {"name": "env", "argv": ["python", "-c", program]}
        active = {"VIRTUAL_ENV": str(environment), "PATH": f"{environment}/bin:{os.defpath}"}
        answers = drive(
            user,
            level,
            place,
            [
                {**request, "provided": str(environment)},
                # One that the user has activated is none of the project's.
                {**request, "name": "active", "environment": active},
            ],
        )

    assert answers["env"]["output"].startswith(f"{environment} 7\n")
    assert answers["env"]["exit_code"] == 1
    assert "Error" in answers["env"]["output"]
    assert "No module named 'installed'" in answers["active"]["output"]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("level", ["bwrap", "landlock"])
def test_node_works(level: str, user: str) -> None:
    program = "console.log(1 + 1, require('child_process').execSync('echo x').toString().trim())"
    with protected_place(user) as place:
        answer = drive(user, level, place, [{"name": "node", "argv": ["node", "-e", program]}])["node"]

    assert answer["output"] == "2 x\n"


def test_a_program_that_is_missing_is_told_as_without_a_sandbox(user: str) -> None:
    programs = ("no-such-program", "./missing", "/etc", "/nowhere/x")
    told = []
    for level in ("none", "bwrap", "landlock"):
        with protected_place(user) as place:
            # A directory on PATH that can't be searched.
            (place / "closed").mkdir(mode=0o000)
            path = f"{place}/closed:{os.defpath}"
            requests = [
                {"name": f"program {number}", "argv": [name], "environment": {"PATH": path}, "apart": True}
                for number, name in enumerate(programs)
            ]
            answers = drive(user, level, place, requests)
        told.append([answer["not_started"] for answer in answers.values()])

    missing = "no such file or directory"
    assert told == [[missing, missing, "permission denied", missing]] * 3
