"""Whole outputs, kept as files in the folder `golden` beside the test that holds them.

After an intended change, rewrite them and look at the difference:

    ./scripts/test --golden; git diff '*/golden/*'
"""

import os
import sys
from pathlib import Path

# Asked at once: the environment of a test holds no variable of whoever runs it.
_REWRITE = os.environ.get("WORKORDER_REWRITE_GOLDEN") == "1"


def assert_golden(name: str, text: str) -> None:
    """Compare a text with the golden file of that name beside the calling test, or rewrite the file if asked.

    A text without a last line break has one in its file.
    """
    path = Path(sys._getframe(1).f_code.co_filename).with_name("golden") / name
    kept = text if text.endswith("\n") else f"{text}\n"
    if _REWRITE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(kept, encoding="utf-8", newline="")
    assert path.exists(), f"{path} is missing; {Path(__file__).name} says how to write it"
    assert path.read_bytes().decode("utf-8") == kept
