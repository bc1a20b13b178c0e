#!/usr/bin/env python3
"""How many defective plans are noticed before a model attempt is paid, and how many sound ones are stopped.

    .venv/test/bin/python scripts/bench/honesty/run.py [--json FILE] [--only TEXT] [--list] [--checks-only]
        [--set DIR] [--review MODEL]

Six sound plans are built with a program that answers with their solution, which proves them sound. Then a
hundred copies with one known defect each, and thirty-odd sound variants, are tried: first `planner check` for
all, then `factory build` for those that it lets pass, from where the sound plan left its shared beginning.

**noticed**: a diagnostic that the sound plan does not have names the work order, or the plan as a whole; or
the build refused it. **stopped**: `planner check` finds an error, or the build ends with exit code 4 or 2
before the model was asked for the work order that the defect is in. A variant is a **false alarm** if it has
a diagnostic, or does not build.

`--set DIR` tries another set, which the rules were not made for: `DIR/plans/` holds its plans as `plans/`
does, and `DIR/cases.py` defines `DEFECTS` and `VARIANTS` as `defects/` and `variants.py` do.

`--review MODEL` asks that model for a second opinion on each plan that has no error, too, by `planner
review`: what it objects to counts as a diagnostic, and of a variant as a false alarm wherever it is.

Two at a time; a check has at most a minute, a build four. On two idle processors it takes a few minutes, and
it leaves nothing behind but what it prints.
"""

import argparse
import importlib
import json
import multiprocessing
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

import defects
import draft
import variants
from draft import Case, read_draft
from measure import machine
from trial import Begun, Build, Finding, build, check, review

DEFECTS: Sequence[Case] = defects.DEFECTS
CASES: Sequence[Case] = (*DEFECTS, *variants.VARIANTS)
WORKERS = 2
_BEFORE_PAYING = (2, 4)

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Tried:
    """What became of a case.

    Attributes:
        case: the case.
        findings: the diagnostics that the sound plan does not have.
        build: how the build ended; None if it was not tried.
    """

    case: Case
    findings: tuple[Finding, ...]
    build: Build | None = None

    @property
    def order(self) -> str:
        """The work order that the case is about."""
        return f"WO-{self.case.bites:02d}"

    @property
    def refused(self) -> bool:
        """Whether checking found an error."""
        return any(finding.severity == "error" for finding in self.findings)

    @property
    def stopped(self) -> bool:
        """Whether it was stopped before an attempt was paid."""
        if self.build is None:
            return self.refused
        return self.build.exit_code in _BEFORE_PAYING and self.order not in self.build.asked

    @property
    def noticed(self) -> bool:
        """Whether anything that was said before an attempt was paid points to it."""
        return self.stopped or bool(self.findings)

    @property
    def alarm(self) -> bool:
        """Whether a sound plan was warned of, stopped, or not built."""
        return bool(self.findings) or (self.build is not None and self.build.exit_code != 0)

    @property
    def why(self) -> str:
        """In a few words how it went."""
        codes = " ".join(sorted({finding.code for finding in self.findings})) or "no diagnostic"
        if self.build is None:
            return codes
        if self.order in self.build.asked and self.case in DEFECTS:
            return f"{codes}; a model was asked"
        return f"{codes}; the build ended with {self.build.exit_code}: {self.build.words}"


def main() -> None:
    """Try everything and print the tables."""
    options = _options()
    # A kill, too, removes what it made.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if options.set is not None:
        _take(options.set)
    chosen = [case for case in CASES if options.only in f"{case.plan} {case.kind} {case.name}"]
    if options.list:
        for case in chosen:
            sort = "defect" if case in DEFECTS else "sound"
            print(sort, case.plan, case.bites, case.kind, case.name, sep="\t")
        return
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory(prefix="honesty-") as folder:
        results = _try(chosen, Path(folder), builds=not options.checks_only, model=options.review)
    planted = [tried for tried in results if tried.case in DEFECTS]
    print(_report(planted, [tried for tried in results if tried.case not in DEFECTS]))
    if options.json is not None:
        data = [_as_data(tried) for tried in results]
        options.json.write_text(json.dumps(data, indent=2), encoding="utf-8")


def _take(folder: Path) -> None:
    """Try the cases of another set; what is forked later finds them."""
    global DEFECTS, CASES
    sys.path.insert(0, str(folder))
    cases = importlib.import_module("cases")
    draft.PLANS = folder / "plans"
    DEFECTS, CASES = cases.DEFECTS, (*cases.DEFECTS, *cases.VARIANTS)


