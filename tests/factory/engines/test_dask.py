"""A build on workers in other processes: what lands is the same, and what fails there is named."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra workorder[dask] is not installed")

from factory.attempt.exit_codes import ExitCode
from factory.cli import main
from factory.contract.strict_json import JsonObject
from factory.engines.dask.cluster import Cluster
from factory.engines.dask.opened import opened
from factory.engines.dask.trials import DaskTrials, Patience
from factory.engines.name import EngineName, EngineProblem
from factory.llm.port import Request
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene
from tests.support.engines import Engine, an_engine
from tests.support.repositories import git, make_repo

APP = "def double(a):\n    return a * 2\n"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with an_engine(tmp_path_factory.mktemp("engine"), "left", "right") as engine:
        yield engine


@pytest.fixture
def trials(engine: Engine) -> Iterator[DaskTrials]:
    with opened(EngineName("file", str(engine.file)), insecure=False, progress=lambda _text: None) as found:
        yield DaskTrials(found.cluster, Patience(nobody_seconds=3.0, trial_seconds=60.0))


def reply(order_id: str, attempt: int, _request: Request) -> str:
    name = order_id.lower().replace("-", "_")
    # The second work order needs a second attempt.
    is_wrong = order_id == "WO-02" and attempt == 1
    return a_proposal({f"{name}.py": APP.replace("2", "3") if is_wrong else APP})


def of(number: int) -> JsonObject:
    name = f"wo_{number:02d}"
    command = f'python -c "import {name}; assert {name}.double(3) == 6"'
    return {"allowed_files": [f"{name}.py"], "acceptance_commands": [command], "depends_on": []}


def scene(folder: Path, orders: int = 1) -> BuildScene:
    return BuildScene(make_repo(folder / "repo"), [of(number) for number in range(1, orders + 1)], reply)


def tried(built: BuildScene) -> list[JsonObject]:
    lines = [line for path in built.out.glob("*/events.jsonl") for line in path.read_text().splitlines()]
    return [event for line in lines if (event := json.loads(line)).get("event") == "tried"]


def landed(built: BuildScene) -> str:
    """Everything of the commits but the moments at which they were made."""
    return git(built.repo, "log", "--format=%T %an %ae %B")


def test_what_lands_is_the_same_and_each_trial_names_its_worker(tmp_path: Path, trials: DaskTrials) -> None:
    here, there = scene(tmp_path / "here", 2), scene(tmp_path / "there", 2)
    asked = {"jobs": 2, "mutants": 1, "second_pass": True, "red_probe": True}

    assert here.build(**asked).ended.exit_code == 0
    built = there.build(trials=trials, **asked)

    assert built.ended.exit_code == 0, built.ended
    assert landed(there) == landed(here)
    names = {path.relative_to(here.out) for path in here.out.glob("*/attempt_1/**/*")}
    assert {path.relative_to(there.out) for path in there.out.glob("*/attempt_1/**/*")} == names
    (said,) = there.out.glob("*/attempt_1/failure_brief.json")
    assert "AssertionError" in said.read_text()
    events = tried(there)
    assert tried(here) == []
    assert {event["trial"] for event in events} == {"probe", "examine", "repeat", "mutant"}
    assert {event["worker"] for event in events} <= {"left", "right"}
    assert all(isinstance(event["waited_seconds"], float) for event in events)


def test_two_builds_share_an_engine_and_one_goes_on_without_a_worker_that_is_killed(
    tmp_path: Path, engine: Engine, trials: DaskTrials
) -> None:
    first, second = scene(tmp_path / "1", 2), scene(tmp_path / "2", 2)
    ended: list[int] = []
    builds = [
        threading.Thread(target=lambda s=s: ended.append(s.build(trials=trials, jobs=2).ended.exit_code))
        for s in (first, second)
    ]
    for thread in builds:
        thread.start()
    while not first.model.asked:
        time.sleep(0.05)
    engine.kill("left")
    for thread in builds:
        thread.join()
    engine.start_worker("left")

    assert ended == [0, 0]
    assert git(first.repo, "log", "--format=%T") == git(second.repo, "log", "--format=%T")
    assert sorted(first.model.asked) == [("WO-01", 1), ("WO-02", 1), ("WO-02", 2)]


def test_no_worker_with_the_sandbox_is_named_before_anybody_is_asked(
    tmp_path: Path, trials: DaskTrials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factory.engines.dask.trials.needs_of", lambda _level: frozenset({"sandbox-vault"}))
    refused = scene(tmp_path)

    ended = refused.build(trials=trials).ended

    assert ended.exit_code == ExitCode.ENVIRONMENT
    assert "sandbox-vault" in ended.message
    assert "right lacks sandbox-vault" in ended.message
    assert refused.model.asked == []


def test_workers_that_lie_or_hang_are_named(tmp_path: Path) -> None:
    with an_engine(tmp_path / "engine") as engine, ExitStack() as used:
        name = EngineName("file", str(engine.file))
        for how in ("old", "lies", "hangs"):
            engine.start_bad_worker(how)
        cluster = Cluster(name, insecure=False)
        used.callback(cluster.close)
        end = time.monotonic() + 60
        while len(cluster.workers()) < 3 and time.monotonic() < end:
            time.sleep(0.1)
        patience = Patience(tries=5, nobody_seconds=2.0, trial_seconds=2.0)
        built = scene(tmp_path)
        ended = built.build(trials=DaskTrials(cluster, patience)).ended

        assert ended.exit_code == ExitCode.ENVIRONMENT
        assert built.model.asked == []
        assert any(word in ended.message for word in ("lies", "hangs"))
        for how in ("lies", "hangs"):
            engine.end(how)
        with pytest.raises(EngineProblem, match=r"old lacks workorder-") as refused:
            used.enter_context(opened(name, insecure=False, progress=lambda _text: None))
        assert "it has workorder-0.0.1-python-3.9" in refused.value.message


def test_an_engine_that_is_not_there_ends_a_build_with_8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("factory.engines.dask.cluster.CONNECT_SECONDS", 0.5)
    there = scene(tmp_path)
    words = ["build", "--repo", str(there.repo), "--plan", str(there.plan), "--out", str(there.out)]

    codes = [
        main([*words, "--llm", "command:false", "--engine", engine])
        for engine in ("dask:tcp://127.0.0.1:9", "dask:nowhere.json", "dask:tcp://10.255.0.1:9", "nope")
    ]

    assert codes == [8, 8, 8, 2]
    assert "the scheduler is not reached" in capsys.readouterr().err


def test_status_lists_workers(engine: Engine, trials: DaskTrials, capsys: pytest.CaptureFixture[str]) -> None:
    assert trials.are_elsewhere
    assert main(["engine", "status", "--engine", f"dask:{engine.file}"]) == 0
    shown = capsys.readouterr().out
    assert "2 workers, 2 of them fit" in shown
    assert "sandboxes: " in shown
