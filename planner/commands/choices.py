"""What the user may leave open: what the repository's configuration says then, or what suits the plan."""

from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.llm.adapters.replay import REPLAY, answered_by
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
    recording = _recording(llm)
    model = llm if recording is None else answered_by(recording, "plan")
    return suited(model, None if spec is None else len(spec.encode("utf-8", "surrogatepass")))


def is_reviewed(option: bool | None, llm: str, sources: Sources) -> bool:
    """Whether a second opinion on the plan is asked for.

    Args:
        option: what `--review` or `--no-review` says; None if neither is given.
        llm: what `--llm` says. A recording is asked if it holds a second opinion.
        sources: the repository, whose configuration may say that none is.

    Raises:
        WorkorderError: the configuration says neither yes nor no, or the recording can't be read.
    """
    if option is not None:
        return option
    value = _table(sources).get("review", True)
    if not isinstance(value, bool):
        raise WorkorderError("must be true or false", where=f"{_FILE}: planner.review")
    recording = _recording(llm)
    return value and (recording is None or bool(answered_by(recording, "review")))


def _recording(llm: str) -> Path | None:
    return Path(llm.removeprefix(REPLAY)) if llm.startswith(REPLAY) else None


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
