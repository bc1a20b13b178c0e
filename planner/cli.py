"""The `planner` command: runs what was asked for and turns every ending into an exit code.

Only `compile` and `revise` import what talks to a model, and `--help` imports nothing beyond argparse.
"""

import os
import sys
import tempfile
import traceback
from argparse import Namespace
from collections.abc import Sequence
from typing import Final

from factory.contract.errors import WorkorderError
from factory.system.process.signals import Interrupted, interruptible
from factory.system.terminal.console import Console
from planner.commands.options import parser

EXIT_ERROR: Final = 1
EXIT_INVALID: Final = 2
EXIT_INTERNAL: Final = 70
EXIT_BROKEN_PIPE: Final = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments without the program's name; None for those of the process.

    Returns:
        The exit code: 0 done, 1 refused, 2 validation failed, 3 the API failed, 4 the answer was not JSON,
        70 internal error, 130, 143 or 129 interrupted.
    """
    console = Console()
    try:
        with interruptible():
            return _run(parser().parse_args(argv), console)
    except SystemExit as ended:
        # argparse ends --help, --version and usage errors this way.
        return ended.code if isinstance(ended.code, int) else EXIT_ERROR
    except Interrupted as stop:
        console.error(f"stopped by {stop}; the same command goes on, and pays for no answer twice")
        return stop.exit_code
    except WorkorderError as error:
        console.error(str(error))
        return EXIT_ERROR
    except BrokenPipeError:
        # The reader of a pipe has gone. Python would complain about it once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
    except OSError as error:
        # The machine's fault, not ours: a full disk, a name that is too long, no temporary directory.
        place = f"{error.filename}: " if error.filename else ""
        console.error(f"{place}{(error.strerror or str(error)).lower()}")
        return EXIT_ERROR
    except Exception as error:
        console.error(f"internal error: {type(error).__name__}; the crash log is {_write_crash_log()}")
        return EXIT_INTERNAL


def _run(options: Namespace, console: Console) -> int:
    match options.command:
        case "compile":
            from planner.commands.compile import run

            return run(options, console)
        case "revise":
            from planner.commands.revise import run

            return run(options, console)
        case "check":
            from planner.commands.check import run

            return run(options, console)
        case "trace":
            from planner.commands.trace import run

            return run(options, console)
        case "impact":
            from planner.commands.impact import run

            return run(options, console)
        case "explain":
            return _explain(options, console)
        case _:
            return _graph(options, console)


def _explain(options: Namespace, console: Console) -> int:
    from planner.check.explain import explain, explain_all

    console.result(explain_all() if options.all else explain(options.code))
    return 0


def _graph(options: Namespace, console: Console) -> int:
    from planner.check.on_disk import check_built_plan
    from planner.commands.options import refuse_lone_branch
    from planner.diagnostics.render import OutputFormat, render
    from planner.plan.dependencies import depends_on
    from planner.report.diagram import GraphFormat, draw
    from planner.repository.sources import NO_SOURCES

    refuse_lone_branch(options)
    checked, standing = check_built_plan(options.plan, options.repo, options.branch)
    if checked.plan is None:
        console.progress(render(checked.diagnostics, OutputFormat.FULL))
        console.error(f"{options.plan}: there is no plan to draw")
        return EXIT_INVALID
    files = frozenset[str]() if standing is None else standing.files
    sources = NO_SOURCES if standing is None else standing.sources
    dependencies = depends_on(checked.plan, files, sources)
    console.result(draw(checked.plan, dependencies, GraphFormat(options.format)))
    return 0


def _write_crash_log() -> str:
    descriptor, path = tempfile.mkstemp(prefix="planner-crash-", suffix=".log")
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
        log.write(traceback.format_exc())
    return path
