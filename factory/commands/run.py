"""`factory run`: executes one work order."""

from argparse import Namespace
from contextlib import suppress
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import add_execution, ledger_folder
from factory.system.process.signals import interruptible
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from factory.system.terminal.exit_code import epilog


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "run",
        help="execute one work order",
        description="Execute one work order.",
        epilog=epilog(ExitCode),
    )
    executed = command.section("what is executed, and where")
    executed.add_argument(
        "--work-order", type=Path, required=True, metavar="FILE", help="the work order, WO-NN.json"
    )
    add_execution(command, executed)
    executed.add_argument(
        "--in-place", action="store_true", help="work in the checkout itself; for throw-away clones in CI"
    )
    executed.add_argument(
        "--delete-ignored", action="store_true", help="with --in-place: ignored files may be deleted"
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Execute the work order."""
    from factory.commands.composition import LEFT_AT_ONCE, attempt_settings, ports_of
    from factory.commands.people.kept import keep_call
    from factory.report.endings import render_ending
    from factory.runs.run import RunSettings, run_work_order

    settings = RunSettings(
        repo=options.repo,
        work_order=options.work_order,
        out=options.out,
        branch=options.branch,
        attempts=attempt_settings(options),
        in_place=options.in_place,
        delete_ignored=options.delete_ignored,
        baseline_red=options.baseline_red,
        ledger=ledger_folder(options),
    )
    told: list[str] = []

    def progress(text: str) -> None:
        if not options.quiet:
            console.progress(text)
            told.append(text)

    with interruptible(lambda: LEFT_AT_ONCE):
        finished = run_work_order(settings, ports_of(options, progress))
    if finished.folder is not None:
        keep_call("run", options, finished.folder)
    text = console.naming(render_ending(finished.ending, finished.folder, told))
    # The exit code is the run's, also if nobody reads any more.
    with suppress(BrokenPipeError):
        if finished.ending.exit_code is ExitCode.PASS:
            console.result(text)
        else:
            console.error(text)
    return finished.ending.exit_code
