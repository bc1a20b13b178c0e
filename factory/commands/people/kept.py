"""Keeps how `build` and `run` were called, for `called`."""

import os
from argparse import Namespace
from pathlib import Path

from factory.llm.secrets import redact, secret_values
from factory.runs.record.call import CALL, Call, Command
from factory.system.clock import SystemClock
from factory.system.files.tree import FileProblem


def keep_call(command: Command, options: Namespace, folder: Path) -> None:
    """Keep how a command was called, unless its words hold a key; where that can't be, nothing is kept.

    Args:
        command: the command.
        options: what it was given, with its words.
        folder: where it is kept.
    """
    words, defaults = options.words, options.defaults
    secrets = secret_values(os.environ)
    if any(redact(text, secrets) != text for text in (*words, *defaults.values())):
        return
    call = Call(
        command=command,
        words=words,
        defaults=defaults,
        folder=str(Path.cwd()),
        ended=SystemClock().now(),
    )
    try:
        CALL.write(folder, call)
    except (FileProblem, ValueError):
        # It has ended as it has: what can't be repeated is told to who wants to.
        return
