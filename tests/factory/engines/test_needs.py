"""A trial goes to a worker that has what it needs and is ready; what can't be used, or differs, is told."""

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.cli import main
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan
from factory.engines.dask.opened import opened
from factory.engines.dask.trials import DaskTrials, Patience
from factory.engines.message import unpacked
from factory.engines.name import EngineName
from factory.gates.before.toolchains import TOOLCHAINS
from factory.system.sandbox.policy import GIB, Resources
from factory.trials.conditions import Conditions, Setting
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene
from tests.support.engines import Engine, an_engine
from tests.support.repositories import VERIFY_PASSES, a_work_order, make_repo

WITHOUT = ("one", "two", "three")
AN_HOUR_AGO = "import time\nnow = time.time\ntime.time = lambda: now() - 3_600\n"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The PATH of a machine without any language's programs, and that of one with a `cargo`."""
    without, only = (tmp_path_factory.mktemp(name) for name in ("without", "only"))
    programs = {path.name: path for folder in ("/usr/bin", "/bin") for path in Path(folder).iterdir()}
    for name in programs.keys() - TOOLCHAINS.keys():
        (without / name).symlink_to(programs[name])
    (only / "cargo").write_text("#!/bin/sh\nexit 0\n")
    (only / "cargo").chmod(0o755)
    return str(without), f"{only}{os.pathsep}{without}"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, places: tuple[str, str]) -> Iterator[Engine]:
    without, having = places
    with an_engine(tmp_path_factory.mktemp("engine")) as engine:
        for name in WITHOUT:
            engine.start_worker(name, variables={"PATH": without})
        (engine.folder / "sitecustomize.py").write_text(AN_HOUR_AGO)
        variables = {"PATH": having, "PYTHONPATH": f"{engine.folder}{os.pathsep}{Path.cwd()}"}
        engine.start_worker("able", variables=variables)
        yield engine


@pytest.fixture
def trials(engine: Engine) -> Iterator[DaskTrials]:
    with engine_of(engine, []) as found:
        yield DaskTrials(found.cluster, Patience(nobody_seconds=0.5))


@contextmanager
def engine_of(engine: Engine, told: list[str], workers: int = len(WITHOUT) + 1) -> Iterator[DaskTrials]:
    with opened(EngineName("file", str(engine.file)), insecure=False, progress=told.append) as found:
        end = time.monotonic() + 60
        while len(found.cluster.workers()) < workers:
            assert time.monotonic() < end
            time.sleep(0.1)
        yield found


def a_build(folder: Path, command: str = "cargo check") -> BuildScene:
    """A build of a work order that a command is to judge, too, such as one of Rust."""
    order: JsonObject = {"allowed_files": ["a.txt"], "acceptance_commands": ["test -f a.txt", command]}
    return BuildScene(
        make_repo(folder / "repo", VERIFY_PASSES), [order], lambda *_: a_proposal({"a.txt": "a\n"})
    )


def test_a_trial_comes_to_a_worker_with_the_programs_that_its_commands_start(
    tmp_path: Path, trials: DaskTrials
) -> None:
    built = a_build(tmp_path)

    ended = built.build(trials=trials).ended

    assert ended.exit_code == ExitCode.PASS, ended
    assert {event["worker"] for event in _tried(built)} == {"able"}
    assert not any("failed_on" in event for event in _tried(built))


def test_a_program_that_no_worker_has_is_named_before_anybody_is_asked(
    tmp_path: Path, trials: DaskTrials
) -> None:
    refused = a_build(tmp_path)
    order = refused.order("WO-01") | {"acceptance_commands": ["test -f a.txt", "go vet ./..."]}
    (refused.plan / "WO-01.json").write_text(json.dumps(order))

    ended = refused.build(trials=trials).ended

    assert ended.exit_code == ExitCode.ENVIRONMENT
    assert "able lacks go;" in ended.message
    assert refused.model.asked == []


def test_memory_is_asked_for_where_a_limit_was_raised(trials: DaskTrials) -> None:
    by_default, more, most = (
        under(Setting(root="r", timeout_seconds=1.0, resources=Resources(memory_bytes=amount * GIB)))
        for amount in (2, 3, 1_000_000)
    )
    worker = trials.cluster.workers()[0]

    assert "memory" not in trials.known(by_default)[1]
    assert trials.known(more)[1]["memory"] == 3 * GIB
    assert worker.lacking(trials.known(most)[1]) == ["1000000 GiB of memory"]
    assert worker.memory_bytes > 0


