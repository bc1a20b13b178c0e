"""Files in `/tmp` that commands name, where the level of the sandbox has no `/tmp`. Pure.

Landlock allows places of the machine or refuses them; it can't put another one in their place. The machine's
own `/tmp` is everybody's, and outlives what must not be there for the next attempt.
"""

import re
from collections import Counter
from typing import Final

from factory.attempt.failure import Failure, Stage
from factory.contract.work_order import WorkOrder

_WITHOUT: Final = "landlock"
_FILE: Final = re.compile(r"(?<![\w.-])/tmp/[\w.@+/-]*[\w@+]")
_MESSAGE: Final = "`{}`, which the command names, can't be there: at level landlock commands have no /tmp"
_HINT: Final = (
    "make bubblewrap work, as `factory doctor` says; or let the commands hand files on in the checkout"
    " or below $TMPDIR"
)


def lost_between_commands(order: WorkOrder, level: str) -> Failure | None:
    """Why acceptance commands can't hand on a file in `/tmp` that several name; None if they can, or don't.

    Args:
        order: the work order.
        level: the level of the sandbox.
    """
    if level != _WITHOUT:
        return None
    named = Counter(path for command in order.acceptance_commands for path in {*_FILE.findall(command)})
    shared = next((path for path, commands in named.items() if commands > 1), None)
    if shared is None:
        return None
    where = next(command for command in order.acceptance_commands if shared in command)
    return Failure.environment(Stage.PREFLIGHT, _MESSAGE.format(shared), where=where, hint=_HINT)


def refused_in(command: str, printed: str, level: str) -> tuple[str, str] | None:
    """That a command was refused a file in `/tmp` that it names, and what to do; None if it was not.

    Args:
        command: its text.
        printed: what it printed.
        level: the level of the sandbox that it ran in.
    """
    denied = (
        [line for line in printed.splitlines() if "Permission denied" in line] if level == _WITHOUT else []
    )
    named = _FILE.findall(command)
    path = next((path for path in named if any(path in line for line in denied)), None)
    return None if path is None else (_MESSAGE.format(path), _HINT)
