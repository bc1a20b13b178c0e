"""Plans of any size for the benchmarks: always the same bytes, shaped like the plans that models write."""

import json
from pathlib import Path
from typing import Any


def write_plan(folder: Path, orders: int) -> Path:
    """Write a manifest with so many work orders, without an error or warning in it; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "WORK_ORDERS_MANIFEST.json"
    path.write_text(json.dumps(plan(orders), indent=2))
    return path


def plan(orders: int) -> dict[str, Any]:
    """A manifest: the first work order makes the verify script, each of the others a module and its test."""
    return {
        "system_overview": ["Modules in a chain, each importing the one before it."],
        "verify_contract": {
            "command": "bash scripts/verify.sh",
            "requires": [_exists("scripts/verify.sh")],
        },
        "work_orders": [_first(), *(_module(number) for number in range(2, orders + 1))],
    }


def _first() -> dict[str, Any]:
    return _order(1, [], ["scripts/verify.sh", *_files(1)], [])


def _module(number: int) -> dict[str, Any]:
    before = [path for earlier in range(max(1, number - 3), number) for path in _files(earlier)]
    return _order(number, before, _files(number), before[-2:])


def _files(number: int) -> list[str]:
    return [f"src/product/part_{number:04d}.py", f"tests/test_part_{number:04d}.py"]


def _order(number: int, needed: list[str], made: list[str], context: list[str]) -> dict[str, Any]:
    module, test = _files(number)
    return {
        "id": f"WO-{number:02d}",
        "title": f"Part {number} of the product",
        "intent": f"Write `{module}` and its tests in `{test}`. "
        f"It offers `part_{number:04d}(value: int) -> int`, which returns the value of the part before it, "
        "plus one. A value below 0 raises ValueError, whose message names the value. " * 3,
        "preconditions": [*map(_exists, needed), *({"kind": "file_absent", "path": path} for path in made)],
        "postconditions": list(map(_exists, made)),
        "allowed_files": made,
        "forbidden": ["scripts/release"],
        "acceptance_commands": [
            f"python -m pytest -q {test}",
            f"python -m py_compile {module}",
            f"python -c \"import ast; ast.parse(open('{module}').read())\"",
        ],
        "context_files": context,
        "notes": None,
    }


def _exists(path: str) -> dict[str, str]:
    return {"kind": "file_exists", "path": path}
