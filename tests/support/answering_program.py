"""A program that a test uses as a model through `command:`: it answers from files, a plan and its proposals.

For what only whole processes show, such as the scripts and the CI jobs. In process, use `scripted_model`.
"""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from factory.contract.canonical import EMPTY_SHA256
from factory.contract.strict_json import JsonObject, JsonValue

_PROGRAM = """
import pathlib, re, sys
prompt = sys.stdin.read()
answers = pathlib.Path(__file__).parent
amended = answers / "amended.json"
if amended.exists() and "<present_plan" in prompt:
    sys.stdout.write(amended.read_text())
    sys.exit()
name = "plan" if "<product_spec" in prompt else re.search(r'"id": "(WO-[0-9]+)"', prompt)[1]
sys.stdout.write((answers / f"{name}.json").read_text())
"""


def order(order_id: str, *files: str, acceptance: tuple[str, ...] | None = None) -> JsonObject:
    """A work order that makes new files, as a plan holds it; accepted when the first of them is there."""
    conditions: list[JsonValue] = [{"kind": "file_exists", "path": file} for file in files]
    return {
        "id": order_id,
        "title": f"Write {files[0]}",
        "requirements": ["REQ-01"],
        "intent": "Write what is asked for.",
        "preconditions": [],
        "postconditions": conditions,
        "allowed_files": list(files),
        "forbidden": [],
        "acceptance_commands": [f"test -f {files[0]}"] if acceptance is None else list(acceptance),
        "context_files": [],
        "notes": None,
    }


def manifest(*orders: JsonObject) -> JsonObject:
    """A plan of these work orders, verified by `scripts/verify.sh`; its specification says hello."""
    script: JsonObject = {"kind": "file_exists", "path": "scripts/verify.sh"}
    return {
        "system_overview": ["Small, and enough to go through every stage."],
        "verify_contract": {"command": "bash scripts/verify.sh", "requires": [script]},
        "requirements": [{"id": "REQ-01", "text": "It is called hello.", "quotes": ["hello"]}],
        "work_orders": list(orders),
    }


def write_answers(
    folder: Path,
    plan: JsonObject,
    files: Mapping[str, Mapping[str, str]],
    amended: JsonObject | None = None,
) -> str:
    """Put the program and its answers into `folder`.

    Args:
        folder: where; made if it is missing.
        plan: what it answers to the planner.
        files: for each work order, the new files that it proposes.
        amended: what it answers when it is to revise a plan.

    Returns:
        The value for `--llm`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan.json").write_text(json.dumps(plan))
    if amended is not None:
        (folder / "amended.json").write_text(json.dumps(amended))
    for name, contents in files.items():
        writes: list[JsonValue] = [
            {"path": path, "base_sha256": EMPTY_SHA256, "content": content}
            for path, content in contents.items()
        ]
        (folder / f"{name}.json").write_text(json.dumps({"summary": f"Did {name}.", "writes": writes}))
    program = folder / "answer.py"
    program.write_text(_PROGRAM)
    return f"command:{shlex.join([sys.executable, str(program)])}"
