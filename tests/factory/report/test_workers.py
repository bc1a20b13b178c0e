"""Which workers ran which trials, read from the record of a run and told in a line."""

from pathlib import Path

from factory.report.show import show_run
from factory.report.status import Beside, render_status
from factory.report.workers import WorkersTrial, render_shares, render_trial, trials_of
from factory.runs.record.events import EVENTS_FILE, EventLog
from factory.system.clock import SystemClock
from tests.factory.report.test_status import NOTHING
from tests.support.build_states import a_state, an_attempt, an_order
from tests.support.recorded_builds import write_build


def a_trial(worker: str, trial: str = "examine", **more: object) -> WorkersTrial:
    values = {"trial": trial, "worker": worker, "waited_seconds": 0.25, "seconds": 5.0, **more}
    return WorkersTrial.model_validate(values)


def test_trials_of_the_latest_start_and_those_it_remembers_are_read_and_what_ran_here_is_none(
    tmp_path: Path,
) -> None:
    log = EventLog(tmp_path / EVENTS_FILE, SystemClock())
    log.append("run_started")
    log.append("tried", name="g", **a_trial("gone").model_dump(mode="json"))
    log.append("tried", name="p", **a_trial("before", "probe").model_dump(mode="json"))
    log.append("run_started")
    for _ in range(2):
        log.append("tried", trial="probe", name="p", remembered=True)
    log.append("tried", name="n", **a_trial("left", failed_on=["right"]).model_dump(mode="json"))
    log.append("tried", trial="examine", name="n", remembered=True)
    log.append("tried", trial="examine", worker=7)
    log.append("examined", worker="none")

    assert trials_of(tmp_path) == (a_trial("before", "probe"), a_trial("left", failed_on=["right"]))
    assert trials_of(tmp_path / "nowhere") == ()


def test_a_line_names_the_worker_and_can_do_nothing() -> None:
    hostile = a_trial("le\x1b[2Jft\n", failed_on=["right"])

    line = render_trial(hostile)

    assert line == "examine on le\\x1b[2Jft, waited 0.2 s, took 5.0 s; could not be run on right"
    assert render_shares([a_trial("b"), a_trial("a"), a_trial("b", "probe")]) == (
        "a 1 trial, waited 0.2 s; b 2 trials, waited 0.5 s"
    )
    assert render_shares([]) == ""


def test_status_names_workers_where_there_were_some() -> None:
    state = a_state(an_order(1, attempts=(an_attempt(1),)))
    (run,) = state.orders[0].runs
    beside = Beside(NOTHING.others, NOTHING.unanswered, {run.run_id: (a_trial("left"),)})

    assert render_status(state, beside, running=True).endswith("\nworkers left 1 trial, waited 0.2 s")
    each = render_status(state, beside, running=True, attempts=True)
    assert "\n         examine on left, waited 0.2 s, took 5.0 s\n" in each
    assert "workers" not in render_status(state, NOTHING, running=True)


def test_show_tells_them(tmp_path: Path) -> None:
    write_build(tmp_path / "out", tmp_path)
    folder = tmp_path / "out" / "run1"
    assert "workers" not in show_run(folder)
    EventLog(folder / EVENTS_FILE, SystemClock()).append("tried", **a_trial("left").model_dump(mode="json"))

    assert "\ntrials on workers\n  examine on left, waited 0.2 s, took 5.0 s\n" in show_run(folder)
