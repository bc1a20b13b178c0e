"""The edge of both commands: whatever a command ends in becomes an exit code and, where one is due, a text.

Expected failures are told, bugs leave a crash log, and the first signal unwinds. Imports nothing slow.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from factory.contract.errors import Fault, expected
from factory.system.process.signals import Interrupted, interruptible
from factory.system.terminal.arguments import BadUsage, Parser, with_defaults
from factory.system.terminal.called import as_called
from factory.system.terminal.console import Console

_INTERNAL: Final = 70
_BROKEN_PIPE: Final = 141
"""What a shell reports of a process that SIGPIPE ended."""


class Program(NamedTuple):
    """What the two commands have of their own.

    Attributes:
        parser: makes the parser; what it parses names in `run` the function that carries the command out.
        exit_codes: which exit code each fault means.
        out: the option that says where artifacts go; a command without it leaves its crash log elsewhere.
    """

    parser: Callable[[], Parser]
    exit_codes: Mapping[Fault, int]
    out: str


def run_program(
    program: Program, argv: Sequence[str] | None, defaults: Callable[[], Mapping[str, str]] = dict
) -> int:
    """Run one command.

    Args:
        program: which of the two.
        argv: the arguments without the program's name; None for those of the process.
        defaults: what options are that are not given, by their names, where it is not what the parser says.

    Returns:
        The exit code.
    """
    try:
        return _run(program, argv, Console(), defaults)
    except BrokenPipeError:
        # The reader of a pipe has gone; the console has already let go of it.
        return _BROKEN_PIPE


def _run(
    program: Program,
    argv: Sequence[str] | None,
    console: Console,
    defaults: Callable[[], Mapping[str, str]],
) -> int:
    parser = program.parser()
    options = argparse.Namespace(called=parser.prog, defaults={})
    console.naming = partial(as_called, options=options)
    try:
        with interruptible():
            texts = options.defaults = dict(defaults())
            with_defaults(parser, texts)
            parser.parse_args(argv, options)
            # What the same is called by once more.
            options.words = tuple(sys.argv[1:] if argv is None else argv)
            code: int = options.run(options, console)
            return code
    except SystemExit as ended:
        # argparse ends --help and --version this way.
        return ended.code if isinstance(ended.code, int) else 0
    except Interrupted as signal:
        console.error(f"stopped by {signal}; the same command goes on, and pays for no answer twice")
        return signal.exit_code
    except BrokenPipeError:
        raise
    except BadUsage as error:
        console.progress(error.usage)
        console.error(error.message)
        return program.exit_codes[error.fault]
    except Exception as error:
        known = expected(error)
        if known is None:
            log = _crash_log(parser.prog, getattr(options, program.out, None))
            console.error(f"this is a bug in {parser.prog}; {log}")
            return _INTERNAL
        console.error(str(known))
        return program.exit_codes[known.fault]


def _crash_log(program: str, folder: Path | None) -> str:
    """Keep what is known about a bug, and say where it is."""
    # Here and below only: what a bug alone needs takes as long to import as all the rest of this module.
    import traceback

    story = traceback.format_exc()
    try:
        log = _new_log(program) if folder is None else folder / "crash.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(story, "utf-8", "backslashreplace")
    except (OSError, ValueError):
        return f"this is what is known about it:\n{story}"
    return f"what is known about it is in {log}"


def _new_log(program: str) -> Path:
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix=f"{program.replace(' ', '-')}-crash-", suffix=".log")
    os.close(descriptor)
    return Path(name)
