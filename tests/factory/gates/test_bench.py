"""Commands of checks in a real checkout of a real repository, in the sandbox that works here."""

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from factory.attempt.failure import FailureClass, Stage
from factory.checkout.pool import checkout
from factory.gates.bench import Executor
from factory.gates.check import CommandResult
from factory.gates.environment import gate_environment
from factory.gates.judge import judge
from factory.repository.target import target
from factory.system.git.client import Git
from factory.system.process.command import Command
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import MIB, Policy, Resources
from factory.system.sandbox.port import Prepared, Sandbox, Terms
from tests.support.environments import bare
from tests.support.repositories import git, make_repo
from tests.support.results import a_context

FILES = {"README.md": "a product\n", "src/app.py": "VALUE = 1\n"}


@pytest.fixture(params=["bwrap", "landlock"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    for level in levels(os.environ):
        if level.name == request.param:
            if level.sandbox is None:
                pytest.skip(level.reason)
            return level.sandbox
    pytest.skip("bubblewrap is not installed")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", FILES)


@pytest.fixture
def open_executor(repo: Path, tmp_path: Path) -> Iterator[Executor]:
    """An executor without a sandbox in a throw-away checkout."""
    goal = target(Git.open(repo), None)
    with checkout(goal, in_place=False) as opened:
        opened.stage([])
        environment = gate_environment(os.environ, bare(), home=opened.home, temporary=opened.temporary)
        yield Executor(opened, bare(), environment, 30.0, tmp_path)


def executed(
    executor: Executor, program: str, sandbox: Sandbox, resources: Resources | None = None
) -> CommandResult:
    """Run a Python program as a check's command."""
    terms = Terms(sandbox, resources=resources or Resources())
    return replace(executor, terms=terms)("check", "python -c …", ("python", "-c", program))


def test_a_command_works_in_the_checkout_and_the_level_is_recorded(
    open_executor: Executor, sandbox: Sandbox
) -> None:
    program = "import sys; sys.path.insert(0, 'src'); import app; open('new', 'w'); print(app.VALUE)"

    result = executed(open_executor, program, sandbox=sandbox)

    assert (result.exit_code, result.excerpt.strip(), result.changed) == (0, "1", ())
    assert (result.sandbox, result.killed, result.sandbox_failed) == (sandbox.level, None, None)
    assert (result.verdict, result.shortcoming) == ("completion", "")
    # The factory goes on with files that belong to another user, if it is root.
    assert (open_executor.checkout.root / "new").exists()
    open_executor.checkout.restore()
    assert not (open_executor.checkout.root / "new").exists()


def test_a_session_of_pytest_is_reported_from_inside_the_sandbox(
    open_executor: Executor, sandbox: Sandbox
) -> None:
    (open_executor.checkout.root / "test_a.py").write_text("def test_a(tmp_path):\n    assert tmp_path\n")
    words = ("python", "-m", "pytest", "-q", "test_a.py")

    result = replace(open_executor, terms=Terms(sandbox))("check", " ".join(words), words)

    assert (result.exit_code, result.verdict, result.shortcoming) == (0, "report", "")
    assert result.summary is not None
    assert result.summary.passed == 1


def test_git_can_be_read_with_the_objects_of_the_users_repository(
    open_executor: Executor, sandbox: Sandbox
) -> None:
    program = "import subprocess as s; print(s.check_output(['git', 'show', 'HEAD:src/app.py'], text=True))"

    result = executed(open_executor, program, sandbox=sandbox)

    assert (result.exit_code, result.excerpt.strip()) == (0, "VALUE = 1")


def test_git_cannot_be_written(open_executor: Executor, sandbox: Sandbox) -> None:
    program = "open('.git/config', 'a').write('[core]')"

    result = executed(open_executor, program, sandbox=sandbox)

    if sandbox.level == "landlock":
        assert result.changed == (".git/config",)
    else:
        assert (result.exit_code, result.changed) == (1, ())


COUNT = """
import os, pathlib
for place in (pathlib.Path.home(), pathlib.Path(os.environ["TMPDIR"]), pathlib.Path("/tmp")):
    try:
        with open(place / "count", "a") as file:
            file.write("x")
        print(len((place / "count").read_text()), end=" ")
    except OSError:
        print("-", end=" ")
"""


def test_commands_of_one_pass_share_a_home_and_tmp_and_nothing_of_it_is_left(
    open_executor: Executor, sandbox: Sandbox
) -> None:
    tmp = [] if sandbox.level == "landlock" else [1, 2]
    shared = [f"{count} {count} {count if tmp else '-'}" for count in (1, 2)]

    assert [executed(open_executor, COUNT, sandbox).excerpt.strip() for _ in range(2)] == shared

    open_executor.checkout.restore()
    assert executed(open_executor, COUNT, sandbox).excerpt.strip() == shared[0]
    assert not Path("/tmp/count").exists()


def test_links_in_tmp_lead_what_is_mounted_for_the_next_command_nowhere(
    open_executor: Executor, sandbox: Sandbox, tmp_path: Path
) -> None:
    if sandbox.level == "landlock":
        pytest.skip("nothing is mounted there")
    outside = tmp_path / "outside"
    outside.mkdir()
    top = open_executor.checkout.root.relative_to("/tmp").parts[0]
    plant = f"import os; os.rename('/tmp/{top}', '/tmp/elsewhere'); os.symlink('{{}}', '/tmp/{top}')"
    clear = "import shutil; shutil.rmtree('/tmp/elsewhere')"
    for goal in (str(outside), f"/oldroot{outside}", "/newroot/etc", "."):
        assert executed(open_executor, plant.format(goal), sandbox).exit_code == 0
        after = executed(open_executor, "import os; print(os.path.realpath('.'))", sandbox)

        assert (after.exit_code, after.sandbox_failed) == (0, None)
        assert list(outside.iterdir()) == []
        assert executed(open_executor, clear, sandbox).exit_code == 0


def test_a_tracked_file_that_changed_is_noticed(open_executor: Executor, sandbox: Sandbox) -> None:
    result = executed(open_executor, "open('README.md', 'a').write('x')", sandbox=sandbox)

    assert result.changed == ("README.md",)


def test_an_edit_within_the_second_and_with_the_old_time_is_noticed(
    open_executor: Executor, sandbox: Sandbox
) -> None:
    edit = """
import os
before = os.stat("README.md")
with open("README.md", "r+") as file:
    file.write("A")
os.utime("README.md", ns=(0, before.st_mtime_ns))
"""
    # Given files that are older than the second in which a first command and the edit run
    time.sleep(1.1)
    executed(open_executor, "pass", sandbox=sandbox)

    assert executed(open_executor, edit, sandbox=sandbox).changed == ("README.md",)


@pytest.mark.parametrize(
    ("program", "limits", "killed", "description"),
    [
        ("while True: pass", Resources(cpu_seconds=1), "cpu", "1 s of processor time"),
        # Those that a program would take for an error of its own, did the kernel refuse first.
        ("bytearray(400 * 2**20)", Resources(memory_bytes=128 * MIB), "memory", "128 MiB of memory"),
        ("open('x', 'wb').write(bytes(30 * MIB))", Resources(file_bytes=MIB), "file size", "1 MiB for a"),
        (
            "import os, time\nfor _ in range(99):\n  if os.fork() == 0: break\ntime.sleep(60)",
            Resources(processes=40),
            "processes",
            "40 processes and threads at a time",
        ),
    ],
)
def test_a_limit_is_told_to_the_model(
    program: str,
    limits: Resources,
    killed: str,
    description: str,
    open_executor: Executor,
    sandbox: Sandbox,
    tmp_path: Path,
) -> None:
    result = executed(open_executor, f"MIB = 2**20\n{program}", sandbox=sandbox, resources=limits)
    failure = judge(result, Stage.ACCEPTANCE_FAILED, a_context(tmp_path))

    assert result.killed == killed
    assert failure is not None
    assert failure.failure_class is FailureClass.MODEL_DEFECT
    assert description in failure.message


def test_only_what_was_used_tells_that_a_limit_was_reached(open_executor: Executor) -> None:
    # given how a program ends that had a limit of its own on processor time
    program = "raise SystemExit(128 + 24)"

    result = executed(open_executor, program, sandbox=Unconfined())

    assert (result.exit_code, result.killed) == (152, None)


# By this access list root has no access.
CLOSED_TO_ROOT = """
import os
access = "01000700ffffffff 02000000 00000000 04000500ffffffff 10000700ffffffff 20000500ffffffff"
os.setxattr(".", "system.posix_acl_access", (2).to_bytes(4, "little") + bytes.fromhex(access))
"""


@pytest.mark.parametrize(
    "closing",
    [
        pytest.param("import os; os.chmod('.', {mode})", id="permissions"),
        pytest.param(
            CLOSED_TO_ROOT,
            id="an access list",
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="the sandbox of others has no root to name"),
        ),
    ],
)
def test_no_command_keeps_the_next_from_starting(
    repo: Path, tmp_path: Path, sandbox: Sandbox, closing: str
) -> None:
    # given a checkout as commands of this sandbox get it
    with checkout(target(Git.open(repo), None), in_place=False, sandbox=sandbox) as opened:
        opened.stage([])
        environment = gate_environment(os.environ, bare(), home=opened.home, temporary=opened.temporary)
        executor = Executor(opened, bare(), environment, 30.0, tmp_path)
        # when
        results = [
            executed(executor, program, sandbox=sandbox)
            for mode in ("0", "0o700")
            for program in (closing.replace("{mode}", mode), "open('new', 'a')")
        ]
    # then
    assert [(result.exit_code, result.sandbox_failed, result.changed) for result in results] == [
        (0, None, ())
    ] * 4


def test_the_time_limit_of_the_policy_counts_too(open_executor: Executor) -> None:
    limits = Resources(wall_seconds=0.5)

    result = executed(open_executor, "import time; time.sleep(20)", sandbox=Unconfined(), resources=limits)

    assert result.timed_out


class Broken:
    """A sandbox that fails before the command begins."""

    level = "broken"
    version = ""
    gaps = ()

    def wrap(self, command: Command, policy: Policy) -> Prepared:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        complaint = "import sys; sys.exit('bwrap: no\\x1b[2J')"
        return Prepared((sys.executable, "-c", complaint, *command.argv), (writing,), reading)


def test_a_sandbox_that_fails_is_no_failure_of_the_command(open_executor: Executor, tmp_path: Path) -> None:
    result = executed(open_executor, "open('new', 'w')", sandbox=Broken())
    failure = judge(result, Stage.VERIFY_FAILED, a_context(tmp_path))

    assert result.sandbox_failed == "bwrap: no\\x1b[2J"
    assert failure is not None
    assert failure.failure_class is FailureClass.ENVIRONMENT
    assert not (open_executor.checkout.root / "new").exists()


@pytest.mark.parametrize("level", ["bwrap"])
def test_in_place_git_and_environments_are_kept_from_commands(level: str, repo: Path, tmp_path: Path) -> None:
    sandbox = next(candidate.sandbox for candidate in levels(os.environ) if candidate.name == level)
    if sandbox is None:
        pytest.skip(f"{level} does not work here")
    (repo / ".gitignore").write_text("env\n")
    git(repo, "add", ".gitignore")
    git(repo, "commit", "-q", "-m", "ignore")
    (repo / "env").mkdir()
    (repo / "env/pyvenv.cfg").write_text("home = /usr/bin\n")
    program = """
for name in (".git/hooks/x", ".git/x", "env/x", "new"):
    try:
        open(name, "w")
    except OSError:
        continue
    print(name)
"""
    with checkout(target(Git.open(repo), None), in_place=True) as opened:
        environment = gate_environment(os.environ, bare(), home=opened.home, temporary=opened.temporary)
        result = executed(Executor(opened, bare(), environment, 30.0, tmp_path), program, sandbox=sandbox)
        owner = (repo / "README.md").stat().st_uid

    assert (result.excerpt.strip(), result.changed) == ("new", ())
    assert owner == os.geteuid()
