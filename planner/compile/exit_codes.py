"""The exit codes of `planner`, and which fault means which. Imports nothing that takes time."""

from collections.abc import Mapping
from typing import Final

from factory.contract.errors import Fault
from factory.system.terminal.exit_code import DocumentedCode


class ExitCode(DocumentedCode):
    """How a command of `planner` ended."""

    DONE = 0, "done: the plan is written, or has no errors"
    REFUSED = (
        1,
        "refused: bad usage, an input that can't be used, a plan in the way, a limit reached",
        "you",
    )
    INVALID = (
        2,
        "validation failed: at the end, in a checked plan (--strict: by warnings), or by impact --exit-code",
        "you: read the diagnostics; `planner explain CODE` tells more",
    )
    PROVIDER = 3, "the model's API failed, refused or was cut off", "the provider, or your key"
    NOT_JSON = 4, "the last answer was not JSON", "you: give more attempts, or another model"
    INTERNAL = 70, "internal error; a crash log was written", "us"
    HUNG_UP = 129, "the terminal was closed"
    INTERRUPTED = 130, "interrupted"
    BROKEN_PIPE = 141, "who read the output has gone, as with `| head`"
    TERMINATED = 143, "terminated"


EXIT_CODES: Final[Mapping[Fault, ExitCode]] = {
    fault: ExitCode.PROVIDER if fault is Fault.PROVIDER else ExitCode.REFUSED for fault in Fault
}
"""What each fault means for `planner`."""
