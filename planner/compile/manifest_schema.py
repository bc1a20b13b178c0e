"""The JSON schema of a plan as a model shall answer it.

It is written out instead of generated, so that the same request has the same bytes under every version of
the validation library. It keeps to the subset that strict structured outputs accept: every property
required, no extra properties, no defaults. Computed fields are not in it. A test holds it against `Plan`.
"""

from collections.abc import Sequence
from typing import Final, get_args

from factory.contract.services.declared import Preset
from factory.contract.strict_json import JsonObject, JsonValue
from planner.revision.references import SAME_AS, SHOW

SCHEMA_NAME: Final = "plan"

_CHANGING: Final = (
    "requirements", "intent", "allowed_files", "acceptance_commands", "notes", "provides", "consumes",
    "accepted_warnings",
)  # fmt: skip
"""What mostly changes of a work order that is corrected; where more does, it is written whole."""


def manifest_schema(projects: Sequence[str] = ()) -> JsonObject:
    """The schema, a new value each time. What the planner computes is not in it.

    Args:
        projects: the directories that work orders name as their projects; none where there is one project.
    """
    return _plan(_overview(), _remarks(), _services(), _requirement(), _work_order(projects))


def correction_schema(projects: Sequence[str] = ()) -> JsonObject:
    """The schema of an answer that corrects one: what stays as it was there may be named; see `references`.

    Args:
        projects: see `manifest_schema`.
    """
    return _naming("previous answer", projects)


def revision_schema(projects: Sequence[str] = ()) -> JsonObject:
    """The schema of an answer that revises a plan: what stays as it is may be named; see `references`.

    Args:
        projects: see `manifest_schema`.
    """
    return _naming(
        "present plan", projects, {SHOW: _list(_text("The id of what you must see first; [] in a plan."))}
    )


def _naming(source: str, projects: Sequence[str], asked: JsonObject | None = None) -> JsonObject:
    """The schema of an answer that may name what stays as it is in something.

    What fields mean stands in the question, so it is not said once more.
    """
    return _plan(
        _or_null(_wordless(_overview())),
        _or_null(_wordless(_remarks())),
        _or_null(_wordless(_services())),
        _or_same(_wordless(_requirement()), f"The id of a requirement of the {source} that stays as it is."),
        _or_changed(
            _wordless(_work_order(projects)),
            f"The id of a work order of the {source}; fields that stay are null.",
        ),
        asked,
    )


def _plan(
    overview: JsonObject,
    remarks: JsonObject,
    services: JsonObject,
    requirement: JsonObject,
    work_order: JsonObject,
    asked: JsonObject | None = None,
) -> JsonObject:
    return _object(
        {
            **(asked or {}),
            "system_overview": overview,
            "verify_contract": _or_null(
                _object(
                    {
                        "command": _text("The command that verifies the whole repository."),
                        "requires": _list(_condition("file_exists", "file_absent")),
                    }
                )
            ),
            "requirements": _list(requirement),
            "remarks": remarks,
            "services": services,
            "work_orders": _list(work_order, at_least=0 if asked else 1),
            "accepted_warnings": _accepted_warnings(),
        }
    )


def _overview() -> JsonObject:
    return _list(_text("One statement about the design that every work order follows."))


def _remarks() -> JsonObject:
    return _list(
        _object(
            {
                "kind": {"type": "string", "enum": ["contradiction", "gap", "guess"]},
                "text": _text("What the specification leaves open there, and what the plan does."),
                "quotes": _list(_text("Lines of the specification, L12 or L12-L14.")),
            }
        )
    )


def _services() -> JsonObject:
    variable = _object(
        {
            "name": _text("A variable that says where it is reached."),
            "value": _text("Its value, with {port}."),
        }
    )
    return _list(
        _object({"preset": {"type": "string", "enum": list(get_args(Preset))}, "set": _list(variable)})
    )


def _requirement() -> JsonObject:
    return _object(
        {
            "id": {
                "type": "string",
                "pattern": "^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$",
                "description": "The id that the specification gives, else REQ-01, REQ-02, …",
            },
            "text": _text("What is asked for, in a sentence."),
            "quotes": _list(
                _text("Lines of the specification, L12 or L12-L14, or a passage word for word."), at_least=1
            ),
        }
    )


