"""Finds the programs of declared services, and refuses what can't run here, before anything is paid."""

import os
import shlex
import shutil
import signal
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from factory.contract.errors import Fault, MachineProblem, WorkorderError
from factory.contract.services.declared import Service, contradictions
from factory.services.presets import RECIPES, Recipe
from factory.services.resolved import NO_SERVICES, Ordered, Resolved, Services
from factory.system.process.capture import capture
from factory.system.process.environment import searched_places
from factory.system.sandbox.port import SandboxRefused, Terms
from factory.system.sandbox.visible import SYSTEM

_FIRST_PORT: Final = 15_432
_VERSION_SECONDS: Final = 20.0
_PARTS: Final = ("bin", "lib", "lib64", "libexec", "share")


class ContradictedService(WorkorderError):
    """A plan says of a service what the repository's configuration says otherwise."""

    fault = Fault.PLAN_DEFECT


def resolve(
    configured: Sequence[Service], planned: Sequence[Service], terms: Terms | None, own: Mapping[str, str]
) -> Services:
    """The services that commands get; what the repository configures comes before what a plan declares.

    Args:
        configured: those of the repository's configuration.
        planned: those of the plan; one with the name of a configured one is that one.
        terms: the sandbox of every command; None for none.
        own: the factory's own environment.

    Raises:
        SandboxRefused: the sandbox gives commands no loopback, or the service can't run as who commands are.
        MachineProblem: a program is not installed.
        ContradictedService: the plan and the configuration don't agree on a service.
    """
    for number, problem in contradictions(planned, configured):
        raise ContradictedService(
            problem,
            where=f"/services/{number}",
            hint="take the service out of the plan, or say the same in both; after a change by hand"
            " `planner sync`",
        )
    names = {service.called for service in configured}
    declared = [
        *((service, False) for service in configured),
        *((service, True) for service in planned if service.called not in names),
    ]
    if not declared:
        return NO_SERVICES
    _require_loopback(terms, declared[0][0].called)
    # On the machine's own loopback, whatever port we chose might be in use.
    is_own = terms is not None and terms.sandbox.level != "none" and terms.network == "none"
    taken: set[int] = set()
    resolved = []
    for service, is_planned in declared:
        wanted = RECIPES[service.preset].port if service.preset is not None else _FIRST_PORT
        port = next(number for number in range(wanted, wanted + len(declared)) if number not in taken)
        taken.add(port)
        resolved.append(_resolved(service, port if is_own else 0, is_planned, terms, own))
    return Services(tuple(resolved))


def installed_programs(preset: Recipe, own: Mapping[str, str]) -> dict[str, str] | None:
    """Where the programs of a preset are; None if one is missing.

    Args:
        preset: the preset.
        own: the factory's own environment.
    """
    folders = [*searched_places({"PATH": own.get("PATH", os.defpath)})]
    for pattern in preset.places:
        # The newest version has the largest number.
        found = map(str, Path("/").glob(pattern.removeprefix("/")))
        folders += sorted(found, key=_numbers, reverse=True)
    server = shutil.which(preset.programs[0], path=os.pathsep.join(folders))
    if server is None:
        return None
    # The others belong to the same version.
    beside = str(Path(server).resolve().parent)
    programs = {name: shutil.which(name, path=beside) or "" for name in preset.programs}
    return programs if all(programs.values()) else None


def program_version(program: str) -> str:
    """What a program says of its version, its first line; empty if it says nothing."""
    try:
        said = capture([program, "--version"], cwd=None, env={"PATH": os.defpath}, seconds=_VERSION_SECONDS)
    except OSError:
        return ""
    lines = said.stdout.decode("utf-8", "replace").splitlines()
    return lines[0].strip()[:200] if said.ok and lines else ""


def _require_loopback(terms: Terms | None, name: str) -> None:
    if terms is not None and terms.sandbox.level == "landlock":
        raise SandboxRefused(
            f"the service {name} can't run in the sandbox landlock, which gives commands no loopback of"
            " their own",
            where="--sandbox",
            hint="use bubblewrap: `factory doctor` tells what it needs here",
        )


def _resolved(
    service: Service, port: int, planned: bool, terms: Terms | None, own: Mapping[str, str]
) -> Resolved:
    if service.preset is not None:
        return _of_preset(service, RECIPES[service.preset], port, planned, terms, own)
    ordered = Ordered(
        name=service.called,
        command=_words(service.command),
        prepare=_words(service.prepare),
        template="",
        port=port,
        ready_log=service.ready_log or "",
        ready_command=_words(service.ready_command),
        ready_seconds=service.ready_timeout_seconds,
        set=service.set,
        stop_signal=int(signal.SIGTERM),
    )
    return Resolved(ordered, planned=planned)


def _of_preset(
    service: Service, recipe: Recipe, port: int, planned: bool, terms: Terms | None, own: Mapping[str, str]
) -> Resolved:
    programs = installed_programs(recipe, own)
    if programs is None:
        raise MachineProblem(
            f"the service {service.called} needs {' and '.join(recipe.programs)}, which this machine does not"
            " have",
            where=f"services: {service.preset}",
            hint=f"install it, such as with `apt-get install {recipe.packages}`, or put its programs on PATH",
        )
    if not recipe.as_root and os.geteuid() == 0 and (terms is None or terms.sandbox.level == "none"):
        raise SandboxRefused(
            f"the service {service.called} does not run as root, which commands are without a sandbox",
            where="--sandbox none",
            hint="run as an ordinary user, or in a sandbox",
        )
    ordered = Ordered(
        name=service.called,
        command=(programs[recipe.command[0]], *recipe.command[1:]),
        prepare=(programs[recipe.prepare[0]], *recipe.prepare[1:]) if recipe.prepare else (),
        template="",
        port=port,
        ready_log=recipe.ready_log,
        ready_command=(),
        ready_seconds=service.ready_timeout_seconds,
        set=service.variables,
        stop_signal=int(recipe.stop_signal),
        stale=recipe.stale,
    )
    return Resolved(
        ordered,
        preset=str(service.preset),
        planned=planned,
        version=program_version(programs[recipe.programs[0]]),
        once=bool(recipe.prepare),
        visible=_visible(programs.values()),
    )


def _visible(programs: Iterable[str]) -> tuple[Path, ...]:
    """What programs were installed with, where the sandbox does not show it already; no data beside it."""
    prefixes = {Path(program).resolve().parent.parent for program in programs}
    places = (
        prefix / part
        for prefix in sorted(prefixes)
        for part in _PARTS
        if not any(prefix.is_relative_to(system) for system in SYSTEM)
    )
    return tuple(place for place in places if place.is_dir())


def _words(command: str | None) -> tuple[str, ...]:
    return tuple(shlex.split(command)) if command else ()


def _numbers(place: str) -> list[int]:
    return [int(digits) for digits in "".join(c if c.isdigit() else " " for c in place).split()]
