"""Commands that misbehave, in real runs: an attempt fails or passes as it should; the user loses nothing."""

import json
import os
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.contract.work_order import VERIFY_SCRIPT
from factory.llm.port import Request
from factory.report.endings import render_ending
from factory.runs.run import Finished
from tests.support.answers import APP, a_proposal
from tests.support.repositories import a_work_order, files_of, git, make_repo
from tests.support.runs import Scene, read_object, summary_of
from tests.support.scripted_model import Script, ScriptedModel

FILES = {
    "README.md": "a product\n",
    "data/deep/table.csv": "1,2\n",
    "scripts/verify.sh": "exit 0\n",
    ".gitignore": "*.log\n.env\n",
}


def python(source: str) -> str:
    """An acceptance command that runs a Python program."""
    return shlex.join(["python", "-c", source])


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository whose user has ignored files, a hook and a branch of their own."""
    repo = make_repo(tmp_path / "repo", FILES)
    (repo / ".env").write_text("SECRET=1\n")
    (repo / "debug.log").write_text("log\n")
    hooks = repo / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 0\n")
    git(repo, "branch", "mine")
    return repo


@pytest.fixture
def unchanged(repo: Path) -> Callable[[], None]:
    """Asserts that the user's repository is as it was."""

    def state() -> dict[str, object]:
        own = repo / ".git"
        return {
            "files": files_of(repo),
            "refs": git(repo, "for-each-ref", "--format=%(refname) %(objectname)"),
            "head": (own / "HEAD").read_text(),
            "config": (own / "config").read_text(),
            "hooks": sorted(path.name for path in (own / "hooks").iterdir()),
            "worktrees": git(repo, "worktree", "list"),
            "status": git(repo, "status", "--porcelain"),
        }

    before = state()

    def check() -> None:
        assert state() == before

    return check


@pytest.fixture
def untouched(unchanged: Callable[[], None], temporary_files: Path) -> Callable[[], None]:
    """Asserts that the user's repository is as it was, and that nothing of the run is left on the machine."""

    def check() -> None:
        unchanged()
        assert list(temporary_files.iterdir()) == []

    return check


def failure_of(finished: Finished) -> dict[str, Any]:
    failure = summary_of(finished)["failure"]
    assert isinstance(failure, dict)
    return failure


def acceptance_of(finished: Finished, attempt: int = 1) -> dict[str, Any]:
    """The record of the acceptance command."""
    assert finished.folder is not None
    result: Any = read_object(finished.folder / f"attempt_{attempt}" / "acceptance_result.json")
    command: dict[str, Any] = result["checks"][-1]["commands"][-1]
    return command


GIT = "import os, subprocess\ndef git(*words): subprocess.run(['git', *words], check=True)\n"

