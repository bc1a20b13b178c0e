"""The exit codes of `planner`: one for each fault, each with its meaning."""

from factory.contract.errors import Fault
from factory.system.terminal.exit_code import exit_code_rows
from planner.compile.exit_codes import EXIT_CODES, ExitCode


def test_every_fault_has_an_exit_code() -> None:
    assert EXIT_CODES.keys() == set(Fault)
    assert EXIT_CODES[Fault.PROVIDER] == 3
    assert {code for fault, code in EXIT_CODES.items() if fault is not Fault.PROVIDER} == {1}


def test_every_exit_code_says_what_it_means_once() -> None:
    rows = exit_code_rows(ExitCode)
    assert [code for code, _, _ in rows] == sorted(ExitCode)
    assert len({meaning for _, meaning, _ in rows}) == len(rows)
    assert all(meaning for _, meaning, _ in rows)
