"""What a source may import beside the standard library: declared packages, the repository's own modules."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.environments.environment import Environment
from factory.gates.check import CheckContext
from factory.gates.packages.manifests import MAX_MANIFEST_BYTES, declared, own_name
from factory.gates.packages.python_modules import declared_needing, modules_of
from factory.languages.port import Language
from factory.system.files.tree import FileProblem, read_bounded

_MANIFESTS: Final[Mapping[str, str]] = {"typescript": "package.json", "go": "go.mod", "rust": "Cargo.toml"}
_MOST_MANIFESTS: Final = 200
_SHOWN: Final = 3
_RUNNER: Final = "pytest"
"""What runs Python's tests is there in every environment."""


@dataclass(frozen=True)
class Offer:
    """What a source may import.

    Attributes:
        names: the declared packages, as sources name them.
        covers: whether a name belongs to a declared package.
        is_own: whether a name is the repository's own.
        transitive: the packages that are only there because others need them, by the names of their modules.
        needing: the declared packages that need such a package, as far as that is known.
    """

    names: tuple[str, ...]
    covers: Callable[[str], bool]
    is_own: Callable[[str], bool]
    transitive: Mapping[str, str]
    needing: Callable[[str], tuple[str, ...]] = lambda _package: ()

    def allows(self, name: str) -> bool:
        """Whether a source may import this."""
        return self.covers(name) or self.is_own(name)

    def reason(self, name: str) -> str:
        """Why it may not."""
        package = self.transitive.get(name)
        if package == _RUNNER:
            return f"{package} is there for tests alone"
        if package is not None:
            needing = " and ".join(self.needing(package)[:_SHOWN]) or "another"
            verb = "need" if " and " in needing else "needs"
            return f"the package {package} is not declared, it is only there because {needing} {verb} it"
        return "that is no declared package"


def offer_for(language: Language, path: RepoPath, environment: Environment, context: CheckContext) -> Offer:
    """What a source of a language may import.

    Args:
        language: its language.
        path: its path.
        environment: the packages that are there.
        context: the files of the repository.
    """
    if language.key == "python":
        return _of_python(language, path, environment, context)
    manifest = _MANIFESTS.get(language.key, "")
    ecosystem = {"typescript": "node"}.get(language.key, language.key)
    named = {p.name for p in environment.packages if p.ecosystem == ecosystem and p.is_direct}
    own = set()
    for place in _manifests(manifest, path, context):
        text = _text(place, context)
        named.update(declared(place, text))
        own.add(own_name(place, text))
    if language.key == "rust":
        named, own = ({name.replace("-", "_") for name in names} for names in (named, own))
    own.discard("")
    is_prefix = language.key == "go"
    modules = cache(lambda: _own_modules(language, context))

    def is_among(name: str, names: set[str]) -> bool:
        return name in names or (is_prefix and any(name.startswith(f"{other}/") for other in names))

    return Offer(
        names=tuple(sorted(named)),
        covers=lambda name: is_among(name, named),
        is_own=lambda name: is_among(name, own) or (not is_prefix and name in modules()),
        transitive={
            p.name: p.name for p in environment.packages if p.ecosystem == ecosystem and not p.is_direct
        },
        needing=lambda name: _of_node_needing(name, environment) if ecosystem == "node" else (),
    )


def _of_python(language: Language, path: RepoPath, environment: Environment, context: CheckContext) -> Offer:
    direct = {p.name for p in environment.packages if p.ecosystem == "python" and p.is_direct}
    if language.is_test(path) or path.rpartition("/")[2] == "conftest.py":
        direct.add(_RUNNER)
    modules = modules_of(environment)
    own = cache(lambda: _own_modules(language, context))
    offered = {module for name in direct for module in modules.get(name, ())}
    others = {
        module: name for name, brought in sorted(modules.items()) for module in brought if name not in direct
    }
    return Offer(
        names=tuple(sorted({shown for name in direct for shown in _shown(name, modules)})),
        covers=offered.__contains__,
        is_own=lambda name: name in own(),
        transitive=others,
        needing=lambda name: declared_needing(name, environment),
    )


def _shown(package: str, modules: Mapping[str, frozenset[str]]) -> Iterable[str]:
    """The modules of a package that a person would name: that of its own name, else all."""
    brought = modules.get(package, frozenset())
    own = package.replace("-", "_")
    return [own] if own in brought else [module for module in brought if not module.startswith("_")]


def _of_node_needing(name: str, environment: Environment) -> tuple[str, ...]:
    """The declared npm packages that need another one by themselves."""
    modules = environment.node_modules
    declared_ = [p.name for p in environment.packages if p.ecosystem == "node" and p.is_direct]
    needing = []
    for package in sorted(declared_) if modules is not None else ():
        assert modules is not None
        try:
            data = read_bounded(modules / package / "package.json", max_bytes=MAX_MANIFEST_BYTES)
        except (FileProblem, OSError):
            continue
        wanted = declared("package.json", data.decode("utf-8", "replace")).get(name, frozenset())
        if any(not words.startswith("devDependencies") for words in wanted):
            needing.append(package)
    return tuple(needing)


def _own_modules(language: Language, context: CheckContext) -> frozenset[str]:
    """The names of the directories and sources of the repository, from wherever they are imported."""
    names: set[str] = set()
    for path in context.landing:
        *folders, file = path.split("/")
        names.update(folders)
        stem, dot, ending = file.rpartition(".")
        if f"{dot}{ending}" in language.suffixes:
            names.add(stem)
    return frozenset(names)


def _manifests(name: str, path: RepoPath, context: CheckContext) -> list[RepoPath]:
    """The manifests of a name: those of the directories above a file, then the others."""
    places = [other for other in context.landing if other == name or other.endswith(f"/{name}")]
    places.sort(key=lambda other: (not path.startswith(other.removesuffix(name)), other))
    return [RepoPath.parse(place) for place in places[:_MOST_MANIFESTS]]


def _text(path: RepoPath, context: CheckContext) -> str:
    try:
        file = context.tree.read(path, max_bytes=MAX_MANIFEST_BYTES)
    except (FileProblem, WorkorderError):
        return ""
    return file.data.decode("utf-8", "replace") if file is not None else ""
