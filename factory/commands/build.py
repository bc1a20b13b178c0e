"""`factory build`, also called `resume`: executes all work orders of a plan."""

import os
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.commands.engine import add_engine, add_remote, trials_of
from factory.commands.options import add_execution, ledger_folder, seconds
from factory.contract.errors import WorkorderError
from factory.system.process.signals import Interrupted, interruptible
from factory.system.terminal.arguments import Commands, Options, positive
from factory.system.terminal.console import SHOW_CURSOR, Console, visible
from factory.system.terminal.exit_code import epilog
from factory.system.terminal.notify import Ended, add_notify, notify

if TYPE_CHECKING:
    from factory.builds.settings import BuildSettings, Built


def add_options(commands: Commands) -> None:
    """Add the command and its options, under both of its names."""
    first = "Execute all work orders of a plan. Building again goes on where it ended."
    for name, description in (("build", first), ("resume", "Build again: the same as build.")):
        command = commands.add_parser(
            name,
            help=description[0].lower() + description[1:].partition(".")[0],
            description=description,
            epilog=epilog(ExitCode),
        )
        executed = command.section("what is executed, and where")
        executed.add_argument(
            "--plan", type=Path, required=True, metavar="DIR", help="the plan's directory, or its manifest"
        )
        _add_course(command.section("how the build goes its way"))
        shown = add_execution(command, executed)
        shown.add_argument(
            "--json", action="store_true", help="print each event as a line of JSON on standard output"
        )
        add_notify(shown)
        command.set_defaults(run=run)


def run(options: Namespace, console: Console, *, retried: str | None = None) -> int:
    """Execute the plan.

    Args:
        options: what the user asks for.
        console: where it is told.
        retried: the work order that alone is tried anew of those that have failed; None for all of them.
    """
    from factory.builds.build import build
    from factory.commands.composition import LEFT_AT_ONCE, limits_of, ports_of
    from factory.commands.people.kept import keep_call
    from factory.report.build import view
    from factory.report.remarks import Remarks
    from factory.system.clock import SystemClock

    terminal = None if options.quiet or options.json else console.animated(os.environ)
    settings = _settings(options, retried)
    if options.dry_run:
        return _rehearse(settings, options, console)
    last_word = LEFT_AT_ONCE if terminal is None else f"{SHOW_CURSOR}\n{LEFT_AT_ONCE}"
    built, began, remarks = None, SystemClock().monotonic(), Remarks(options.out)
    try:
        with (
            interruptible(lambda: last_word),
            view(
                console,
                terminal,
                quiet=options.quiet,
                as_json=options.json,
                out=options.out,
                repository="" if terminal is None else _repository(options.repo),
                ledger=ledger_folder(options),
                limits=limits_of(options),
                mutants=settings.attempts.mutants,
                remarks=remarks,
            ) as shown,
            trials_of(options, shown.progress) as trials,
        ):
            ports = ports_of(options, shown.progress, trials)
            built = build(settings, ports, shown.event, shown.doing)
    except Interrupted:
        # One that comes after the build's end was decided changes nothing.
        if built is None:
            raise
    except WorkorderError as error:
        # Whoever is waited for may have been waited for since the base's tests began.
        _notify(options, EXIT_CODES[error.fault], error.message, console)
        raise
    if built.state is not None:
        keep_call("build", options, options.out)
    left = remarks.left(built.state) if built.state is not None else []
    if options.quiet or options.json:
        _tell(built, options, console, left)
    else:
        _tell(built, options, console)
        _tell_totals(built, options, console, SystemClock().monotonic() - began, left)
    _notify(options, built.ended.exit_code, built.ended.message, console)
    return built.ended.exit_code


def _notify(options: Namespace, exit_code: int, message: str, console: Console) -> None:
    notify(options.notify, Ended("factory build", exit_code, message), console, os.environ)