TAMPERING = {
    "commits": (
        GIT + "git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-q', '--allow-empty', '-m', 'x')",
        ".git/HEAD",
    ),
    "switches branches": (GIT + "git('checkout', '-q', '-b', 'other')", ".git/HEAD"),
    "resets": (GIT + "git('reset', '-q', '--hard', 'HEAD')", "src/app.py"),
    "stashes": (
        GIT + "git('-c', 'user.name=x', '-c', 'user.email=x', 'stash', '-q')",
        "src/app.py",
    ),
    "stages a file": (GIT + "open('x', 'w'); git('add', 'x')", ".git/index"),
    "hides an edit from git": (
        GIT + "git('update-index', '--assume-unchanged', 'README.md'); open('README.md', 'w')",
        "README.md",
    ),
    "edits a tracked file": ("open('README.md', 'a').write('x')", "README.md"),
    "edits what was proposed": ("open('src/app.py', 'a').write('x')", "src/app.py"),
    "edits without a trace in size and time": (
        "import os; f = 'README.md'; s = os.stat(f); open(f, 'r+').write('A'); os.utime(f, (0, s.st_mtime))",
        "README.md",
    ),
    "deletes a tracked file": ("import os; os.unlink('README.md')", "README.md"),
    "deletes a tracked directory": ("import shutil; shutil.rmtree('data')", "data/deep/table.csv"),
    "makes a tracked file executable": ("import os; os.chmod('README.md', 0o755)", "README.md"),
    "puts a link in a file's place": (
        "import os; os.unlink('README.md'); os.symlink('data/deep/table.csv', 'README.md')",
        "README.md",
    ),
    "puts a directory in a file's place": (
        "import os; os.unlink('README.md'); os.mkdir('README.md')",
        "README.md",
    ),
    "puts a link in a directory's place": (
        "import os; os.rename('data', 'moved'); os.symlink('moved', 'data')",
        "data/deep/table.csv",
    ),
    "writes git's configuration": (
        "open('.git/config', 'a').write('[core]\\n\\tfsmonitor = touch hacked\\n')",
        ".git/config",
    ),
    "writes a hook": (
        "import os; os.makedirs('.git/hooks', exist_ok=True); open('.git/hooks/post-commit', 'w')",
        ".git/hooks/post-commit",
    ),
    "writes a hook whose name is no text": (
        "import os; os.makedirs('.git/hooks', exist_ok=True); open(b'.git/hooks/\\xff\\x1b', 'w')",
        ".git/hooks/",
    ),
    "writes attributes": (
        "import os; os.makedirs('.git/info', exist_ok=True); open('.git/info/attributes', 'w').write('* a')",
        ".git/info/attributes",
    ),
    "replaces .git by a file": (
        "import shutil; shutil.rmtree('.git'); open('.git', 'w').write('gitdir: /nowhere')",
        ".git",
    ),
    "replaces .git by a link": ("import os; os.rename('.git', 'git'); os.symlink('git', '.git')", ".git"),
    "removes .git": ("import shutil; shutil.rmtree('.git')", ".git"),
    "removes the checkout": ("import os, shutil; shutil.rmtree(os.getcwd())", "the checkout itself"),
}


# Begins every command: the files are those of the baseline, whatever the attempt before did to them, and
# `bad` is what the proposal asks for.
RESTORED = f"""
import os, pathlib, sys
own = pathlib.Path('.git')
files = {{}}
for folder, names, found in os.walk('.'):
    names[:] = [name for name in names if (folder, name) not in [('.', '.git'), ('.', 'src')]]
    for name in [*found, *(name for name in names if os.path.islink(os.path.join(folder, name)))]:
        path = pathlib.Path(folder, name)
        plain = path.is_file() and not path.is_symlink() and not path.stat().st_mode & 0o111
        files[str(path)] = path.read_text() if plain else 'odd'
if files != {FILES!r}:
    sys.exit(f'not restored: {{files}}')
if os.listdir('src') != ['app.py']:
    sys.exit(f'not restored: {{os.listdir("src")}}')
if own.is_symlink() or not own.is_dir() or os.path.exists('.git/info/attributes'):
    sys.exit('not restored: .git')
if 'hacked' in (own / 'config').read_text() or any(own.glob('hooks/post-commit')):
    sys.exit('not restored: what git executes')
text = open('src/app.py').read()
bad = eval(text.removeprefix('bad = ')) if text.startswith('bad = ') else ''
"""


def bad_proposals(sources: Iterable[str], check: Callable[[], None]) -> list[Script]:
    """A proposal for each source, which the command then executes; `check` holds before each."""

    def proposal(source: str) -> Script:
        def propose(_: Request) -> str:
            check()
            return a_proposal({"src/app.py": f"bad = {source!r}\n"})

        return propose

    return [proposal(source) for source in sources]


def briefs_of(finished: Finished, count: int) -> list[dict[str, Any]]:
    """What was told of each failed attempt."""
    assert finished.folder is not None
    return [
        read_object(finished.folder / f"attempt_{number}" / "failure_brief.json")
        for number in range(1, count + 1)
    ]


