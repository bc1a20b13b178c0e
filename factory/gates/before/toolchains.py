"""Starts the programs that a plan's commands begin with, before anything is paid."""

import os
import shlex
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from factory.contract.errors import MachineProblem
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder
from factory.gates.bench import Bench
from factory.gates.check import CheckContext
from factory.gates.checks.languages import reading
from factory.gates.verdict.prefix import without_prefix
from factory.languages.port import Read
from factory.languages.table import default_verification
from factory.services.resolved import NO_SERVICES
from factory.system.terminal.console import visible

_INSTALL_NODE: Final = "install Node.js, such as with `apt-get install nodejs npm`"
_INSTALL_GO: Final = "install Go, such as with `apt-get install golang-go`"
_INSTALL_RUST: Final = (
    "install Rust, such as with `apt-get install cargo`; with rustup, `rustup default stable` chooses one"
)

TOOLCHAINS: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "node": (("node", "--version"), _INSTALL_NODE),
    "npm": (("npm", "--version"), _INSTALL_NODE),
    "npx": (("npx", "--version"), _INSTALL_NODE),
    "go": (("go", "version"), _INSTALL_GO),
    "cargo": (("cargo", "--version"), _INSTALL_RUST),
    "rustc": (("rustc", "--version"), _INSTALL_RUST),
}
"""What shows that a program starts, and what to install if it does not."""

_SECONDS: Final = 60.0
_OUTPUT: Final = "toolchain"


def require_toolchains(bench: Bench, orders: Iterable[WorkOrder], folder: Path) -> None:
    """Start each program of `TOOLCHAINS` that work orders will be judged by, as their commands find it.

    Args:
        bench: at a baseline, nothing changed.
        orders: those that are to be executed.
        folder: gets what the programs print; made if it is missing.

    Raises:
        MachineProblem: one is not installed, or does not start.
        Stopped: the bench's stop asked for it.
    """
    by_project: dict[RepoPath | None, list[WorkOrder]] = {}
    for order in orders:
        by_project.setdefault(order.project, []).append(order)
    if not by_project:
        return
    folder.mkdir(parents=True, exist_ok=True)
    root = replace(bench, services=NO_SERVICES).baseline_context(folder, exempt=False)
    is_staged = False
    for project, its_own in sorted(by_project.items(), key=lambda item: item[0] or ""):
        context = root if project is None else root.within(project)
        variables = bench.variables if project is None else bench.projects[project].variables
        writable = {_below(path, project) for order in its_own for path in order.allowed_files}
        files = frozenset(context.landing) | writable
        for program in needed_programs(its_own, files, VERIFY_SCRIPT in files, reading(context.tree)):
            if shutil.which(program, path=variables.get("PATH", os.defpath)) is None:
                raise MachineProblem(
                    f"{program} is not installed, and commands that judge the work start it",
                    where=program,
                    hint=TOOLCHAINS[program][1],
                )
            if not is_staged:
                bench.checkout.stage([])
                is_staged = True
            _require_start(program, context)


def needed_programs(
    orders: Sequence[WorkOrder], files: Collection[str], has_script: bool, read: Read
) -> tuple[str, ...]:
    """The programs of `TOOLCHAINS` that commands of work orders, or the default verification, start. Pure.

    Args:
        orders: the work orders.
        files: the files that there are, or that they may write.
        has_script: whether a script verifies instead of the default.
        read: gives the bytes of those that there are.
    """
    commands = [] if has_script else [command.words for command in default_verification(files, read)]
    first = {words[0] for words in commands} | {*programs_named(orders)}
    return tuple(program for program in TOOLCHAINS if program in first)


def programs_named(orders: Iterable[WorkOrder]) -> tuple[str, ...]:
    """The programs of `TOOLCHAINS` that acceptance commands start. Pure.

    Args:
        orders: the work orders.
    """
    first = {words[0] for words in _split(orders) if words}
    return tuple(program for program in TOOLCHAINS if program in first)


def _split(orders: Iterable[WorkOrder]) -> Iterator[list[str]]:
    for order in orders:
        for command in order.acceptance_commands:
            try:
                words = shlex.split(command)
            except ValueError:
                continue
            yield without_prefix(words, withheld=())[1]


def _below(path: RepoPath, project: RepoPath | None) -> str:
    return path if project is None else path.removeprefix(f"{project}/")


def _require_start(program: str, context: CheckContext) -> None:
    words, hint = TOOLCHAINS[program]
    result = context.execute(f"{_OUTPUT}_{program}", " ".join(words), words, _SECONDS)
    if result.sandbox_failed is not None:
        raise MachineProblem(
            f"the sandbox for {program} could not be entered: {result.sandbox_failed}",
            hint="`factory doctor` tells what is missing",
        )
    if result.exit_code != 0:
        said = visible(result.excerpt.strip().partition("\n")[0])
        ending = result.not_started or result.limit or f"it returned {result.exit_code}"
        raise MachineProblem(
            f"{program} is installed and does not start: {said or ending}", where=" ".join(words), hint=hint
        )
