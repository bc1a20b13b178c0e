"""The commands and options of `factory`, and nothing that takes time to import: `--help` is instant."""

import argparse
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.system.terminal.arguments import Parser, Version, add_knowledge, add_limits, positive

DEFAULT_MODEL: Final = "gpt-5.2"

_EXIT_CODES: Final = """exit codes:
  0    PASS: the work order's commit is on the branch
  1    FAIL: the attempts are spent; the model could not do it
  2    refused: usage, configuration, a dirty or busy repository, an unsafe path
  3    the model's API failed
  4    plan defect: this work order can't pass as written
  5    a limit on spending, or the deadline, was reached
  6    the repository could not be restored
  7    state corrupt
  8    environment: a program is not installed, the disk is full, the branch moved
  70   internal error; a crash log was written
  130  interrupted, 143 terminated, 129 the terminal was closed; all after restoring"""


class _Parser(Parser):
    usage_error = ExitCode.REFUSED


def parser() -> argparse.ArgumentParser:
    """All commands; the parsed `command` names the one that was given."""
    top = _Parser(
        prog="factory",
        description="Executes work orders against a git repository and lands verified commits.",
        epilog=_EXIT_CODES,
    )
    top.add_argument("--version", action=Version)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_run(commands)
    _add_build(commands, "build", "Execute all work orders of a plan. Building again goes on where it ended.")
    _add_build(commands, "resume", "Build again: the same as build.")
    _add_status(commands)
    _add_reset(commands)
    _add_show(commands)
    _add_doctor(commands)
    return top


def _add_run(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = commands.add_parser(
        "run",
        help="execute one work order",
        description="Execute one work order.",
        epilog=_EXIT_CODES,
    )
    command.add_argument(
        "--work-order", type=Path, required=True, metavar="FILE", help="the work order, WO-NN.json"
    )
    _add_execution(command)
    command.add_argument(
        "--in-place", action="store_true", help="work in the checkout itself; for throw-away clones in CI"
    )
    command.add_argument(
        "--delete-ignored", action="store_true", help="with --in-place: ignored files may be deleted"
    )


def _add_build(commands: "argparse._SubParsersAction[_Parser]", name: str, description: str) -> None:
    command = commands.add_parser(
        name,
        help=description[0].lower() + description[1:].partition(".")[0],
        description=description,
        epilog=_EXIT_CODES,
    )
    command.add_argument(
        "--plan", type=Path, required=True, metavar="DIR", help="the plan's directory, or its manifest"
    )
    _add_execution(command)
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
        "--deadline", type=_seconds, metavar="S", help="stop after so many seconds; the next build goes on"
    )
    command.add_argument(
        "--baseline-red",
        action="store_true",
        help="accept that the repository's own verification fails already; only new failures count",
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
    command.add_argument(
        "--json", action="store_true", help="print each event as a line of JSON on standard output"
    )


def _add_execution(command: argparse.ArgumentParser) -> None:
    """What executing one work order and many have in common."""
    command.add_argument(
        "--repo", type=Path, required=True, metavar="DIR", help="the root of the git repository"
    )
    command.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where artifacts go; outside the repository"
    )
    command.add_argument(
        "--llm",
        "--llm-model",
        default=DEFAULT_MODEL,
        metavar="MODEL",
        help="gpt-…, openai:NAME, command:PROGRAM ARGS or replay:DIR (default: %(default)s)",
    )
    add_knowledge(command)
    command.add_argument(
        "--max-attempts",
        type=positive,
        default=2,
        metavar="N",
        help="how many attempts the model gets for a work order (default: %(default)s)",
    )
    command.add_argument(
        "--llm-temperature", type=_temperature, default=0.0, metavar="T", help="from 0 to 2 (default: 0)"
    )
    command.add_argument(
        "--max-output-tokens",
        type=positive,
        default=32_000,
        metavar="N",
        help="the longest answer (default: %(default)s)",
    )
    command.add_argument(
        "--timeout-seconds",
        type=_seconds,
        default=600.0,
        metavar="S",
        help="the time limit of each command that is run (default: 600)",
    )
    command.add_argument(
        "--branch",
        metavar="NAME",
        help="where to land; made from HEAD if missing (default: the one checked out)",
    )
    command.add_argument(
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="a further environment variable that commands may see; never a secret",
    )
    command.add_argument(
        "--no-red-probe",
        action="store_true",
        help="don't demand that acceptance commands fail before the work is done",
    )
    command.add_argument(
        "--mutants",
        type=_count,
        default=5,
        metavar="N",
        help="how many mutants of the written lines are tried after an attempt has passed, to see whether the"
        " checks notice; 0 for none (default: %(default)s)",
    )
    command.add_argument(
        "--kill-threshold",
        type=_percentage,
        metavar="PERCENT",
        help="fail an attempt whose checks notice less than that (default: record it only)",
    )
    add_sandbox(command)
    command.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=VALUE,…",
        help="how much a command may use: mem, procs, file, disk, files, output, cpu, wall;"
        " such as mem=2G,procs=128",
    )
    command.add_argument(
        "--net",
        choices=("none", "host"),
        default="none",
        help="the network of commands: none but a loopback of their own, or this machine's (default: none)",
    )
    command.add_argument(
        "--ledger",
        type=Path,
        metavar="DIR",
        help="where answers are remembered; outside the repository (default: OUT/ledger)",
    )
    add_limits(command)
    command.add_argument("--quiet", action="store_true", help="print nothing but the result")


