"""Results of commands and contexts of checks, for tests to vary; commands are not run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.check import CheckContext, CommandResult
from factory.system.files import Tree
from tests.support.repositories import a_work_order


def a_result(*words: str, **changes: Any) -> CommandResult:
    """A command that returned 0."""
    facts: dict[str, Any] = {
        "command": " ".join(words),
        "argv": words,
        "exit_code": 0,
        "signal": None,
        "timed_out": False,
        "not_started": None,
        "seconds": 0.1,
        "output_file": "x.output.txt",
        "output_bytes": 0,
        "excerpt": "",
        "leftovers": 0,
        "changed": (),
    }
    return CommandResult.model_validate({**facts, **changes})


class Commands:
    """Stands for the executor: every command returns 0, unless `ends` says otherwise.

    Attributes:
        ran: the output name and the words of each command, in order.
    """

    def __init__(self, ends: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.ran: list[tuple[str, tuple[str, ...]]] = []
        self._ends = ends or {}

    def __call__(self, name: str, command: str, words: tuple[str, ...]) -> CommandResult:
        self.ran.append((name, words))
        return a_result(*words, command=command, **self._ends.get(name, {}))


def a_context(
    root: Path, commands: Commands | None = None, *, landing: tuple[str, ...] = (), **order: Any
) -> CheckContext:
    """A context with the files below `root`, of which `landing` are to land."""
    return CheckContext(
        order=WorkOrder.model_validate(a_work_order(**order)),
        tree=Tree(root),
        landing=frozenset(RepoPath.parse(path) for path in landing),
        execute=commands or Commands(),
    )
