"""Ends a build whose plan breaks rules, before anything is paid, with a record of each broken work order."""

from collections.abc import Callable, Sequence

from factory.builds.decisions.tasks import Halt
from factory.builds.state.attempts import RunEntry
from factory.builds.state.machine import OrderPhase
from factory.builds.state.records import Records
from factory.contract.work_order import WorkOrder
from factory.llm.spending.meter import Meter
from factory.plans.diagnostics.diagnostic import Diagnostic
from factory.runs.inputs import Run
from factory.runs.plan_defect import broken_rules
from factory.runs.record.documents import RunRecord
from factory.runs.record.endings import stopped
from factory.runs.record.files import REPAIR_REQUEST
from factory.runs.record.repair_request import repair_request


def halt_by_rules(
    stopping: Sequence[Diagnostic],
    source: str,
    waiting: Sequence[WorkOrder],
    run_of: Callable[[WorkOrder], Run],
    records: Records,
) -> Halt | None:
    """End a build whose plan is wrong: what is broken fails, and what else waits is given up with it.

    Args:
        stopping: what the rules found and at which nothing is executed.
        source: the name of the file that they looked at.
        waiting: the work orders that were to be executed.
        run_of: the run of a work order, for its record.
        records: the state of the build.

    Returns:
        Why it ends; None if no rule stops it.
    """
    failure = broken_rules(stopping, source)
    if failure is None:
        return None
    first: Run | None = None
    for order in waiting:
        own = broken_rules([diagnostic for diagnostic in stopping if diagnostic.order == order.id], source)
        if own is None:
            records.order(order.id, OrderPhase.BLOCKED)
            continue
        run = run_of(order)
        record = RunRecord.start(run.folder, order, run.document)
        request = repair_request(order, run.contract, own, (), None)
        assert request is not None
        REPAIR_REQUEST.write(run.folder.path, request)
        nothing = Meter()
        record.end(stopped(own, ()), nothing.usage, nothing.calls)
        records.tried(order.id, RunEntry(run_id=run.run_id, attempts=()), own)
        records.order(order.id, OrderPhase.FAILED)
        first = first or run
    return Halt.by_rules(failure, first.order.id if first else None, first.run_id if first else None)
