"""A model's reply, read as a JSON document; what is not one becomes E000 diagnostics.

Whether the document is a good plan is for `check`.
"""

import json
from dataclasses import dataclass

from factory.contract.reply import json_text
from factory.contract.strict_json import BadJson, JsonObject, JsonValue, read_json
from factory.contract.work_order import (
    COMPUTED_FIELDS,
    COMPUTED_PLAN_FIELDS,
    COMPUTED_REQUIREMENT_FIELDS,
    GIVEN_FIELDS,
)
from factory.plans.diagnostics.diagnostic import Diagnostic, quote
from factory.plans.rules.document.e000_not_a_manifest import RULE
from factory.plans.rules.rule import Finding
from factory.system.terminal.console import one_line

_ONLY_JSON = "answer with one JSON object and nothing else"


@dataclass(frozen=True)
class Parsed:
    """A reply, read.

    Attributes:
        document: the JSON document; None also when there is none.
        diagnostics: why there is none; empty if there is one.
        is_json: whether the reply held JSON at all, be it of a kind that is refused.
    """

    document: JsonValue
    diagnostics: tuple[Diagnostic, ...]
    is_json: bool


def parse_reply(reply: str) -> Parsed:
    """Read a model's reply. Fields that only the planner computes are dropped."""
    text = json_text(reply)
    try:
        document = read_json(text, "answer")
    except BadJson as error:
        return _refused(error, *_explain(error, text))
    return Parsed(_without_computed(document), (), is_json=True)


def refused_file(error: BadJson) -> Parsed:
    """The result for a file that strict reading refuses."""
    return _refused(error, str(error), "correct the file, or compile the plan again")


def _explain(error: BadJson, text: str) -> tuple[str, str]:
    message = str(error)
    if not isinstance(error.__cause__, json.JSONDecodeError):
        return message, _ONLY_JSON
    if not text:
        return "the answer is empty", _ONLY_JSON
    if not text.startswith(("{", "[")):
        return f"the answer is not JSON; it begins with {quote(text[:80])}", _ONLY_JSON
    if _is_cut_off(error.__cause__):
        return f"{message}; the document seems to be cut off", "answer with the whole document"
    return message, _ONLY_JSON


def _refused(error: BadJson, message: str, hint: str) -> Parsed:
    is_json = not isinstance(error.__cause__, json.JSONDecodeError)
    return Parsed(None, (RULE.diagnostic(Finding("", one_line(message), hint)),), is_json)


def _is_cut_off(error: json.JSONDecodeError) -> bool:
    return error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")


def _without_computed(document: JsonValue) -> JsonValue:
    if not isinstance(document, dict):
        return document
    plain = _without(document, COMPUTED_PLAN_FIELDS)
    for name, computed in (
        ("work_orders", COMPUTED_FIELDS | GIVEN_FIELDS),
        ("requirements", COMPUTED_REQUIREMENT_FIELDS),
    ):
        if isinstance(elements := plain.get(name), list):
            plain[name] = [
                _without(element, computed) if isinstance(element, dict) else element for element in elements
            ]
    return plain


def _without(value: JsonObject, names: frozenset[str]) -> JsonObject:
    return {key: inner for key, inner in value.items() if key not in names}
