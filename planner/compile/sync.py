"""Makes the files `WO-NN.json` of a plan's directory say again what its manifest says.

The manifest is the source of a plan, the files are views of it for `factory run`. Nothing that a person
wrote into a view is lost: views are replaced only if they are as the planner wrote them, or on request.
"""

from pathlib import Path

from factory.contract.documents import schema_problems
from factory.contract.errors import WorkorderError
from factory.contract.identity import contract_hash, plan_hash
from factory.contract.strict_json import JsonValue, read_json
from factory.contract.work_order import MANIFEST_NAME, Plan, WorkOrder
from factory.plans.states.sources import Sources
from factory.system.files.tree import FileProblem, read_bounded
from factory.system.plan_files import NoPlan, read_spec_text, work_order_files
from planner.compile.amending import CHANGES_NAME
from planner.compile.emit import with_computed_fields, write_plan


class EditedView(WorkorderError):
    """A `WO-NN.json` that somebody may have edited."""


def manifest_in(directory: Path) -> Path:
    """The source of the plan in a directory.

    Raises:
        NoPlan: there is none.
    """
    manifest = directory / MANIFEST_NAME
    if not manifest.is_file():
        raise NoPlan(
            f"holds no {MANIFEST_NAME}, which is the source of a plan",
            where=str(directory),
            hint="name the directory that `planner compile --outdir` wrote",
        )
    return manifest


def sync(
    plan: Plan, directory: Path, repo_files: frozenset[str], sources: Sources, *, overwrite: bool
) -> tuple[str, ...]:
    """Write the plan of a directory anew, with its computed fields.

    Args:
        plan: what its manifest says, without errors.
        directory: the plan's directory.
        repo_files: the tracked files that the plan starts from.
        sources: the repository as it is now.
        overwrite: whether views may be replaced that somebody may have edited.

    Returns:
        The names of the work orders whose files said something else, or were not there.

    Raises:
        EditedView: a view may have been edited and `overwrite` is false; nothing was written.
        FileProblem: a file can't be read or written.
    """
    stale = _stale_views(plan, directory)
    if stale and not overwrite:
        _refuse_edited(plan, directory, stale)
    provenance = plan.work_orders[0].provenance
    computed = with_computed_fields(
        plan,
        repo_files,
        provenance.compile_hash if provenance is not None else "",
        provenance.spec_hash if provenance is not None else None,
        sources,
    )
    changes = directory / CHANGES_NAME
    log = read_bounded(changes).decode("utf-8", "backslashreplace") if changes.exists() else None
    spec = read_spec_text(directory, plan.spec_text_hash)
    write_plan(computed, directory, overwrite=True, changes=log, spec=spec)
    return stale


def _stale_views(plan: Plan, directory: Path) -> tuple[str, ...]:
    """The work orders whose view is another contract, is missing, or is there although the plan has none."""
    views = {file.stem: _view(file) for file in work_order_files(directory)}
    orders = {order.id: order for order in plan.work_orders}
    return tuple(
        name
        for name in sorted({*views, *orders})
        if name not in orders
        or (view := views.get(name)) is None
        or contract_hash(view) != contract_hash(orders[name])
    )


def _refuse_edited(plan: Plan, directory: Path, stale: tuple[str, ...]) -> None:
    """Refuse unless the views together are the plan that was written last, as its hash in them says."""
    views = [_view(file) for file in work_order_files(directory)]
    whole = [view for view in views if view is not None]
    written = {view.provenance.plan_hash if view.provenance is not None else "" for view in whole}
    before = plan.model_copy(update={"work_orders": tuple(whole)})
    if not views or (len(whole) == len(views) and written == {plan_hash(before)}):
        return
    names = ", ".join(f"{name}.json" for name in stale)
    provenance = plan.work_orders[0].provenance
    is_untouched = provenance is not None and provenance.plan_hash == plan_hash(plan)
    raise EditedView(
        f"{names}: edited by hand, and the manifest is the source of the plan"
        if is_untouched
        else f"{names}: differ from the manifest, and may have been edited by hand",
        where=str(directory),
        hint=f"put into {MANIFEST_NAME} what shall stay of that, then say --overwrite",
    )


def _view(file: Path) -> WorkOrder | None:
    """What a view says; None if that is no work order."""
    try:
        value: JsonValue = read_json(read_bounded(file), str(file))
    except FileProblem:
        raise
    except WorkorderError:
        return None
    return None if schema_problems(WorkOrder, value) else WorkOrder.model_validate(value)
