"""What the user may leave open: what the repository's configuration says then, or what suits the plan."""

from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
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


def is_reviewed(option: bool | None, sources: Sources) -> bool:
    """Whether a second opinion on the plan is asked for.

    Args:
        option: what `--review` or `--no-review` says; None if neither is given.
        sources: the repository, whose configuration may ask for it.

    Raises:
        WorkorderError: the configuration says neither yes nor no.
    """
    if option is not None:
        return option
    value = _table(sources).get("review", False)
    if not isinstance(value, bool):
        raise WorkorderError("must be true or false", where=f"{_FILE}: planner.review")
    return value


def _table(sources: Sources) -> JsonObject:
    try:
        table = configured(sources.files, sources.read, "planner")
    except (ValueError, RecursionError):
        # Of the whole file the factory tells before it builds.
        return {}
    return table if isinstance(table, dict) else {}


def _configured(sources: Sources) -> str:
    value = _table(sources).get("grain", AUTO)
    if value not in {AUTO, *Grain}:
        raise WorkorderError(
            f"there is no grain {value!r}",
            where=f"{_FILE}: planner.grain",
            hint=f"one of auto, {', '.join(Grain)}",
        )
    return str(value)