def _settings(options: Namespace, retried: str | None) -> "BuildSettings":
    from factory.builds.settings import BuildSettings
    from factory.commands.composition import attempt_settings

    return BuildSettings(
        repo=options.repo,
        plan=options.plan,
        out=options.out,
        branch=options.branch,
        attempts=attempt_settings(options),
        jobs=options.jobs,
        keep_going=options.keep_going,
        deadline_seconds=options.deadline,
        baseline_red=options.baseline_red,
        accept_plan=options.accept_plan,
        rebuild_state=options.rebuild_state,
        require_approval=options.require_approval,
        ledger=ledger_folder(options),
        retried=retried,
    )


def _repository(repo: Path) -> str:
    """The repository as the state of a build names it; empty of one that can't be opened."""
    from factory.system.git.client import Git

    try:
        return visible(str(Git.open(repo).common_dir))
    except WorkorderError:
        return ""


def _rehearse(settings: "BuildSettings", options: Namespace, console: Console) -> int:
    """Tell how far a build would come."""
    from factory.builds.rehearsal import rehearse
    from factory.commands.composition import known_price, ports_of
    from factory.report.rehearsal import render_rehearsal

    progress = (lambda _text: None) if options.quiet else console.progress
    with interruptible(), trials_of(options, progress) as trials:
        rehearsed = rehearse(settings, ports_of(options, progress, trials), known_price(options))
    attempts = settings.attempts
    text = render_rehearsal(rehearsed, attempts.max_attempts, attempts.parameters.max_output_tokens)
    ended = rehearsed.ended or rehearsed.unasked
    if ended is None:
        console.result(text)
        return ExitCode.PASS
    console.error(text)
    return ended.exit_code


def _tell(built: "Built", options: Namespace, console: Console, remarks: Sequence[str] = ()) -> None:
    from factory.report.build import render_build

    text = console.naming(render_build(built, options.out, remarks))
    # The exit code is the build's, also if nobody reads any more.
    with suppress(BrokenPipeError):
        if built.ended.exit_code is not ExitCode.PASS:
            console.error(text)
        elif options.json:
            console.progress(text)
        else:
            console.result(text)


def _tell_totals(
    built: "Built", options: Namespace, console: Console, seconds: float, remarks: Sequence[str]
) -> None:
    from factory.report.totals import render_totals
    from factory.repository.onward import onward
    from factory.system.git.client import Git

    around = None
    # What has happened stays true, also where the repository can't be read any more.
    with suppress(WorkorderError):
        around = onward(Git.open(options.repo), built.state.branch) if built.state is not None else None
    repo = None if options.repo.resolve() == Path.cwd() else options.repo
    text = render_totals(built, options.out, seconds, around, remarks, repo)
    with suppress(BrokenPipeError):
        if text:
            console.progress(text)


def _add_course(command: Options) -> None:
    """How a build goes its way through the plan."""
    add_engine(command)
    add_remote(command)
    command.add_argument(
        "--jobs",
        type=positive,
        default=1,
        metavar="N",
        help="how many work orders are executed at a time (default: %(default)s)",
    )
    command.add_argument(
        "--keep-going",
        action="store_true",
        help="after a failed work order, go on with those that do not depend on it",
    )
    command.add_argument(
        "--deadline", type=seconds, metavar="S", help="stop after so many seconds; the next build goes on"
    )
    command.add_argument(
        "--require-approval",
        action="store_true",
        help="build only what a person has approved with `planner approve`",
    )
    command.add_argument(
        "--dry-run",
        action="store_true",
        help="do all that comes before the first call of a model, in a copy: verify the base, provide the"
        " environment, try the acceptance commands of what is ready; nothing is asked, nothing lands",
    )
    command.add_argument(
        "--accept-plan",
        action="store_true",
        help="go on with another plan than the build was started with; what is unchanged and landed stays",
    )
    command.add_argument(
        "--rebuild-state",
        action="store_true",
        help="derive state.json again from git and the run folders",
    )
