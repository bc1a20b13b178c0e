"""The command line of the factory: options in, composition of the parts, exit code out."""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import parser
from factory.contract.errors import WorkorderError
from factory.system.files.lock import is_held
from factory.system.process.signals import Interrupted, interruptible
from factory.system.terminal.console import SHOW_CURSOR, Console


def _last_word() -> str:
    return (
        "left at once: throw-away checkouts may remain in the directory for temporary files;"
        " the next run or build in this repository removes them, and finishes a landing that was cut off"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments; None for the process's own.

    Returns:
        The exit code, see `factory.attempt.exit_codes.ExitCode`.
    """
    console = Console()
    options = parser().parse_args(argv)
    try:
        match options.command:
            case "run":
                return _run(options, console)
            case "build" | "resume":
                return _build(options, console)
            case "status":
                return _status(options, console)
            case "reset":
                return _reset(options, console)
            case "doctor":
                return _doctor(options, console)
            case _:
                return _show(options, console)
    except WorkorderError as error:
        console.error(str(error))
        return ExitCode.REFUSED
    except BrokenPipeError:
        # The reader of our output is gone, as with `| head`.
        sys.stderr.close()
        return ExitCode.REFUSED
    except OSError as error:
        # Without a name it was standard output.
        where = "" if error.filename is None else f"{error.filename}: "
        console.error(f"{where}{error.strerror}")
        return ExitCode.ENVIRONMENT
    except KeyboardInterrupt:
        # Of what changes nothing, or only in steps that are whole.
        return ExitCode.INTERRUPTED


def _run(options: argparse.Namespace, console: Console) -> int:
    from factory.commands.composition import attempt_settings, ledger_folder, outside
    from factory.report.endings import told
    from factory.runs.run import RunSettings, run_work_order

    settings = RunSettings(
        repo=options.repo,
        work_order=options.work_order,
        out=options.out,
        branch=options.branch,
        attempts=attempt_settings(options),
        in_place=options.in_place,
        delete_ignored=options.delete_ignored,
        ledger=ledger_folder(options),
    )
    progress = (lambda _text: None) if options.quiet else console.progress
    try:
        with interruptible(_last_word):
            finished = run_work_order(settings, outside(options, progress))
    except Exception:
        console.error(f"this is a bug in factory; {_crash_log(options.out)}")
        return ExitCode.INTERNAL
    text = told(finished.ending, finished.folder)
    if finished.ending.exit_code == ExitCode.PASS:
        console.result(text)
    else:
        console.error(text)
    return finished.ending.exit_code


def _build(options: argparse.Namespace, console: Console) -> int:
    from factory.builds.build import BuildSettings, build
    from factory.commands.composition import attempt_settings, ledger_folder, outside
    from factory.report.build import told_build, view

    terminal = None if options.quiet or options.json else console.animated(os.environ)
    settings = BuildSettings(
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
        ledger=ledger_folder(options),
    )
    last_word = _last_word if terminal is None else lambda: f"{SHOW_CURSOR}\n{_last_word()}"
    built = None
    try:
        with (
            interruptible(last_word),
            view(console, terminal, quiet=options.quiet, as_json=options.json) as shown,
        ):
            built = build(settings, outside(options, shown.progress), shown.event)
    except Interrupted as signal:
        # It came before the build began, or after its end was decided.
        if built is None:
            console.error(f"ended by {signal}; nothing was begun")
            return signal.exit_code
    except Exception:
        console.error(f"this is a bug in factory; {_crash_log(options.out)}")
        return ExitCode.INTERNAL
    text = told_build(built, options.out)
    # The exit code is the build's, also if nobody reads any more.
    with suppress(BrokenPipeError):
        if built.ended.exit_code != ExitCode.PASS:
            console.error(text)
        elif options.json:
            console.progress(text)
        else:
            console.result(text)
    return built.ended.exit_code


def _status(options: argparse.Namespace, console: Console) -> int:
    from factory.builds.state.file import StateCorrupt, require_state
    from factory.builds.state.unrecorded import unanswered, with_unrecorded
    from factory.llm.ledger.file import DamagedLedger
    from factory.llm.ledger.store import Ledger
    from factory.report.status import Beside, status_document, told_status

    try:
        state = require_state(options.out)
        ledger = Ledger(options.ledger or options.out / "ledger")
        state, others = with_unrecorded(state, ledger)
        beside = Beside(others, unanswered(ledger, state.price))
    except (StateCorrupt, DamagedLedger) as error:
        console.error(str(error))
        return ExitCode.STATE_CORRUPT
    running = is_held(options.out / "lock")
    if options.json:
        console.result(json.dumps(status_document(state, beside, running=running), sort_keys=True))
    else:
        console.result(told_status(state, beside, running=running, attempts=options.attempts))
    return ExitCode.PASS


def _reset(options: argparse.Namespace, console: Console) -> int:
    from factory.builds.state.file import StateCorrupt
    from factory.builds.state.reset import reset
    from factory.commands.composition import ledger_folder
    from factory.llm.ledger.file import DamagedLedger
    from factory.report.reset import told_reset

    ledger = ledger_folder(options)
    try:
        done = reset(options.out, ledger, options.work_orders)
    except (StateCorrupt, DamagedLedger) as error:
        console.error(str(error))
        return ExitCode.STATE_CORRUPT
    console.result(told_reset(done, ledger))
    return ExitCode.PASS


def _doctor(options: argparse.Namespace, console: Console) -> int:
    from factory.commands.doctor import as_json, as_text, diagnose

    diagnosis = diagnose(os.environ, requested=options.sandbox, allow_unsandboxed=options.allow_unsandboxed)
    if options.json:
        console.result(json.dumps(as_json(diagnosis), indent=2, sort_keys=True))
    else:
        console.result(as_text(diagnosis))
    return diagnosis.exit_code


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
