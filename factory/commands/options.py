"""The options that several commands of `factory` share. Imports nothing slow: `--help` is instant."""

import argparse
from pathlib import Path
from typing import Final

from factory.system.terminal.arguments import (
    Options,
    Parser,
    add_knowledge,
    add_limits,
    add_price_of,
    positive,
)

DEFAULT_MODEL: Final = "gpt-5.2"


def add_execution(command: Parser, executed: Options) -> Options:
    """What executing one work order and many have in common.

    Args:
        command: the command.
        executed: the part of its options that says what is executed.

    Returns:
        The part that says what is shown.
    """
    _add_places(executed)
    _add_model(command.section("who is asked"))
    _add_engineer(command.section("an agent in the place of the model"))
    _add_gates(command.section("what an attempt must stand"))
    _add_proof(command.section("what shows that its checks were right"))
    _add_bounds(command.section("what commands may touch and use"))
    _add_spending(command.section("what may be spent"))
    shown = command.section("what is shown")
    shown.add_argument("--quiet", action="store_true", help="print nothing but the result")
    return shown


def add_sandbox(command: Options) -> None:
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


def add_project(command: Options) -> None:
    """The directory that is the only project: `project`."""
    command.add_argument(
        "--project",
        metavar="DIR",
        help="the directory of the repository that is the product: its configuration, packages and"
        " verification count, commands run in it, and nothing else is verified (default: the repository)",
    )


def add_named(command: Parser, *, run_counts: bool = False) -> None:
    """The work order that a command is about, and where it was tried: `named`, `out`."""
    command.add_argument(
        "named",
        metavar="RUN" if run_counts else "WO-NN",
        help="a run's folder; with --out the id of a run, or of a work order, whose latest run is shown"
        if run_counts
        else "the work order's id; or a run of it, by its id or its folder",
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="the output directory of the build or run; not needed where a folder is named",
    )


def add_build_folder(command: Parser) -> None:
    """Where a build that exists has its artifacts: `out`, `ledger`."""
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="the build's directory")
    command.add_argument(
        "--ledger", type=Path, metavar="DIR", help="where answers are remembered (default: OUT/ledger)"
    )


def ledger_folder(options: argparse.Namespace) -> Path:
    """Where answers are remembered."""
    return Path(options.ledger or options.out / "ledger")


def seconds(text: str) -> float:
    """A number of seconds.

    Raises:
        argparse.ArgumentTypeError: it is none, or not above 0, or more than a week.
    """
    number = _number(text)
    if not 0 < number <= 7 * 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0, a week at most")
    return number


def _add_places(command: Options) -> None:
    """Where the work begins, where it lands, and where its traces go."""
    command.add_argument(
        "--repo", type=Path, required=True, metavar="DIR", help="the root of the git repository"
    )
    command.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where artifacts go; outside the repository"
    )
    command.add_argument(
        "--branch",
        metavar="NAME",
        help="where to land; made from HEAD if missing (default: the one checked out)",
    )
    command.add_argument(
        "--co-author",
        action="append",
        default=[],
        metavar="NAME <MAIL>",
        help="whom the commits name in a trailer Co-authored-by, such as the model's account at your host",
    )
    add_project(command)


