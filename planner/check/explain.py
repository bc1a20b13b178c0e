"""The documentation of the diagnostic codes: each rule's own page."""

import difflib
from typing import Final

from factory.contract.errors import WorkorderError
from factory.plans.rules.rule import Rule
from planner.rules.subject import Subject
from planner.rules.table import RULES


class UnknownCode(WorkorderError):
    """A code that no rule has."""


_DIGITS: Final = str.maketrans("OIL", "011")


def explain(code: str) -> str:
    """The page of one code; the code's name is understood, too.

    Raises:
        UnknownCode: there is no such code.
    """
    wanted = code.strip()
    for rule in RULES:
        if wanted.upper() == rule.code or wanted.lower() == rule.name:
            return page(rule)
    known = [rule.code for rule in RULES] + [rule.name for rule in RULES]
    close = [
        # Letters that look like digits are taken for them first.
        *difflib.get_close_matches(wanted.upper().translate(_DIGITS), known, cutoff=0.9),
        *difflib.get_close_matches(wanted.upper(), known),
        *difflib.get_close_matches(wanted.lower(), known),
    ]
    hint = f"did you mean {close[0]}?" if close else "`planner explain --all` shows every code"
    raise UnknownCode("there is no such code", where=code, hint=hint)


def explain_all() -> str:
    """The pages of all codes, by code."""
    return "\n\n".join(page(rule) for rule in RULES)


def page(rule: Rule[Subject]) -> str:
    """One rule's page, under a heading that names its code, name and severity."""
    return f"# {rule.code} {rule.name} ({rule.severity})\n\n{rule.explanation.strip()}"
