"""What is done now, in a few words for one line. Pure."""

from typing import Final, assert_never

from factory.gates.step import Step, StepKind
from factory.report.figures import in_one_line

_LONGEST: Final = 300
"""How much of a subject can be shown on any terminal, in characters."""


def render_step(step: Step) -> str:
    """Such as `acceptance 1/4 python -m pytest`; whoever wrote the subject, it is safe for a terminal."""
    before = f"{step.occasion}: " if step.occasion else ""
    return before + _what(step, in_one_line(step.subject[:_LONGEST]))


def _what(step: Step, subject: str) -> str:
    match step.kind:
        case StepKind.PREPARING:
            return "preparing a checkout"
        case StepKind.ASKING:
            return f"asking {subject}"
        case StepKind.OPINION:
            return "asking for a second opinion"
        case StepKind.CHECK | StepKind.TRIAL:
            return subject
        case StepKind.PROBE | StepKind.ACCEPTANCE | StepKind.MUTANT:
            return f"{step.kind} {step.number}/{step.total} {subject}".rstrip()
        case StepKind.WAITING:
            return f"waiting to land behind {subject}" if subject else "waiting to land"
        case _ as never:
            assert_never(never)
