"""How the commands are named to who reads: as they can be given, and no longer than that."""

import shlex
from pathlib import Path
from typing import NamedTuple


class Caller(NamedTuple):
    """Who reads, by the command they gave.

    Attributes:
        program: what they called.
        place: the option that names the output directory, with a space before it; empty where the program
            knows it by itself.
    """

    program: str
    place: str

    @classmethod
    def of(cls, out: Path, *, is_known: bool = False) -> "Caller":
        """Who gave a command for an output directory.

        Args:
            out: the directory.
            is_known: whether it is the one that `workorder` takes for the current repository.
        """
        return cls("workorder", "") if is_known else cls("factory", f" --out {shlex.quote(str(out))}")
