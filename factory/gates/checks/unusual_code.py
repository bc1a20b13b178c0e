"""Points a person to written code that ends processes or changes its judge; fails nothing."""

from dataclasses import dataclass

from factory.contract.limits import MAX_SOURCE_BYTES
from factory.gates.check import CheckContext, CheckResult
from factory.languages.table import language_of
from factory.system.files.tree import FileProblem
from factory.system.terminal.console import visible

_NAMED = 10
"""How many places a note names."""


@dataclass(frozen=True)
class UnusualCode:
    """The files that the work order may write, read as their languages are."""

    name = "unusual code"

    def run(self, context: CheckContext) -> CheckResult:
        places: list[str] = []
        for path in context.writable:
            language = language_of(path)
            if language is None:
                continue
            try:
                file = context.tree.read(path, max_bytes=MAX_SOURCE_BYTES)
            except FileProblem:
                continue
            if file is not None:
                found = language.conspicuous(path, file.data)
                places += [f"{visible(path)}:{line} {visible(why)}" for line, why in found]
        more = f"; and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
        return CheckResult(name=self.name, gates=False, note="; ".join(places[:_NAMED]) + more)
