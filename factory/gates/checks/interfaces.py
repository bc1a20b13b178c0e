"""The check of the symbols that the work order promises: sources are read, before any command runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from factory.attempt.failure import Failure, Stage
from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.check import CheckContext, CheckResult
from factory.languages.port import Codebase, Place, Symbol
from factory.languages.python.language import PYTHON
from factory.languages.table import keeps, language_of_symbol, named_symbol
from factory.system.terminal.console import visible

_NAMED = 10
"""How many symbols a message names."""

_LONGEST = 400


@dataclass(frozen=True)
class Interfaces:
    """Every provided symbol is defined as promised; consumed ones in rewritten modules are still there."""

    name = "interfaces"

    def run(self, context: CheckContext) -> CheckResult:
        order = context.order
        if order is None:
            return CheckResult(name=self.name)
        provided = [named_symbol(text) for text in order.provides]
        consumed = [named_symbol(text) for text in order.consumes]
        changed = {symbol.address for symbol in provided}
        kept = [
            symbol for symbol in consumed if symbol.address not in changed and _is_written(symbol, context)
        ]
        broken = [(symbol, defined) for symbol, defined in _broken([*provided, *kept], context)]
        if not broken:
            return CheckResult(name=self.name)
        return CheckResult(name=self.name, failure=_failure(broken, order, context))


def _broken(promised: list[Symbol], context: CheckContext) -> Iterator[tuple[Symbol, str]]:
    """The symbols that are not as promised, each with what there is instead."""
    codebases: dict[str, Codebase] = {}
    for symbol in promised:
        language = language_of_symbol(symbol.address)
        if language.key not in codebases:
            seat = _seat(symbol, context)
            # What git ignores is not part of the result.
            codebases[language.key] = language.codebase(seat.landing, partial(_read, seat))
        place = _place(symbol, context)
        lookup = codebases[language.key].find(symbol, place.root if place is not None else "")
        if not any(keeps(definition, symbol) for definition in lookup.symbols):
            defined = " or ".join(f"`{definition.text}`" for definition in lookup.symbols)
            yield symbol, f"the file defines {defined}" if defined else lookup.problem


def _failure(broken: list[tuple[Symbol, str]], order: WorkOrder, context: CheckContext) -> Failure:
    beyond = [symbol for symbol, _ in broken if not _is_written(symbol, context)]
    parts = [
        f"promised is `{visible(symbol.text)}`, but {visible(defined)}" for symbol, defined in broken[:_NAMED]
    ]
    more = f"; and {len(broken) - _NAMED} more" if len(broken) > _NAMED else ""
    message = (
        "; ".join(part if len(part) <= _LONGEST else part[: _LONGEST - 1] + "…" for part in parts) + more
    )
    if beyond:
        return Failure.plan_defect(
            Stage.ACCEPTANCE_FAILED,
            message,
            where=beyond[0].address,
            hint="let the work order write the module of each symbol that it provides",
        )
    return Failure.model_defect(
        Stage.ACCEPTANCE_FAILED,
        message,
        where=broken[0][0].address,
        hint="define each symbol exactly as promised: other work orders call it like that",
    )


def _is_written(symbol: Symbol, context: CheckContext) -> bool:
    return _place(symbol, context) is not None


def _place(symbol: Symbol, context: CheckContext) -> Place | None:
    language, seat = language_of_symbol(symbol.address), _seat(symbol, context)
    return language.place(symbol, seat.writable, seat.landing.__contains__)


def _seat(symbol: Symbol, context: CheckContext) -> CheckContext:
    """Where a symbol is looked for: a module in the work order's project; a file is named from the root."""
    return context.of_order if language_of_symbol(symbol.address) is PYTHON else context


def _read(context: CheckContext, path: str) -> bytes | None:
    file = context.tree.read(RepoPath.parse(path), max_bytes=MAX_SOURCE_BYTES)
    return file.data if file is not None else None
