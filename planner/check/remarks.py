"""The remarks of an answer on the specification, made to keep: bounded, and with passages for lines."""

from factory.contract.limits import MAX_REMARK_CHARS, MAX_REMARKS
from factory.contract.strict_json import JsonObject, JsonValue
from planner.check.requirements import resolved
from planner.specification.spec import Spec


def with_remarks(document: JsonValue, spec: Spec | None) -> JsonValue:
    """An answer whose remarks have the passages that they name; what is too much is cut, and no error.

    Args:
        document: the answer as it was read.
        spec: the specification, if it is known.
    """
    if not isinstance(document, dict) or "remarks" not in document:
        return document
    listed = document["remarks"]
    if listed is None:
        return {name: value for name, value in document.items() if name != "remarks"}
    if not isinstance(listed, list):
        return document
    return {**document, "remarks": [_kept(remark, spec) for remark in listed[:MAX_REMARKS]]}


def without_outdated(document: JsonValue, spec: Spec) -> JsonValue:
    """A revised plan that keeps the remarks of the plan before, without those whose passages are gone.

    Args:
        document: the plan.
        spec: the specification as it is now.
    """
    if not isinstance(document, dict) or not isinstance(listed := document.get("remarks"), list):
        return document
    kept = [
        remark for remark in listed if not (quotes := _quotes(remark)) or any(map(spec.lines.places, quotes))
    ]
    return {**document, "remarks": kept}


def _kept(remark: JsonValue, spec: Spec | None) -> JsonValue:
    if not isinstance(remark, dict):
        return remark
    kept: JsonObject = dict(remark)
    text, quotes = remark.get("text"), remark.get("quotes")
    if isinstance(text, str) and len(text) > MAX_REMARK_CHARS:
        kept["text"] = text[: MAX_REMARK_CHARS - 1] + "…"
    if spec is not None and isinstance(quotes, list):
        kept["quotes"] = [passage for quote in quotes for passage in resolved(quote, spec)]
    return kept


def _quotes(remark: JsonValue) -> list[str]:
    quotes = remark.get("quotes") if isinstance(remark, dict) else None
    return [quote for quote in quotes if isinstance(quote, str)] if isinstance(quotes, list) else []