def test_a_command_that_changes_what_it_must_not_fails_and_is_undone(
    repo: Path, untouched: Callable[[], None], unchanged: Callable[[], None]
) -> None:
    # Given proposals on each of which a command tampers in another way, and a good one at the end
    scene = Scene(
        repo,
        bad_proposals([source for source, _ in TAMPERING.values()], unchanged),
        acceptance_commands=[python(f"{RESTORED}\nexec(bad)")],
        postconditions=[{"kind": "file_exists", "path": "src/app.py"}],
    )

    # When only the bad proposals are tried
    failed = scene.run(max_attempts=len(TAMPERING))

    # Then each fails with what was changed by name, and nothing of it is left, not even for the next attempt
    assert failed.ending.exit_code == ExitCode.FAIL
    assert failure_of(failed)["failure_class"] == "model_defect"
    briefs = briefs_of(failed, len(TAMPERING))
    wrong = {
        name: brief
        for brief, (name, (_, named)) in zip(briefs, TAMPERING.items(), strict=True)
        if brief["stage"] != "acceptance_failed"
        or not brief["message"].startswith("the command changed what it must not: ")
        or named not in brief["message"]
    }
    assert wrong == {}
    untouched()

    # And a good proposal passes afterwards on the restored files
    bad = next(iter(TAMPERING.values()))[0]
    scene.model = ScriptedModel([*bad_proposals([bad], unchanged), a_proposal()])
    passed = scene.run()
    assert passed.ending.exit_code == ExitCode.PASS, passed.ending
    assert len(passed.ending.attempts) == 2
    assert git(repo, "show", "--name-only", "--format=", "HEAD") == "src/app.py"
    assert (repo / "src/app.py").read_text() == APP


def test_a_command_that_puts_the_user_s_checkout_in_the_place_of_its_own_destroys_nothing(
    repo: Path, untouched: Callable[[], None]
) -> None:
    # Given a command that makes its checkout a link to the user's
    source = f"import os; here = os.getcwd(); os.rename(here, here + '.x'); os.symlink({str(repo)!r}, here)"
    scene = Scene(repo, [a_proposal(), a_proposal()], acceptance_commands=[python(source + "; exit(1)")])

    finished = scene.run()

    assert finished.ending.exit_code == ExitCode.FAIL
    assert len(finished.ending.attempts) == 2
    untouched()


LITTER = {
    "files": "open('left.txt', 'w'); os.makedirs('build/x'); open('build/x/out.log', 'w')",
    "a fifo": "os.mkfifo('pipe')",
    "a fifo in a tracked directory": "os.mkfifo('data/deep/pipe')",
    "a socket": "import socket; socket.socket(socket.AF_UNIX).bind('socket')",
    "links": "os.symlink(os.path.expanduser('~'), 'home'); os.symlink('x', 'x'); os.symlink('no', 'src/l')",
    "a directory without permissions": "os.makedirs('a/b'); os.chmod('a/b', 0); os.chmod('a', 0)",
    "a directory that can't be written": "os.makedirs('c/b'); os.chmod('c/b', 0o555); os.chmod('c', 0o555)",
    "a very deep directory": "[(os.mkdir('d'), os.chdir('d')) for _ in range(3000)]",
    "a repository": "import subprocess; subprocess.run(['git', 'init', '-q', 'n']); open('n/x', 'w')",
    "names that are no text": "open(b'bytes\\xff\\n', 'w'); os.mkdir(b'\\xfe')",
    "files in its home": "import pathlib; (pathlib.Path.home() / '.bashrc').write_text('exit')",
    "temporary files": "import tempfile; tempfile.mkstemp()",
}  # fmt: skip


def test_what_a_command_leaves_behind_is_no_part_of_the_result(
    repo: Path, unchanged: Callable[[], None], temporary_files: Path
) -> None:
    # Given a command that litters in another way on each bad proposal, fails, and would fail on what it finds
    # of the litter of the attempt before; on the good proposal it litters in all ways
    littering = RESTORED + (
        f"here = os.getcwd()\nfor source in [bad] if bad else {list(LITTER.values())!r}:\n"
        "    exec(source)\n    os.chdir(here)\nexit(7 if bad else 0)"
    )
    proposals = [*bad_proposals(LITTER.values(), unchanged), a_proposal()]
    scene = Scene(repo, proposals, acceptance_commands=[python(littering)])

    finished = scene.run(max_attempts=len(proposals))

    # Then each attempt began without the litter, and the result holds nothing but the proposal
    assert finished.ending.exit_code == ExitCode.PASS, finished.ending.message
    assert len(finished.ending.attempts) == len(proposals)
    briefs = zip(LITTER, briefs_of(finished, len(LITTER)), strict=True)
    assert {name: brief for name, brief in briefs if brief["message"] != "the command returned 7"} == {}
    assert git(repo, "show", "--name-only", "--format=", "HEAD") == "src/app.py"
    assert git(repo, "status", "--porcelain") == ""
    assert (repo / ".env").exists()
    assert list(temporary_files.iterdir()) == []


