"""The red probe of a work order: its acceptance commands run on the baseline before a model is paid."""

from factory.attempt.failure import Failure
from factory.gates.before.red_probe import defect, probe
from factory.gates.check import CheckContext
from factory.gates.execute import Executor
from factory.gates.landing_tree import LandingTree
from factory.runs.nodes.deps import Deps
from factory.runs.nodes.se import plan_defect
from factory.runs.record.files import PROBE, PROBE_FOLDER
from factory.runs.record.model import ProbeResult
from factory.system.removal import remove_tree


def probed(deps: Deps) -> Failure | None:
    """Run the commands, write `probe.json`, and leave the checkout as it was.

    Returns:
        Why one of them is no proof, as a plan defect; None if all are.
    """
    opened = deps.checkout
    if plan_defect(deps.order, opened.tree) is not None:
        # SE tells of it.
        return None
    deps.progress("probing the acceptance commands before a model is asked")
    # From here on everything that differs is what a command changed.
    tree = opened.stage([])
    folder = deps.folder.path / PROBE_FOLDER
    remove_tree(folder)
    folder.mkdir(parents=True)
    context = CheckContext(
        order=deps.order,
        exempt=deps.order.verify_exempt,
        tree=opened.tree,
        landing=LandingTree(opened.git, tree),
        execute=Executor(opened, deps.gate_environment, deps.timeout_seconds, folder, deps.stop, deps.terms),
        temporary=opened.temporary,
        folder=folder,
    )
    found = probe(deps.order, context, opened.restore)
    problem = defect(found)
    PROBE.write(deps.folder.path, ProbeResult(commands=found, passed=problem is None))
    opened.restore()
    return problem
