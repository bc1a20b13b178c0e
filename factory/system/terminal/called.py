"""How commands are named to who reads: in the form of the one that they called.

What is said further down names `planner` and `factory`, whoever asks; here it becomes what can be typed.
"""

import re
import shlex
from argparse import Namespace
from typing import Final

COMMON: Final = "workorder"
"""The command that has the commands of both stages."""

_OF_PLANNER: Final = "compile|revise|check|review|show|approve|diff|sync|trace|impact|explain|graph"
_OF_FACTORY: Final = "build|run|status|show|report|serve|hint|retry|open|adopt|skip|reset|cache|doctor"
_NAMED: Final = re.compile(
    rf"\b(?:planner (?P<plan>{_OF_PLANNER})|factory (?P<build>{_OF_FACTORY}))\b"
    r"(?P<of_plan> PLAN\b)?(?P<of_repo> --repo REPO\b)?"
)
_QUOTED: Final = "  | "
"""Begins a line of what a program printed, which stays as it was."""


def as_called(text: str, options: Namespace) -> str:
    """A text with its commands as somebody who called `workorder` has them, and no longer than they need.

    Args:
        text: what is said.
        options: what was parsed, with `called`, the program's name, and `defaults`, what need not be given.
    """
    if not options.called.startswith(COMMON):
        return text
    known = options.defaults.get("out")
    if known is not None:
        text = text.replace(f" --out {shlex.quote(known)}", "")

    def renamed(command: re.Match[str]) -> str:
        name = f"plan {command['plan']}" if command["plan"] else command["build"]
        plan = _given(options, "plan") if command["of_plan"] else ""
        repo = _given(options, "repo") if command["of_repo"] else ""
        return f"{COMMON} {name}{f' {plan}' if plan else ''}{f' --repo {repo}' if repo else ''}"

    return "\n".join(
        line if line.startswith(_QUOTED) else _NAMED.sub(renamed, line) for line in text.split("\n")
    )


def _given(options: Namespace, name: str) -> str:
    """What was given for an option; empty where it need not be."""
    value = getattr(options, name, None)
    return "" if value is None or str(value) == options.defaults.get(name) else shlex.quote(str(value))
