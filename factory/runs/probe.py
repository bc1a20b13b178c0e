"""The red probe of a work order: its acceptance commands run on the baseline before a model is paid."""

from collections.abc import Callable

from factory.attempt.failure import Failure
from factory.contract.work_order import WorkOrder
from factory.gates.before.red_probe import defect, probe
from factory.gates.bench import Bench
from factory.runs.plan_defect import plan_defect
from factory.runs.record.files import PROBE, PROBE_FOLDER
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import ProbeResult
from factory.system.removal import remove_tree


def probe_baseline(
    order: WorkOrder, bench: Bench, folder: RunFolder, progress: Callable[[str], None]
) -> Failure | None:
    """Run the commands, write `probe.json`, and leave the checkout as it was.

    Returns:
        Why they prove nothing, as a plan defect; None if they may.
    """
    checkout = bench.checkout
    if plan_defect(order, checkout.tree) is not None:
        # SE tells of it.
        return None
    progress("probing the acceptance commands before a model is asked")
    # From here on everything that differs is what a command changed.
    tree = checkout.stage([])
    artifacts = folder.path / PROBE_FOLDER
    remove_tree(artifacts)
    artifacts.mkdir(parents=True)
    context = bench.context(order, tree, artifacts).of_order
    assert context.order is not None
    probed = probe(context.order, context, checkout.restore)
    problem = defect(probed)
    PROBE.write(folder.path, ProbeResult(commands=probed, passed=problem is None))
    for command in probed:
        if command.weak:
            progress(f"weak acceptance: `{command.command}` passes before the work is done")
    checkout.restore()
    return problem
