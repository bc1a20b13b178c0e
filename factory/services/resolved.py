"""The services of a run or a build, with their programs and ports: what the program around them is told."""

import marshal
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.strict_json import JsonValue


@dataclass(frozen=True)
class Ordered:
    """One service, as it is started. Words and values may hold `{port}` and `{data}`.

    Attributes:
        name: what it is called.
        command: what is started.
        prepare: what is executed before it where its directory is new; empty for nothing.
        template: the directory that a new one is a copy of; empty for an empty one.
        port: its port; 0 for one that is free.
        ready_log: what it prints when it is ready; empty if it is known otherwise.
        ready_command: what returns 0 when it is ready; empty if it is known otherwise.
        ready_seconds: how long it may take until then.
        set: the variables that commands see.
        stop_signal: what asks it to end.
        stale: files in its directory that only a running one may have left.
    """

    name: str
    command: tuple[str, ...]
    prepare: tuple[str, ...]
    template: str
    port: int
    ready_log: str
    ready_command: tuple[str, ...]
    ready_seconds: int
    set: Mapping[str, str]
    stop_signal: int
    stale: tuple[str, ...] = ()


@dataclass(frozen=True)
class Resolved:
    """One service with what is known of it here.

    Attributes:
        ordered: how it is started.
        preset: the preset that it is; empty for a command of its own.
        planned: whether a plan declares it, and not the repository's configuration.
        version: what its program says of its version; empty if nobody asked.
        once: whether its directory is prepared once for a run or a build, by a fixed command.
        visible: the places of its programs that the sandbox must show.
    """

    ordered: Ordered
    preset: str = ""
    planned: bool = False
    version: str = ""
    once: bool = False
    visible: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Services:
    """The services of a run or a build, in the order in which they start; none is no service."""

    all: tuple[Resolved, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all)

    @property
    def visible(self) -> tuple[Path, ...]:
        """The places that the sandbox must show: programs, and prepared directories."""
        templates = (Path(service.ordered.template) for service in self.all if service.ordered.template)
        return (*(place for service in self.all for place in service.visible), *templates)

    @property
    def identity(self) -> str:
        """SHA-256 of everything about them that decides a result; empty for none."""
        if not self.all:
            return ""
        facts: list[JsonValue] = [
            [
                repr(replace(service.ordered, template="", set=dict(sorted(service.ordered.set.items())))),
                service.version,
            ]
            for service in self.all
        ]
        return sha256_hex(canonical_json(facts))

    def orders(self, data: Path) -> str:
        """What the program around a command is told, in hexadecimal digits.

        Args:
            data: the directory that theirs are in.
        """
        told = [{**asdict(service.ordered), "data": str(data / service.ordered.name)} for service in self.all]
        return marshal.dumps(told).hex()

    def get(self, name: str) -> Resolved | None:
        """The service of this name."""
        return next((service for service in self.all if service.ordered.name == name), None)


NO_SERVICES: Final = Services()
