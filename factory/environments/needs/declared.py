"""What a configuration and a plan declare together, and where the files of a commit come from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from factory.configuration.document import OWN_FILE, ConfiguredEnvironment
from factory.contract.errors import Fault, WorkorderError
from factory.contract.packages.names import normalised_name, parse_requirement
from factory.contract.packages.planned import PlannedEnvironment

THE_PLAN: Final = "the plan's environment"
"""The place of what a plan declares."""

MAX_FILE_BYTES: Final = 20_000_000
"""The largest file of a repository that says which packages it needs, in bytes."""


class BadPackages(WorkorderError):
    """What the repository or its configuration says of packages can't be used, or not together."""


class BadPlannedPackages(BadPackages):
    """What the plan says of packages can't be used."""

    fault = Fault.PLAN_DEFECT


@dataclass(frozen=True)
class CommitFiles:
    """The files of a commit.

    Attributes:
        names: their paths.
        read: the bytes of one; None if there is none.
    """

    names: frozenset[str]
    read: Callable[[str], bytes | None]

    def text(self, path: str) -> str | None:
        """The text of a file; None if there is none.

        Raises:
            BadPackages: it is no UTF-8.
        """
        data = self.read(path) if path in self.names else None
        try:
            return None if data is None else data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadPackages("is not UTF-8", where=path) from error


@dataclass(frozen=True)
class Declared:
    """The packages that are declared beside those of the repository's own files.

    Attributes:
        python: Python packages, as PEP 508 writes them, by where each is declared.
        python_version: the version of Python; None where nobody says.
        node: the wanted versions of npm packages.
        node_dev: the names of those of them that are for development only.
        node_places: where each of these is declared.
        allow_build: packages that may be built.
    """

    python: Mapping[str, str] = field(default_factory=dict)
    python_version: str | None = None
    node: Mapping[str, str] = field(default_factory=dict)
    node_dev: frozenset[str] = frozenset()
    node_places: Mapping[str, str] = field(default_factory=dict)
    allow_build: frozenset[str] = frozenset()

    @property
    def planned_python(self) -> tuple[str, ...]:
        """The names of the Python packages that the plan declares."""
        return tuple(_name_of(text) for text, place in self.python.items() if place == THE_PLAN)

    @property
    def all_python(self) -> tuple[str, ...]:
        """The names of the Python packages that are declared, those of the plan first."""
        return tuple(dict.fromkeys((*self.planned_python, *map(_name_of, self.python))))

    def error(self, message: str, package: str, hint: str, otherwise: str = "") -> BadPackages:
        """A package that can't be had, as a fault of who declared it; `otherwise` is where, if nobody did."""
        places = {_name_of(text): place for text, place in self.python.items()}
        place = places.get(package) or self.node_places.get(package) or otherwise
        kind = BadPlannedPackages if place == THE_PLAN else BadPackages
        return kind(message, where=place, hint=hint)


def declared(configured: ConfiguredEnvironment, planned: PlannedEnvironment | None) -> Declared:
    """What both declare; where they differ, in a version or in what a package is for, the configuration does.

    Args:
        configured: the repository's own configuration.
        planned: the plan's; None if it names no packages.
    """
    plan = planned or PlannedEnvironment()
    planned_node, configured_node = plan.node | plan.node_dev, configured.node | configured.node_dev
    return Declared(
        python=dict.fromkeys(plan.python, THE_PLAN) | dict.fromkeys(configured.python, OWN_FILE),
        python_version=configured.python_version or plan.python_version,
        node=planned_node | configured_node,
        node_dev=frozenset({*configured.node_dev, *plan.node_dev} - configured.node.keys()),
        node_places=dict.fromkeys(planned_node, THE_PLAN) | dict.fromkeys(configured_node, OWN_FILE),
        allow_build=frozenset(configured.allow_build),
    )


def not_locked(packages: str, lock: str) -> BadPackages:
    """What is said where an environment is asked for before its packages are locked.

    Args:
        packages: what they are called, such as `the crates of Rust`.
        lock: the file that would hold them.
    """
    return BadPackages(
        f"{packages} are not locked", where=lock, hint="`factory run` and `factory build` lock them first"
    )


def _name_of(text: str) -> str:
    return normalised_name(parse_requirement(text).name)
