"""The message of a landed commit. Pure; moving the branch is in `landing`."""

import shlex
import textwrap
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from factory.attempt.commit.authorship import NOBODY, Authorship, one_line, printable
from factory.attempt.outcome import VerdictKind
from factory.attempt.summary import KillScores
from factory.contract.work_order import WorkOrder

_MAX_SUBJECT: Final = 72
_MAX_SUMMARY: Final = 4_000
_WIDTH: Final = 72


def commit_message(
    order: WorkOrder,
    summary: str,
    contract: str,
    run_id: str,
    known_by: VerdictKind,
    environment: str,
    authorship: Authorship = NOBODY,
    accepted: Mapping[str, str] = MappingProxyType({}),
    scores: KillScores | None = None,
    removed: int = 0,
    repaired: Sequence[str] = (),
) -> str:
    """A subject, the model's summary after those of what it repairs, and the trailers that say what landed.

    Text of a plan or a model can't forge a trailer: the summaries' lines are indented, and git reads trailers
    from the last paragraph only.

    Args:
        order: the work order.
        summary: the model's own words about its proposal.
        contract: the contract hash.
        run_id: the run.
        known_by: how it can be known that the acceptance commands passed.
        environment: the hash of the environment that they passed in.
        authorship: who wrote the files.
        accepted: the hashes of the files of the user's configuration that it changes, by their paths.
        scores: how many changes of what was written its checks noticed; None if none were tried.
        removed: how many tests that passed before it removed from files that it may write.
        repaired: the model's own words about the proposals that this one repairs, the oldest first.
    """
    subject = one_line(f"{order.id}: {order.title}")
    if len(subject) > _MAX_SUBJECT:
        subject = subject[: _MAX_SUBJECT - 1].rstrip() + "…"
    verdict = known_by.replace(" ", "-")
    trailers = f"Work-Order: {order.id}\nContract: {contract}\nRun-Id: {run_id}\nVerdict: {verdict}\n"
    trailers += f"Kill-Score: {scores.counts}\n" if scores is not None and scores.tried else ""
    trailers += f"Removed-Tests: {removed}\n" if removed else ""
    trailers += f"Environment: {environment}\n"
    trailers += authorship.trailers
    trailers += "".join(f"Accepted-Configuration: {sha256} {path}\n" for path, sha256 in accepted.items())
    trailers += authorship.last_trailers
    bodies = map(_body, (*repaired, summary))
    return "\n\n".join(part for part in (subject, *bodies, trailers) if part)


def generator(adapter: str, model: str) -> str:
    """Who wrote the files, as `adapter:model`; of a program its name alone, without its place and arguments.

    Args:
        adapter: the adapter's name.
        model: the model's name within it.
    """
    if adapter not in ("command", "agent", "acp"):
        return f"{adapter}:{model}"
    try:
        program = shlex.split(model)[0]
    except (ValueError, IndexError):
        return adapter
    return f"{adapter}:{program.rpartition('/')[2]}"


def _body(summary: str) -> str:
    if len(summary) > _MAX_SUMMARY:
        summary = summary[: _MAX_SUMMARY - 1] + "…"
    return "\n".join(part for line in summary.strip().splitlines() for part in _wrapped(line))


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(
        printable(line),
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]
