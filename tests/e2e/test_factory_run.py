"""`python -m factory run` as a user meets it: exit codes, the screen, and kill -9 in every stage."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support import starts
from tests.support.answers import (
    APP,
    a_proposal,
    answering_program,
    calls_of,
    failing_program,
    sleeping_gate,
    sleeping_program,
)
from tests.support.repositories import (
    VERIFY_PASSES,
    commit_files,
    copy_repo,
    files_of,
    git,
    make_repo,
    write_files,
    write_work_order,
)
from tests.support.runs import read_object

ROOT = Path(__file__).parents[2]


UNSANDBOXED = ("--sandbox", "none", "--allow-unsandboxed")
"""For gates that tell their process id to the test; what lives on in a sandbox has tests of its own."""


class User:
    """Somebody at a shell, with a repository and a work order."""

    def __init__(self, tmp_path: Path, llm: str, **order: object) -> None:
        self.repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitignore": ".env\n.venv/\ndata/\n"})
        write_files(self.repo, {".env": "KEY=1\n", ".venv/bin/python": "x\n", "data/rows": b"\x00\xff"})
        order = {"acceptance_commands": ["test -f src/app.py"], **order}
        self.work_order = write_work_order(tmp_path / "WO-01.json", **order)  # type: ignore[arg-type]
        self.out = tmp_path / "out"
        self.llm = llm
        self.options: tuple[str, ...] = ()

    def command(self, *options: str) -> list[str]:
        return [
            *(sys.executable, "-m", "factory", "run", "--repo", str(self.repo)),
            *("--work-order", str(self.work_order), "--out", str(self.out), "--llm", self.llm),
            *(*self.options, *options),
        ]

    def runs(self, *options: str) -> "subprocess.CompletedProcess[str]":
        return starts.run(self.command(*options), cwd=ROOT)

    def starts(self, *options: str) -> starts.Started:
        nowhere = subprocess.DEVNULL
        return starts.start(self.command(*options), cwd=ROOT, stdout=nowhere, stderr=nowhere)

    def state(self) -> tuple[object, ...]:
        return (
            files_of(self.repo),
            git(self.repo, "for-each-ref"),
            git(self.repo, "status", "--porcelain", "--ignored"),
        )

    def summary(self) -> dict[str, object]:
        (path,) = self.out.glob("*/run_summary.json")
        return dict(read_object(path))

    def outcomes(self) -> list[object]:
        """How the runs ended, sorted."""
        summaries = [read_object(path) for path in self.out.glob("*/run_summary.json")]
        return sorted((summary["outcome"] for summary in summaries), key=str)


def waited_for(path: Path) -> int:
    """The number in a file, once it is there."""
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.01)
    return int(path.read_text())


def is_alive(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def ends(pid: int) -> bool:
    """Whether a process ends within a few seconds."""
    end = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_alive(pid)


def test_a_weaker_sandbox_than_the_strongest_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a machine without bubblewrap
    programs = tmp_path / "programs"
    programs.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*") if place.startswith("/") else ():
            if program.name != "bwrap" and not os.path.lexists(programs / program.name):
                (programs / program.name).symlink_to(program)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{programs}")
    user = User(tmp_path, answering_program(tmp_path / "model.py", a_proposal()))

    chosen = user.runs()
    asked_for = user.runs("--sandbox", "landlock", "--branch", "other")

    warning = "commands run in the sandbox landlock, with gaps"
    if "landlock: " in chosen.stderr:
        pytest.skip("this kernel has no Landlock")
    assert warning in chosen.stderr
    assert warning not in asked_for.stderr


def test_a_copied_repository_is_landed_in_at_once(tmp_path: Path) -> None:
    files = {"README.md": "a better product\n"}
    answer = a_proposal(files, bases={"README.md": VERIFY_PASSES["README.md"]})
    user = User(
        tmp_path,
        answering_program(tmp_path / "model.py", answer),
        allowed_files=list(files),
        acceptance_commands=["grep --quiet better README.md"],
    )
    user.repo = copy_repo(user.repo, tmp_path / "copy")

    done = user.runs()

    assert done.returncode == 0, done.stderr
    assert calls_of(tmp_path / "model.py") == 1
    assert files_of(user.repo)["README.md"] == b"a better product\n"
    assert git(user.repo, "status", "--porcelain") == ""


def test_a_remark_is_told_when_it_comes_and_at_the_end_to_who_was_not_told(tmp_path: Path) -> None:
    answer = json.dumps(json.loads(a_proposal()) | {"remarks": ["Is\n\x1b[2Jthis right?"]})
    llm = answering_program(tmp_path / "model.py", answer)
    (tmp_path / "quiet").mkdir()

    done = User(tmp_path, llm).runs()
    quiet = User(tmp_path / "quiet", llm).runs("--quiet")

    line = "WO-01 remarks: Is\\n\\x1b[2Jthis right?"
    log = done.stderr.splitlines()
    assert log.index(line) < log.index("attempt 1: TR applies the proposal")
    assert "remarks" not in done.stdout
    assert quiet.stdout.splitlines()[-1] == f"  {line}"


def test_a_pass_and_the_same_again(tmp_path: Path, temporary_files: Path) -> None:
    user = User(tmp_path, answering_program(tmp_path / "model.py", a_proposal()))

    # A start that shares nothing with another.
    first = subprocess.run(user.command(), cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    again = user.runs("--quiet")

    commit = git(user.repo, "rev-parse", "--short=12", "main")
    runs = {read_object(path)["outcome"]: path.parent for path in user.out.glob("*/run.json")}
    folder = runs["landed"]
    assert first.returncode == 0, first.stderr
    scores = "acceptance notices 0 of 2 changes, verification 0"
    assert first.stdout.splitlines()[0] == f"WO-01 landed on main as {commit}; {scores}"
    assert "attempt 1 of 2: SE asks command" in first.stderr
    assert (user.repo / "src/app.py").read_text() == APP
    assert again.returncode == 0
    assert again.stdout.startswith(f"WO-01 has landed before as {commit}")
    assert again.stderr == ""
    assert calls_of(tmp_path / "model.py") == 1
    assert folder.is_dir()
    assert list(temporary_files.iterdir()) == []
    # In which sandbox depends on the machine; that it is told does not.
    sandbox = read_object(folder / "run.json")["sandbox"]
    assert isinstance(sandbox, dict)
    shown = subprocess.run(
        [sys.executable, "-m", "factory", "show", str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert sandbox["level"] in ("bwrap", "bwrap-noproc", "landlock")
    assert f"commands in the sandbox {sandbox['level']}" in shown.stdout


def test_a_failure_and_the_same_again_pays_once(tmp_path: Path) -> None:
    command = shlex.join(["sh", "-c", "echo ::error::the reason; exit 3"])
    user = User(
        tmp_path,
        answering_program(tmp_path / "model.py", a_proposal()),
        acceptance_commands=[command],
    )
    before = user.state()

    done = [user.runs(), user.runs()]

    for run in done:
        assert run.returncode == 1
        assert run.stdout == ""
        assert "error: WO-01 failed: 2 attempts are spent, the last at acceptance_failed" in run.stderr
        # Behind a bar: no line of a command is one of ours, or an order to a CI system.
        assert "\n  | ::error::the reason\n" in run.stderr
        assert f"artifacts: {user.out}" in run.stderr
        assert "hint:" in run.stderr
    assert calls_of(tmp_path / "model.py") == 2
    assert user.state() == before


def no_repository(user: User) -> None:
    user.repo = user.out.parent


def a_draft(user: User) -> None:
    write_files(user.repo, {"draft\x1b[2J": "mine\n"})


def a_failing_provider(user: User) -> None:
    user.llm = failing_program(user.out.parent / "model.py")


def an_unknown_model(user: User) -> None:
    user.llm = "gtp-5"


def an_unmet_precondition(user: User) -> None:
    write_work_order(user.work_order, preconditions=[{"kind": "file_exists", "path": "a.py"}])


def a_missing_program(user: User) -> None:
    write_work_order(user.work_order, acceptance_commands=["no-such-program"])
    user.options = ("--no-red-probe",)


def a_path_into_git(user: User) -> None:
    write_work_order(user.work_order, allowed_files=[".GIT/hooks/x"])


@pytest.mark.parametrize(
    ("happens", "exit_code", "message"),
    [
        (no_repository, 2, "is not a git repository"),
        (a_draft, 2, r"?? draft\x1b[2J"),
        (a_path_into_git, 2, "/allowed_files/0: the path is git's own data"),
        (an_unknown_model, 2, "--llm gtp-5: no such model"),
        (a_failing_provider, 3, "no credit left"),
        (an_unmet_precondition, 4, "`a.py` does not exist"),
        (a_missing_program, 8, "no-such-program can't be started"),
    ],
)
def test_every_other_ending_has_its_exit_code_and_its_words(
    tmp_path: Path, happens: Callable[[User], None], exit_code: int, message: str
) -> None:
    user = User(tmp_path, answering_program(tmp_path / "model.py", a_proposal()))
    happens(user)

    done = user.runs()

    assert done.returncode == exit_code, done.stderr
    assert message in done.stderr
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_options_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    user = User(tmp_path, "replay:nowhere")
    for options, message in {
        ("--max-attempts", "0"): "is not a number from 1 upwards",
        ("--timeout-seconds", "0"): "above 0",
        ("--llm-temperature", "9"): "from 0 to 2",
        ("--limit", "mem=1"): "'1' is too little for mem",
        ("--unknown",): "unrecognized arguments",
        ("--kill-threshold", "50", "--mutants", "0"): "would hold for nothing",
    }.items():
        done = user.runs(*options)
        assert done.returncode == 2
        assert message in done.stderr
        assert not user.out.exists()


# Signals


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_a_command_runs_ends_it_and_puts_everything_back(
    tmp_path: Path, temporary_files: Path, number: signal.Signals, exit_code: int
) -> None:
    # given a run whose gate never ends
    user = User(
        tmp_path,
        answering_program(tmp_path / "model.py", a_proposal()),
        acceptance_commands=[sleeping_gate(tmp_path / "gate.py")],
    )
    user.options = UNSANDBOXED
    before = user.state()
    run = user.starts()
    gate = waited_for(tmp_path / "gate.py.pid")
    # when
    run.send_signal(number)
    # then
    assert run.wait(20) == exit_code
    assert ends(gate)
    assert user.state() == before
    assert user.summary()["outcome"] == "interrupted"
    assert user.summary()["exit_code"] == exit_code
    assert list(temporary_files.iterdir()) == []


def in_the_model(tmp_path: Path) -> User:
    user = User(tmp_path, sleeping_program(tmp_path / "model.py"))
    (tmp_path / "model.py.pid").unlink(missing_ok=True)
    return user


def while_a_file_is_added(tmp_path: Path) -> User:
    user = User(tmp_path, answering_program(tmp_path / "model.py", a_proposal()))
    filter_files(user, "clean", tmp_path)
    return user


def in_a_gate(tmp_path: Path) -> User:
    gate = sleeping_gate(tmp_path / "gate.py")
    # The gate lets the next run pass.
    command = shlex.join(["sh", "-c", f"test -e {tmp_path / 'gate.py.pid'} || exec {gate}"])
    user = User(
        tmp_path, answering_program(tmp_path / "model.py", a_proposal()), acceptance_commands=[command]
    )
    # It passes as soon as it has run once.
    user.options = (*UNSANDBOXED, "--no-red-probe")
    return user


def while_it_lands(tmp_path: Path) -> User:
    user = User(tmp_path, answering_program(tmp_path / "model.py", a_proposal()))
    filter_files(user, "smudge", tmp_path)
    return user


def filter_files(user: User, way: str, folder: Path) -> None:
    """Let git run a program that never ends when it reads (`clean`) or writes (`smudge`) a Python file."""
    program = folder / "filter.py"
    slow = sleeping_gate(program)
    git(user.repo, "config", f"filter.slow.{way}", f"test -e {program}.pid && cat || exec {slow}")
    commit_files(user.repo, {".gitattributes": "*.py filter=slow\n"})


@pytest.mark.parametrize("stage", [in_the_model, while_a_file_is_added, in_a_gate, while_it_lands])
def test_a_kill_in_any_stage_leaves_the_checkout_alone_and_the_next_run_works(
    tmp_path: Path, temporary_files: Path, stage: Callable[[Path], User]
) -> None:
    # given a run that is in that stage
    user = stage(tmp_path)
    before = user.state()
    run = user.starts()
    names = ("model.py", "filter.py", "gate.py")
    (place,) = [tmp_path / f"{name}.pid" for name in names if stage_file(stage) == name]
    child = waited_for(place)
    # when
    run.kill()
    run.wait()
    # then what it had started dies with it, git excepted, which is not hostile
    if stage in (in_the_model, in_a_gate):
        assert ends(child)
    else:
        os.kill(child, signal.SIGKILL)
        assert ends(child)
    if stage is not while_it_lands:
        assert user.state() == before
    # and the next run finishes what can be finished, and works
    user.llm = answering_program(tmp_path / "model.py", a_proposal())
    done = user.runs()
    assert done.returncode == 0, done.stderr
    assert (user.repo / "src/app.py").read_text() == APP
    assert git(user.repo, "status", "--porcelain") == ""
    assert git(user.repo, "log", "--format=%s", "-1") == "WO-01: Add the application"
    assert {name for name in files_of(user.repo) if name.startswith((".env", ".venv", "data"))} == {
        ".env",
        ".venv/bin/python",
        "data/rows",
    }
    left = list(temporary_files.iterdir())
    assert left == []
    assert sorted(path.name for path in (user.repo / ".git" / "workorder").iterdir()) == ["lock"]
    if stage is while_it_lands:
        assert "finished the landing" in done.stderr
        assert user.outcomes() == ["already_landed", "killed"]


def stage_file(stage: Callable[[Path], User]) -> str:
    """The file of the program that runs in that stage."""
    if stage is in_the_model:
        return "model.py"
    return "gate.py" if stage is in_a_gate else "filter.py"


def test_a_kill_in_place_is_recovered_by_the_next_run_in_place(tmp_path: Path) -> None:
    user = in_a_gate(tmp_path)
    for name in (".env", ".venv/bin/python", "data/rows"):
        (user.repo / name).unlink()
    run = user.starts("--in-place")
    gate = waited_for(tmp_path / "gate.py.pid")
    run.kill()
    run.wait()
    assert ends(gate)
    assert (user.repo / "src/app.py").exists()

    refused = user.runs()
    done = user.runs("--in-place")

    assert refused.returncode == 6
    assert "a run that worked in place" in refused.stderr
    assert done.returncode == 0, done.stderr
    assert "undid an attempt that was killed" in done.stderr
    assert git(user.repo, "status", "--porcelain") == ""


def test_the_killed_run_is_completed_by_the_next(tmp_path: Path) -> None:
    user = in_the_model(tmp_path)
    run = user.starts()
    waited_for(tmp_path / "model.py.pid")
    run.kill()
    run.wait()
    assert not list(user.out.glob("*/run_summary.json"))
    # given another work order next
    user.llm = answering_program(tmp_path / "other.py", a_proposal({"b.txt": "x\n"}))
    write_work_order(
        user.work_order, id="WO-02", allowed_files=["b.txt"], acceptance_commands=["test -f b.txt"]
    )

    assert user.runs().returncode == 0

    assert user.outcomes() == ["killed", "landed"]


# limits


def test_a_limit_stops_before_the_model_is_asked_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    program = tmp_path / "model.py"
    user = User(tmp_path, answering_program(program, a_proposal()))
    before = user.state()

    stopped = user.runs("--max-tokens", "1000")

    assert stopped.returncode == 5
    assert "--max-tokens" in stopped.stderr
    assert "run again with a higher limit" in stopped.stderr
    assert calls_of(program) == 0
    assert user.state() == before
    assert user.summary()["exit_code"] == 5

    assert user.runs("--max-tokens", "1000000", "--price", "1,2").returncode == 0
    assert calls_of(program) == 1
    usage = user.summary()["usage"]
    assert isinstance(usage, dict)
    dollars = (usage["input_tokens"] + 2 * usage["output_tokens"]) / 1_000_000
    assert user.summary()["cost_usd"] == pytest.approx(dollars)


def test_a_limit_in_money_is_refused_for_a_model_without_a_price(tmp_path: Path) -> None:
    program = tmp_path / "model.py"
    user = User(tmp_path, answering_program(program, a_proposal()))

    refused = user.runs("--max-cost-usd", "5")

    assert refused.returncode == 2
    assert "is not known" in refused.stderr
    assert "--price" in refused.stderr
    assert calls_of(program) == 0


@pytest.mark.parametrize("option", [("--max-cost-usd", "NaN"), ("--price", "1.75"), ("--max-tokens", "0")])
def test_a_limit_that_is_none_is_told(option: tuple[str, str], tmp_path: Path) -> None:
    refused = User(tmp_path, "command:true").runs(*option)

    assert refused.returncode == 2
    assert f"argument {option[0]}" in refused.stderr
