"""Which worker of an engine ran each trial, and how long that waited, as `events.jsonl` of a run tells.

Where trials ran in the build itself there is nothing to tell.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from factory.report.figures import in_one_line
from factory.runs.record.events import EVENTS_FILE, latest_events


class WorkersTrial(BaseModel):
    """A trial that a worker ran.

    Attributes:
        trial: what was asked: `probe`, `examine`, `repeat`, `mutant` or `trace`.
        worker: what it calls itself.
        waited_seconds: how long it waited before, with what was sent.
        seconds: how long it took.
        failed_on: the workers that could not run it.
    """

    model_config = ConfigDict(frozen=True)

    trial: str
    worker: str
    waited_seconds: float
    seconds: float
    failed_on: tuple[str, ...] = ()


def trials_of(folder: Path) -> tuple[WorkersTrial, ...]:
    """The trials of a run that workers ran, in order; of a very long record the last ones.

    Args:
        folder: the run's; nothing comes from what is none.
    """
    trials: list[WorkersTrial] = []
    known: dict[object, WorkersTrial] = {}
    for event in latest_events(folder / EVENTS_FILE):
        name = event.get("name")
        if event.get("event") == "run_started":
            # The attempts of an earlier start are gone; of its trials those count that are remembered.
            trials = []
        elif event.get("event") == "tried" and "worker" in event:
            with suppress(ValidationError):
                known[name] = WorkersTrial.model_validate(event)
                trials.append(known[name])
        elif event.get("event") == "tried" and name in known and known[name] not in trials:
            trials.append(known[name])
    return tuple(trials)


def render_trial(trial: WorkersTrial) -> str:
    """Such as `examine on left, waited 0.3 s, took 5.2 s`, in one line."""
    line = (
        f"{in_one_line(trial.trial)} on {in_one_line(trial.worker)},"
        f" waited {trial.waited_seconds:.1f} s, took {trial.seconds:.1f} s"
    )
    failed = ", ".join(map(in_one_line, trial.failed_on))
    return f"{line}; could not be run on {failed}" if failed else line


def render_shares(trials: Iterable[WorkersTrial]) -> str:
    """Such as `left 12 trials, waited 3.2 s; right …`, by their names; empty without any."""
    by_worker: dict[str, list[WorkersTrial]] = defaultdict(list)
    for trial in trials:
        by_worker[in_one_line(trial.worker)].append(trial)
    return "; ".join(f"{worker} {_share(found)}" for worker, found in sorted(by_worker.items()))


def _share(trials: Sequence[WorkersTrial]) -> str:
    number = "1 trial" if len(trials) == 1 else f"{len(trials)} trials"
    return f"{number}, waited {sum(trial.waited_seconds for trial in trials):.1f} s"
