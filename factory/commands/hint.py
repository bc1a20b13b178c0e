"""`factory hint`: a person's words to the next attempt at a work order."""

import os
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from factory.attempt.exit_codes import ExitCode
from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console

if TYPE_CHECKING:
    from factory.people.hints import Hint


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "hint",
        help="tell the next attempt at a work order something",
        description="Tell the next attempt at a work order something: its prompt ends with your words."
        " The work order gets one attempt more than it has had; build or run it again to make it.",
    )
    command.add_argument("work_order", metavar="WO-NN", help="the work order that has failed")
    command.add_argument("text", metavar="TEXT", help="what the engineer should know or do otherwise")
    command.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the output directory of the build or run"
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Write the hint down; the exit code.

    Raises:
        WorkorderError: nothing was tried under that id, it has landed, or the words can't be taken.
    """
    from factory.people.hints import add_hint

    hint = _hint(options)
    add_hint(options.out, hint)
    console.result(
        f"{hint.work_order}: attempt {hint.after + 1} is told what {hint.author} says; build again"
    )
    return ExitCode.PASS


def _hint(options: Namespace) -> "Hint":
    from factory.llm.secrets import redact, secret_values
    from factory.people.hints import MAX_HINT_CHARS, Hint
    from factory.runs.record.tried import tried
    from factory.system.clock import SystemClock

    text = options.text.strip()
    if not text or len(text) > MAX_HINT_CHARS:
        raise WorkorderError(f"has {len(text):,} characters; say from 1 to {MAX_HINT_CHARS:,}", where="TEXT")
    if redact(text, secret_values(os.environ)) != text:
        raise WorkorderError(
            "holds the value of a key, which no prompt may hold", where="TEXT", hint="say it without that"
        )
    standing = tried(options.out, options.work_order)
    return Hint(
        work_order=options.work_order,
        contract=standing.contract,
        after=standing.attempts,
        text=text,
        author=_author(),
        said=SystemClock().now(),
    )


def _author() -> str:
    """Who speaks, as git knows them."""
    from factory.system.git.client import user_identity

    return user_identity(Path.cwd())