def _add_model(command: Options) -> None:
    """Who is asked, and how."""
    command.add_argument(
        "--llm",
        "--llm-model",
        default=DEFAULT_MODEL,
        metavar="MODEL",
        help="gpt-…, anthropic:NAME, the prefix of another provider or of a local server,"
        " command:PROGRAM ARGS or replay:DIR (default: %(default)s)",
    )
    command.add_argument(
        "--escalate",
        metavar="MODEL,…",
        help="who gets the next attempt after one that failed, and who the one after that; --llm names the"
        " cheap one that goes first",
    )
    command.add_argument(
        "--fallback",
        action="store_true",
        help="with --escalate: ask the next model, too, where one can't be asked, in the same attempt",
    )
    command.add_argument(
        "--answer-format",
        choices=("blocks", "json"),
        default="blocks",
        help="how models give files: in fenced blocks with their paths, or as strings of JSON, to which some"
        " servers can hold a model (default: %(default)s)",
    )
    add_knowledge(command)
    command.add_argument(
        "--max-attempts",
        type=positive,
        metavar="N",
        help="how many attempts there are for a work order (default: 2, or one for each model)",
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


def _add_engineer(command: Options) -> None:
    """An agent in the place of the model, and what it gets."""
    command.add_argument(
        "--engineer",
        metavar="AGENT",
        help="an agent in the place of the model, so that --llm is not asked: agent:PROGRAM ARGS, which works"
        " in a checkout of its own and ends, or acp:PROGRAM ARGS, which speaks the Agent Client Protocol",
    )
    command.add_argument(
        "--engineer-env",
        action="append",
        default=[],
        metavar="NAME",
        help="an environment variable that the agent sees and no other command, such as its key",
    )
    command.add_argument(
        "--engineer-file",
        action="append",
        type=Path,
        default=[],
        metavar="PATH",
        help="what the agent may read of yours: a file of your home is a copy in its home, everything else is"
        " where it is",
    )
    command.add_argument(
        "--engineer-timeout",
        type=seconds,
        default=3_600.0,
        metavar="S",
        help="how long the agent may work on one attempt (default: 3600)",
    )


def _add_gates(command: Options) -> None:
    """How commands are run, and what an attempt must stand."""
    command.add_argument(
        "--timeout-seconds",
        type=seconds,
        default=600.0,
        metavar="S",
        help="the time limit of each command that is run (default: 600)",
    )
    command.add_argument(
        "--baseline-red",
        action="store_true",
        help="accept that the repository's own verification fails already; only new failures count",
    )
    command.add_argument(
        "--warnings",
        choices=("auto", "accept", "error"),
        default="auto",
        help="what follows from what the rules of plans warn of, unless the plan accepts it: nothing is"
        " executed of a plan with requirements, and others are only told of it; all are told; or nothing is"
        " executed of any (default: %(default)s)",
    )
    command.add_argument(
        "--no-red-probe",
        action="store_true",
        help="don't demand that acceptance commands fail before the work is done",
    )
    command.add_argument(
        "--verify",
        choices=("touched", "all"),
        default="touched",
        help="of a repository with several projects, which are verified before acceptance: those that the"
        " work order touches, the others only when all else has passed; or all (default: %(default)s)",
    )
    command.add_argument(
        "--allow-config",
        action="append",
        default=[],
        metavar="FILE",
        help="accept that work orders change this file of the user's configuration, such as workorder.toml;"
        " its path in the repository",
    )


def _add_proof(command: Options) -> None:
    """What shows that the checks of an attempt that passed, or failed, were right."""
    command.add_argument(
        "--no-second-pass",
        action="store_true",
        help="don't run the acceptance commands of an attempt that passed once more, with another hash seed,"
        " time zone, user's name, directory for temporary files and order of pytest's tests",
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
        "--retest",
        action="store_true",
        help="run every trial, also one whose result an earlier start remembers in OUT/trials",
    )
    command.add_argument(
        "--kill-threshold",
        type=_percentage,
        metavar="PERCENT",
        help="fail an attempt whose checks notice less than that (default: fail it where they notice none of"
        " at least three that they execute)",
    )

    command.add_argument(
        "--oracle-check",
        choices=("off", "auto", "always"),
        default="off",
        help="ask the model for a second opinion on values that acceptance commands expect, from the"
        " requirements alone: never, after an attempt in which only such a value failed, or before the first"
        " attempt, too (default: %(default)s)",
    )


def _add_bounds(command: Options) -> None:
    """What commands may touch and use."""
    add_sandbox(command)
    command.add_argument(
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="a further environment variable that commands may see; never a secret",
    )
    command.add_argument(
        "--strict-limits",
        action="store_true",
        help="refuse where the kernel does not bound processes and memory of a command, but only our watch",
    )
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
        type=_network,
        default="none",
        metavar="NETWORK",
        help="the network of commands: none but a loopback of their own, or host, this machine's; with"
        " --engineer also allow:HOST[:PORT],…: none for commands, and these hosts for the agent"
        " (default: none)",
    )


def _add_spending(command: Options) -> None:
    """What answers may cost, and where they are remembered, so that none is paid twice."""
    command.add_argument(
        "--ledger",
        type=Path,
        metavar="DIR",
        help="where answers are remembered; outside the repository (default: OUT/ledger)",
    )
    add_limits(command)
    add_price_of(command)


def _network(text: str) -> str:
    if text in ("none", "host"):
        return text
    if text.startswith("allow:"):
        # Here and not above: it takes a while, and most commands name no hosts.
        from factory.contract.errors import WorkorderError
        from factory.system.network.allowed import parse_allowed

        try:
            parse_allowed(text)
        except WorkorderError as error:
            raise argparse.ArgumentTypeError(f"{error.message}; {error.hint}") from error
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not none, host or allow:HOST[:PORT],…")


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
