"""What may stand before a command's program: `env NAME=VALUE` and `timeout SECONDS`. Pure."""

import re
from collections.abc import Collection, Sequence
from typing import Final

_ASSIGNMENT: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_DURATION: Final = re.compile(r"\d+(?:\.\d+)?[smhd]?")


def without_prefix(
    words: Sequence[str], *, withheld: Collection[str]
) -> tuple[list[str], list[str], dict[str, str]]:
    """What stands before the program, the rest, and the variables that are withheld from it.

    Args:
        words: of the command.
        withheld: the names of variables by which files of the checkout could run before a program of ours.
    """
    before: list[str] = []
    rest = list(words)
    kept: dict[str, str] = {}
    while rest:
        if rest[0] in ("env", "/usr/bin/env"):
            before.append(rest.pop(0))
            while rest and (assignment := _ASSIGNMENT.fullmatch(rest[0])):
                if assignment["name"] in withheld:
                    kept[assignment["name"]] = assignment["value"]
                else:
                    before.append(rest[0])
                rest.pop(0)
        elif rest[0] == "timeout" and len(rest) > 2 and _DURATION.fullmatch(rest[1]):
            before += rest[:2]
            rest = rest[2:]
        else:
            break
    return before, rest, kept
