"""What a rule is, and what it finds. The rules themselves are in the rooms beside."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from planner.diagnostics.diagnostic import Diagnostic, Severity
from planner.rules.subject import Subject


@dataclass(frozen=True)
class Finding:
    """One place that breaks a rule."""

    pointer: str
    message: str
    hint: str


@dataclass(frozen=True)
class Rule:
    """One diagnostic code.

    Attributes:
        code: `E` or `W` and three digits; never used for anything else.
        name: the code in words.
        severity: whether a plan that breaks the rule may be used.
        explanation: the documentation page.
        find: the check.
        judges_landed: whether work orders that have landed are judged, too, although nobody can mend them.
    """

    code: str
    name: str
    severity: Severity
    explanation: str
    find: Callable[[Subject], Iterator[Finding]]
    judges_landed: bool = False

    def diagnostic(self, finding: Finding, order: str = "") -> Diagnostic:
        """A finding of this rule, told."""
        return Diagnostic(
            code=self.code,
            name=self.name,
            severity=self.severity,
            order=order,
            pointer=finding.pointer,
            message=finding.message,
            hint=finding.hint,
        )
