"""What one ecosystem adds to an environment, and how parts become one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.repo_path import RepoPath
from factory.environments.environment import Environment, Package


@dataclass(frozen=True)
class Part:
    """What an ecosystem adds; the fields are those of `Environment`."""

    hash: str
    programs: tuple[Path, ...] = ()
    interpreters: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    visible: tuple[Path, ...] = ()
    node_modules: Path | None = None
    workspaces: Mapping[str, RepoPath] = field(default_factory=dict)
    packages: tuple[Package, ...] = ()


def joined(environment: Environment, parts: Iterable[Part]) -> Environment:
    """An environment with the parts of other ecosystems; its hash is then that of all of them."""
    for part in parts:
        environment = replace(
            environment,
            hash=sha256_hex(canonical_json([environment.hash, part.hash])),
            programs=(*environment.programs, *part.programs),
            interpreters=(*environment.interpreters, *part.interpreters),
            variables={**environment.variables, **part.variables},
            visible=(*environment.visible, *part.visible),
            node_modules=part.node_modules or environment.node_modules,
            workspaces={**environment.workspaces, **part.workspaces},
            packages=(*environment.packages, *part.packages),
        )
    return environment