def add_sandbox(command: argparse.ArgumentParser) -> None:
    """The options that choose what generated code runs in: `sandbox`, `allow_unsandboxed`."""
    command.add_argument(
        "--sandbox",
        choices=("auto", "bwrap", "landlock", "none"),
        default="auto",
        help="what generated code runs in; auto takes the strongest that works (default: %(default)s)",
    )
    command.add_argument(
        "--allow-unsandboxed",
        action="store_true",
        help="with --sandbox none: generated code may do whatever you may do",
    )


def _add_doctor(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = commands.add_parser(
        "doctor",
        help="tell what works on this machine, and how to mend what does not",
        description="Tell what works on this machine, and how to mend what does not; exit code 1 if a run"
        " would be refused. Attacks the sandbox from inside, which must fail.",
    )
    add_sandbox(command)
    command.add_argument("--json", action="store_true", help="print the findings as JSON")


def _add_status(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = commands.add_parser(
        "status",
        help="tell where a build stands",
        description="Tell where a build stands, from its state, and what it used, from the ledger; nothing is"
        " changed.",
    )
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="the build's directory")
    command.add_argument(
        "--ledger", type=Path, metavar="DIR", help="where answers are remembered (default: OUT/ledger)"
    )
    command.add_argument("--attempts", action="store_true", help="tell of every attempt what it used")
    command.add_argument("--json", action="store_true", help="print the state as JSON")


def _add_reset(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = commands.add_parser(
        "reset",
        help="let the next build ask anew for work orders that have not landed",
        description="Forget the answers that work orders got, so that the next build asks the model again. "
        "They still count as spent. Commits, files and what has landed stay as they are.",
    )
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="the build's directory")
    command.add_argument(
        "--ledger", type=Path, metavar="DIR", help="where answers are remembered (default: OUT/ledger)"
    )
    command.add_argument(
        "work_orders",
        nargs="*",
        metavar="WO-NN",
        help="which ones (default: those whose last attempt failed)",
    )


def _add_show(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = commands.add_parser(
        "show",
        help="tell what happened in a run",
        description="Tell what happened in a run, from its folder.",
    )
    command.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="a folder OUT/RUN_ID")


def _seconds(text: str) -> float:
    number = _number(text)
    if not 0 < number <= 7 * 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0, a week at most")
    return number


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) > 1_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1000")
    return int(text)


def _percentage(text: str) -> int:
    if not text.isdecimal() or int(text) > 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage from 0 to 100")
    return int(text)


def _temperature(text: str) -> float:
    number = _number(text)
    if not 0 <= number <= 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 2")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
