"""The check of what written sources import: the standard library, the repository's own, declared packages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from factory.attempt.failure import Failure, Stage
from factory.configuration.document import OWN_FILE
from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.repo_path import RepoPath
from factory.environments.environment import Environment
from factory.gates.check import CheckContext, CheckResult
from factory.gates.packages.offered import Offer, offer_for
from factory.languages.port import Language
from factory.languages.table import language_of
from factory.system.files.tree import FileProblem
from factory.system.terminal.console import visible

_SHOWN: Final = 50
_HOW: Final = (
    f"`requires_packages` of the work order, `[environment]` in {OWN_FILE}, or the repository's own manifest,"
    " such as pyproject.toml"
)
_IMPORTING: Final = re.compile(r"\b(?:__import__|crate|export|from|import|import_module|mod|require|use)\b")


@dataclass(frozen=True)
class Imports:
    """No written source begins to import what is not declared.

    What a file imported before the work order is none of its business.

    Attributes:
        environment: the packages that are there.
    """

    environment: Environment
    name = "imports"

    def run(self, context: CheckContext) -> CheckResult:
        for path in context.writable:
            language = language_of(path)
            if language is None or path not in context.landing:
                continue
            failure = next(self._undeclared(path, language, context), None)
            if failure is not None:
                return CheckResult(name=self.name, failure=failure)
        return CheckResult(name=self.name)

    def _undeclared(self, path: RepoPath, language: Language, context: CheckContext) -> Iterator[Failure]:
        try:
            file = context.tree.read(path, max_bytes=MAX_SOURCE_BYTES)
        except FileProblem:
            return
        imported = language.imports(path, file.data) if file is not None else None
        if file is None or not imported:
            return
        offer = offer_for(language, path, self.environment, context)
        refused = {package for package in imported if not offer.allows(package)}
        # Asked only now: nearly always there is nothing to refuse.
        before = context.before(path) if refused else None
        known = language.imports(path, before) if before is not None else None
        for package in sorted(refused - (known or frozenset())):
            yield _failure(path, _line(package, file.data), package, offer)


def _failure(path: RepoPath, line: int, package: str, offer: Offer) -> Failure:
    shown = visible(package[:100])
    allowed = ", ".join(visible(name[:100]) for name in offer.names[:_SHOWN]) or "no package"
    more = f" and {len(offer.names) - _SHOWN} more" if len(offer.names) > _SHOWN else ""
    return Failure.model_defect(
        Stage.VERIFY_FAILED,
        f"`{path}` imports `{shown}` in line {line}: {offer.reason(package)}. It may import the standard"
        f" library, the repository's own modules, and {allowed}{more}",
        where=path,
        hint=f"do without it: only a plan or a person can add a package ({_HOW})",
    )


def _line(package: str, data: bytes) -> int:
    """The first line that imports a package, as far as its words tell; else the first that names it."""
    sought = re.compile(rf"(?<![\w.]){re.escape(package)}(?!\w)")
    lines = data.decode("utf-8", "replace").splitlines()
    naming = [number for number, line in enumerate(lines, start=1) if sought.search(line)]
    importing = [number for number in naming if _IMPORTING.search(lines[number - 1])]
    return next(iter([*importing, *naming]), 1)
