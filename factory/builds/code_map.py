"""`code_map.json`: which work orders, requirements and commits each file of a build comes from. A view."""

from pathlib import Path
from typing import Final

from factory.builds.branch.history import History
from factory.contract.canonical import readable_json
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import Plan
from factory.system.files.tree import write_atomic
from factory.system.git.client import Git
from factory.system.git.commits import changed_files

CODE_MAP_FILE: Final = "code_map.json"
SCHEMA_VERSION: Final = 1


def write_code_map(git: Git, plan: Plan, past: History, out: Path) -> None:
    """Write the map of what has landed.

    Args:
        git: the repository.
        plan: the plan.
        past: where it stands on the branch.
        out: the build's directory.

    Raises:
        GitError, FileProblem: it can't be read or written.
    """
    landed = {name: landing.commit for name, landing in past.landed.items()}
    changed = changed_files(git, landed.values())
    files: dict[str, dict[str, list[JsonValue]]] = {}
    for order in plan.work_orders:
        if order.id not in landed:
            continue
        commit = landed[order.id]
        for path in changed[commit]:
            entry = files.setdefault(path, {"work_orders": [], "requirements": [], "commits": []})
            entry["work_orders"].append(order.id)
            entry["commits"].append(commit)
            entry["requirements"] += [
                name for name in order.requirements if name not in entry["requirements"]
            ]
    document: JsonObject = {
        "schema_version": SCHEMA_VERSION,
        "branch_tip": past.tip,
        "files": {path: {**entry} for path, entry in sorted(files.items())},
    }
    write_atomic(out / CODE_MAP_FILE, readable_json(document))
