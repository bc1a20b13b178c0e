"""How an expected failure is told: what is wrong, where, and what to do next.

Not for bugs: those are ordinary exceptions and end in exit code 70.
"""


class WorkorderError(Exception):
    """An expected failure, shown to the user without a traceback.

    Attributes:
        message: what is wrong, one sentence without a full stop.
        where: the file, JSON pointer, line or argument it is about; empty when it is about the whole run.
        hint: what to do next; empty when the message says it.
    """

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{place}{self.message}{advice}"
