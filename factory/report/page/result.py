"""The report for programs: how it ended and what it used as JSON, and what failed as GitHub's annotations."""

import json
from typing import Final

from factory.contract.canonical import dump
from factory.contract.strict_json import JsonObject
from factory.plans.diagnostics.exports import MOST_ANNOTATIONS, workflow_command
from factory.report.page.story import Order, Story
from factory.system.terminal.console import one_line, visible

SCHEMA_VERSION: Final = 1


def write_json(story: Story) -> str:
    """The document, with a line break at its end."""
    document: JsonObject = {
        "schema_version": SCHEMA_VERSION,
        "all_landed": story.all_landed,
        "exit_code": story.exit_code,
        "outcome": visible(story.outcome),
        "hint": visible(story.hint),
        "branch": story.branch,
        "spent": dump(story.spending),
        "by_model": [dump(share) for share in story.by_model],
        "work_orders": [_order(order) for order in story.orders],
    }
    return json.dumps(document, indent=2) + "\n"


def _order(order: Order) -> JsonObject:
    why = order.failure
    return {
        "id": order.id,
        "title": visible(order.title),
        "state": order.state,
        "commit": order.commit or None,
        "spent": dump(order.spending),
        "trials": [dump(trial) for run in order.runs for trial in run.trials],
        "failure": None
        if why is None
        else {
            "stage": str(why.stage),
            "failure_class": str(why.failure_class),
            "message": visible(why.description),
        },
    }


def write_annotations(story: Story) -> str:
    """A workflow command for each work order that failed, as many as GitHub shows, each on its own line."""
    lines = []
    for order in story.failed[:MOST_ANNOTATIONS]:
        why = order.failure
        assert why is not None
        title = f"{order.id} failed at {why.stage}"
        lines.append(workflow_command("error", one_line(why.description), title=title))
    more = len(story.failed) - MOST_ANNOTATIONS
    if more > 0:
        lines.append(workflow_command("notice", f"and {more} more work orders failed: the report tells why"))
    return "".join(f"{line}\n" for line in lines)
