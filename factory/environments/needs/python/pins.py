"""Packages of the index at exact versions, each with the hashes that its files may have."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from packaging.markers import UndefinedEnvironmentName
from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from factory.contract.packages.names import normalised_name
from factory.environments.needs.declared import BadPackages

HASH: Final = re.compile(r"sha(?:256:[0-9a-f]{64}|384:[0-9a-f]{96}|512:[0-9a-f]{128})")
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")

MarkerEnvironment = Mapping[str, str]
"""What markers such as `python_version < "3.12"` are compared with."""


@dataclass(frozen=True, order=True)
class Pin:
    """A package at a version.

    Attributes:
        name: its normalised name.
        version: its version.
        hashes: what its files may have, such as `sha256:…`, sorted.
    """

    name: str
    version: str
    hashes: tuple[str, ...]

    @classmethod
    def of(cls, name: str, version: str, hashes: Iterable[str], where: str) -> "Pin":
        """A pin out of the parts that a lock file has.

        Raises:
            BadPackages: a part is not what it should be, or there is no hash.
        """
        normal = normalised_name(name)
        kept = tuple(sorted(set(hashes)))
        try:
            Version(version)
        except InvalidVersion as error:
            raise BadPackages(f"`{normal[:80]}` has no version", where=where) from error
        if not _NAME.fullmatch(normal):
            raise BadPackages("holds what is no name of a package", where=where)
        if not kept or not all(map(HASH.fullmatch, kept)):
            raise BadPackages(
                f"{normal} {version} has no wheel with a hash",
                where=where,
                hint="only wheels are installed: lock a version that has one",
            )
        return cls(normal, version, kept)

    @property
    def line(self) -> str:
        """It as a line of a requirements file."""
        return f"{self.name}=={self.version} " + " ".join(f"--hash={value}" for value in self.hashes)


def applies(requirement: Requirement, environment: MarkerEnvironment) -> bool:
    """Whether a requirement counts in an environment; one that asks for an extra of its own does not."""
    if requirement.marker is None:
        return True
    try:
        return requirement.marker.evaluate({**environment, "extra": ""})
    except (UndefinedEnvironmentName, InvalidVersion):
        return False


def unmet(
    requirements: Iterable[Requirement], pins: Collection[Pin], environment: MarkerEnvironment
) -> Requirement | None:
    """The first requirement that pins don't fulfil; None if they fulfil all."""
    versions = {pin.name: Version(pin.version) for pin in pins}
    for requirement in requirements:
        if not applies(requirement, environment):
            continue
        version = versions.get(normalised_name(requirement.name))
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            return requirement
    return None
