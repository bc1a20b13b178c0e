#!/usr/bin/env python3
"""What an engine costs: a trial on a worker beside the same one here, bytes sent, a cold worker, many.

    .venv/test/bin/python scripts/bench/engine.py \
        [trial] [bytes] [many ORDERS WORKERS SECONDS] [coordinator ORDERS WORKERS]

All processes are on this machine and share its processors, so what is measured is overhead; as ratios,
because the machine is not quiet. `many` builds ORDERS independent work orders whose acceptance sleeps SECONDS
on WORKERS workers, beside the sleeping of its attempts and of all its trials. `coordinator` asks for a
trial of each of the ORDERS of a plan. Both tell the time of processors that this process needs for each,
without git and workers, and the largest memory that it has had. Without arguments it measures `trial` and
`bytes`.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from statistics import median

from measure import CHECKOUT, machine, table, taking_turns
from parallel import plan_with

sys.path.insert(0, str(CHECKOUT))

from factory.builds.build import build
from factory.builds.settings import BuildSettings
from factory.checkout.pool import Checkouts
from factory.configuration.document import Configuration
from factory.contract.canonical import EMPTY_SHA256
from factory.contract.work_order import Plan, WorkOrder
from factory.engines.dask.cluster import Cluster
from factory.engines.dask.opened import opened
from factory.engines.name import EngineName
from factory.engines.needs import needs_of
from factory.engines.office import PLACE_VARIABLE
from factory.engines.parcels import Parcels
from factory.environments.provide import Project, environment_for
from factory.gates.checks.registry import registry
from factory.gates.trial import PartResult
from factory.llm.port import Answer, FinishReason, Model, Parameters, Request, Usage
from factory.llm.spending.prices import Price
from factory.runs.inputs import Ports, setting_of
from factory.runs.settings import AttemptSettings
from factory.system.clock import SystemClock
from factory.system.git.client import Git
from factory.system.process.stop import Stop
from factory.trials.conditions import Conditions
from factory.trials.local import LocalTrials
from factory.trials.port import Trials, ignore_beginning, ignore_end
from factory.trials.request import Examine, Probe, Repeat, TrialAnswer, TrialRequest

ROUNDS = 15
NUMBERS = count(1)
FILES = 100_000
SETTINGS = AttemptSettings(
    max_attempts=1, parameters=Parameters(max_output_tokens=1), timeout_seconds=60.0, red_probe=True
)


def main(words: Sequence[str]) -> None:
    """Measure what is asked for."""
    print(machine())
    os.environ.update({f"GIT_{role}_{key}": "bench@example.invalid"
                       for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")})  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ[PLACE_VARIABLE] = str(folder / "places")
        if not words or "trial" in words:
            cost_of_a_trial(folder)
        if not words or "bytes" in words:
            bytes_sent(folder)
        if "many" in words:
            at = words.index("many")
            many(folder, int(words[at + 1]), int(words[at + 2]), float(words[at + 3]))
        if "coordinator" in words:
            at = words.index("coordinator")
            coordinator(folder, int(words[at + 1]), int(words[at + 2]))


def cost_of_a_trial(folder: Path) -> None:
    """The same trial, a red probe of `false`, in a thread and on a worker."""
    repo = repository(folder / "trial", {"a.txt": "a\n"})
    with ExitStack() as used:
        began = time.monotonic()
        there = used.enter_context(
            opened(EngineName("processes", processes=1), insecure=False, progress=print)
        )
        cold = time.monotonic() - began
        conditions = used.enter_context(conditions_of(repo))
        first = timed(there, conditions, folder)

        def put_back() -> float:
            began = time.monotonic()
            conditions.bench.checkout.restore()
            return time.monotonic() - began

        found = taking_turns(
            {
                "thread": lambda: timed(LocalTrials(), conditions, folder),
                "put back": put_back,
                "worker": lambda: timed(there, conditions, folder),
                "at once": lambda: timed(there, conditions, folder),
                "nothing": lambda: nothing(there.cluster),
            },
            ROUNDS,
        )
    # The least of the rounds is nearest to what a machine with nothing else to do would need.
    both = {name: (median(times), min(times)) for name, times in found.items()}
    both["more"] = (
        both["worker"][0] - both["thread"][0],
        both["worker"][1] - both["thread"][1],
    )
    both |= {"first": (first, first), "cold": (cold, cold)}
    shown = {
        "thread": "a trial in a thread",
        "worker": "the same on a worker",
        "more": "more for the worker",
        "nothing": "of that, a call of Dask's that does nothing",
        "put back": "putting a checkout back, in a thread",
        "at once": "a trial that follows at once on a worker",
        "first": "the first one on a worker",
        "cold": "scheduler and worker, cold",
    }
    here = both["thread"][0]
    rows = [
        (words, *(f"{seconds * 1000:.0f}" for seconds in both[name]), f"{both[name][0] / here:.2f}")
        for name, words in shown.items()
    ]
    print(table(("what", "ms", "least", "ratio"), rows))


def nothing(cluster: Cluster) -> float:
    """How long Dask takes for a call and its result."""
    began = time.monotonic()
    future = cluster.submit(len, (b"",), f"nothing-{began}", needs_of(""))
    cluster.result(future)
    return time.monotonic() - began


def bytes_sent(folder: Path) -> None:
    """What a worker gets once, and what it gets with a trial, of a large repository."""
    repo = folder / "large"
    files = {f"d{number // 1000}/f{number}.txt": f"{number}\n" for number in range(FILES)}
    root = repository(repo, files)
    git = Git.open(root)
    before = git.text("rev-parse", "HEAD")
    (root / "d7" / "f7007.txt").write_text("another\n")
    subprocess.run(["git", "commit", "-qam", "change"], cwd=root, check=True)
    parcels = Parcels(git)
    began = time.monotonic()
    whole = len(parcels.history(before, ())[0])
    seconds = time.monotonic() - began
    added = len(parcels.addition(git.text("rev-parse", "HEAD"), before)[1])
    print(
        table(
            ("what is sent", "bytes", "of the whole"),
            [
                (f"history, {FILES:,} files, once for a worker ({seconds:.1f} s)", f"{whole:,}", "1"),
                ("with a trial whose base changes one file", f"{added:,}", f"{added / whole:.6f}"),
            ],
        )
    )


def many(folder: Path, orders: int, workers: int, seconds: float) -> None:
    """A build whose gates sleep, on workers, beside the least that its sleeping takes."""
    repo = repository(folder / "many", {"scripts/verify.sh": "#!/bin/sh\nexit 0\n"})
    plan = folder / "plan"
    plan.mkdir()
    for number in range(1, orders + 1):
        (plan / f"WO-{number:02d}.json").write_text(json.dumps(order_of(number, f"sleep {seconds}")))
    settings = BuildSettings(
        repo=repo,
        plan=plan,
        out=folder / "out",
        branch=None,
        attempts=SETTINGS.model_copy(update={"red_probe": False, "second_pass": False}),
        jobs=workers,
    )
    with opened(EngineName("processes", processes=workers), insecure=False, progress=print) as engine:
        trials = _Counted(engine)
        ports = Ports(_model, SystemClock(), lambda _text: None, os.environ, trials=trials)
        began, own = time.monotonic(), time.process_time()
        built = build(settings, ports, lambda _state, _event: None)
        took, own = time.monotonic() - began, time.process_time() - own
    attempts = -(-orders // workers) * seconds
    # Each sleeps in its attempt, all but those that nobody has overtaken once more before they land.
    least = trials.judged * seconds / workers
    print(built.ended.message)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row = (
        *(
            f"{orders:,}",
            str(workers),
            f"{took:.1f}",
            f"{attempts:.1f}",
            str(trials.judged),
            f"{least:.1f}",
            f"{took / least:.2f}" if least else "-",
        ),
        *(f"{own / orders * 1000:.0f} ms", f"{memory:.0f} MB"),
    )
    names = (
        "work orders",
        "workers",
        "s",
        "attempts sleep",
        "trials",
        "all sleep",
        "ratio",
        "own, each",
        "memory",
    )
    print(table(names, [row]))


class _Counted:
    """An engine of which is counted how often acceptance commands were to run."""

    def __init__(self, engine: Trials) -> None:
        self.judged = 0
        self._engine = engine
        self._lock = threading.Lock()

    @property
    def are_elsewhere(self) -> bool:
        return self._engine.are_elsewhere

    def ask(
        self,
        request: TrialRequest,
        conditions: Conditions,
        folder: Path,
        begins: Callable[[str], None] = ignore_beginning,
        ended: Callable[[PartResult], None] = ignore_end,
    ) -> TrialAnswer:
        with self._lock:
            self.judged += isinstance(request.question, Examine | Repeat)
        return self._engine.ask(request, conditions, folder, begins, ended)

    def ask_all(
        self, requests: Sequence[tuple[TrialRequest, Path]], conditions: Conditions
    ) -> list[TrialAnswer]:
        return self._engine.ask_all(requests, conditions)


def coordinator(folder: Path, orders: int, workers: int) -> None:
    """What a trial of each work order of a plan costs who asks for it."""
    repo = repository(folder / "coordinator", {"a.txt": "a\n"})
    plan = Plan.model_validate(plan_with(dict.fromkeys(range(1, orders + 1), ())))
    with (
        opened(EngineName("processes", processes=workers), insecure=False, progress=print) as there,
        conditions_of(repo, plan) as conditions,
    ):
        base = conditions.bench.checkout.baseline

        def ask(order: WorkOrder) -> None:
            request = TrialRequest(question=Probe(), base=base, order=order)
            answer = there.ask(request, conditions, folder / "evidence" / order.id)
            assert answer.probed[0].colour == "red"

        began, own = time.monotonic(), time.process_time()
        with ThreadPoolExecutor(2 * workers) as threads:
            list(threads.map(ask, plan.work_orders))
        wall, own = time.monotonic() - began, time.process_time() - own
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row = (f"{orders:,}", str(workers), f"{wall:.0f} s", f"{own / orders * 1000:.1f} ms", f"{memory:.0f} MB")
    print(table(("trials", "workers", "wall", "own, each", "memory"), [row]))


def repository(place: Path, files: dict[str, str]) -> Path:
    """A repository with a commit of some files."""
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=place, check=True, env=os.environ)
    return place


def order_of(number: int, command: str) -> dict[str, object]:
    """A work order that writes one file."""
    return {
        "id": f"WO-{number:02d}",
        "title": "Write a file",
        "intent": "Write it.",
        "allowed_files": [f"WO-{number:02d}.txt"],
        "acceptance_commands": [command],
        "depends_on": [],
    }


@contextmanager
def conditions_of(repo: Path, plan: Plan | None = None) -> Iterator[Conditions]:
    """A checkout of a repository, and how its trials run."""
    git = Git.open(repo)
    head = git.text("rev-parse", "HEAD")
    configuration = Configuration()
    ports = Ports(_model, SystemClock(), lambda _text: None, os.environ)
    with (
        environment_for(Project(git, head, configuration), own=os.environ, progress=print) as environment,
        Checkouts(git) as checkouts,
        checkouts.at(head) as checkout,
    ):
        setting = setting_of(head, plan, configuration, SETTINGS, None, environment, (), os.environ)
        bench = ports.bench(checkout, SETTINGS, environment, None, None)
        yield Conditions(bench, registry(configuration, environment=environment), setting)


def timed(trials: Trials, conditions: Conditions, folder: Path) -> float:
    """How long a red probe takes, another one each time: Dask knows for a while what a call has returned."""
    order = WorkOrder.model_validate(order_of(next(NUMBERS), "false"))
    request = TrialRequest(question=Probe(), base=conditions.bench.checkout.baseline, order=order)
    began = time.monotonic()
    answer = trials.ask(request, conditions, folder / "evidence")
    assert answer.probed[0].colour == "red"
    return time.monotonic() - began


class _Writer:
    """A model that writes the file that it is asked for."""

    adapter = "bench"
    name = "writer"

    def complete(self, request: Request) -> Answer:
        text = request.messages[-1].content
        name = text.partition('"id": "')[2].partition('"')[0]
        writes = [{"path": f"{name}.txt", "base_sha256": EMPTY_SHA256, "content": "x\n"}]
        said = json.dumps({"summary": "Wrote it.", "writes": writes})
        usage = Usage(input_tokens=1, output_tokens=1)
        return Answer(text=said, finish_reason=FinishReason.STOP, usage=usage, model=self.name)


def _model(_stop: Stop | None, _price: Price | None) -> Model:
    return _Writer()


if __name__ == "__main__":
    main(sys.argv[1:])
