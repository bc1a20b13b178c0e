"""The commands and options of `planner`, and nothing that takes time to import: `--help` is instant."""

import argparse
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Parser, Version, add_knowledge, add_limits, positive, whole

DEFAULT_MODEL: Final = "gpt-5.2-codex"
DEFAULT_MAX_ATTEMPTS: Final = 3
DEFAULT_MAX_OUTPUT_TOKENS: Final = 64_000
DEFAULT_CONTEXT_TOKENS: Final = 48_000
PROVIDER_DEFAULT: Final = "default"
EFFORTS: Final = (PROVIDER_DEFAULT, "none", "minimal", "low", "medium", "high", "xhigh")

_EXIT_CODES: Final = """exit codes:
  0    done: the plan is written, or has no errors
  1    refused: bad usage, an input that can't be used, a plan in the way, a limit reached
  2    validation failed: after the last attempt, in a plan that was checked, or by impact --exit-code
  3    the model's API failed, refused or was cut off
  4    the last answer was not JSON
  70   internal error; a crash log was written
  130  interrupted; 143 terminated; 129 the terminal was closed"""


class _Parser(Parser):
    # 2 means that validation failed.
    usage_error = 1


def parser() -> argparse.ArgumentParser:
    """All commands; the parsed `command` names the one that was given."""
    top = _Parser(
        prog="planner",
        description="Compiles a product specification into a plan of work orders, and checks plans.",
        epilog=_EXIT_CODES,
    )
    top.add_argument("--version", action=Version)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_compile(commands)
    _add_revise(commands)
    _add_check(commands)
    _add_trace(commands)
    _add_impact(commands)
    _add_explain(commands)
    _add_graph(commands)
    return top


def refuse_lone_branch(options: argparse.Namespace) -> None:
    """Refuse `--branch` without the repository that has it.

    Raises:
        WorkorderError: that is so.
    """
    if options.branch is not None and options.repo is None:
        raise WorkorderError("has a meaning only with --repo", where="--branch", hint="name the repository")


