"""Promised symbols against what was written: by source alone, before any command."""

from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, FailureClass, Stage
from factory.configuration.document import Configuration
from factory.contract.strict_json import JsonValue
from factory.gates.checks.interfaces import Interfaces
from factory.gates.checks.registry import registry
from factory.report.show import show_run
from tests.support.answers import a_proposal
from tests.support.repositories import VERIFY_PASSES, make_repo, write_files
from tests.support.results import Commands, a_context
from tests.support.runs import Scene, read_object

PROMISED = "app:greet(name: str) -> str"
KEPT = "def greet(name: str) -> str:\n    return name\n"


def failure(
    root: Path, files: dict[str, str | bytes], *, landing: tuple[str, ...] | None = None, **order: JsonValue
) -> Failure | None:
    """What the check says of these files, all of which land unless `landing` says otherwise."""
    write_files(root, files)
    commands = Commands()
    context = a_context(root, commands, landing=tuple(files) if landing is None else landing, **order)
    result = Interfaces().run(context)
    assert commands.ran == []
    return result.failure


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("src/app.py", KEPT),
        ("src/app/__init__.py", KEPT),
        ("app.py", "from typing import Optional\n" + KEPT),
    ],
)
def test_a_kept_promise_passes(path: str, source: str, tmp_path: Path) -> None:
    assert failure(tmp_path, {path: source}, allowed_files=[path], provides=[PROMISED]) is None


def test_a_symbol_may_come_from_a_module_that_was_there(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"pkg/__init__.py": "from .core import greet\n", "pkg/core.py": KEPT}
    provides: JsonValue = ["pkg:greet(name: str) -> str"]
    assert failure(tmp_path, files, allowed_files=["pkg/__init__.py"], provides=provides) is None


def test_another_signature_is_shown_beside_the_promised_one(tmp_path: Path) -> None:
    broken = failure(tmp_path, {"src/app.py": "def greet(name): ...\n"}, provides=[PROMISED])
    assert broken is not None
    assert (
        broken.message == "promised is `app:greet(name: str) -> str`, but the file defines `app:greet(name)`"
    )
    assert (broken.stage, broken.failure_class, broken.where) == (
        Stage.ACCEPTANCE_FAILED,
        FailureClass.MODEL_DEFECT,
        "app:greet",
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = 1\n", "it does not define `greet`"),
        ("def greet(:\n", "its source `src/app.py` is not valid Python: invalid syntax (line 1)"),
        (b"\xff\xfe", "its source `src/app.py` is not valid Python"),
        ("greet = 1\n", "the file defines `app:greet: int`"),
        ("class greet:\n    pass\n", "the file defines `app:greet`"),
    ],
)
def test_a_missing_symbol_is_told_with_the_reason(source: str | bytes, reason: str, tmp_path: Path) -> None:
    broken = failure(tmp_path, {"src/app.py": source}, provides=[PROMISED])
    assert broken is not None
    assert reason in broken.message
    assert broken.failure_class is FailureClass.MODEL_DEFECT


def test_all_broken_promises_are_told_at_once(tmp_path: Path) -> None:
    provides: JsonValue = [f"app:f{number}() -> int" for number in range(12)]
    broken = failure(tmp_path, {"src/app.py": "def f3() -> int: ...\n"}, provides=provides)
    assert broken is not None
    assert broken.message.count("promised is") == 10
    assert "`app:f3" not in broken.message
    assert broken.message.endswith("; and 1 more")


def test_what_does_not_land_does_not_count(tmp_path: Path) -> None:
    broken = failure(tmp_path, {"src/app.py": KEPT}, landing=(), provides=[PROMISED])
    assert broken is not None
    assert "there is no such module" in broken.message


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    write_files(tmp_path, {"elsewhere.py": KEPT})
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").symlink_to(tmp_path / "elsewhere.py")
    broken = failure(tmp_path, {}, landing=("src/app.py",), provides=[PROMISED])
    assert broken is not None
    assert "symbolic link" in broken.message


def test_what_no_attempt_can_keep_is_a_defect_of_the_plan(tmp_path: Path) -> None:
    broken = failure(tmp_path, {"src/app.py": KEPT}, provides=["other:f() -> int"])
    assert broken is not None
    assert broken.failure_class is FailureClass.PLAN_DEFECT
    assert "promised is `other:f() -> int`, but there is no such module" in broken.message


def test_a_consumed_symbol_of_a_rewritten_module_must_stay(tmp_path: Path) -> None:
    consumes: JsonValue = [PROMISED, "other:f() -> int"]
    broken = failure(tmp_path, {"src/app.py": "x = 1\n"}, consumes=consumes)
    assert broken is not None
    assert (broken.failure_class, broken.where) == (FailureClass.MODEL_DEFECT, "app:greet")
    assert "other:f" not in broken.message


def test_a_symbol_may_be_changed_by_saying_so(tmp_path: Path) -> None:
    source = "def greet(name: str, *, loud: bool = False) -> str: ...\n"
    provides: JsonValue = ["app:greet(name: str, *, loud: bool = False) -> str"]
    assert failure(tmp_path, {"src/app.py": source}, provides=provides, consumes=[PROMISED]) is None


def test_only_a_work_order_that_declares_symbols_has_the_check() -> None:
    assert [part.name for part in registry(Configuration(), interfaces=True)] == [
        "interfaces",
        "verify",
        "acceptance",
    ]
    assert [part.name for part in registry(Configuration())] == ["verify", "acceptance"]


# In a run


def test_the_next_attempt_is_told_both_signatures(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo", VERIFY_PASSES),
        [a_proposal({"src/app.py": "def greet(): ...\n"}), a_proposal({"src/app.py": KEPT})],
        provides=[PROMISED],
    )

    finished = scene.run()

    assert finished.ending.exit_code == ExitCode.PASS
    assert finished.folder is not None
    brief = read_object(finished.folder / "attempt_1" / "failure_brief.json")
    assert brief["message"] == "promised is `app:greet(name: str) -> str`, but the file defines `app:greet()`"
    assert not (finished.folder / "attempt_1" / "verify_result.json").exists()
    assert read_object(finished.folder / "attempt_2" / "interfaces_result.json")["passed"] is True
    assert "PO  failed   interfaces" in show_run(finished.folder)
    prompt = (finished.folder / "attempt_2" / "se_prompt.txt").read_text()
    assert "but the file defines `app:greet()`" in prompt
    assert '"provides": ["app:greet(name: str) -> str"]' in prompt
