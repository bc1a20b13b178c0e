"""The options that several commands of `planner` share. Imports nothing slow: `--help` is instant."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import (
    Commands,
    Options,
    Parser,
    Run,
    add_knowledge,
    add_limits,
    positive,
    whole,
)
from factory.system.terminal.notify import add_notify

if TYPE_CHECKING:
    from factory.contract.repo_path import RepoPath

DEFAULT_MODEL: Final = "gpt-5.2-codex"
DEFAULT_MAX_ATTEMPTS: Final = 3
DEFAULT_MAX_OUTPUT_TOKENS: Final = 64_000
DEFAULT_CONTEXT_TOKENS: Final = 48_000
_PACKAGE_NAME: Final = re.compile(r"(?:@[a-z0-9][\w.~-]{0,100}/)?[A-Za-z0-9][\w.~-]{0,200}")
PROVIDER_DEFAULT: Final = "default"
GRAINS: Final = ("fine", "medium", "coarse")
EFFORTS: Final = (PROVIDER_DEFAULT, "none", "minimal", "low", "medium", "high", "xhigh", "max")


def add_command(commands: Commands, name: str, purpose: str, run: Run) -> Parser:
    """Add a command that `run` carries out; its options are still to be added."""
    command = commands.add_parser(name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.")
    command.set_defaults(run=run)
    return command


def add_asking(command: Parser) -> None:
    """Where a plan goes, and how a model is asked for it."""
    _add_places(command.section("where the plan and its traces go"))
    plan = command.section("what kind of plan it shall be")
    _add_grain(plan)
    add_allowed_packages(plan)
    _add_warnings(plan)
    _add_review(plan)
    _add_prompt(command.section("what the model is shown"))
    asked = command.section("who is asked")
    _add_model(asked)
    _add_attempts(asked)
    spent = command.section("what may be spent")
    _add_spending(spent)
    spent.add_argument(
        "--estimate",
        action="store_true",
        help="tell what it may cost at least and at most; no model is asked, and nothing is written",
    )
    add_notify(command.section("what is shown"))


def add_opinion(command: Parser) -> None:
    """How a model is asked for an opinion on a plan."""
    shown = command.section("what the model is shown")
    add_knowledge(shown)
    _add_context_tokens(shown)
    _add_model(command.section("who is asked"))
    spent = command.section("what may be spent, and where it is kept")
    spent.add_argument(
        "--artifacts-dir",
        type=Path,
        metavar="DIR",
        help="where the question and the answer go (default: PLAN.review)",
    )
    _add_spending(spent)


def add_output_format(command: Options) -> None:
    """How findings are shown: `output_format`."""
    command.add_argument(
        "--output-format",
        choices=("full", "concise", "json", "github", "sarif", "junit", "gitlab"),
        default="full",
        help="how findings are shown (default: %(default)s)",
    )


def add_plan(command: Parser) -> None:
    """The plan that is looked at: `plan`."""
    command.add_argument(
        "plan", type=Path, metavar="PLAN", help="a manifest, or a directory with one or with WO-*.json"
    )


def add_present_plan(command: Options) -> None:
    """The plan that there is: `plan`."""
    command.add_argument(
        "--plan",
        type=Path,
        required=True,
        metavar="PLAN",
        help="the present plan: a manifest, or a directory with one",
    )


def add_allowed_packages(command: Options) -> None:
    """What a person allows: `allow_packages`."""
    command.add_argument(
        "--allow-packages",
        type=_package_names,
        default=(),
        metavar="NAME[,NAME]",
        help="packages that a plan may require although specification and repository name none such",
    )


def add_old_spec(command: Options) -> None:
    """The specification before: `old_spec`."""
    command.add_argument(
        "--old-spec",
        type=Path,
        metavar="FILE",
        help="the specification that the plan was made for (default: the copy beside the plan)",
    )


def add_built_in(command: Options) -> None:
    """Where the plan is built: `repo`, `branch`."""
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
    add_project(command)


def add_project(command: Options) -> None:
    """The directory that is the only project: `project`."""
    command.add_argument(
        "--project",
        type=_directory,
        metavar="DIR",
        help="the directory of the repository that is the product: work orders that name no project belong"
        " to it, as with `factory build --project` (default: the repository)",
    )


def refuse_lone_branch(options: argparse.Namespace) -> None:
    """Refuse `--branch` and `--project` without the repository that has them.

    Raises:
        WorkorderError: that is so.
    """
    for name in ("branch", "project"):
        if getattr(options, name) is not None and options.repo is None:
            raise WorkorderError(
                "has a meaning only with --repo", where=f"--{name}", hint="name the repository"
            )


def _directory(text: str) -> "RepoPath":
    # Only where it is named: `--help` needs no contract.
    from factory.contract.repo_path import RepoPath, UnsafePath

    try:
        return RepoPath.parse(text.removesuffix("/"))
    except UnsafePath as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} {error.message}; give its path from the root, such as services/api"
        ) from error


def _package_names(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if not _PACKAGE_NAME.fullmatch(name):
            raise argparse.ArgumentTypeError(f"{name!r} is not the name of a package, such as fastapi or zod")
    return tuple(names)


def _add_places(command: Options) -> None:
    command.add_argument("--outdir", type=Path, required=True, metavar="DIR", help="where the plan goes")
    command.add_argument(
        "--artifacts-dir",
        type=Path,
        metavar="DIR",
        help="where prompts, answers and the summary go (default: OUTDIR.artifacts)",
    )
    command.add_argument("--overwrite", action="store_true", help="replace the plan that OUTDIR holds")
    command.add_argument("--print-summary", action="store_true", help="show the plan and what it cost")


def _add_grain(command: Options) -> None:
    command.add_argument(
        "--grain",
        choices=("auto", *GRAINS),
        help="how large work orders shall be: about 200, 600 or 2,000 new lines, or what suits the model and"
        " the specification (default: what workorder.toml says, else auto)",
    )


def _add_model(command: Options) -> None:
    command.add_argument(
        "--llm",
        default=DEFAULT_MODEL,
        metavar="MODEL",
        help="gpt-…, anthropic:NAME, the prefix of another provider or of a local server,"
        " command:PROGRAM ARGS or replay:DIR (default: %(default)s)",
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


def _add_attempts(command: Options) -> None:
    command.add_argument(
        "--max-attempts",
        type=positive,
        default=DEFAULT_MAX_ATTEMPTS,
        metavar="N",
        help="how many answers are checked before giving up (default: %(default)s)",
    )


def _add_warnings(command: Options) -> None:
    command.add_argument(
        "--warnings",
        choices=("revise", "accept", "error"),
        default="revise",
        help="what follows from warnings alone: the model is asked to mend them or to say why they stay, the"
        " plan is taken, or each needs one of both (default: %(default)s)",
    )


def _add_review(command: Options) -> None:
    command.add_argument(
        "--review",
        action=argparse.BooleanOptionalAction,
        help="ask for a second opinion on the plan before it is taken; what that objects to goes back to the"
        " model once (default: what workorder.toml says, else --review)",
    )


def _add_prompt(command: Options) -> None:
    command.add_argument("--template", type=Path, metavar="FILE", help="a prompt template of your own")
    add_knowledge(command)
    _add_context_tokens(command)


def _add_context_tokens(command: Options) -> None:
    command.add_argument(
        "--context-tokens",
        type=whole,
        default=DEFAULT_CONTEXT_TOKENS,
        metavar="N",
        help="how much of a prompt the repository and the notes may take together, in"
        " tokens of two bytes; 0 for nothing (default: %(default)s)",
    )


def _add_spending(command: Options) -> None:
    command.add_argument(
        "--ledger",
        type=Path,
        metavar="DIR",
        help="where answers are remembered (default: ledger in the artifacts)",
    )
    add_limits(command)
