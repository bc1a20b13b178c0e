"""A trial goes to a worker with the programs and the memory that it needs; a clock that differs is told."""

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.cli import main
from factory.contract.strict_json import JsonObject
from factory.engines.dask.opened import opened
from factory.engines.dask.trials import DaskTrials, Patience
from factory.engines.name import EngineName
from factory.gates.before.toolchains import TOOLCHAINS
from factory.system.sandbox.policy import GIB, Resources
from factory.trials.conditions import Setting
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene
from tests.support.engines import Engine, an_engine
from tests.support.repositories import VERIFY_PASSES, make_repo

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
def engine_of(engine: Engine, told: list[str]) -> Iterator[DaskTrials]:
    with opened(EngineName("file", str(engine.file)), insecure=False, progress=told.append) as found:
        end = time.monotonic() + 60
        while len(found.cluster.workers()) < len(WITHOUT) + 1:
            assert time.monotonic() < end
            time.sleep(0.1)
        yield found


def a_build(folder: Path) -> BuildScene:
    """A build of a work order that a program of Rust is to judge, too."""
    order: JsonObject = {
        "allowed_files": ["a.txt"],
        "acceptance_commands": ["test -f a.txt", "cargo check"],
    }
    return BuildScene(
        make_repo(folder / "repo", VERIFY_PASSES), [order], lambda *_: a_proposal({"a.txt": "a\n"})
    )


def test_a_trial_comes_to_a_worker_with_the_programs_that_its_commands_start(
    tmp_path: Path, trials: DaskTrials
) -> None:
    built = a_build(tmp_path)

    ended = built.build(trials=trials).ended

    assert ended.exit_code == ExitCode.PASS, ended
    events = [
        json.loads(line)
        for path in built.out.glob("*/events.jsonl")
        for line in path.read_text().splitlines()
    ]
    tried = [event for event in events if event.get("event") == "tried"]
    assert {event["worker"] for event in tried} == {"able"}
    assert not any("failed_on" in event for event in tried)


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
        Setting(root="r", timeout_seconds=1.0, resources=Resources(memory_bytes=amount * GIB))
        for amount in (2, 3, 1_000_000)
    )
    worker = trials.cluster.workers()[0]

    assert "memory" not in trials.known(by_default)[1]
    assert trials.known(more)[1]["memory"] == 3 * GIB
    assert worker.lacking(trials.known(most)[1]) == ["1000000 GiB of memory"]
    assert worker.memory_bytes > 0


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
