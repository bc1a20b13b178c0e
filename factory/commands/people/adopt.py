"""`factory adopt`: takes what a person did for a work order the way that every proposal goes."""

import os
import shlex
from argparse import Namespace
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import add_named, ledger_folder
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from factory.system.terminal.exit_code import epilog

if TYPE_CHECKING:
    from factory.commands.people.called import Again
    from factory.runs.people.work import Taking
    from factory.runs.record.tried import Named
    from factory.runs.run import RunSettings


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "adopt",
        help="take what you did by hand as a work order, if it passes",
        description="Take what a person did as a work order: its scope, its gates, the red probe, the second"
        " pass and the kill proof are those of every attempt, with the settings of the build or run. What"
        " passes lands, marked as a person's; what does not changes nothing.",
        epilog=epilog(ExitCode),
    )
    add_named(command)
    command.add_argument(
        "--from",
        dest="source",
        metavar="DIR|REF",
        help="where it was done: a worktree of the repository, also with what is uncommitted, or else a"
        " branch or commit (default: the worktree of `factory open`)",
    )
    command.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="FILE",
        help="also take this file, which the work order does not list; the commit and the record name it",
    )
    command.add_argument(
        "--allow-config",
        action="append",
        default=[],
        metavar="FILE",
        help="accept that this file of your configuration is changed",
    )
    command.add_argument(
        "--summary", metavar="TEXT", help="what the commit says of it (default: what your commits say)"
    )
    command.add_argument(
        "--co-author",
        action="append",
        default=[],
        metavar="NAME <MAIL>",
        help="whom the commit names in a trailer Co-authored-by",
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Take it; the exit code is that of a run.

    Raises:
        WorkorderError: there is no such work order, nothing was done, or an option can't be used.
    """
    from factory.commands.composition import LEFT_AT_ONCE, ports_of
    from factory.commands.people.called import again
    from factory.commands.people.kept import keep_call
    from factory.people.adoptions import forget_opened, opened_in
    from factory.report.endings import render_ending
    from factory.runs.record.tried import named
    from factory.runs.run import run_work_order
    from factory.system.process.signals import interruptible

    known = named(options.named, options.out)
    taking = _taking(options, known)
    called = again(known)
    settings = _settings(options, called, taking)
    progress = (lambda _text: None) if called.options.quiet else console.progress
    with interruptible(lambda: LEFT_AT_ONCE):
        finished = run_work_order(settings, replace(ports_of(called.options, progress), agent=None))
    if finished.folder is not None:
        keep_call(
            called.command, called.options, finished.folder if called.command == "run" else settings.out
        )
    text = console.naming(render_ending(finished.ending, finished.folder))
    with suppress(BrokenPipeError):
        if finished.ending.exit_code is not ExitCode.PASS:
            console.error(text)
            return finished.ending.exit_code
        opened = opened_in(settings.out, known.work_order)
        forget_opened(settings.out, known.work_order)
        console.result(text)
        if opened is not None and not called.options.quiet:
            place = shlex.quote(opened.place)
            console.progress(f"the worktree stays yours, until: git worktree remove {place}")
        if called.command == "build" and not called.options.quiet:
            console.progress(f"to go on: {called.line}")
    return finished.ending.exit_code


def _taking(options: Namespace, known: "Named") -> "Taking":
    """Whose work is taken, from where; while paths are still relative to where the user is.

    Raises:
        WorkorderError: nothing tells where it was done, or an option can't be used.
    """
    from factory.attempt.commit.authorship import co_authors
    from factory.commands.people.said import spoken
    from factory.contract.errors import WorkorderError
    from factory.contract.repo_path import RepoPath, UnsafePath
    from factory.llm.secrets import secret_values
    from factory.people.adoptions import opened_in
    from factory.people.hints import MAX_HINT_CHARS
    from factory.runs.people.work import ALLOW, Taking
    from factory.system.clock import SystemClock
    from factory.system.git.client import user_identity

    co_authors(options.co_author)
    opened = opened_in(known.out, known.work_order)
    if options.source is not None:
        source = Path(options.source).resolve() if Path(options.source).is_dir() else options.source
    elif opened is not None:
        source = Path(opened.place)
    else:
        raise WorkorderError(
            f"nobody has opened {known.work_order} by `factory open`",
            where=str(known.out),
            hint="name with --from the worktree, or the branch, in which it was done",
        )
    try:
        allowed = tuple(RepoPath.parse(path) for path in options.allow)
    except UnsafePath as error:
        raise WorkorderError(
            error.message, where=f"{ALLOW} {error.where}", hint="give its path from the root"
        ) from error
    summary = spoken(options.summary, "--summary", MAX_HINT_CHARS) if options.summary is not None else ""
    return Taking(
        work_order=known.work_order,
        plan=None,
        source=source,
        allowed=allowed,
        summary=summary,
        author=user_identity(Path.cwd()),
        said=SystemClock().now(),
        secrets=secret_values(os.environ),
    )


def _settings(options: Namespace, called: "Again", taking: "Taking") -> "RunSettings":
    """The settings of the build or run, with what is said of this work."""
    from factory.attempt.commit.authorship import co_authors
    from factory.commands.composition import attempt_settings
    from factory.runs.run import RunSettings

    build = called.options if called.command == "build" else None
    called.options.allow_config += options.allow_config
    attempts = attempt_settings(called.options).model_copy(
        update={"llm": "", "co_authors": co_authors(options.co_author)}
    )
    return RunSettings(
        repo=called.options.repo,
        work_order=Path(f"{taking.work_order}.json") if build else called.options.work_order,
        out=called.options.out,
        branch=called.options.branch,
        attempts=attempts,
        in_place=False,
        delete_ignored=False,
        baseline_red=called.options.baseline_red,
        ledger=ledger_folder(called.options),
        require_approval=build is not None and build.require_approval,
        taking=replace(taking, plan=build.plan if build else None),
    )
