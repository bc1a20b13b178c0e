"""The registry of checks that PO runs, in the order in which they run."""

from typing import Final

from factory.gates.check import Check
from factory.gates.promises import Acceptance, Postconditions
from factory.gates.verify import CompileAll, Pytest, VerifyScript

VERIFY: Final[tuple[Check, ...]] = (VerifyScript(), CompileAll(), Pytest())
"""What holds for the whole repository."""

ACCEPTANCE: Final[tuple[Check, ...]] = (Postconditions(), Acceptance())
"""What this work order promises."""