def test_a_postcondition_is_not_met_by_what_a_command_left_behind(repo: Path) -> None:
    # Given a promised file that is not written but made by the verification
    verify = {"scripts/verify.sh": "mkdir -p src && touch src/table.py\n"}
    scene = Scene(
        repo,
        [a_proposal(verify, bases={"scripts/verify.sh": FILES["scripts/verify.sh"]})],
        allowed_files=["src/table.py", "scripts/verify.sh"],
        postconditions=[{"kind": "file_exists", "path": "src/table.py"}],
        acceptance_commands=["test -f src/table.py"],
    )

    finished = scene.run(max_attempts=1, accepted_configuration=(VERIFY_SCRIPT,))

    assert finished.ending.exit_code == ExitCode.FAIL
    assert (
        failure_of(finished)["message"] == "the postcondition does not hold: `src/table.py` was not written"
    )


@pytest.mark.parametrize(
    "stubborn",
    ["", "import signal\nfor n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)\n"],
    ids=["sleeps", "ignores signals"],
)
def test_a_command_that_never_ends_is_ended(stubborn: str, repo: Path, untouched: Callable[[], None]) -> None:
    scene = Scene(
        repo, acceptance_commands=[python(stubborn + "import time; print('on', flush=True); time.sleep(600)")]
    )

    finished = scene.run(max_attempts=1, timeout_seconds=1.0)

    assert finished.ending.exit_code == ExitCode.FAIL
    failure = failure_of(finished)
    assert failure["message"] == "the command did not end within its time limit"
    assert failure["excerpt"] == "on"
    assert acceptance_of(finished)["timed_out"] is True
    untouched()


