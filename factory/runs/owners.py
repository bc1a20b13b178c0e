"""Whose a failing test is: the work order that wrote its file last, or is planned to have."""

from itertools import takewhile

from factory.contract.proposal import WriteProposal
from factory.runs.inputs import Run
from factory.runs.record.repair_request import MOST_TESTS, FailingTest
from factory.system.git.commits import work_order_that_wrote


def owned_tests(run: Run, tests: tuple[str, ...], proposal: WriteProposal | None) -> tuple[FailingTest, ...]:
    """Tests with the work orders that own them.

    Args:
        run: in which they failed.
        tests: their ids.
        proposal: what the last attempt wrote; None if nothing.

    Raises:
        GitError: git failed.
    """
    written = {str(write.path) for write in proposal.writes} if proposal is not None else set[str]()
    planned = run.plan.work_orders if run.plan is not None else ()
    earlier = tuple(takewhile(lambda order: order.id != run.order.id, planned))
    owned: list[FailingTest] = []
    for test in tests[:MOST_TESTS]:
        path = test.partition("::")[0]
        owners = [order.id for order in earlier if path in order.allowed_files]
        if path in written:
            owner: str | None = run.order.id
        elif owners:
            owner = owners[-1]
        else:
            owner = work_order_that_wrote(run.target.git, run.target.baseline, path)
        owned.append(FailingTest(test=test, work_order=owner))
    return tuple(owned)