def _add_compile(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = _command(commands, "compile", "write a plan for a specification")
    command.add_argument(
        "--spec",
        type=Path,
        required=True,
        metavar="FILE",
        help="the specification: UTF-8 text, or data if the name ends in .yaml, .yml or .json",
    )
    command.add_argument(
        "--repo",
        type=Path,
        metavar="DIR",
        help="the git repository that the plan starts from (default: a new one)",
    )
    _add_asking(command)


def _add_revise(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = _command(
        commands, "revise", "revise a plan after a failure, for a changed specification or as the user says"
    )
    _add_present_plan(command)
    reason = command.add_mutually_exclusive_group()
    reason.add_argument(
        "--failure", type=Path, metavar="FILE", help="the repair_request.json that the factory left"
    )
    reason.add_argument("--feedback", metavar="TEXT", help="what shall be otherwise, in your words")
    command.add_argument(
        "--spec",
        type=Path,
        metavar="FILE",
        help="the specification; if it has changed, a reason by itself",
    )
    _add_old_spec(command)
    _add_built_in(command)
    _add_asking(command)


def _add_asking(command: _Parser) -> None:
    """Where a plan goes, and how a model is asked for it."""
    command.add_argument("--outdir", type=Path, required=True, metavar="DIR", help="where the plan goes")
    command.add_argument("--template", type=Path, metavar="FILE", help="a prompt template of your own")
    add_knowledge(command)
    command.add_argument(
        "--context-tokens",
        type=whole,
        default=DEFAULT_CONTEXT_TOKENS,
        metavar="N",
        help="how much of a prompt the repository and the notes may take together, in"
        " tokens of two bytes; 0 for nothing (default: %(default)s)",
    )
    command.add_argument(
        "--artifacts-dir",
        type=Path,
        metavar="DIR",
        help="where prompts, answers and the summary go (default: OUTDIR.artifacts)",
    )
    command.add_argument("--overwrite", action="store_true", help="replace the plan that OUTDIR holds")
    command.add_argument("--print-summary", action="store_true", help="show the plan and what it cost")
    command.add_argument(
        "--llm",
        default=DEFAULT_MODEL,
        metavar="MODEL",
        help="gpt-…, openai:NAME, command:PROGRAM ARGS or replay:DIR (default: %(default)s)",
    )
    command.add_argument(
        "--max-attempts",
        type=positive,
        default=DEFAULT_MAX_ATTEMPTS,
        metavar="N",
        help="how many answers are checked before giving up (default: %(default)s)",
    )
    command.add_argument(
        "--reasoning-effort",
        choices=EFFORTS,
        default="medium",
        help="how long the model may think, or the provider's default (default: %(default)s)",
    )
    command.add_argument(
        "--max-output-tokens",
        type=positive,
        default=DEFAULT_MAX_OUTPUT_TOKENS,
        metavar="N",
        help="the longest answer; one that is cut off is asked for once more with twice as many"
        " (default: %(default)s)",
    )
    command.add_argument(
        "--ledger",
        type=Path,
        metavar="DIR",
        help="where answers are remembered (default: ledger in the artifacts)",
    )
    add_limits(command)


def _add_check(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = _command(commands, "check", "check a plan that exists; no model is asked")
    _add_plan(command)
    _add_built_in(command)
    command.add_argument(
        "--spec", type=Path, metavar="FILE", help="the specification that the plan is for, to compare the two"
    )
    command.add_argument(
        "--output-format",
        choices=("full", "concise", "json", "github"),
        default="full",
        help="how findings are shown (default: %(default)s)",
    )


def _add_trace(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = _command(commands, "trace", "follow each line of a specification to the commits that fulfil it")
    _add_plan(command)
    command.add_argument(
        "--spec", type=Path, required=True, metavar="FILE", help="the specification that the plan is for"
    )
    _add_built_in(command)
    command.add_argument(
        "--output-format",
        choices=("text", "json", "markdown"),
        default="text",
        help="how the matrix is shown (default: %(default)s)",
    )


def _add_impact(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = _command(commands, "impact", "show what a changed specification touches; no model is asked")
    _add_present_plan(command)
    command.add_argument("--spec", type=Path, required=True, metavar="FILE", help="the changed specification")
    _add_old_spec(command)
    _add_built_in(command)
    command.add_argument(
        "--output-format",
        choices=("text", "json"),
        default="text",
        help="how the impact is shown (default: %(default)s)",
    )
    command.add_argument(
        "--exit-code",
        action="store_true",
        help="return 2 if the specification touches something: the plan does not fit it",
    )


def _add_explain(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = _command(commands, "explain", "show the documentation of a code")
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("code", nargs="?", metavar="CODE", help="a code, such as E101")
    which.add_argument("--all", action="store_true", help="all codes")


def _add_graph(commands: "argparse._SubParsersAction[_Parser]") -> None:
    command = _command(commands, "graph", "draw which work orders depend on which")
    _add_plan(command)
    _add_built_in(command)
    command.add_argument(
        "--format",
        choices=("mermaid", "dot", "json"),
        default="mermaid",
        help="the language of the drawing (default: %(default)s)",
    )


def _command(commands: "argparse._SubParsersAction[_Parser]", name: str, purpose: str) -> _Parser:
    return commands.add_parser(name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.")


def _add_plan(command: _Parser) -> None:
    command.add_argument(
        "plan", type=Path, metavar="PLAN", help="a manifest, or a directory with one or with WO-*.json"
    )


def _add_present_plan(command: _Parser) -> None:
    command.add_argument(
        "--plan",
        type=Path,
        required=True,
        metavar="PLAN",
        help="the present plan: a manifest, or a directory with one",
    )


def _add_old_spec(command: _Parser) -> None:
    command.add_argument(
        "--old-spec",
        type=Path,
        metavar="FILE",
        help="the specification that the plan was made for, to tell new lines from those nobody ever quoted",
    )


def _add_built_in(command: _Parser) -> None:
    command.add_argument(
        "--repo",
        type=Path,
        metavar="DIR",
        help="the git repository that the plan is built in, before or after (default: a new one)",
    )
    command.add_argument(
        "--branch",
        metavar="NAME",
        help="the branch to look for what has landed (default: the one checked out)",
    )
