#!/usr/bin/env python3
"""What each grain costs, and what comes of it: from plans that were compiled and built with a real model.

    .venv/test/bin/python scripts/bench/grains.py RUNS

RUNS holds a directory a plan, named SIZE-GRAIN with SIZE the name of a directory in `grains/`, as these
commands leave it, run inside of it:

    planner compile --spec spec.md --repo repo --outdir plan --ledger ledger --grain GRAIN --llm MODEL
    factory build --repo repo --plan plan --out out --ledger ledger --llm MODEL

Nobody is asked. Of the answers in the ledgers it counts bytes and tokens, in the repositories what landed;
there it runs the hidden tests of `grains/SIZE`, which no prompt shows.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

GRAINS: Final = Path(__file__).resolve().parent / "grains"
_ORDER: Final = ("fine", "medium", "coarse")
_TITLES: Final = (
    "specification",
    "grain",
    "work orders",
    "answers: plan, build",
    "plan, bytes",
    "prompts, bytes",
    "tokens in, out",
    "at $1.75 and $14 a million",
    "written beyond what landed",
    "landed at the first attempt",
    "hidden tests",
)


def main() -> None:
    """Print a row a plan, as a table of Markdown."""
    runs = sorted(
        (path for path in Path(sys.argv[1]).iterdir() if (path / "plan").is_dir()),
        key=lambda path: (_size(path), _ORDER.index(path.name.partition("-")[2])),
    )
    print(f"| {' | '.join(_TITLES)} |")
    print(f"|{'---|' * len(_TITLES)}")
    for run in runs:
        print(f"| {' | '.join(_row(run))} |")


def _size(run: Path) -> int:
    return (GRAINS / run.name.partition("-")[0] / "spec.md").stat().st_size


def _row(run: Path) -> Iterator[str]:
    size, _, grain = run.name.partition("-")
    entries = [json.loads(path.read_bytes()) for path in sorted((run / "ledger").glob("*.json"))]
    entries = [entry for entry in entries if "answer" in entry]
    planned = [entry for entry in entries if entry["request"]["purpose"] != "propose"]
    built = [entry for entry in entries if entry["request"]["purpose"] == "propose"]
    orders = [path for path in (run / "plan").iterdir() if re.fullmatch(r"WO-\d+\.json", path.name)]
    written = sum(len(entry["answer"]["text"].encode()) for entry in entries)
    landed = _landed(run / "repo", orders)
    yield size
    yield grain
    yield str(len(orders))
    yield f"{len(planned)}, {len(built)}"
    yield f"{sum(path.stat().st_size for path in orders):,}"
    yield f"{sum(map(_prompt, entries)):,}"
    used = [sum(entry["answer"]["usage"][kind] for entry in entries) for kind in _KINDS]
    yield ", ".join(f"{tokens:,}" for tokens in used)
    yield f"${sum(tokens * price for tokens, price in zip(used, _PRICES, strict=True)) / 1_000_000:.2f}"
    yield f"{(written - landed) / written:.0%}" if written else "-"
    yield _first(run / "out")
    yield _hidden(run / "repo", size)


_KINDS: Final = ("input_tokens", "output_tokens")
_PRICES: Final = (1.75, 14.0)
"""A list price of 2026, in US dollars for a million tokens."""


def _prompt(entry: dict[str, Any]) -> int:
    return sum(len(message["content"].encode()) for message in entry["request"]["messages"])


def _landed(repo: Path, orders: list[Path]) -> int:
    """How many bytes a model wrote of what is there at the end: all but the files that the plan gives."""
    given = {
        file["path"] for path in orders for file in json.loads(path.read_bytes()).get("fixed_files") or []
    }
    listed = subprocess.run(
        ["git", "-C", repo, "ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True, check=True
    ).stdout
    sizes = (line.decode().split("\t") for line in listed.split(b"\0") if line)
    return sum(int(facts.split()[3]) for facts, path in sizes if path not in given)


def _first(out: Path) -> str:
    """How many work orders landed at their first attempt, of those for which somebody was asked."""
    state = json.loads((out / "state.json").read_bytes())
    tried = {
        order["id"]: [attempt for run in order["runs"] for attempt in run["attempts"]]
        for order in state["orders"]
    }
    # Files that the plan gives were asked of nobody.
    asked = [order for order in state["orders"] if any(one["output_tokens"] for one in tried[order["id"]])]
    first = [order for order in asked if order["state"] == "landed" and len(tried[order["id"]]) == 1]
    landed = sum(order["state"] == "landed" for order in state["orders"])
    return f"{len(first)} of {len(asked)}" + ("" if landed == len(state["orders"]) else ", not all landed")


def _hidden(repo: Path, size: str) -> str:
    """How many of the hidden tests pass on what landed."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder),
                *("--import-mode=importlib", GRAINS / size / "hidden.py"),
            ],
            cwd=repo,
            env={**os.environ, "PYTHONPATH": str(repo), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    return f"{counts.get('passed', 0)} of {sum(counts.values())}"


if __name__ == "__main__":
    main()
