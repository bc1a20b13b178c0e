"""Whose fault a command's end is: that of whoever could have made it end otherwise."""

from pathlib import Path
from typing import Any

import pytest

from factory.attempt.failure import FailureClass, Stage
from factory.gates.check import ServiceResult, UnreadyService
from factory.gates.judge import judge
from tests.support.results import a_context, a_result

MODEL, PLAN, MACHINE = FailureClass.MODEL_DEFECT, FailureClass.PLAN_DEFECT, FailureClass.ENVIRONMENT
LANDING = ("README.md", "tool.sh", "src/app.py", "lib/product/core.py")
NO_SUCH_FILE = "no such file or directory"
UNFOUND = (
    "python: Error while finding module specification for 'tool.x'"
    " (ModuleNotFoundError: No module named 'tool')"
)


def whose(tmp_path: Path, *words: str, **changes: Any) -> FailureClass | None:
    context = a_context(tmp_path, landing=LANDING, allowed_files=["src/app.py", "scripts/check.sh", "new.sh"])
    failure = judge(a_result(*words, **changes), Stage.ACCEPTANCE_FAILED, context)
    return failure.failure_class if failure else None


NO_TOOLCHAIN = "error: rustup could not choose a version of cargo to run"


def test_a_command_that_returned_0_passes(tmp_path: Path) -> None:
    assert whose(tmp_path, "true") is None


