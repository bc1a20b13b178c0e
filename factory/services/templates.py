"""Directories of services that are prepared once for a run or a build: commands get copies of them.

A fixed command of ours makes each in a sandbox of its own, before any generated code runs, in a directory
that no command can write to.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from factory.checkout.leftovers import scratch_directory
from factory.contract.errors import MachineProblem
from factory.services.resolved import Resolved, Services
from factory.system.files.tree import read_bounded
from factory.system.git.client import Git
from factory.system.process.command import Command, Outcome
from factory.system.process.launch import run
from factory.system.process.stop import Stop
from factory.system.sandbox.levels.ownership import hand_over
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.port import Confinement, Terms
from factory.system.sandbox.visible import needed
from factory.system.terminal.console import visible

_SECONDS: Final = 120.0
_SHOWN: Final = 2_000
_LARGEST_OUTPUT: Final = 10_000_000


@contextmanager
def prepared(
    services: Services, git: Git, terms: Terms | None, own: Mapping[str, str], stop: Stop | None = None
) -> Iterator[Services]:
    """Within the block the services have the directories that are made once; afterwards these are gone.

    Args:
        services: the services.
        git: the user's repository, whose lock is held.
        terms: the sandbox of every command; None for none.
        own: the factory's own environment.
        stop: ends it when another thread asks for that.

    Raises:
        MachineProblem: a directory can't be prepared; with what the program printed.
        Stopped: `stop` asked for it.
    """
    if all(service.ordered.template or not service.once for service in services.all):
        yield services
        return
    with scratch_directory(git) as scratch:
        made = tuple(
            _prepared(service, scratch / service.ordered.name, terms, own, stop) if service.once else service
            for service in services.all
        )
        yield Services(made)


def _prepared(
    service: Resolved, place: Path, terms: Terms | None, own: Mapping[str, str], stop: Stop | None
) -> Resolved:
    place.mkdir()
    root, home, temporary, shared, data = places = [
        place / name for name in ("root", "home", "tmp", "shared", "data")
    ]
    for folder in places:
        folder.mkdir()
    target = data / service.ordered.name
    environment = {
        "PATH": os.defpath,
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
    confined = None
    if terms is not None:
        policy = Policy(
            root,
            home,
            temporary,
            shared,
            data=data,
            visible=(*needed(environment, own), *service.visible),
            resources=terms.resources,
        )
        owner = terms.sandbox.owner_of(root)
        if owner is not None:
            hand_over([root, data], owner)
        confined = Confinement(terms.sandbox, policy, terms.groups)
    words = tuple(word.replace("{data}", str(target)) for word in service.ordered.prepare)
    output = place / "output"
    outcome = run(Command(words, root, environment, _SECONDS, output, stop=stop, confined=confined))
    if not outcome.ok:
        said = read_bounded(output, max_bytes=_LARGEST_OUTPUT).decode("utf-8", "replace").strip()
        raise MachineProblem(
            f"the service {service.ordered.name} can't be prepared: {words[0]} {_ending(outcome)}",
            where=service.ordered.name,
            hint=f"it said: {visible(said[-_SHOWN:])}" if said else "try the program by hand",
        )
    _open_to_all(target)
    # It has served: what follows uses a copy.
    return replace(service, ordered=replace(service.ordered, template=str(target), prepare=()))


def _ending(outcome: Outcome) -> str:
    if outcome.sandbox_failed is not None:
        return f"found no sandbox: {outcome.sandbox_failed}"
    if outcome.timed_out:
        return f"did not end within {_SECONDS:g} s"
    if outcome.killed is not None:
        return f"reached a limit: {outcome.killed}"
    return outcome.not_started or f"returned {outcome.exit_code}"


def _open_to_all(folder: Path) -> None:
    """Let whoever commands run as copy it."""
    for place, _, names in os.walk(folder):
        _open(Path(place))
        for name in names:
            _open(Path(place, name))


def _open(path: Path) -> None:
    if not path.is_symlink():
        path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
