"""Which grain a plan gets: what the user says, else the repository, else what suits it."""

from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.llm.adapters.replay import REPLAY, planned_by
from factory.plans.states.projects import configured
from factory.plans.states.sources import Sources
from planner.prompt.grain import ChosenGrain, Grain, suited

AUTO: Final = "auto"
_FILE: Final = "workorder.toml"


def chosen_grain(option: str | None, llm: str, spec: str | None, sources: Sources) -> ChosenGrain:
    """The grain, and why it is this one.

    Args:
        option: what `--grain` says; None if it is not given.
        llm: what `--llm` says. Of a recording, who planned it counts: it was asked with that grain.
        spec: the specification's text, if it is known.
        sources: the repository, whose configuration may name a grain.

    Raises:
        WorkorderError: the configuration names a grain that there is none of, or the recording can't be read.
    """
    asked = option if option is not None else _configured(sources)
    if asked in set(Grain):
        return ChosenGrain(Grain(asked), "--grain" if option is not None else _FILE)
    model = planned_by(Path(llm.removeprefix(REPLAY))) if llm.startswith(REPLAY) else llm
    return suited(model, None if spec is None else len(spec.encode("utf-8", "surrogatepass")))


def _configured(sources: Sources) -> str:
    try:
        table = configured(sources.files, sources.read, "planner")
    except (ValueError, RecursionError):
        # Of the whole file the factory tells before it builds.
        return AUTO
    value = table.get("grain", AUTO) if isinstance(table, dict) else AUTO
    if value not in {AUTO, *Grain}:
        raise WorkorderError(
            f"there is no grain {value!r}",
            where=f"{_FILE}: planner.grain",
            hint=f"one of auto, {', '.join(Grain)}",
        )
    return str(value)
