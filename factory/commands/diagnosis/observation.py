"""One thing that `factory doctor` looked at, as a value."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

State = Literal["ok", "warning", "error"]


class Observation(BaseModel):
    """One thing that was looked at.

    Attributes:
        name: what it is.
        state: `error` means that a run would be refused, `warning` that something is missing.
        found: what was found, a clause.
        fix: what to do, each a line; a command stands alone on its line.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    state: State
    found: str
    fix: tuple[str, ...] = ()
