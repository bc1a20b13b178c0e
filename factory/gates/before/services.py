"""Tries the services on a baseline, around a command that does nothing, before anything is paid."""

from pathlib import Path
from typing import Final

from factory.contract.errors import Fault, MachineProblem, WorkorderError
from factory.gates.bench import Bench
from factory.system.terminal.console import visible

_NAME: Final = "services"
_NOTHING: Final = ("true",)


class BadService(WorkorderError):
    """A service that the plan declares, by a command of its own, does not get ready."""

    fault = Fault.PLAN_DEFECT


def require_services(bench: Bench, folder: Path) -> None:
    """Start the services as every command will find them.

    Args:
        bench: at a baseline, nothing changed; afterwards what they left in the checkout is gone.
        folder: gets their logs; made if it is missing.

    Raises:
        MachineProblem: one of the repository's configuration, or of a preset, does not get ready; or the
            sandbox can't be entered.
        BadService: one that the plan declares does not.
        Stopped: the bench's stop asked for it.
    """
    if not bench.services:
        return
    folder.mkdir(parents=True, exist_ok=True)
    bench.checkout.stage([])
    result = bench.baseline_context(folder, exempt=False).execute(_NAME, "the services", _NOTHING)
    bench.checkout.restore()
    unready = result.unready
    if unready is not None:
        said = visible(unready.excerpt).strip()
        blamed = BadService if unready.planned and unready.words else MachineProblem
        raise blamed(
            f"the service {unready.name} does not get ready: {unready.why}",
            where=str(folder / f"{_NAME}.{unready.name}.log.txt") if said else unready.name,
            hint=f"it said last: {said}" if said else "it printed nothing; start its command by hand",
        )
    if result.sandbox_failed is not None:
        raise MachineProblem(
            f"the sandbox for the services could not be entered: {result.sandbox_failed}",
            hint="`factory doctor` tells what is missing",
        )
    if result.changed:
        raise MachineProblem(
            f"the services change files of the repository: {', '.join(result.changed)}",
            hint="let them keep their files in {data}",
        )