def test_a_program_that_the_environment_brings_is_asked_of_no_worker(
    tmp_path: Path, trials: DaskTrials
) -> None:
    (tmp_path / "npx").write_text("#!/bin/sh\n")
    (tmp_path / "npx").chmod(0o755)
    order = a_work_order(acceptance_commands=["npx --version", "rustc --version"])
    plan = Plan.model_validate({"work_orders": [order]})
    setting = Setting(root="r", timeout_seconds=1.0, plan=plan)

    without, having = (
        trials.known(under(setting.model_copy(update={"root": place.name}), place))[1]
        for place in (tmp_path / "nowhere", tmp_path)
    )

    assert {name for name in without if name.startswith("program-")} == {"program-npx", "program-rustc"}
    assert {name for name in having if name.startswith("program-")} == {"program-rustc"}


def under(setting: Setting, *programs: Path) -> Conditions:
    """Conditions of a setting, whose environment brings the programs in some directories."""
    bench = SimpleNamespace(environment=SimpleNamespace(programs=programs), projects={})
    return Conditions(bench=bench, checks=(), setting=setting)  # type: ignore[arg-type]


def test_what_workers_can_do_and_a_clock_that_differs_are_told(
    engine: Engine, trials: DaskTrials, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []
    with engine_of(engine, told):
        pass
    assert main(["engine", "status", "--engine", f"dask:{engine.file}"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}

    assert "programs: cargo; memory: " in lines["able"]
    assert re.search(r"; its clock is 3(59\d|60\d) s behind the scheduler's", lines["able"])
    assert "programs: none; memory: " in lines["one"]
    assert "clock" not in lines["one"]
    assert [line for line in told if "the worker able: its clock is 3" in line]
    assert not [line for line in told if "the worker one" in line]


def test_a_worker_that_joins_later_gets_ready_before_a_trial_comes_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_ready = tmp_path / "the second one is ready"
    waiting = f"sh -c 'until test -e \"{is_ready}\"; do sleep 0.05; done'"
    orders: list[JsonObject] = [
        {"allowed_files": [f"WO-{number:02d}.txt"], "acceptance_commands": [waiting], "depends_on": []}
        for number in range(1, 7)
    ]
    built = BuildScene(
        make_repo(tmp_path / "repo", VERIFY_PASSES),
        orders,
        lambda order_id, *_: a_proposal({f"{order_id}.txt": "x\n"}),
    )
    began: list[str] = []
    too_early: list[str] = []
    told: list[str] = []
    with an_engine(tmp_path / "engine", "first") as engine, engine_of(engine, told, workers=1) as trials:
        (first,) = (worker.address for worker in trials.cluster.workers())
        submit = trials.cluster.submit

        def noting(function: Any, arguments: Any, key: str, needs: Any, workers: Any) -> Any:
            if function.__name__ == "work":
                began.append(key)
                if len(began) == 2:
                    engine.start_worker("second")
                others = {*(workers or (worker.address for worker in trials.cluster.workers()))} - {first}
                if others and not is_ready.exists():
                    too_early.append(key)
            future = submit(function, arguments, key, needs, workers)
            if function.__name__ == "prepare" and workers != [first]:
                future.add_done_callback(note_ready)
            return future

        def note_ready(future: Any) -> None:
            if unpacked(trials.cluster.result(future), "")[0].outcome == "supplied":
                is_ready.touch()

        monkeypatch.setattr(trials.cluster, "submit", noting)
        assert built.build(trials=trials, jobs=2).ended.exit_code == ExitCode.PASS

    assert too_early == []
    assert told == ["trials run on 1 worker of the engine"]
    assert {event["worker"] for event in _tried(built)} == {"first", "second"}


def test_a_worker_that_cannot_get_ready_is_told_of_and_gets_no_trial(
    tmp_path: Path, places: tuple[str, str]
) -> None:
    told: list[str] = []
    crippled = tmp_path / "crippled"
    crippled.mkdir()
    for program in Path(places[0]).iterdir():
        if program.name != "git":
            (crippled / program.name).symlink_to(program)
    built = a_build(tmp_path, "true")
    with an_engine(tmp_path / "engine", "able") as engine:
        engine.start_worker("crippled", variables={"PATH": str(crippled)})
        with engine_of(engine, told, workers=2) as trials:
            assert built.build(trials=trials, mutants=0, second_pass=True).ended.exit_code == ExitCode.PASS

    assert [line for line in told if line.startswith("the worker crippled can't get ready: ")]
    assert {event["worker"] for event in _tried(built)} == {"able"}
    assert not any("failed_on" in event for event in _tried(built))


def _tried(built: BuildScene) -> list[JsonObject]:
    lines = [line for path in built.out.glob("*/events.jsonl") for line in path.read_text().splitlines()]
    return [event for line in lines if (event := json.loads(line)).get("event") == "tried"]
