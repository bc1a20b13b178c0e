"""`factory hint`: a person's words to the next attempt at a work order."""

import shlex
from argparse import Namespace
from typing import TYPE_CHECKING

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import add_named
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console

if TYPE_CHECKING:
    from factory.people.hints import Hint
    from factory.runs.record.tried import Named


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "hint",
        help="tell the next attempt at a work order something",
        description="Tell the next attempt at a work order something: its prompt ends with your words."
        " The work order gets one attempt more than it has had; build or run it again to make it.",
    )
    add_named(command)
    command.add_argument("text", metavar="TEXT", help="what the engineer should know or do otherwise")
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Write the hint down; the exit code.

    Raises:
        WorkorderError: nothing was tried under that id, it has landed, or the words can't be taken.
    """
    from factory.runs.record.tried import named

    order = named(options.named, options.out)
    hint = say(order, options.text)
    retry = f"factory retry {hint.work_order} --out {shlex.quote(str(order.out))}"
    said = f"{hint.work_order}: attempt {hint.after + 1} is told what {hint.author} says"
    console.result(console.naming(f"{said}; build again, or: {retry}"))
    return ExitCode.PASS


def say(order: "Named", words: str) -> "Hint":
    """Write down a person's words.

    Args:
        order: the work order.
        words: what is said.

    Raises:
        WorkorderError: nothing was tried of it, it has landed, or the words can't be taken.
    """
    from factory.commands.people.said import said_of, spoken
    from factory.people.hints import MAX_HINT_CHARS, add_hint

    text = spoken(words, "TEXT", MAX_HINT_CHARS)
    hint = said_of(order).model_copy(update={"text": text})
    add_hint(order.out, hint)
    return hint
