"""Tells somebody who looks elsewhere that a long command has ended: by a bell, or by a program of theirs.

It changes nothing: a notifier that fails is told of, and the exit code stays.

    python -m factory.system.terminal.notify HOW COMMAND EXIT_CODE MESSAGE
"""

import argparse
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.system.terminal.arguments import Options
from factory.system.terminal.console import Console, one_line

BELL: Final = "bell"

_SECONDS: Final = 30.0
_LONGEST_MESSAGE: Final = 500


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        command: its name, such as `factory build`.
        exit_code: what it returns.
        message: what happened, a sentence; a model may have written parts of it.
    """

    command: str
    exit_code: int
    message: str

    @property
    def in_words(self) -> str:
        """One harmless line, which begins with the command's name."""
        return f"{self.command}: {one_line(self.message)[:_LONGEST_MESSAGE]}"

    @property
    def variables(self) -> Mapping[str, str]:
        """What a notifier finds in its environment."""
        return {
            "WORKORDER_ENDED_COMMAND": self.command,
            "WORKORDER_ENDED_EXIT_CODE": str(int(self.exit_code)),
            "WORKORDER_ENDED_MESSAGE": self.in_words,
        }


def add_notify(options: Options) -> None:
    """The option that says who is told at the end: `notify`."""
    options.add_argument(
        "--notify",
        type=_notifier,
        metavar="bell|COMMAND",
        help="at the end ring the terminal's bell, or run a command of yours, without a shell: its last"
        " argument is what happened, its environment has WORKORDER_ENDED_COMMAND, _EXIT_CODE and _MESSAGE",
    )


def notify(how: str | None, ended: Ended, console: Console, environment: Mapping[str, str]) -> None:
    """Tell that a command has ended.

    Args:
        how: `bell`, or a command line; None to tell nobody.
        ended: what to tell.
        console: where the bell rings, and where it is told that a notifier failed.
        environment: the variables of this process, which the user's program sees.
    """
    if how is None:
        return
    try:
        if how == BELL:
            console.bell()
        else:
            problem = _run(shlex.split(how), ended, environment)
            if problem:
                console.progress(f"the notifier failed, which changes nothing: {problem}")
    except OSError as error:
        # Nobody reads any more, or the disk is full: the command has ended as it has ended.
        if not isinstance(error, BrokenPipeError):
            console.progress(f"the notifier could not be run: {error.strerror}")


def _run(words: list[str], ended: Ended, environment: Mapping[str, str]) -> str:
    """Run the user's program; why it failed, empty if it did not."""
    # Only here: most commands end without it.
    from tempfile import TemporaryFile

    from factory.system.process.command import Command
    from factory.system.process.launch import run

    with TemporaryFile() as printed:
        outcome = run(
            Command(
                argv=(*words, ended.in_words),
                cwd=None,
                env={**environment, **ended.variables},
                timeout_seconds=_SECONDS,
                stdout=Path(f"/dev/fd/{printed.fileno()}"),
            )
        )
        if outcome.ok:
            return ""
        if outcome.not_started is not None:
            return f"{words[0]}: {outcome.not_started}"
        if outcome.timed_out:
            return f"{words[0]} did not end within {_SECONDS:g} seconds"
        printed.seek(0)
        said = printed.read(_LONGEST_MESSAGE).decode("utf-8", "replace").strip().partition("\n")[0]
        how = f"exit code {outcome.exit_code}" if outcome.signal is None else f"signal {outcome.signal}"
        return f"{words[0]} ended with {how}" + (f": {one_line(said)}" if said else "")


def _notifier(text: str) -> str:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} can't be split into words: {error}") from error
    if not words:
        raise argparse.ArgumentTypeError("it is neither bell nor a command")
    return text


def main(how: str, command: str, exit_code: str, message: str) -> None:
    """Tell, for a script, that it has ended."""
    notify(how, Ended(command, int(exit_code), message), Console(), os.environ)


if __name__ == "__main__":
    main(*sys.argv[1:5])