def _work_order(projects: Sequence[str]) -> JsonObject:
    return _object(
        {
            "id": {"type": "string", "pattern": "^WO-[0-9]{2,}$", "description": "WO-01, WO-02, …"},
            "title": _text("What this work order achieves, in a few words."),
            "requirements": _list(_text("The id of a requirement that this work order fulfils.")),
            **_project(projects),
            "intent": _text("What is decided beyond the passages of its requirements."),
            "allowed_files": _list(_text("A file that may be written."), at_least=1),
            "forbidden": _list(_text("A file or directory that must not be written.")),
            "acceptance_commands": _list(_text("One program with its arguments, no shell."), at_least=1),
            "context_files": _list(_text("A further file to be read.")),
            "notes": _or_null(_text("Signatures, edge cases and decisions to keep to.")),
            "provides": _list(_text("A symbol that exists afterwards: pkg.module:name(x: int) -> str.")),
            "consumes": _list(
                _text("A symbol that is used: the address of a provided one, or one of the repository.")
            ),
            "requires_packages": _list(
                _object(
                    {
                        "ecosystem": {"type": "string", "enum": ["python", "node"]},
                        "specifier": _text("The package with its versions: fastapi>=0.120, zod@^4."),
                    }
                )
            ),
            "difficulty": _or_null({"type": "string", "enum": ["easy", "medium", "hard"]}),
            "red_exempt": _list(
                _object(
                    {
                        "command": _text("An acceptance command that may pass before the work is done."),
                        "reason": _text("Why it may."),
                    }
                )
            ),
            "accepted_warnings": _accepted_warnings(),
        }
    )


def _project(projects: Sequence[str]) -> JsonObject:
    """The field that names a project, if there are several."""
    if not projects:
        return {}
    values: list[JsonValue] = list(projects)
    return {
        "project": _or_null(
            {
                "type": "string",
                "enum": values,
                "description": "The project in whose directory the acceptance commands run.",
            }
        )
    }


def _accepted_warnings() -> JsonObject:
    return _list(
        _object(
            {
                "code": {
                    "type": "string",
                    "pattern": "^W[0-9]{3}$",
                    "description": "The code of a warning that a checker gave of your answer before.",
                },
                "reason": _text("Why the plan keeps what it warns of."),
            }
        )
    )


def _condition(*kinds: str) -> JsonObject:
    values: list[JsonValue] = list(kinds)
    return _object({"kind": {"type": "string", "enum": values}, "path": _text("A path in the repository.")})


def _object(properties: JsonObject) -> JsonObject:
    required: list[JsonValue] = list(properties)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def _list(items: JsonObject, *, at_least: int = 0) -> JsonObject:
    schema: JsonObject = {"type": "array", "items": items}
    if at_least:
        schema["minItems"] = at_least
    return schema


def _text(description: str) -> JsonObject:
    return {"type": "string", "description": description}


def _or_same(schema: JsonObject, description: str) -> JsonObject:
    return {"anyOf": [schema, _object({SAME_AS: _text(description)})]}


def _or_changed(schema: JsonObject, description: str) -> JsonObject:
    """A work order, or the name of one with the fields that change, of those that mostly do."""
    properties = schema["properties"]
    assert isinstance(properties, dict)
    chosen = {name: field for name in _CHANGING if isinstance(field := properties[name], dict)}
    fields: JsonObject = {
        name: field if "anyOf" in field else _or_null(field) for name, field in chosen.items()
    }
    return {"anyOf": [schema, _object({SAME_AS: _text(description), **fields})]}


def _wordless(schema: JsonObject) -> JsonObject:
    """A schema without its descriptions."""
    made: JsonObject = {}
    for name, value in schema.items():
        match name, value:
            case "description", str():
                continue
            case "properties", dict():
                made[name] = {
                    each: _wordless(inner) for each, inner in value.items() if isinstance(inner, dict)
                }
            case "items", dict():
                made[name] = _wordless(value)
            case "anyOf", list():
                made[name] = [_wordless(inner) for inner in value if isinstance(inner, dict)]
            case _:
                made[name] = value
    return made


def _or_null(schema: JsonObject) -> JsonObject:
    return {"anyOf": [schema, {"type": "null"}]}
