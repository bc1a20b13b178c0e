"""Puts a checked plan on the disk: its computed fields, and files that are never a mixture of two plans.

The plan's directory goes through these states, each one safe to stop in:

1. The new files are complete in a hidden directory beside the old ones. The old plan is whole.
2. The old manifest is removed, then the old work orders from WO-01 upwards. Without WO-01 the rest is not
   a plan: its ids do not begin at 1, so `check` refuses it.
3. The new work orders get their names from the last one down to WO-01. Until WO-01 is there, the same holds.
4. The record of changes and the specification's text get their names, and the manifest last.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

from factory.contract.canonical import canonical_json, dump, readable_json, sha256_hex
from factory.contract.errors import WorkorderError
from factory.contract.identity import plan_hash
from factory.contract.work_order import MANIFEST_NAME, SPEC_NAME, Plan, Provenance
from factory.plans.states.dependencies import depends_on
from factory.plans.states.file_state import verify_exempt
from factory.plans.states.sources import NO_SOURCES, Sources
from factory.system.files.tree import FileProblem, sync_directory, write_atomic
from planner.compile.amending import CHANGES_NAME

_WORK_ORDER_FILE: Final = re.compile(r"WO-([0-9]+)\.json")
_STAGE_PREFIX: Final = ".plan-"
_STAGE_SUFFIX: Final = ".new"


class Occupied(WorkorderError):
    """A directory that already holds a plan."""


def compile_hash(spec: str, template: str, model: str, reasoning_effort: str | None) -> str:
    """What a plan was compiled from: the first 16 hex digits of a SHA-256.

    The four are hashed as one canonical JSON array, so that no two different quadruples give the same bytes.
    """
    return sha256_hex(canonical_json([spec, template, model, reasoning_effort]))[:16]


def with_computed_fields(
    plan: Plan,
    repo_files: frozenset[str],
    compiled_from: str,
    spec_hash: str | None = None,
    sources: Sources = NO_SOURCES,
) -> Plan:
    """The plan with `verify_exempt`, `depends_on` and `provenance`, whatever it said about them before.

    Args:
        plan: a plan without errors.
        repo_files: the tracked files of the target repository.
        compiled_from: the compile hash.
        spec_hash: SHA-256 of the specification, if there is one.
        sources: the repository as it is now.
    """
    provenance = Provenance(compile_hash=compiled_from, plan_hash=plan_hash(plan), spec_hash=spec_hash)
    computed = zip(
        plan.work_orders, verify_exempt(plan, repo_files), depends_on(plan, repo_files, sources), strict=True
    )
    orders = tuple(
        order.model_copy(
            update={"verify_exempt": exempt, "depends_on": dependencies, "provenance": provenance}
        )
        for order, exempt, dependencies in computed
    )
    return plan.model_copy(update={"work_orders": orders})


def refuse_unusable(outdir: Path, *, overwrite: bool) -> None:
    """Find out whether a plan may be written to `outdir`; nothing is changed.

    Raises:
        Occupied: it holds a plan, or a part of one, and `overwrite` is false.
        FileProblem: it is not a directory, or can't be made or written.
    """
    _refuse_impossible_name(outdir)
    existing = outdir
    while not existing.exists() and not existing.is_symlink() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir():
        raise FileProblem("is not a directory", where=str(existing))
    if not os.access(existing, os.W_OK | os.X_OK):
        raise FileProblem("can't be written: permission denied", where=str(existing))
    present = _plan_files(outdir) if existing == outdir else []
    if present and not overwrite:
        names = ", ".join(path.name for path in present[:3]) + (", …" if len(present) > 3 else "")
        raise Occupied(
            f"already holds a plan ({names})",
            where=str(outdir),
            hint="name another directory, or give --overwrite",
        )


def with_spec_text(plan: Plan, text: str | None) -> Plan:
    """The plan with the hash of the specification's text, as it will lie beside it.

    Args:
        plan: a plan, whatever it said of it before.
        text: the text that its quotes are from; None if it is not known.
    """
    return plan.model_copy(update={"spec_text_hash": None if text is None else sha256_hex(_spec_bytes(text))})


def write_plan(
    plan: Plan, outdir: Path, *, overwrite: bool, changes: str | None = None, spec: str | None = None
) -> None:
    """Write `WO-NN.json` for each work order and then the manifest; the module says in which steps.

    Work orders, the record of changes and the specification of an earlier plan are removed. Files of any
    other name are left alone.

    Args:
        plan: the plan, computed fields included.
        outdir: the directory; made if it is missing.
        overwrite: whether a plan that is there may be replaced.
        changes: the record of changes of a revised plan.
        spec: the specification's text, whose hash the plan has; None of a plan that has none.

    Raises:
        Occupied: the directory holds a plan and `overwrite` is false.
        FileProblem: something can't be written.
    """
    refuse_unusable(outdir, overwrite=overwrite)
    try:
        outdir.mkdir(parents=True, exist_ok=True)
        _remove_abandoned_stages(outdir)
        stage = Path(tempfile.mkdtemp(dir=outdir, prefix=_STAGE_PREFIX, suffix=_STAGE_SUFFIX))
        try:
            _fill(stage, plan)
            if changes is not None:
                write_atomic(stage / CHANGES_NAME, changes.encode("utf-8", "backslashreplace"))
            if spec is not None:
                write_atomic(stage / SPEC_NAME, _spec_bytes(spec))
            _replace(outdir, stage, plan)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise FileProblem(f"the plan can't be written: {_reason(error)}", where=str(outdir)) from error


def _refuse_impossible_name(outdir: Path) -> None:
    try:
        outdir.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise FileProblem(f"can't be used: {_reason(error)}", where=str(outdir)) from error


def _fill(stage: Path, plan: Plan) -> None:
    for order in plan.work_orders:
        write_atomic(stage / f"{order.id}.json", readable_json(dump(order)))
    write_atomic(stage / MANIFEST_NAME, readable_json(dump(plan)))


def _replace(outdir: Path, stage: Path, plan: Plan) -> None:
    old_files = _plan_files(outdir)
    for old in old_files:
        old.unlink()
    sync_directory(outdir)
    for order in reversed(plan.work_orders):
        name = f"{order.id}.json"
        (stage / name).rename(outdir / name)
    for beside in (CHANGES_NAME, SPEC_NAME):
        if (stage / beside).exists():
            (stage / beside).rename(outdir / beside)
        elif old_files:
            (outdir / beside).unlink(missing_ok=True)
    sync_directory(outdir)
    (stage / MANIFEST_NAME).rename(outdir / MANIFEST_NAME)
    sync_directory(outdir)


def _spec_bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _plan_files(outdir: Path) -> list[Path]:
    """The manifest, if there is one, then the work orders by their numbers."""
    numbered: list[tuple[int, Path]] = []
    manifest: list[Path] = []
    for path in outdir.iterdir() if outdir.is_dir() else ():
        match = _WORK_ORDER_FILE.fullmatch(path.name)
        if match:
            numbered.append((int(match[1]), path))
        elif path.name == MANIFEST_NAME:
            manifest.append(path)
    return manifest + [path for _, path in sorted(numbered)]


def _remove_abandoned_stages(outdir: Path) -> None:
    # Left behind only by a process that was killed while it wrote.
    for path in outdir.glob(f"{_STAGE_PREFIX}*{_STAGE_SUFFIX}"):
        shutil.rmtree(path, ignore_errors=True)


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