def test_a_daemon_does_not_outlive_its_command(repo: Path, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    daemon = f"""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for stream in (0, 1, 2): os.close(stream)
        open({str(pid_file) + ".part"!r}, "w").write(str(os.getpid()))
        os.rename({str(pid_file) + ".part"!r}, {str(pid_file)!r})
        time.sleep(600)
    os._exit(0)
while not os.path.exists({str(pid_file)!r}): time.sleep(0.01)
"""
    scene = Scene(repo, acceptance_commands=[python(daemon)])

    finished = scene.run()

    assert finished.ending.exit_code == ExitCode.PASS
    assert acceptance_of(finished)["leftovers"] == 1
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def test_a_command_that_kills_its_supervisor_fails(repo: Path, untouched: Callable[[], None]) -> None:
    scene = Scene(repo, acceptance_commands=[python("import os; os.kill(os.getppid(), 9)")])

    finished = scene.run(max_attempts=1)

    assert finished.ending.exit_code == ExitCode.FAIL
    assert failure_of(finished)["message"] == "the process that watches over the command was killed"
    untouched()


@pytest.mark.parametrize(
    "source",
    [
        "import os; os.close(1); os.close(2); import time; time.sleep(0.1)",
        "import sys; assert sys.stdin.read() == ''",
        "import os, time\nfor _ in range(50):\n if os.fork() == 0: time.sleep(600)",
        # Beside its own three and the one that lists them, the pipe by which it reports its end.
        "import os; assert len(os.listdir('/proc/self/fd')) == 5",
    ],
    ids=["closes its output", "reads its input", "forks often", "looks for open files"],
)
def test_a_command_that_is_odd_but_right_passes(source: str, repo: Path) -> None:
    assert Scene(repo, acceptance_commands=[python(source)]).run().ending.exit_code == ExitCode.PASS


def test_a_flood_of_output_is_stored_in_bounds_and_told_in_short(repo: Path) -> None:
    flood = python("import os\nfor n in range(600): os.write(1, b'%06d\\n' % n * 142858)\nexit(1)")
    scene = Scene(repo, acceptance_commands=[flood])

    finished = scene.run(max_attempts=1)

    assert finished.ending.exit_code == ExitCode.FAIL
    assert finished.folder is not None
    stored = finished.folder / "attempt_1" / "acceptance_1.output.txt"
    assert 9_000_000 < stored.stat().st_size < 9_001_000
    assert acceptance_of(finished)["output_bytes"] == 600_003_600
    excerpt = failure_of(finished)["excerpt"]
    assert len(excerpt) <= 2_000
    assert excerpt.startswith("000000\n")
    assert excerpt.endswith("000599")


def test_hostile_output_is_stored_raw_and_shown_harmless(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = b"\xff\xfe\x1b[2J\x1b]0;owned\x07ok\rfake\x00\xe2\x80\xae{{PRODUCT_SPEC}}"
    scene = Scene(
        repo,
        [a_proposal(), a_proposal()],
        acceptance_commands=[python(f"import os; os.write(1, {raw!r}); exit(1)")],
    )

    finished = scene.run()

    assert finished.folder is not None
    assert (finished.folder / "attempt_1/acceptance_1.output.txt").read_bytes() == raw
    excerpt = failure_of(finished)["excerpt"]
    assert excerpt == "\ufffd\ufffdok\nfake\ufffd\u202e{{PRODUCT_SPEC}}"
    from factory.system.terminal.console import Console

    Console().error(render_ending(finished.ending, finished.folder))
    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    assert "\\u202e{{PRODUCT_SPEC}}" in shown
    assert "{{PRODUCT_SPEC}}" in (finished.folder / "attempt_2/se_prompt.txt").read_text()


class TestWhoMustAct:
    """Only what the model could have done better spends an attempt."""

    def test_a_program_that_is_not_installed(self, repo: Path, untouched: Callable[[], None]) -> None:
        scene = Scene(repo, acceptance_commands=["no-such-linter src"])

        finished = scene.run()

        assert finished.ending.exit_code == ExitCode.ENVIRONMENT
        assert finished.ending.message == (
            "environment at acceptance_failed: the program no-such-linter can't be started:"
            " no such file or directory (no-such-linter src)"
        )
        assert finished.ending.hint == "install it, or put it on PATH"
        assert scene.asked == 1
        untouched()

    def test_an_absolute_program_that_is_not_there(self, repo: Path) -> None:
        finished = Scene(repo, acceptance_commands=["/opt/no/such/tool"]).run()

        assert finished.ending.exit_code == ExitCode.ENVIRONMENT

    def test_a_script_that_is_not_executable(self, repo: Path, untouched: Callable[[], None]) -> None:
        scene = Scene(repo, acceptance_commands=["./scripts/verify.sh"])

        finished = scene.run()

        assert finished.ending.exit_code == ExitCode.PLAN_DEFECT
        assert "is not executable, and a proposal can't make it so" in finished.ending.message
        assert (
            finished.ending.hint
            == "name its interpreter in the work order, such as `bash ./scripts/verify.sh`"
        )
        # No attempt can mend it, but a person can look, or leave it out.
        *_, shown, skipped = render_ending(finished.ending, finished.folder).splitlines()
        assert shown == f"  what happened: factory show WO-01 --out {scene.out}"
        assert skipped == f"  not at all: factory skip WO-01 --out {scene.out} --reason TEXT"
        untouched()

    def test_a_script_that_the_proposal_wrote_and_that_can_never_be_executable(self, repo: Path) -> None:
        scene = Scene(
            repo,
            [a_proposal({"run.sh": "#!/bin/sh\n"})],
            allowed_files=["run.sh"],
            acceptance_commands=["./run.sh"],
        )

        assert scene.run().ending.exit_code == ExitCode.PLAN_DEFECT

    def test_a_python_tool_that_is_not_installed(self, repo: Path) -> None:
        scene = Scene(repo, acceptance_commands=["python -m no_such_tool --check"])

        finished = scene.run()

        assert finished.ending.exit_code == ExitCode.ENVIRONMENT
        assert "the Python module no_such_tool is not installed" in finished.ending.message
        assert scene.asked == 1

    @pytest.mark.parametrize(
        ("module", "who"),
        [
            ("src.missing", ExitCode.FAIL),
            # A package that the work order makes, but not where the command looks for it.
            ("product", ExitCode.PLAN_DEFECT),
            ("product.cli", ExitCode.PLAN_DEFECT),
        ],
    )
    def test_a_python_module_of_the_product_that_is_missing(
        self, module: str, who: ExitCode, repo: Path
    ) -> None:
        scene = Scene(
            repo,
            [a_proposal(), a_proposal()],
            allowed_files=["src/app.py", "lib/product/__init__.py"],
            acceptance_commands=[f"python -m {module}"],
        )

        finished = scene.run()

        assert finished.ending.exit_code == who
        assert scene.asked == (2 if who is ExitCode.FAIL else 0)

    @pytest.mark.parametrize("command", ["''", "'unclosed", "true \0"])
    def test_a_command_that_names_no_program(self, command: str, repo: Path) -> None:
        scene = Scene(repo, acceptance_commands=[command])

        assert scene.run().ending.exit_code == ExitCode.PLAN_DEFECT
        assert scene.asked == 0

    def test_a_verify_script_that_needs_a_program_which_is_not_installed(self, tmp_path: Path) -> None:
        repo = make_repo(tmp_path / "repo", {"scripts/verify.sh": "set -e\nno-such-linter .\n"})

        finished = Scene(repo).run()

        assert finished.ending.exit_code == ExitCode.ENVIRONMENT
        assert "the program no-such-linter is not installed" in finished.ending.message

    def test_a_verify_script_that_the_model_wrote_so(self, repo: Path) -> None:
        base = {"scripts/verify.sh": FILES["scripts/verify.sh"]}
        scene = Scene(
            repo,
            [a_proposal({"scripts/verify.sh": "no-such-linter .\n"}, bases=base)] * 2,
            allowed_files=["scripts/verify.sh"],
        )

        finished = scene.run(accepted_configuration=(VERIFY_SCRIPT,))

        assert finished.ending.exit_code == ExitCode.FAIL
        assert scene.asked == 2


class TestVerification:
    @staticmethod
    def checks_of(finished: Finished) -> dict[str, str]:
        """Each check of the verification: how it ended, or why it did nothing."""
        assert finished.folder is not None
        result: Any = read_object(finished.folder / "attempt_1" / "verify_result.json")
        return {
            check["name"]: check["note"] or ("failed" if check["failure"] else "passed")
            for check in result["checks"]
        }

    def test_with_a_verify_script_nothing_else_runs(self, repo: Path) -> None:
        assert self.checks_of(Scene(repo).run()) == {
            "verify.sh": "passed",
            "compileall": "skipped: scripts/verify.sh verifies",
            "pytest": "skipped: scripts/verify.sh verifies",
            "unusual code": "passed",
            "manifests": "passed",
            "imports": "passed",
        }

    def test_without_one_a_repository_without_tests_passes(self, tmp_path: Path) -> None:
        repo = make_repo(tmp_path / "repo", {"README.md": "x"})

        finished = Scene(repo).run()

        assert finished.ending.exit_code == ExitCode.PASS
        assert self.checks_of(finished) == {
            "verify.sh": "skipped: the repository has none",
            "compileall": "passed",
            "pytest": "no tests collected",
            "unusual code": "passed",
            "manifests": "passed",
            "imports": "passed",
        }
        assert git(repo, "status", "--porcelain", "--ignored") == ""

    def test_an_exempt_work_order_is_only_compiled(self, repo: Path) -> None:
        scene = Scene(repo)
        contract = {
            "command": "bash scripts/verify.sh",
            "requires": [{"kind": "file_exists", "path": "src/later.py"}],
        }
        later = a_work_order(id="WO-02", allowed_files=["src/later.py"])
        scene.stands_in_a_plan(a_work_order(), later, verify_contract=contract)

        finished = scene.run()

        assert self.checks_of(finished) == {
            "verify.sh": "skipped: the work order is exempt",
            "compileall": "passed",
            "pytest": "skipped: the work order is exempt",
            "unusual code": "passed",
            "manifests": "passed",
            "imports": "passed",
        }

    def test_a_verify_script_that_the_proposal_brings_runs_at_once(self, tmp_path: Path) -> None:
        repo = make_repo(tmp_path / "repo", {"README.md": "x"})
        scene = Scene(
            repo,
            [a_proposal({"scripts/verify.sh": "echo not yet; exit 3\n"})],
            allowed_files=["scripts/verify.sh"],
        )

        finished = scene.run(max_attempts=1)

        assert failure_of(finished)["exit_code"] == 3
        assert failure_of(finished)["excerpt"] == "not yet"

    def test_an_exemption_that_a_work_order_claims_is_not_believed(self, repo: Path) -> None:
        finished = Scene(repo, verify_exempt=True).run()

        assert self.checks_of(finished)["verify.sh"] == "passed"

    @pytest.mark.parametrize("exempt", [True, False])
    def test_a_syntax_error_fails_and_is_shown(self, exempt: bool, tmp_path: Path) -> None:
        repo = make_repo(tmp_path / "repo", {"README.md": "x"})
        scene = Scene(repo, [a_proposal({"src/app.py": "def f(:\n"})], verify_exempt=exempt)

        failure = failure_of(scene.run(max_attempts=1))

        assert (failure["stage"], failure["message"]) == ("verify_failed", "the command returned 1")
        assert failure["excerpt"] == (
            "*** Error compiling './src/app.py'...\n"
            '  File "./src/app.py", line 1\n'
            "    def f(:\n"
            "          ^\n"
            "SyntaxError: invalid syntax"
        )

    def test_a_failing_test_is_shown_with_its_assertion(self, tmp_path: Path) -> None:
        files = {
            "src/app.py": "def f(x):\n    return x * x\n",
            "tests/test_app.py": "from src.app import f\n\n\ndef test_f():\n    assert f(2) == 4\n",
            "conftest.py": "",
        }
        repo = make_repo(tmp_path / "repo", files)
        wrong, right = "def f(x):\n    return x + 1\n", "def f(x):\n    return 2 * x\n"
        answers = [a_proposal({"src/app.py": content}, bases=files) for content in (wrong, right)]
        scene = Scene(repo, answers)

        finished = scene.run()

        assert finished.ending.exit_code == ExitCode.PASS
        assert finished.folder is not None
        brief = read_object(finished.folder / "attempt_1" / "failure_brief.json")
        assert brief["excerpt"] == (
            "== FAILURES ==\n"
            "__ test_f __\n"
            "\n"
            "    def test_f():\n"
            ">       assert f(2) == 4\n"
            "E       assert 3 == 4\n"
            "E        +  where 3 = f(2)\n"
            "\n"
            "tests/test_app.py:5: AssertionError\n"
            "== short test summary info ==\n"
            "FAILED tests/test_app.py::test_f\n"
            "1 failed in <time>"
        )
        prompt = (finished.folder / "attempt_2" / "se_prompt.txt").read_text()
        assert "E       assert 3 == 4" in prompt


NOISY_TESTS = """\
import json, logging, os, subprocess, sys, tempfile, threading, time, warnings
from datetime import datetime, timezone


def test_paths(tmp_path):
    assert (tmp_path / "a").exists(), f"{os.getcwd()} {os.environ['HOME']}"


def test_temporary():
    assert os.listdir(tempfile.mkdtemp()) == ["a"], tempfile.mkdtemp()


def test_objects():
    assert object() is None, [threading.current_thread(), {"b", "a"}, lambda: 1]


def test_library(tmp_path):
    (tmp_path / "x").write_text("{]")
    json.loads((tmp_path / "x").read_text())


def test_command():
    words = [sys.executable, "-c", "import os; print(os.getcwd()); 1 / 0"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_moment():
    print(datetime.now(timezone.utc).isoformat(), "began")
    print(f"took {time.perf_counter():.6f} seconds, pid {os.getpid()}")
    logging.warning("from %s", sys.executable)
    warnings.warn("old")
    time.sleep(0.01)
    assert "moment" == "none"
"""


def test_the_same_failure_gives_the_same_prompt_at_any_place_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = []
    for place in ("here", "a/place/with-a-longer-name"):
        repo = make_repo(tmp_path / place / "repo", {"conftest.py": ""})
        temporary = tmp_path / place / "tmp"
        temporary.mkdir()
        monkeypatch.setenv("TMPDIR", str(temporary))
        monkeypatch.setattr("tempfile.tempdir", None)
        commands = ["python -c 'import os; print(os.getcwd()); raise SystemExit(1)'"]
        noisy = {"tests/test_noisy.py": NOISY_TESTS}
        scene = Scene(repo, [a_proposal(noisy)] * 2, allowed_files=[*noisy], acceptance_commands=commands)
        finished = scene.run()
        assert finished.ending.exit_code == ExitCode.FAIL
        assert finished.folder is not None
        prompts.append((finished.folder / "attempt_2" / "se_prompt.txt").read_text())

    assert prompts[0] == prompts[1]
    assert str(tmp_path) not in prompts[0]
    assert "6 failed" in prompts[0]


SECRETS = {
    "OPENAI_API_KEY": "sk-proj-0123456789-very-secret",
    "AWS_SECRET_ACCESS_KEY": "aws-0123456789-very-secret",
    "GITHUB_TOKEN": "ghp_0123456789-very-secret",
    "SSH_AUTH_SOCK": "/run/agent-0123456789-very-secret",
    "DATABASE_URL": "postgres://u:0123456789-very-secret@db/x",
    "PYTHONPATH": "/opt/0123456789-very-secret",
    "LD_PRELOAD": "/opt/0123456789-very-secret.so",
    "GIT_DIR": "/opt/0123456789-very-secret/.git",
    "BASH_ENV": "/opt/0123456789-very-secret.sh",
}


def text_below(folder: Path) -> str:
    """Everything in the files below a folder, and their names."""
    return "\n".join(
        f"{path}\n{path.read_bytes().decode('utf-8', 'replace')}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    )


class TestEnvironment:
    DUMP = python("import json, os; print(json.dumps(dict(os.environ)))")

    def run(self, repo: Path, *passed: str, **variables: str) -> Finished:
        scene = Scene(repo, acceptance_commands=[self.DUMP])
        from factory.runs.inputs import Ports
        from factory.runs.run import run_work_order
        from factory.system.clock import SystemClock
        from tests.support.runs import run_settings

        own = {**os.environ, **SECRETS, **variables}
        ports = Ports(lambda _stop, _price: scene.model, SystemClock(), scene.progress.append, own)
        settings = run_settings(scene.repo, scene.work_order, scene.out, passed_variables=passed)
        return run_work_order(settings, ports)

    @staticmethod
    def seen(finished: Finished) -> dict[str, str]:
        assert finished.folder is not None
        seen: dict[str, str] = json.loads(
            (finished.folder / "attempt_1" / "acceptance_1.output.txt").read_text()
        )
        return seen

    def test_no_secret_reaches_a_command(self, repo: Path) -> None:
        finished = self.run(repo)

        assert finished.ending.exit_code == ExitCode.PASS
        assert finished.folder is not None
        assert "very-secret" not in text_below(finished.folder.parent)
        seen = self.seen(finished)
        assert not set(SECRETS) & set(seen)
        assert not Path(seen["HOME"]).exists()

    def test_a_named_variable_reaches_it(self, repo: Path) -> None:
        assert self.seen(self.run(repo, "FEATURE", FEATURE="on"))["FEATURE"] == "on"

    @pytest.mark.parametrize("name", ["OPENAI_API_KEY", "SSH_AUTH_SOCK", "RENAMED", "A=B"])
    def test_a_secret_is_refused_before_a_model_is_asked(self, name: str, repo: Path) -> None:
        finished = self.run(repo, name, RENAMED=SECRETS["GITHUB_TOKEN"])

        assert finished.ending.exit_code == ExitCode.REFUSED
        assert "--pass-env" in finished.ending.message


def test_a_module_left_in_the_user_s_home_by_one_command_does_not_steer_the_next(repo: Path) -> None:
    # Given a command that plants a file which Python would run at every start
    plant = python(
        "import pathlib, sys; v = f'python3.{sys.version_info[1]}';"
        "p = pathlib.Path.home() / '.local/lib' / v / 'site-packages'; p.mkdir(parents=True);"
        "(p / 'x.pth').write_text('import os; os._exit(0)')"
    )
    scene = Scene(repo, acceptance_commands=[plant, python("exit(1)")])

    assert scene.run(max_attempts=1).ending.exit_code == ExitCode.FAIL
