"""The words of a command that runs without a shell, and what in it only a shell would understand. Pure."""

import re
import shlex
from typing import Final

_PIECE: Final = re.compile(
    r"""'[^']*'|\\.|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<bare>[^'"\\]+)""",
    re.DOTALL,
)
_SUBSTITUTION: Final = re.compile(r"`|\$(?:[A-Za-z_]\w*|[({])", re.ASCII)
_OPERATOR: Final = re.compile(rf"[|&;<>()]+|{_SUBSTITUTION.pattern}", re.ASCII)
_ASSIGNMENT: Final = re.compile(r"\s*([A-Za-z_]\w*=)", re.ASCII)
_HOME: Final = re.compile(r"(?<!\S)~(?=/|\s|\Z)")
_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)


def words_of(command: str) -> tuple[str, ...] | None:
    """The words of a command as it is executed, without a shell; None if it can't be executed."""
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        return None
    # No program has an empty name, and no argument can hold NUL.
    return words if words and words[0] and "\0" not in command else None


def shell_syntax(command: str) -> str | None:
    """The first piece of a command that a shell would act on, such as `&&` or `$HOME`; None if there is none.

    Quoted text is left alone, as a shell leaves it alone. Globs are not looked for: tools take patterns, too.
    """
    assignment = _ASSIGNMENT.match(command)
    if assignment is not None:
        return assignment[1]
    # What is quoted becomes NUL, so that each pattern sees only what a shell would.
    bare = _PIECE.sub(_unquoted, command)
    match = _OPERATOR.search(bare) or _HOME.search(bare)
    return match[0] if match is not None else None


def _unquoted(piece: re.Match[str]) -> str:
    if piece["bare"] is not None:
        return piece["bare"]
    double = _ESCAPED.sub("\0", piece["double"] or "")
    return "\0" + " \0".join(_SUBSTITUTION.findall(double)) + "\0"
