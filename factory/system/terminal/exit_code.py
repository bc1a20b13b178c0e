"""An exit code as a number that says what it means and who acts. Imports nothing slow."""

from enum import IntEnum
from typing import Self


class DocumentedCode(IntEnum):
    """The base of a command's exit codes, of which `--help` and the documents tell the same.

    Attributes:
        meaning: what happened, a clause.
        who_acts: who must do something now, and what; empty if nobody must.
    """

    meaning: str
    who_acts: str

    def __new__(cls, code: int, meaning: str = "", who_acts: str = "") -> Self:
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        member.who_acts = who_acts
        return member


def epilog(codes: type[DocumentedCode]) -> str:
    """The exit codes for the end of a `--help`."""
    return "\n".join(["exit codes:", *(f"  {code.value:<3}  {code.meaning}" for code in codes)])


def exit_code_rows(codes: type[DocumentedCode]) -> list[tuple[int, str, str]]:
    """Each exit code with its meaning and who acts, for a table."""
    return [(code.value, code.meaning, code.who_acts) for code in codes]
