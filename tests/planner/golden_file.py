"""Whole outputs, kept as files in `tests/planner/golden`.

After an intended change, rewrite them and look at the difference:

    WORKORDER_REWRITE_GOLDEN=1 python -m pytest tests/planner && git diff tests/planner/golden
"""

import os
from pathlib import Path

_FOLDER = Path(__file__).parent / "golden"
# Asked at once: the environment of a test holds no variable of whoever runs it.
_REWRITE = os.environ.get("WORKORDER_REWRITE_GOLDEN") == "1"


def assert_golden(name: str, text: str) -> None:
    """Compare `text` with the golden file `name`, or rewrite the file if that was asked for."""
    path = _FOLDER / name
    if _REWRITE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    assert path.exists(), f"{path} is missing; see {Path(__file__).name} for how to write it"
    assert path.read_text(encoding="utf-8") == text + "\n"
