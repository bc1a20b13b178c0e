"""Generated plans, and a model whose answer follows from what it is shown."""

import hashlib
import json
import re
import time
from dataclasses import dataclass
from enum import StrEnum

from hypothesis import strategies as st

from factory.contract.strict_json import JsonObject
from factory.llm.port import Request
from tests.support.builds import Reply

_READ = re.compile(r"`([^`]+)`(?: does not exist\.$|:\n<file id=\"(\w+)\">)", re.MULTILINE)
_WRITTEN = re.compile(r"^`([^`\n]+)`(?: does not exist\.|:)$", re.MULTILINE)


class Mood(StrEnum):
    """How the model carries out a work order."""

    GOOD = "good"
    SECOND = "only its second answer is a proposal"
    NEVER = "no answer is a proposal"
    PICKY = "no answer is a proposal while it is shown a file that a first attempt made"


@dataclass(frozen=True)
class Shape:
    """One work order; others are named by their places in the plan.

    Attributes:
        depends_on: earlier ones.
        reads: whose files it is shown, dependencies or not.
        rewrites: which of its dependencies' files it writes, too.
        clashes_with: an earlier one beside whose file only a later attempt's file is accepted; it is not
            declared, so that the gates find it on the tip alone.
        mood: how it is carried out.
        delay: how long the model takes when work orders are executed beside each other, in seconds.
    """

    depends_on: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    rewrites: tuple[int, ...] = ()
    clashes_with: int | None = None
    mood: Mood = Mood.GOOD
    delay: float = 0.0


@st.composite
def shapes(draw: st.DrawFn, *, largest: int = 6) -> tuple[Shape, ...]:
    """Plans of two to `largest` work orders."""
    drawn: list[Shape] = []
    for place in range(draw(st.integers(2, largest))):
        earlier = st.lists(st.sampled_from(range(place)), unique=True, max_size=2) if place else st.just([])
        depends_on = sorted(draw(earlier))
        some = st.lists(st.sampled_from(depends_on), unique=True) if depends_on else st.just([])
        # Most of the others are shown as absent, unless the plan is sequential.
        reads = {*draw(some), *(draw(earlier) if draw(st.booleans()) else [])}
        beside = [other for other in range(place) if other not in depends_on]
        drawn.append(
            Shape(
                tuple(depends_on),
                tuple(sorted(reads)),
                tuple(sorted(draw(some))) if draw(st.booleans()) else (),
                draw(st.sampled_from(beside)) if beside and draw(st.booleans()) else None,
                draw(st.sampled_from([*[Mood.GOOD] * 5, Mood.SECOND, Mood.NEVER, *[Mood.PICKY] * 2])),
                draw(st.sampled_from([0.0, 0.0, 0.3])),
            )
        )
    return tuple(drawn)


def orders_of(plan: tuple[Shape, ...], *, declared: bool) -> list[JsonObject]:
    """The work orders, with their dependencies if `declared`."""
    return [
        {
            "allowed_files": [_file(place), *(_file(other) for other in shape.rewrites)],
            "context_files": [_file(other) for other in shape.reads],
            "acceptance_commands": [
                "true"
                if shape.clashes_with is None
                else f"sh -c '! test -e {_file(shape.clashes_with)} || grep -q late {_file(place)}'"
            ],
            **({"depends_on": [_id(other) for other in shape.depends_on]} if declared else {}),
        }
        for place, shape in enumerate(plan)
    ]


def reply_to(plan: tuple[Shape, ...], *, slowly: bool) -> Reply:
    """A model for the plan; it takes its time if `slowly`."""
    by_id = {_id(place): shape for place, shape in enumerate(plan)}

    def reply(order_id: str, attempt: int, request: Request) -> str:
        shape, prompt = by_id[order_id], request.messages[-1].content
        if slowly:
            time.sleep(shape.delay)
        refused = {
            Mood.GOOD: False,
            Mood.SECOND: attempt == 1,
            Mood.NEVER: True,
            Mood.PICKY: "early" in prompt.partition("# Your attempt")[0],
        }
        if refused[shape.mood]:
            return "I would rather not."
        files = prompt.partition("# Files to write")[2].partition("# Your attempt")[0]
        written = _WRITTEN.findall(files)
        assert written
        shown = [_READ.findall(prompt), files]
        digest = hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:12]
        when = "early" if attempt == 1 else "late"
        blocks = (f"```{path}\n{order_id} {when} for {path}, shown {digest}\n```" for path in written)
        return "\n\n".join(["Done.", *blocks])

    return reply


def _id(place: int) -> str:
    return f"WO-{place + 1:02d}"


def _file(place: int) -> str:
    return f"{_id(place)}.txt"
