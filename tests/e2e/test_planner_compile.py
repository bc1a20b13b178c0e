"""A plan is asked for on a terminal, as somebody sees it who waits."""

import json
import shlex
import sys
from pathlib import Path

from tests.support.answering_program import manifest, order
from tests.support.screens import Screen

_MODEL = """
import pathlib, sys, time
here = pathlib.Path(__file__).parent
time.sleep(1)
print((here / ("good.json" if "E101" in sys.stdin.read() else "bad.json")).read_text())
"""


def test_a_terminal_shows_the_attempt_what_was_found_and_then_the_result_alone(tmp_path: Path) -> None:
    first, second = order("WO-01", "scripts/verify.sh"), order("WO-02", "hello.py")
    missing = {**second, "preconditions": [{"kind": "file_exists", "path": "no/where.py"}]}
    for name, orders in (("bad.json", (first, missing)), ("good.json", (first, second))):
        (tmp_path / name).write_text(json.dumps(manifest(*orders)))
    (tmp_path / "answer.py").write_text(_MODEL)
    (tmp_path / "spec.md").write_text("It is called hello.\n")
    llm = f"command:{shlex.join([sys.executable, '-I', '-S', str(tmp_path / 'answer.py')])}"
    words = [sys.executable, "-m", "planner", "compile", "--spec", str(tmp_path / "spec.md"), "--llm", llm]
    words += ["--outdir", str(tmp_path / "plan"), "--max-tokens", "900000", "--warnings", "accept"]
    screen = Screen([*words, "--notify", "bell"])

    text = screen.text()

    assert screen.process.wait(20) == 0, text
    assert "attempt 1 of 3  asking command:" in text
    assert "attempt 2 of 3  asking command:" in text
    assert "E101 unmet-precondition: WO-02" in text
    assert "of 900,000 tokens" in text
    assert text.count("\a") == 1
    # What is drawn is gone at the end; what was found stays in a line for each attempt.
    last = text[text.rindex("\x1b[?25h") :]
    assert "asking" not in last and "artifacts:" in last
    assert text.count("\nattempt 1: ") >= 1
