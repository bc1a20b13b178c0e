"""A plan as a model is shown it."""

import json

from factory.contract.work_order import Plan
from planner.revision.shown import whole_text
from tests.support.plans import makes, manifest


def test_all_that_somebody_decided_is_shown_and_of_given_files_the_names() -> None:
    given = makes(1, "verify.sh", intent="As given.", fixed_files=[{"path": "verify.sh", "text": "exit 0\n"}])
    plan = Plan.model_validate(manifest(given, makes(2, "a.py", notes="Edges.", verify_exempt=True)))

    shown = json.loads(whole_text(plan))

    assert shown["work_orders"] == [
        {
            "id": "WO-01",
            "title": "Step 1",
            "allowed_files": ["verify.sh"],
            "given_files": ["verify.sh"],
        },
        {
            "id": "WO-02",
            "title": "Step 2",
            "intent": "Do step 2.",
            "allowed_files": ["a.py"],
            "acceptance_commands": ["python -m compileall file_2.py"],
            "notes": "Edges.",
        },
    ]
