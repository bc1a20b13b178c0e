"""The red probe of a work order: its acceptance commands run on the baseline before a model is paid."""

from collections.abc import Callable

from factory.attempt.failure import Failure
from factory.contract.work_order import WorkOrder
from factory.gates.before.red_probe import defect
from factory.runs.plan_defect import plan_defect
from factory.runs.record.files import PROBE, PROBE_FOLDER
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import ProbeResult
from factory.system.removal import remove_tree
from factory.trials.conditions import Conditions
from factory.trials.port import Trials
from factory.trials.request import Probe, TrialRequest


def probe_baseline(
    order: WorkOrder,
    conditions: Conditions,
    trials: Trials,
    folder: RunFolder,
    progress: Callable[[str], None],
) -> Failure | None:
    """Run the commands, write `probe.json`, and leave the checkout as it was.

    Returns:
        Why they prove nothing, as a plan defect; None if they may.
    """
    checkout = conditions.bench.checkout
    if plan_defect(order, checkout.tree) is not None:
        # SE tells of it.
        return None
    progress("probing the acceptance commands before a model is asked")
    artifacts = folder.path / PROBE_FOLDER
    remove_tree(artifacts)
    artifacts.mkdir(parents=True)
    request = TrialRequest(question=Probe(), base=checkout.baseline, order=order)
    probed = trials.ask(request, conditions, artifacts).probed
    problem = defect(probed)
    PROBE.write(folder.path, ProbeResult(commands=probed, passed=problem is None))
    for command in probed:
        if command.weak:
            progress(f"weak acceptance: `{command.command}` passes before the work is done")
    checkout.restore()
    return problem
