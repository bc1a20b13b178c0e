"""The events of a build as lines for a log. Pure."""

from collections.abc import Collection
from typing import Final

from factory.attempt.summary import KillScores
from factory.attempt.telling_line import with_telling_line
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import BuildState
from factory.contract.strict_json import JsonObject, JsonValue
from factory.report.figures import in_one_line
from factory.runs.record.model import EnvironmentRecord, ProjectRecord

_SHOWN_CHARS: Final = 500


def render_event(state: BuildState, event: JsonObject, given: Collection[str] = frozenset()) -> list[str]:
    """The lines that a person wants to read about an event; none for the ends, which the result tells.

    Args:
        state: the state after the event.
        event: as in `events.jsonl`.
        given: the work orders whose files the plan gives.
    """
    match event.get("event"):
        case "build" if event.get("after") == BuildPhase.RUNNING:
            count = f"{len(state.orders)} work order{'s' if len(state.orders) != 1 else ''}"
            return [f"building {count} on {in_one_line(state.branch)}, base {state.base[:12]}"]
        case "sandbox" if isinstance(used := event.get("used"), dict):
            version = f"{used.get('level')} {used.get('version')}".rstrip()
            return [f"commands run in the sandbox {in_one_line(version)}, network: {used.get('network')}"]
        case "environment" if isinstance(used := event.get("used"), dict):
            return [f"commands find {in_one_line(EnvironmentRecord.model_validate(used).description)}"]
        case "project" if isinstance(used := event.get("used"), dict):
            project = ProjectRecord.model_validate(used)
            found = in_one_line(project.environment.description)
            return [f"commands in {in_one_line(project.directory)} find {found}"]
        case "work_order":
            return _order(str(event["work_order"]), event, given)
        case _:
            return []


def lasting(event: JsonObject) -> bool:
    """Whether an event is worth a line beside the picture that shows the states."""
    return event.get("event") == "work_order" and event.get("after") in (
        OrderPhase.LANDED,
        OrderPhase.FAILED,
        OrderPhase.PATCHING,
    )


def _order(order_id: str, event: JsonObject, given: Collection[str]) -> list[str]:
    attempt = event["attempt"]
    match event["after"]:
        case OrderPhase.GENERATING if order_id in given:
            return [f"{order_id}: attempt {attempt}, writing what the plan gives"]
        case OrderPhase.GENERATING | OrderPhase.TESTING:
            return [f"{order_id}: attempt {attempt}, {event['after']}"]
        case OrderPhase.PATCHING:
            before = attempt - 1 if isinstance(attempt, int) else attempt
            return [
                f"{order_id}: attempt {before} failed{_why(event['failure'])}",
                f"{order_id}: attempt {attempt}, patching",
            ]
        case OrderPhase.LANDED:
            outcome = "is on the branch already" if event["before"] == OrderPhase.PENDING else "landed"
            scores = KillScores.model_validate(event["scores"]) if "scores" in event else None
            lines = [f"{order_id}: {outcome} as {str(event['commit'])[:12]}"]
            if scores is not None:
                lines[0] += f"; {scores.description}"
            if scores is not None and scores.shortcoming:
                lines.append(f"{order_id}: {scores.shortcoming}")
            return lines
        case OrderPhase.FAILED:
            return [f"{order_id}: failed{_why(event['failure'])}"]
        case OrderPhase.BLOCKED:
            return [f"{order_id}: blocked, because one that it depends on failed or is left out"]
        case OrderPhase.SKIPPED:
            return [f"{order_id}: left out"]
        case _:
            return [f"{order_id}: waits again"]


def _why(failure: JsonValue) -> str:
    if not isinstance(failure, dict):
        return ""
    message = in_one_line(str(failure["message"]))
    if len(message) > _SHOWN_CHARS:
        message = message[:_SHOWN_CHARS] + "…"
    # Events of an earlier version may have no excerpt.
    return f" at {failure['stage']}: {with_telling_line(message, str(failure.get('excerpt', '')))}"
