"""Manifests for the tests of the planner's checking side, built from the smallest valid ones."""

from typing import Any

Json = dict[str, Any]


def order(number: int = 1, **fields: Any) -> Json:
    """A work order with only the fields that are needed; it writes `file_N.py` unless told otherwise."""
    return {
        "id": f"WO-{number:02d}",
        "title": f"Step {number}",
        "intent": f"Do step {number}.",
        "allowed_files": [f"file_{number}.py"],
        "acceptance_commands": [f"python -m compileall file_{number}.py"],
        **fields,
    }


def makes(number: int, *paths: str, **fields: Any) -> Json:
    """A work order that promises to write `paths`."""
    promised = [{"kind": "file_exists", "path": path} for path in paths]
    return order(number, **{"allowed_files": list(paths), "postconditions": promised, **fields})


def manifest(*orders: Json, **fields: Any) -> Json:
    """A manifest of `orders`."""
    return {
        "system_overview": ["An example."],
        "verify_contract": None,
        "work_orders": list(orders),
        **fields,
    }


def verified_by(command: str, *paths: str) -> Json:
    """A verify contract that needs `paths`."""
    return {"command": command, "requires": [{"kind": "file_exists", "path": path} for path in paths]}


def exists(path: str) -> Json:
    return {"kind": "file_exists", "path": path}


def absent(path: str) -> Json:
    return {"kind": "file_absent", "path": path}