def test_the_first_test_that_failed_is_told_to_people(tmp_path: Path) -> None:
    printed = "FAILED tests/test_a.py::test_x - assert 1 == 2\nFAILED tests/test_b.py::test_y"
    result = a_result("bash", exit_code=1, excerpt=printed, project="web")
    failure = judge(result, Stage.VERIFY_FAILED, a_context(tmp_path))

    assert failure is not None
    assert failure.headline == "the command returned 1 (bash); first web/tests/test_a.py::test_x"
    assert "test_x" not in failure.description


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"exit_code": 3}, "the command returned 3"),
        ({"exit_code": None, "signal": 11}, "the command was ended by signal 11"),
        (
            {"exit_code": None, "signal": 9, "timed_out": True},
            "the command did not end within its time limit",
        ),
        ({"timed_out": True}, "the command did not end within its time limit"),
        (
            {"exit_code": None, "supervisor_killed": True},
            "the process that watches over the command was killed",
        ),
        ({"changed": (".git/HEAD", "a")}, "the command changed what it must not: .git/HEAD, a"),
        (
            {"exit_code": None, "signal": 9, "killed": "memory", "limit": "2 GiB of memory"},
            "the command was killed because it reached a limit: 2 GiB of memory",
        ),
    ],
)
def test_what_the_model_did_is_its_fault(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    failure = judge(a_result("check", **changes), Stage.VERIFY_FAILED, a_context(tmp_path))

    assert failure is not None
    assert (failure.message, failure.failure_class, failure.stage, failure.where) == (
        message,
        MODEL,
        Stage.VERIFY_FAILED,
        "check",
    )


@pytest.mark.parametrize("end", [{"supervisor_killed": True}, {"signal": 9}])
def test_what_kills_a_sandbox_from_outside_is_not_the_model(end: dict[str, Any], tmp_path: Path) -> None:
    assert whose(tmp_path, "true", exit_code=None, killed_outside=True, **end) is MACHINE


@pytest.mark.parametrize(
    ("program", "reason", "class_"),
    [
        ("linter", NO_SUCH_FILE, MACHINE),
        ("linter", "permission denied", MACHINE),
        ("/opt/tool", NO_SUCH_FILE, MACHINE),
        ("./tool.sh", "permission denied", PLAN),
        ("src/../tool.sh", "permission denied", PLAN),
        ("./new.sh", NO_SUCH_FILE, PLAN),
        ("./new.sh", "permission denied", PLAN),
        ("./tool.sh", NO_SUCH_FILE, MACHINE),
        ("./tool.sh", "exec format error", MACHINE),
        ("./src/app.py", NO_SUCH_FILE, MODEL),
        ("./src/app.py", "exec format error", MODEL),
        ("build/app", NO_SUCH_FILE, MODEL),
        ("build/app", "permission denied", MODEL),
    ],
)
def test_a_program_that_did_not_start(
    program: str, reason: str, class_: FailureClass, tmp_path: Path
) -> None:
    assert whose(tmp_path, program, exit_code=None, not_started=reason) is class_


@pytest.mark.parametrize(
    ("words", "exit_code", "excerpt", "class_"),
    [
        (("python", "-m", "pytest"), 1, "python: No module named pytest", MACHINE),
        (("python3", "-W", "error", "-m", "mypy", "."), 1, "python: No module named mypy", MACHINE),
        (("bash", "scripts/verify.sh"), 1, "checking\npython: No module named pytest", MACHINE),
        (("python", "-m", "tool.x"), 1, UNFOUND, MACHINE),
        (("python", "-m", "product"), 1, "python: No module named product", MODEL),
        (("python", "-m", "src.other"), 1, "python: No module named src.other", MODEL),
        (("python", "-m", "app"), 1, "python: No module named app", MODEL),
        (("python", "-m", "src"), 1, "python: No module named src.__main__; 'src' is a package", MODEL),
        (("python", "-m", "src.app"), 1, "Traceback\nModuleNotFoundError: No module named 'requests'", MODEL),
        (("python", "-c", "x"), 1, "python: No module named pytest\nand then more", MODEL),
        (("bash", "scripts/check.sh"), 1, "python: No module named pytest", MODEL),
        (("bash", "./scripts/check.sh"), 127, "scripts/check.sh: line 1: ruff: command not found", MODEL),
        (("bash", "scripts/verify.sh"), 127, "scripts/verify.sh: line 1: ruff: command not found", MACHINE),
        (("sh", "scripts/verify.sh"), 127, "scripts/verify.sh: 1: ruff: not found", MACHINE),
        (("bash", "scripts/verify.sh"), 1, "scripts/verify.sh: line 1: ruff: command not found", MODEL),
        (("bash", "scripts/verify.sh"), 127, "scripts/verify.sh: line 1: ./build/x: No such file", MODEL),
        (("bash", "scripts/verify.sh"), 127, "the page was not found", MODEL),
        (("cargo", "test"), 1, f"{NO_TOOLCHAIN}, because one wasn't specified\nhelp: run it", MACHINE),
    ],
)  # fmt: skip
def test_a_tool_that_is_missing(
    words: tuple[str, ...], exit_code: int, excerpt: str, class_: FailureClass, tmp_path: Path
) -> None:
    assert whose(tmp_path, *words, exit_code=exit_code, excerpt=excerpt) is class_


def test_a_sandbox_that_failed_is_the_machines_fault(tmp_path: Path) -> None:
    result = a_result("check", exit_code=1, sandbox_failed="bwrap: Can't mount proc")

    failure = judge(result, Stage.VERIFY_FAILED, a_context(tmp_path))

    assert failure is not None
    assert failure.failure_class is MACHINE
    assert "bwrap: Can't mount proc" in failure.message
    assert "factory doctor" in failure.hint


def test_the_evidence_goes_along(tmp_path: Path) -> None:
    failure = judge(
        a_result("check", exit_code=2, excerpt="E   assert"), Stage.VERIFY_FAILED, a_context(tmp_path)
    )

    assert failure is not None
    assert (failure.exit_code, failure.excerpt) == (2, "E   assert")


def test_other_codes_can_pass_but_never_what_changed_something(tmp_path: Path) -> None:
    context, five = a_context(tmp_path), frozenset({0, 5})

    assert judge(a_result("t", exit_code=5), Stage.VERIFY_FAILED, context, passing=five) is None
    assert judge(a_result("t", exit_code=5, changed=("a",)), Stage.VERIFY_FAILED, context, passing=five)


def unready(*words: str) -> UnreadyService:
    return UnreadyService(name="db", why="it ended with exit code 1", words=words, excerpt="FATAL: no")


@pytest.mark.parametrize(
    ("words", "blamed"),
    [
        ((), MACHINE),
        (("minio", "server", "{data}"), MACHINE),
        (("python", "-m", "http.server"), MACHINE),
        (("python", "src/app.py"), MODEL),
        (("bash", "./new.sh"), MODEL),
        (("python", "-m", "product.core"), MODEL),
    ],
)
def test_a_service_that_is_not_ready_is_the_machines_fault_unless_it_is_made_of_the_repositorys_files(
    words: tuple[str, ...], blamed: FailureClass, tmp_path: Path
) -> None:
    result = a_result("check", exit_code=None, unready=unready(*words))
    failure = judge(
        result, Stage.VERIFY_FAILED, a_context(tmp_path, landing=LANDING, allowed_files=["new.sh"])
    )

    assert failure is not None
    assert (failure.failure_class, failure.excerpt) == (blamed, "FATAL: no")
    assert failure.message == "the service db did not get ready: it ended with exit code 1"


def test_a_service_that_died_is_told_with_the_end_of_its_log(tmp_path: Path) -> None:
    died = ServiceResult(
        name="db", log_file="a.log.txt", log_bytes=9, died="ended with exit code 3", excerpt="PANIC"
    )
    result = a_result("check", exit_code=1, excerpt="refused", services=(died,))

    failure = judge(result, Stage.VERIFY_FAILED, a_context(tmp_path))

    assert failure is not None
    assert failure.message == "the command returned 1; the service db ended with exit code 3 before"
    assert failure.excerpt == "refused\n=== log of db ===\nPANIC"
    assert judge(a_result("check", services=(died,)), Stage.VERIFY_FAILED, a_context(tmp_path)) is None
