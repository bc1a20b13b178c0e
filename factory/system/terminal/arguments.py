"""What the command lines of both stages share: a parser, its `--version`, numbers. Imports nothing slow."""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from factory.contract.errors import WorkorderError
from factory.system.terminal.console import Console

_DEFAULT: Final = re.compile(r" \(default: [^()]*\)$")
_MOST_IN_USAGE: Final = 12
"""How many options the usage of a command names; with more it would be longer than what it helps with."""


class BadUsage(WorkorderError):
    """A command line that can't be understood.

    Attributes:
        usage: how the command is called.
    """

    def __init__(self, message: str, usage: str) -> None:
        super().__init__(message)
        self.usage = usage


class Parser(argparse.ArgumentParser):
    """An argument parser without abbreviations, whose help keeps its line breaks."""

    def __init__(
        self, *, prog: str | None = None, description: str | None = None, epilog: str | None = None
    ) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def section(self, heading: str) -> "Options":
        """A part of the options, below a heading of its own in the help."""
        return self.add_argument_group(heading)

    def format_usage(self) -> str:
        self._shorten_usage()
        return super().format_usage()

    def format_help(self) -> str:
        self._shorten_usage()
        return super().format_help()

    def _shorten_usage(self) -> None:
        """Let the usage of a command with many options name those alone that must be given."""
        optional = [action for action in self._actions if action.option_strings and not action.required]
        if len(optional) > _MOST_IN_USAGE:
            shown = [_in_usage(action) for action in self._actions if action not in optional]
            self.usage = " ".join(["%(prog)s", *shown, "[OPTION …]"])

    def error(self, message: str) -> NoReturn:
        raise BadUsage(message, self.format_usage().rstrip("\n"))


Options: TypeAlias = argparse._ActionsContainer
"""What options are added to: a parser, or a part of one."""


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
"""What a command adds its own parser to."""

Run: TypeAlias = Callable[[argparse.Namespace, Console], int]
"""Carries a command out as the options say; the exit code."""


class Version(argparse.Action):
    """Prints the installed version and exits.

    Unlike argparse's own action, it looks the version up only when it is asked for, because that takes longer
    than everything else on the way to `--help`.
    """

    def __init__(self, option_strings: list[str], dest: str, **_: object) -> None:
        super().__init__(
            option_strings,
            dest=argparse.SUPPRESS,
            default=argparse.SUPPRESS,
            nargs=0,
            help="show the version and exit",
        )

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib import metadata

        try:
            version = metadata.version("workorder")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        sys.stdout.write(f"{parser.prog} {version}\n")
        parser.exit()


def _in_usage(action: argparse.Action) -> str:
    """What must be given, as a usage names it."""
    if action.option_strings:
        return f"{action.option_strings[0]} {action.metavar}"
    return f"[{action.metavar}]" if action.nargs == "?" else str(action.metavar)


def with_defaults(parser: argparse.ArgumentParser, texts: Mapping[str, str]) -> None:
    """Let options of a parser, and of its commands, have other defaults.

    Args:
        parser: the parser, which is changed.
        texts: the defaults by the names of the options without dashes, as they are written on a command line;
            and those of arguments without a name, by where they are kept.
    """
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                with_defaults(command, texts)
        if not action.option_strings and action.nargs is None and action.dest in texts:
            action.default, action.required, action.nargs = texts[action.dest], False, "?"
            action.help = _with_default(action.help, texts[action.dest])
        for name in action.option_strings:
            # What may be repeated adds to its default, so it has none.
            if name.startswith("--") and name[2:] in texts and not isinstance(action.default, list):
                # argparse reads a default that is a text as it reads an argument.
                action.default, action.required = texts[name[2:]], False
                action.help = _with_default(action.help, texts[name[2:]])


def _with_default(purpose: str | None, text: str) -> str:
    """A line of a help, with another default than it may have told."""
    # argparse takes a single % for a placeholder.
    return f"{_DEFAULT.sub('', purpose or '')} (default: {text.replace('%', '%%')})"


def whole(text: str) -> int:
    """A whole number from 0 upwards.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    return _number(text, least=0)


def positive(text: str) -> int:
    """A whole number from 1 upwards.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    return _number(text, least=1)


def parse_price(text: str) -> tuple[Decimal, ...]:
    """Amounts of US dollars for a million tokens: of the prompt and the answer, then of what is cached.

    Raises:
        argparse.ArgumentTypeError: these are none.
    """
    amounts = text.split(",")
    if not 2 <= len(amounts) <= 4:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not two amounts with a comma between, such as 1.75,14, nor three or four"
        )
    return tuple(map(_amount, amounts))


def price_text(text: str) -> str:
    """What `parse_price` takes, as it is written.

    Raises:
        argparse.ArgumentTypeError: it takes it not.
    """
    parse_price(text)
    return text


def add_knowledge(parser: Options) -> None:
    """The option that names the notes: `knowledge`."""
    parser.add_argument(
        "--knowledge",
        type=Path,
        metavar="DIR",
        help="notes for the model: the Markdown files (*.md) below DIR, at most 200 KB together",
    )


def add_limits(parser: Options) -> None:
    """The options that limit what may be spent: `max_cost_usd`, `max_tokens`, `price`."""
    parser.add_argument(
        "--max-cost-usd",
        type=_amount,
        metavar="X",
        help="stop before all answers of the ledger together could cost more US dollars than this",
    )
    parser.add_argument(
        "--max-tokens",
        type=positive,
        metavar="N",
        help="stop before all answers of the ledger together could use more tokens than this, in and out",
    )
    parser.add_argument(
        "--price",
        type=parse_price,
        metavar="INPUT,OUTPUT[,CACHED[,WRITE]]",
        help="US dollars for a million tokens, of a model whose price is not known; of the prompt, of the"
        " answer, and of what the provider has cached, or caches, of the prompt",
    )


def add_price_of(parser: Options) -> None:
    """The option that says what one of several models costs: `price_of`."""
    parser.add_argument(
        "--price-of",
        type=_price_of,
        action="append",
        default=[],
        metavar="MODEL=INPUT,OUTPUT[,CACHED[,WRITE]]",
        help="the same as --price, of one of several models, named as for --llm or --escalate",
    )


def _price_of(text: str) -> tuple[str, tuple[Decimal, ...]]:
    model, equals, amounts = text.rpartition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not a model and its price with = between")
    return model, parse_price(amounts)


def _number(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} upwards")
    return number


def _amount(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of US dollars")
    return amount
