"""The check of written manifests: a proposal declares no package that is not there, and writes no lock."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from packaging.utils import canonicalize_name

from factory.attempt.failure import Failure, Stage
from factory.contract.packages.names import LOCK_NAMES, is_node_range, parse_requirement
from factory.contract.repo_path import RepoPath
from factory.environments.environment import Environment, Package
from factory.gates.check import CheckContext, CheckResult
from factory.gates.packages.manifests import MAX_MANIFEST_BYTES, declared, ecosystem_of
from factory.system.files.tree import FileProblem
from factory.system.terminal.console import listed, visible

_SHOWN: Final = 12
_RUNNER: Final = "pytest"


@dataclass(frozen=True)
class Manifests:
    """No written manifest declares a package, or another version of one, that the environment does not have.

    Attributes:
        environment: the packages that are there.
    """

    environment: Environment
    name = "manifests"

    def run(self, context: CheckContext) -> CheckResult:
        for path in context.writable:
            failure = self._failure(path, context)
            if failure is not None:
                return CheckResult(name=self.name, failure=failure)
        return CheckResult(name=self.name)

    def _failure(self, path: RepoPath, context: CheckContext) -> Failure | None:
        name = path.rpartition("/")[2]
        if path not in context.landing or (name not in LOCK_NAMES and ecosystem_of(path) is None):
            return None
        before = context.before(path)
        try:
            file = context.tree.read(path, max_bytes=MAX_MANIFEST_BYTES)
        except FileProblem as error:
            return _refused(path, f"{error.message}, so it can't be judged", "leave it as it is")
        if file is None or file.data == before:
            return None
        if name in LOCK_NAMES:
            return _refused(
                path,
                "is a lock, which only its tool writes",
                "take it out of the proposal, or leave it as it is",
            )
        text = file.data.decode("utf-8", "replace")
        old = declared(path, before.decode("utf-8", "replace")) if before is not None else {}
        for package, words in declared(path, text).items():
            for wanted in sorted(words - old.get(package, frozenset())):
                reason = self._problem(path, package, wanted)
                if reason:
                    return _refused(
                        path,
                        f"declares `{visible(package[:100])}` ({visible(wanted[:100])}): {reason}",
                        f"declare {self._declarable(path)}; only a plan or a person can add a package",
                    )
        return None

    def _problem(self, path: RepoPath, package: str, wanted: str) -> str:
        """Why a manifest may not say this of a package; empty if it may."""
        ecosystem = ecosystem_of(path)
        if _is_local(ecosystem, wanted):
            return ""
        known = {other.name: other for other in self._packages(path)}
        there = known.get(package)
        if there is None:
            return "" if ecosystem == "python" and package == _RUNNER else "that is no declared package"
        match ecosystem:
            case "python":
                return _python_problem(wanted, there)
            case "node":
                _, _, text = wanted.partition(" ")
                plain = is_node_range(text.strip('"'))
                return "" if plain else "that names a place, or more than versions"
            case "go":
                same = wanted == there.version or wanted == f"v{there.version}"
                return "" if same else f"the version that is there is {there.version}"
            case _:
                is_elsewhere = any(f'"{key}"' in wanted for key in ("git", "path", "registry"))
                return "that names a place" if is_elsewhere or wanted.startswith("patch ") else ""

    def _packages(self, path: RepoPath) -> Iterator[Package]:
        ecosystem = ecosystem_of(path)
        return (p for p in self.environment.packages if p.ecosystem == ecosystem and p.is_direct)

    def _declarable(self, path: RepoPath) -> str:
        names: Collection[str] = [other.name for other in self._packages(path)]
        return f"only {listed(sorted(names)[:_SHOWN])}" if names else "none"


def _python_problem(wanted: str, there: Package) -> str:
    try:
        requirement = parse_requirement(wanted)
    except ValueError as error:
        return str(error)
    if canonicalize_name(requirement.name) != there.name or requirement.specifier.contains(
        there.version, prereleases=True
    ):
        return ""
    return f"the version that is there is {there.version}"


def _is_local(ecosystem: str | None, wanted: str) -> bool:
    """Whether a manifest speaks of another package of the same repository."""
    match ecosystem:
        case "node":
            return '"workspace:' in wanted
        case "go":
            return wanted.startswith(("replace ./", "replace ../"))
        case "rust":
            return '"path"' in wanted and not any(f'"{key}"' in wanted for key in ("git", "registry"))
    return False


def _refused(path: RepoPath, message: str, hint: str) -> Failure:
    return Failure.model_defect(Stage.VERIFY_FAILED, f"`{path}` {message}", where=path, hint=hint)
