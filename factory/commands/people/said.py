"""What a person says of a work order on a command line, before it is a record."""

import os
from pathlib import Path

from factory.contract.errors import WorkorderError
from factory.llm.secrets import redact, secret_values
from factory.people.hints import Hint
from factory.runs.record.tried import Named, tried
from factory.system.clock import SystemClock
from factory.system.git.client import user_identity


def said_of(order: Named) -> Hint:
    """A word to the next attempt at a work order that has not landed, as yet without text.

    Raises:
        WorkorderError: nothing was tried of it, or it has landed.
    """
    standing = tried(order.out, order.work_order)
    return Hint(
        work_order=order.work_order,
        contract=standing.contract,
        after=standing.attempts,
        text="",
        author=user_identity(Path.cwd()),
        said=SystemClock().now(),
    )


def spoken(text: str, where: str, most: int) -> str:
    """Words that a record may hold.

    Args:
        text: the words.
        where: the argument that they are.
        most: how many characters there may be.

    Raises:
        WorkorderError: they are none, too many, or hold the value of a key.
    """
    stripped = text.strip()
    if not stripped or len(stripped) > most:
        raise WorkorderError(f"has {len(stripped):,} characters; say from 1 to {most:,}", where=where)
    if redact(stripped, secret_values(os.environ)) != stripped:
        raise WorkorderError(
            "holds the value of a key, which no record and no prompt may hold",
            where=where,
            hint="say it without that",
        )
    return stripped
