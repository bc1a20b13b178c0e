"""`workorder go`: from a specification to a finished branch, by the script that does it step by step."""

import os
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.system.templates import template_path
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from factory.system.terminal.notify import add_notify
from workorder.places import repository_of, state_of

_SCRIPT: Final = "spec-to-repo"
_COURSE: Final[Mapping[str, tuple[str, str]]] = {
    "rounds": ("N", "how often a plan may be repaired (default: 3)"),
    "jobs": ("N", "how many work orders are executed at a time (default: 2)"),
    "knowledge": ("DIR", "notes for the model: the Markdown files below a directory"),
    "sandbox": ("LEVEL", "what generated code runs in: auto, bwrap or landlock (default: auto)"),
}
_SPENDING: Final[Mapping[str, tuple[str, str]]] = {
    "max-cost-usd": ("X", "what all answers together may cost"),
    "max-tokens": ("N", "how many tokens all answers together may take"),
    "price": ("IN,OUT", "what a million tokens cost, in US dollars"),
}


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "go",
        help="from a specification to a finished branch",
        description="Compile a specification, build it, and revise the plan where it turns out to be wrong,"
        " until all has landed. Called again after the specification has changed, it builds what is new.",
    )
    built = command.section("what is built, and where")
    built.add_argument("spec", type=Path, metavar="SPEC", help="the specification")
    built.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the git repository, with a first commit (default: the current one)",
    )
    built.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where plans, artifacts and answers go (default: a directory for the repository among the user's"
        " state)",
    )
    course = command.section("how it goes its way")
    course.add_argument("--llm", metavar="MODEL", help="who is asked")
    shown = command.section("what is shown")
    for section, names in ((course, _COURSE), (command.section("what may be spent"), _SPENDING)):
        for name, (metavar, purpose) in names.items():
            section.add_argument(f"--{name}", metavar=metavar, help=purpose)
    course.add_argument(
        "--allow-config",
        action="append",
        default=[],
        metavar="FILE",
        help="a file of your configuration that work orders may change; may be repeated",
    )
    add_notify(shown)
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Become the script.

    Raises:
        WorkorderError: no model is named, or there is no such repository.
    """
    if not options.llm:
        raise WorkorderError(
            "no model is named",
            where="--llm",
            hint="give it, or set WORKORDER_LLM; docs/models.md has a line for each",
        )
    repo = repository_of(options.repo)
    if repo is None:
        raise WorkorderError(
            "is in no git repository",
            where=str(options.repo.resolve()),
            hint="git init, and a first commit: or name one with --repo",
        )
    out = options.out if options.out is not None else state_of(repo)
    console.progress(f"repository {repo}, everything else in {out}")
    words = ["bash", str(_script()), "--spec", str(options.spec), "--repo", str(repo), "--dir", str(out)]
    words += ["--llm", options.llm, "--python", sys.executable]
    for name in (*_COURSE, *_SPENDING):
        value = getattr(options, name.replace("-", "_"))
        words += [] if value is None else [f"--{name}", value]
    words += [] if options.notify is None else ["--notify", options.notify]
    for file in options.allow_config:
        words += ["--allow-config", file]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(words[0], words)  # noqa: S606, it is to take our place


def _script() -> Path:
    in_checkout = Path(__file__).resolve().parent.parent / "scripts" / _SCRIPT
    return in_checkout if in_checkout.is_file() else template_path(_SCRIPT)