def _try(cases: Sequence[Case], root: Path, *, builds: bool, model: str | None) -> list[Tried]:
    """What becomes of each case; everything that is made is made in `root`."""
    plans = list(dict.fromkeys(case.plan for case in cases)) if builds else []
    begun = dict(zip(plans, _in_turn(_begin, plans, root), strict=True))
    findings = _in_turn(_check, [(CASES.index(case), model) for case in cases], root)
    checked = [Tried(case, new) for case, new in zip(cases, findings, strict=True)]
    if not builds:
        return checked
    passed = [tried.case for tried in checked if not tried.refused]
    ends = _in_turn(_build, [(CASES.index(case), begun[case.plan]) for case in passed], root)
    built = dict(zip(passed, ends, strict=True))
    return [replace(tried, build=built.get(tried.case)) for tried in checked]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what became of each case there")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="cases whose plan, kind and name hold this"
    )
    parser.add_argument("--set", type=Path, metavar="DIR", help="another set of plans and cases")
    parser.add_argument("--review", metavar="MODEL", help="ask for a second opinion on each plan, too")
    parser.add_argument("--list", action="store_true", help="print what would be tried")
    parser.add_argument("--checks-only", action="store_true", help="don't build: a first look in a minute")
    return parser.parse_args()


def _begin(name: str, root: Path) -> Begun:
    """Prove that a plan is sound."""
    draft, folder = read_draft(name), root / name
    folder.mkdir()
    findings = check(draft, folder)
    built = build(draft, folder)
    if findings or built.exit_code != 0:
        raise RuntimeError(f"the plan {name} is not sound: {findings} {built}")
    return Begun(draft, folder / "repo", built.landed)


def _check(chosen: tuple[int, str | None], root: Path) -> tuple[Finding, ...]:
    number, model = chosen
    case, folder = CASES[number], root / f"case-{number}"
    folder.mkdir()
    draft = case.drafted()
    findings = check(draft, folder)
    # A diagnostic of a work order that nobody touched is another matter.
    before = read_draft(case.plan).orders
    touched = {order["id"] for order in draft.orders if order not in before} | {f"WO-{case.bites:02d}"}
    new = tuple(finding for finding in findings if finding.order in {"", *touched})
    if model is None or any(finding.severity == "error" for finding in findings):
        return new
    objections = review(folder, model)
    if case in DEFECTS:
        objections = tuple(objection for objection in objections if objection.order in touched)
    return new + objections


def _build(chosen: tuple[int, Begun], root: Path) -> Build:
    number, begun = chosen
    case = CASES[number]
    until = f"WO-{case.bites:02d}" if case in DEFECTS else None
    return build(case.drafted(), root / f"case-{number}", begun, until)


def _in_turn(act: Callable[[Item, Path], Outcome], items: Sequence[Item], root: Path) -> list[Outcome]:
    """Do it for each, two at a time."""
    # The pool forks before it starts threads, and never again: a process that is forked while another thread
    # holds a lock may wait for it for ever. One that dies breaks it, where others would wait for its result.
    with ProcessPoolExecutor(WORKERS, multiprocessing.get_context("fork")) as pool:
        return list(pool.map(act, items, repeat(root)))


def _report(defects: Sequence[Tried], variants: Sequence[Tried]) -> str:
    rows = ["| kind | planted | noticed | stopped |", "|---|---|---|---|"]
    kinds = dict.fromkeys(tried.case.kind for tried in defects)
    for kind in kinds:
        rows.append(_row(kind, [tried for tried in defects if tried.case.kind == kind]))
    rows.append(_row("**all**", defects, share=True))
    alarms = [tried for tried in variants if tried.alarm]
    rows += ["", f"False alarms: {len(alarms)} of {len(variants)} sound variants."]
    rows += [f"- {tried.case.kind}, {tried.case.plan}, {tried.case.name}: {tried.why}" for tried in alarms]
    missed = [tried for tried in defects if not tried.stopped]
    rows += ["", f"Not stopped: {len(missed)} of {len(defects)} defects."]
    rows += [
        f"- {tried.case.kind}, {tried.case.plan} {tried.order}, {tried.case.name}: {tried.why}"
        for tried in missed
    ]
    return "\n".join(rows)


def _row(kind: str, tried: Sequence[Tried], *, share: bool = False) -> str:
    counts = [sum(getattr(result, name) for result in tried) for name in ("noticed", "stopped")]
    shown = [f"{count} ({count / max(len(tried), 1):.0%})" if share else str(count) for count in counts]
    return f"| {kind} | {len(tried)} | {' | '.join(shown)} |"


def _as_data(tried: Tried) -> dict[str, object]:
    return {
        "kind": tried.case.kind,
        "plan": tried.case.plan,
        "order": tried.order,
        "name": tried.case.name,
        "defective": tried.case in DEFECTS,
        "noticed": tried.noticed,
        "stopped": tried.stopped,
        "alarm": tried.alarm,
        "findings": [asdict(finding) for finding in tried.findings],
        "build": tried.build and asdict(tried.build),
    }


if __name__ == "__main__":
    main()
