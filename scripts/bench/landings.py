#!/usr/bin/env python3
"""How long a build of 64 work orders takes whose verification takes 5 s, beside what no schedule can beat.

    .venv/test/bin/python scripts/bench/landings.py [JOBS ...]

The work orders are independent, so each is tested twice: alone, and on what lands before it in the plan.
Gates sleep, so two processors do for any number of jobs (1, 8 and 16 unless told otherwise); the model
answers after 1 s. The critical path is what one work order needs, which no number of jobs can beat. The
least is what the jobs need for all the sleeping, shared out without a gap. The queue alone is what the
landings need where one candidate is tested at a time. "Processors" is what was computed meanwhile, on all of
them together.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measure import machine, table
from parallel import ENVIRONMENT, build_seconds

COUNT = 64
JOBS = (1, 8, 16)
ANSWER_SECONDS = 1.0
VERIFY_SECONDS = 5.0


def main(all_jobs: Sequence[int]) -> None:
    """Measure and print the table."""
    os.environ.update(ENVIRONMENT)
    print(machine())
    needs = dict.fromkeys(range(1, COUNT + 1), ())
    attempt = ANSWER_SECONDS + VERIFY_SECONDS
    # The base is verified first; what the first work order's attempt was tested on is what lands.
    path = VERIFY_SECONDS + attempt + VERIFY_SECONDS
    queue = VERIFY_SECONDS + attempt + (COUNT - 1) * VERIFY_SECONDS
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for jobs in all_jobs:
            least = max(path, VERIFY_SECONDS + (COUNT * attempt + (COUNT - 1) * VERIFY_SECONDS) / jobs)
            computed = _computed()
            wall = build_seconds(
                Path(folder) / str(jobs), needs, jobs, ANSWER_SECONDS, f"sleep {VERIFY_SECONDS:g}"
            )
            computed = _computed() - computed
            rows.append(
                [str(jobs), f"{wall:.1f} s", f"{computed:.1f} s", f"{least:.1f} s"]
                + [f"{wall / floor:.2f}" for floor in (least, path, queue)]
            )
            print(f"{jobs} jobs: {wall:.1f} s", file=sys.stderr, flush=True)
    print(f"critical path {path:g} s, queue alone {queue:g} s")
    print(
        table(
            ["jobs", "wall", "processors", "least", "to the least", "to the path", "to the queue alone"], rows
        )
    )


def _computed() -> float:
    """The seconds of processors that this process and its ended descendants have had."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main([int(jobs) for jobs in sys.argv[1:]] or JOBS)
