"""Every expected failure says whose fault it is, and has an exit code by that."""

import pytest

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.builds.state.file import NoBuild, StateCorrupt
from factory.contract.errors import Fault, MachineProblem, WorkorderError, expected
from factory.llm.adapters.replay import NotRecorded
from factory.llm.ledger.file import DamagedLedger
from factory.llm.port import ProviderError
from factory.llm.spending.budget import BudgetReached
from factory.repository.landing import LandingFailed
from factory.repository.target import NotRestored, Refused
from factory.system.files.tree import FileProblem, Unwritable
from factory.system.git.client import GitError, NotARepository
from factory.system.terminal.exit_code import exit_code_rows


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (WorkorderError, 2),
        (Refused, 2),
        (NoBuild, 2),
        (NotARepository, 2),
        (FileProblem, 2),
        (ProviderError, 3),
        (NotRecorded, 3),
        (BudgetReached, 5),
        (NotRestored, 6),
        (StateCorrupt, 7),
        (DamagedLedger, 7),
        (Unwritable, 8),
        (GitError, 8),
        (LandingFailed, 8),
        (MachineProblem, 8),
    ],
)
def test_an_error_has_the_exit_code_of_its_fault(kind: type[WorkorderError], code: int) -> None:
    assert EXIT_CODES[kind("message").fault] == code


def test_every_fault_has_an_exit_code() -> None:
    assert EXIT_CODES.keys() == set(Fault)


def test_every_exit_code_says_what_it_means_once() -> None:
    rows = exit_code_rows(ExitCode)
    assert [code for code, _, _ in rows] == sorted(ExitCode)
    assert all(meaning for _, meaning, _ in rows)
    assert len({meaning for _, meaning, _ in rows}) == len(rows)


def test_place_message_and_hint_are_told() -> None:
    assert str(WorkorderError("is dirty")) == "is dirty"
    error = WorkorderError("is dirty", where="repo", hint="commit it")
    assert (error.headline, str(error)) == ("repo: is dirty", "repo: is dirty\n  hint: commit it")


@pytest.mark.parametrize(
    ("error", "headline"),
    [
        (OSError(28, "No space left on device", "/out/x"), "/out/x: no space left on device"),
        (OSError(28, "No space left on device"), "no space left on device"),
        (OSError("odd"), "odd"),
        (TimeoutError(), "timeouterror"),
    ],
)
def test_a_failure_of_the_system_is_the_machines_fault(error: OSError, headline: str) -> None:
    problem = expected(error)
    assert problem is not None
    assert (problem.fault, problem.headline) == (Fault.ENVIRONMENT, headline)


def test_a_bug_is_not_expected() -> None:
    assert expected(ZeroDivisionError()) is None
    error = WorkorderError("is dirty")
    assert expected(error) is error
