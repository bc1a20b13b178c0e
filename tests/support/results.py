"""Results of commands and contexts of checks, for tests to vary; commands are not run."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.check import CheckContext, CommandResult
from factory.system.files.tree import Tree
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
        limits: the own time limit of each command, in order.
        places: no place has a name.
    """

    places: Mapping[str, str] = MappingProxyType({})
    variables: Mapping[str, str] = MappingProxyType({})

    def __init__(self, ends: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.ran: list[tuple[str, tuple[str, ...]]] = []
        self.limits: list[float | None] = []
        self._ends = ends or {}

    def __call__(
        self,
        name: str,
        command: str,
        words: tuple[str, ...],
        timeout_seconds: float | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        self.ran.append((name, words))
        self.limits.append(timeout_seconds)
        return a_result(*words, command=command, **self._ends.get(name, {}))


class Paths:
    """Stands for the tree that lands: these paths are in it."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def is_directory(self, path: str) -> bool:
        return any(file.startswith(f"{path}/") for file in self._paths)


def a_context(
    root: Path,
    commands: Commands | None = None,
    *,
    landing: tuple[str, ...] = (),
    before: Mapping[str, bytes] = MappingProxyType({}),
    **order: Any,
) -> CheckContext:
    """A context with the files below `root`, of which `landing` are to land; `before` had those."""
    work_order = WorkOrder.model_validate(a_work_order(**order))
    return CheckContext(
        order=work_order,
        exempt=work_order.verify_exempt,
        tree=Tree(root),
        landing=Paths(landing),
        before={RepoPath.parse(path): data for path, data in before.items()}.get,
        execute=commands or Commands(),
        temporary=root,
        folder=root,
        within=_no_project,
    )


def _no_project(project: RepoPath) -> CheckContext:
    raise KeyError(project)
