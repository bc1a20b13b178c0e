"""The command line of the factory: options in, composition of the parts, exit code out."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from factory.contract.errors import WorkorderError
from factory.exit_codes import ExitCode
from factory.options import parser
from factory.system.console import Console
from factory.system.signals import interruptible


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments; None for the process's own.

    Returns:
        The exit code, see `factory.exit_codes.ExitCode`.
    """
    console = Console()
    options = parser().parse_args(argv)
    try:
        match options.command:
            case "run":
                return _run(options, console)
            case _:
                return _show(options, console)
    except WorkorderError as error:
        console.error(str(error))
        return ExitCode.REFUSED
    except BrokenPipeError:
        # The reader of our output is gone, as with `| head`.
        sys.stderr.close()
        return ExitCode.REFUSED


def _run(options: argparse.Namespace, console: Console) -> int:
    # Tracing to a service is the graph library's own feature; source code never leaves through it.
    os.environ["LANGSMITH_TRACING"] = "false"
    os.environ["LANGCHAIN_TRACING_V2"] = "false"

    from factory.llm.budget import Budget, Limits
    from factory.llm.ledger import Ledger
    from factory.llm.port import Model, Parameters
    from factory.llm.prices import Price
    from factory.llm.secrets import redact, secret_values
    from factory.llm.select import select_model
    from factory.report.ending import told
    from factory.run import Outside, RunSettings, run_work_order
    from factory.system.clock import SystemClock

    ledger = options.ledger or options.out / "ledger"
    price = Price(*options.price) if options.price else None
    limits = Limits(options.max_cost_usd, options.max_tokens, price)

    def model() -> Model:
        asked = select_model(options.llm, stage="factory", ledger=Ledger(ledger), environment=os.environ)
        return Budget(limits, Ledger(ledger)).guarded(asked)

    settings = RunSettings(
        repo=options.repo,
        work_order=options.work_order,
        out=options.out,
        branch=options.branch,
        max_attempts=options.max_attempts,
        parameters=Parameters(
            max_output_tokens=options.max_output_tokens, temperature=options.llm_temperature
        ),
        timeout_seconds=options.timeout_seconds,
        in_place=options.in_place,
        delete_ignored=options.delete_ignored,
        passed_variables=tuple(options.pass_env),
        ledger=ledger,
        # The words of a program may hold a key; it is refused later, but recorded now.
        llm=redact(options.llm, secret_values(os.environ)),
        price=price,
    )
    progress = (lambda _text: None) if options.quiet else console.progress
    try:
        with interruptible():
            finished = run_work_order(settings, Outside(model, SystemClock(), progress, os.environ))
    except Exception:
        console.error(f"this is a bug in factory; {_crash_log(options.out)}")
        return ExitCode.INTERNAL
    text = told(finished.ending, finished.folder)
    if finished.ending.exit_code == ExitCode.PASS:
        console.result(text)
    else:
        console.error(text)
    return finished.ending.exit_code


def _show(options: argparse.Namespace, console: Console) -> int:
    from factory.report.show import show_run

    console.result(show_run(options.run_dir))
    return ExitCode.PASS


def _crash_log(out: Path) -> str:
    """Keep what is known about a bug, and say where it is."""
    story = traceback.format_exc()
    log = out / "crash.log"
    try:
        out.mkdir(parents=True, exist_ok=True)
        log.write_text(story, "utf-8", "backslashreplace")
    except OSError:
        return f"this is what is known about it:\n{story}"
    return f"what is known about it is in {log}"
