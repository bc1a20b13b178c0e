"""Reads a plan from disk: a manifest, or a directory that holds one or its work orders.

Only reads; whether the plan is a good one is for `check`.
"""

import re
from json import JSONDecodeError
from pathlib import Path
from typing import Final

from factory.contract.canonical import sha256_hex
from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_JSON_BYTES, MAX_SPEC_BYTES
from factory.contract.strict_json import BadJson, JsonObject, JsonValue, read_json
from factory.contract.work_order import COMPUTED_FIELDS, MANIFEST_NAME, SPEC_NAME
from factory.system.files.tree import read_bounded

_WORK_ORDER_FILE: Final = re.compile(r"WO-([0-9]{1,9})\.json")


class NoPlan(WorkorderError):
    """There is no plan at the path, or what is there contradicts itself."""


def read_plan(path: Path) -> JsonValue:
    """The manifest at `path`, as JSON values.

    Args:
        path: a file that holds a manifest; or a directory that holds `WORK_ORDERS_MANIFEST.json`, or only
            `WO-NN.json` files, which are put into a manifest by their numbers.

    Raises:
        NoPlan: nothing is there, it is a text of another kind or a single work order, a directory holds
            neither, its work orders differ from its manifest, or the specification's text beside it was
            changed.
        BadJson: a file is not strict JSON.
        FileProblem: a file can't be read.
    """
    if not path.exists():
        raise NoPlan(
            "there is no such file or directory",
            where=str(path),
            hint="name a manifest or a plan's directory",
        )
    if not path.is_dir():
        value = _read_named(path)
        if isinstance(value, dict) and "allowed_files" in value and "work_orders" not in value:
            raise NoPlan(
                "is one work order, not a plan",
                where=str(path),
                hint="name the directory or the manifest of the plan that it belongs to",
            )
        _require_spec_text(path, value)
        return value
    files = work_order_files(path)
    if (path / MANIFEST_NAME).exists():
        manifest = _read(path / MANIFEST_NAME)
        _require_agreement(path, manifest, files)
        _require_spec_text(path, manifest)
        return manifest
    if not files:
        raise NoPlan(
            f"the directory holds neither {MANIFEST_NAME} nor WO-NN.json files",
            where=str(path),
            hint="name the directory that `planner compile --outdir` wrote",
        )
    orders: list[JsonValue] = [_read(file) for file in files]
    return {"system_overview": [], "verify_contract": None, "work_orders": orders}


def _require_spec_text(path: Path, manifest: JsonValue) -> None:
    """Passages of a changed text would be given to engineers as those that the plan was made for."""
    text_hash = manifest.get("spec_text_hash") if isinstance(manifest, dict) else None
    if isinstance(text_hash, str):
        read_spec_text(path, text_hash)


def _read_named(path: Path) -> JsonValue:
    """A file that somebody calls a plan, such as a specification by mistake."""
    try:
        return _read(path)
    except BadJson as error:
        if path.suffix.lower() == ".json" or not isinstance(error.__cause__, JSONDecodeError):
            raise
        kind = "a Markdown file" if path.suffix.lower() in (".md", ".markdown") else "text, but no JSON"
        raise NoPlan(
            f"is {kind}, not a plan",
            where=str(path),
            hint=f"name a plan's directory or its {MANIFEST_NAME}; `planner compile --spec` makes one of a"
            " specification",
        ) from error


def read_spec_text(plan: Path, text_hash: str | None) -> str | None:
    """The specification's text that a plan was made for, which lies beside its manifest.

    Args:
        plan: the manifest, or the directory that holds it.
        text_hash: what the plan says that the hash of the text is; None of a plan that says nothing.

    Returns:
        The text; None where the plan says nothing.

    Raises:
        NoPlan: the text is not there, or is not the one that the plan was made for.
        FileProblem: it can't be read.
    """
    if text_hash is None:
        return None
    path = (plan if plan.is_dir() else plan.parent) / SPEC_NAME
    hint = (
        "put back what `planner compile` wrote; for a changed specification, `planner revise --spec` makes"
        " another plan"
    )
    if not path.exists():
        raise NoPlan(f"holds no {SPEC_NAME}, which the plan was made for", where=str(path.parent), hint=hint)
    data = read_bounded(path, max_bytes=MAX_SPEC_BYTES)
    if sha256_hex(data) != text_hash:
        raise NoPlan("is not the specification that the plan was made for", where=str(path), hint=hint)
    return data.decode("utf-8", "replace")


def work_order_files(directory: Path) -> list[Path]:
    """The files `WO-NN.json` of a directory, by their numbers."""
    numbered = [
        (int(match[1]), entry.name, entry)
        for entry in directory.iterdir()
        if (match := _WORK_ORDER_FILE.fullmatch(entry.name))
    ]
    return [entry for _, _, entry in sorted(numbered)]


def _require_agreement(directory: Path, manifest: JsonValue, files: list[Path]) -> None:
    """A work order that was edited by hand would be executed but not checked, or the other way round."""
    if not files or not isinstance(manifest, dict) or not isinstance(manifest.get("work_orders"), list):
        return
    orders = {f"{order['id']}.json": order for order in _objects(manifest["work_orders"]) if "id" in order}
    for name in sorted(orders.keys() - {file.name for file in files}):
        raise _disagreement(directory, f"{name} is missing, but the manifest has that work order")
    for file in files:
        if file.name not in orders:
            raise _disagreement(directory, f"{file.name} is not a work order of the manifest")
        if _contract(_read(file)) != _contract(orders[file.name]):
            raise _disagreement(directory, f"{file.name} differs from the same work order in the manifest")


def _disagreement(directory: Path, message: str) -> NoPlan:
    return NoPlan(
        message,
        where=str(directory),
        hint=f"{MANIFEST_NAME} is the source: `planner sync` writes the work orders from it",
    )


def _objects(values: JsonValue) -> list[JsonObject]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _contract(order: JsonValue) -> JsonValue:
    if not isinstance(order, dict):
        return order
    return {key: value for key, value in order.items() if key not in COMPUTED_FIELDS}


def _read(path: Path) -> JsonValue:
    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # Reading says what is wrong.
    if size > MAX_JSON_BYTES:
        raise BadJson(f"the document has {size:,} bytes; the limit is {MAX_JSON_BYTES:,}", where=str(path))
    return read_json(read_bounded(path), str(path))
