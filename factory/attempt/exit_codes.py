"""The exit codes of `factory`, and which fault means which. Imports nothing that takes time."""

from collections.abc import Mapping
from typing import Final

from factory.contract.errors import Fault
from factory.system.terminal.exit_code import DocumentedCode


class ExitCode(DocumentedCode):
    """How a command of `factory` ended."""

    PASS = 0, "PASS: the commit, or all commits of the plan, are on the branch, now or from before"
    FAIL = (
        1,
        "FAIL: the attempts are spent",
        "you: read the briefs, give more attempts, another model or a clearer work order",
    )
    REFUSED = 2, "refused: usage, configuration, a dirty or busy repository, an unsafe path", "you"
    PROVIDER = 3, "the model's API failed", "the provider, or your key"
    PLAN_DEFECT = (
        4,
        "plan defect: this work order can't pass as written, or doesn't accept a warning",
        "who wrote the plan",
    )
    BUDGET = 5, "a limit on spending, or the deadline, was reached", "you: run again with a higher one"
    NOT_RESTORED = 6, "the repository could not be restored; the message says what to do", "you"
    STATE_CORRUPT = (
        7,
        "state corrupt: `state.json` or a file of the ledger is damaged",
        "you: the message names it; `--rebuild-state`",
    )
    ENVIRONMENT = (
        8,
        "environment: a program is not installed, the disk is full, the branch moved",
        "who keeps the machine",
    )
    INTERNAL = 70, "internal error; a crash log was written", "us"
    HUNG_UP = 129, "the terminal was closed; everything was put back"
    INTERRUPTED = 130, "interrupted; everything was put back"
    KILLED = 137, "killed, as a summary tells of it; the next start puts everything back"
    BROKEN_PIPE = 141, "who read the output has gone, as with `| head`"
    TERMINATED = 143, "terminated; everything was put back"


EXIT_CODES: Final[Mapping[Fault, ExitCode]] = {
    Fault.REFUSED: ExitCode.REFUSED,
    Fault.MODEL_DEFECT: ExitCode.FAIL,
    Fault.PLAN_DEFECT: ExitCode.PLAN_DEFECT,
    Fault.PROVIDER: ExitCode.PROVIDER,
    Fault.BUDGET: ExitCode.BUDGET,
    Fault.ENVIRONMENT: ExitCode.ENVIRONMENT,
    Fault.NOT_RESTORED: ExitCode.NOT_RESTORED,
    Fault.STATE_CORRUPT: ExitCode.STATE_CORRUPT,
}
"""What each fault means for `factory`."""
