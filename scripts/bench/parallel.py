#!/usr/bin/env python3
"""How long a build of 16 work orders takes with several jobs, beside the longest chain of its dependencies.

    .venv/test/bin/python scripts/bench/parallel.py [SECONDS ...]

The model is in this process and answers after SECONDS (2 and 0 unless told otherwise); gates are `true`. The
critical path is the longest chain times SECONDS; no number of jobs can be faster. With so few jobs as there
are, the least is the number of rounds that a perfect schedule needs, times SECONDS. Without a delay there is
neither, and the ratio is to one job: what is left is the factory's own work and git's.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import CHECKOUT, machine, table
from plans import plan

sys.path.insert(0, str(CHECKOUT))

from factory.builds.build import build
from factory.builds.settings import BuildSettings
from factory.contract.canonical import EMPTY_SHA256
from factory.llm.ledger.store import Ledger
from factory.llm.port import Answer, FinishReason, Parameters, Request, Usage
from factory.runs.inputs import Ports
from factory.runs.settings import AttemptSettings
from factory.system.clock import SystemClock

COUNT = 16
JOBS = (1, 2, 4, 8)
# By number from 1: on which earlier ones it depends.
SHAPES: Mapping[str, Mapping[int, Sequence[int]]] = {
    "diamond": {number: () if number == 1 else (1,) for number in range(1, COUNT)}
    | {COUNT: tuple(range(2, COUNT))},
    "chain": {number: (number - 1,) if number > 1 else () for number in range(1, COUNT + 1)},
    "fan": dict.fromkeys(range(1, COUNT + 1), ()),
}
ENVIRONMENT = {
    **os.environ,
    **{
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "Bench"), ("EMAIL", "bench@example.invalid"))
    },
}


def main(delays: Sequence[float]) -> None:
    """Measure and print a table for each delay."""
    print(machine())
    os.environ.update(ENVIRONMENT)
    with tempfile.TemporaryDirectory() as folder:
        build_seconds(Path(folder) / "warm", SHAPES["chain"], 1, 0.0)
        for delay in delays:
            rows = []
            for shape, needs in SHAPES.items():
                walls = {
                    jobs: build_seconds(Path(folder) / f"{shape}-{jobs}-{delay:g}", needs, jobs, delay)
                    for jobs in JOBS
                }
                for jobs, wall in walls.items():
                    path, least = _rounds(needs, COUNT) * delay, _rounds(needs, jobs) * delay
                    ratios = (
                        [f"{wall / path:.2f}", f"{wall / least:.2f}"]
                        if delay
                        else [f"{wall / walls[1]:.2f}", ""]
                    )
                    rows.append([shape, str(jobs), f"{wall:.2f} s", *ratios])
            print(f"\nthe model answers after {delay:g} s")
            compared = ["to critical path", "to the least"] if delay else ["to one job", ""]
            print(table(["plan", "jobs", "wall", *compared], rows))


@dataclass(frozen=True)
class _Model:
    """Answers every work order with its file."""

    delay: float
    adapter: str = "bench"
    name: str = "bench"

    def complete(self, request: Request) -> Answer:
        match = re.search(r'"id": "(WO-\d+)"', request.messages[-1].content)
        assert match is not None
        time.sleep(self.delay)
        write = {"path": f"{match[1]}.txt", "base_sha256": EMPTY_SHA256, "content": "done\n"}
        text = json.dumps({"summary": "Did it.", "writes": [write]})
        usage = Usage(input_tokens=1_000, output_tokens=100)
        return Answer(text=text, finish_reason=FinishReason.STOP, usage=usage, model=self.name)


def build_seconds(
    folder: Path, needs: Mapping[int, Sequence[int]], jobs: int, delay: float, verification: str = "true"
) -> float:
    """How long a whole build takes, the landings included.

    Args:
        folder: a new directory for all of it.
        needs: by the number of each work order, from 1, on which earlier ones it depends.
        jobs: how many tasks may be under way.
        delay: the seconds after which the model answers.
        verification: the text of the repository's script that verifies it.
    """
    repo = new_repository(folder / "repo", verification)
    manifest = folder / "plan.json"
    manifest.write_text(json.dumps(plan_with(needs)))
    ledger = Ledger(folder / "out" / "ledger")
    parameters = Parameters(max_output_tokens=1_000, temperature=0.0)
    settings = BuildSettings(
        repo=repo,
        plan=manifest,
        out=folder / "out",
        branch=None,
        attempts=AttemptSettings(max_attempts=1, parameters=parameters, timeout_seconds=60.0),
        jobs=jobs,
    )
    model = ledger.wrap(_Model(delay))
    ports = Ports(lambda _stop, _price: model, SystemClock(), lambda _text: None, os.environ)
    start = time.perf_counter()
    built = build(settings, ports, lambda _state, _event: None)
    seconds = time.perf_counter() - start
    if built.ended.exit_code != 0:
        sys.exit(f"the build failed: {built.ended.message}")
    return seconds


def new_repository(repo: Path, verification: str) -> Path:
    """Make a repository with nothing but a script that verifies it."""
    (repo / "scripts").mkdir(parents=True)
    (repo / "scripts" / "verify.sh").write_text(f"{verification}\n")
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "Start"]):
        subprocess.run(["git", *command], cwd=repo, check=True)
    return repo


def plan_with(needs: Mapping[int, Sequence[int]]) -> dict[str, object]:
    """A plan whose work orders each make one file, by number from 1 with those that they depend on."""
    whole = plan(len(needs))
    for number, order in enumerate(whole["work_orders"], start=1):
        path = f"{order['id']}.txt"
        order.update(
            allowed_files=[path],
            context_files=[],
            preconditions=[],
            postconditions=[{"kind": "file_exists", "path": path}],
            acceptance_commands=[f"test -f {path}"],
            depends_on=[f"WO-{needed:02d}" for needed in needs[number]],
        )
    return whole


def _rounds(needs: Mapping[int, Sequence[int]], jobs: int) -> int:
    """How many rounds of `jobs` answers at a time a plan needs at least."""
    done: set[int] = set()
    rounds = 0
    while len(done) < len(needs):
        ready = [number for number in needs if number not in done and done.issuperset(needs[number])]
        done.update(ready[:jobs])
        rounds += 1
    return rounds


if __name__ == "__main__":
    main([float(seconds) for seconds in sys.argv[1:]] or [2.0, 0.0])
