"""Specifications as data: what is read, what is refused and where, and the text made of them."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.canonical import sha256_hex
from factory.contract.documents import schema_problems
from factory.contract.errors import WorkorderError
from factory.system.templates import template_path
from planner.commands.inputs import read_spec
from planner.specification.data import SpecDocument, SpecRequirement, read_spec_document, rendered
from planner.specification.yaml import MAX_DEPTH, BadYaml, read_yaml

SCHEMA = json.loads(template_path("spec.schema.json").read_text())
SMALL: dict[str, Any] = {
    "title": "Words",
    "goal": "Print words.",
    "requirements": [{"id": "REQ-01", "text": "It prints words."}],
}
YAML = """\
title: Words
goal: >-
  Print words.
requirements:
  - id: REQ-01
    text: |
      It prints words.
        Indented.

      - like this
  - id: PERF-2
    text: on
constraints: [3.11, ~]
interfaces:
  - "`words FILE`: prints"
non_goals:
  - Colours
"""
RENDERED = """\
# Words

## Goal

Print words.

## Requirements

- REQ-01: It prints words.
    Indented.

  - like this
- PERF-2: on

## Constraints

- 3.11
- ~

## Interfaces

- `words FILE`: prints

## Not in scope

- Colours
"""


def refusal(text: str, *, is_json: bool = False) -> str:
    with pytest.raises(WorkorderError) as refused:
        read_spec_document(text, "spec", is_json=is_json)
    return str(refused.value)


def test_a_specification_as_data_becomes_text() -> None:
    spec = rendered(read_spec_document(YAML, "spec.yaml", is_json=False), "0" * 64)
    assert spec.text == RENDERED
    assert [(given.id, given.first, given.last) for given in spec.given] == [
        ("REQ-01", 9, 12),
        ("PERF-2", 13, 13),
    ]
    assert {name: passage.text for name, passage in spec.passages.items()} == {
        "REQ-01": "It prints words. Indented. like this",
        "PERF-2": "on",
    }
    assert spec.lines.lines("It prints words. Indented. like this on") == ()
    assert spec.lines.lines("Indented.\n- like this") == (10, 12)


def test_yaml_and_json_of_the_same_document_are_the_same_text(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text(json.dumps(SMALL))
    (tmp_path / "spec.YML").write_text("\ufeff" + yaml.safe_dump(SMALL))
    from_json, from_yaml = read_spec(tmp_path / "spec.json"), read_spec(tmp_path / "spec.YML")
    assert (from_json.text, from_json.given) == (from_yaml.text, from_yaml.given)
    assert from_json.sha256 == sha256_hex((tmp_path / "spec.json").read_bytes())
    assert from_yaml.sha256 == sha256_hex((tmp_path / "spec.YML").read_bytes())


def test_text_stays_text_whatever_it_holds(tmp_path: Path) -> None:
    (tmp_path / "spec.md").write_bytes(b"\xef\xbb\xbf" + json.dumps(SMALL).encode())
    spec = read_spec(tmp_path / "spec.md")
    assert (spec.text, spec.given) == (json.dumps(SMALL), ())
    assert spec.sha256 == sha256_hex((tmp_path / "spec.md").read_bytes())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"requirement": []}, "/requirement: is not a known field; did you mean `requirements`?"),
        ({"Title": "x"}, "/Title: is not a known field; did you mean `title`?"),
        ({"non-goals": []}, "/non-goals: is not a known field; did you mean `non_goals`?"),
        ({"zzz": 1}, "/zzz: is not a known field; known are title, goal, requirements, constraints"),
        ({"\x1b[2J": 1}, "/\\x1b[2J: is not a known field"),
        ({"title": ""}, "/title: must not be blank"),
        ({"title": 7}, "/title: must be a string"),
        ({"requirements": []}, "/requirements: must not be empty"),
        ({"requirements": {}}, "/requirements: must be a list"),
        (
            {"requirements": [{"id": "REQ-01", "txt": "x"}]},
            "/requirements/0/txt: is not a known field; did you mean",
        ),
        ({"requirements": [{"id": "REQ-01", "name": "x", "text": "x"}]}, "known are id, text"),
        ({"requirements": [{"id": "req 1", "text": "x"}]}, "/requirements/0/id: must be capital letters"),
        (
            {"requirements": [{"id": "A", "text": "x"}] * 3},
            "/requirements/1/id: the id A stands twice; /requirements/2",
        ),
        ({"constraints": "one"}, "/constraints: must be a list"),
        ({"constraints": [" "]}, "/constraints/0: must not be blank"),
        (dict.fromkeys(map(str, range(30)), 1), "; and 10 more"),
    ],
)
def test_what_breaks_the_schema_is_refused_with_its_place(changes: dict[str, Any], says: str) -> None:
    message = refusal(json.dumps({**SMALL, **changes}), is_json=True)
    assert message.startswith("spec: ")
    assert says in message
    assert "\n  hint: the fields are title, goal, requirements" in message


@pytest.mark.parametrize("missing", ["title", "goal", "requirements"])
def test_what_is_missing_is_named(missing: str) -> None:
    document = {name: value for name, value in SMALL.items() if name != missing}
    assert f"/{missing}: is missing" in refusal(json.dumps(document), is_json=True)


def test_in_yaml_the_line_is_named_too() -> None:
    message = refusal(YAML.replace("    text: on", "    texts: on").replace("constraints", "constraint"))
    assert "line 11, /requirements/1/text: is missing" in message
    assert "line 12, /requirements/1/texts: is not a known field; did you mean `text`?" in message
    assert "line 13, /constraint: is not a known field; did you mean `constraints`?" in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: &x 1", "spec:1:4: the anchor &x is refused"),
        ("a: *x", "spec:1:4: the alias *x is refused"),
        ("a: &a [*a]", "the anchor &a is refused"),
        ("a: 1\nb: 2\na: 3", "spec:3:1: the key a stands twice"),
        ("a: {b: 1, b: 2}", "the key b stands twice"),
        ("<<: {a: 1}", "the merge key << is refused"),
        ("a: !!python/object:os.system x", "spec:1:4: a tag is refused"),
        ("a: !!int 3", "a tag is refused"),
        ("--- a\n--- b", "a second document begins here"),
        ("? [a]\n: b", "a key must be a text"),
        (
            "a: b: c",
            "spec:1:5: not valid YAML: mapping values are not allowed here\n  hint: put a text with a colon",
        ),
        ("a: [", "not valid YAML"),
        ("\x00", "not valid YAML"),
        ("a: \ud800", "not valid YAML"),
        ("[" * (MAX_DEPTH + 1), f"nested deeper than {MAX_DEPTH} levels"),
        ("- " * 50_000, f"nested deeper than {MAX_DEPTH} levels"),
        ("%YAML 9.9\n--- a", "not valid YAML"),
        ("", "must be an object"),
        ("- a", "line 1, /: must be an object"),
        ("text", "must be an object"),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_the_rest_of_yaml_is_refused(text: str, says: str) -> None:
    assert says in refusal(text)


@pytest.mark.parametrize("text", ['{"title": NaN}', '{"title": 1, "title": 2}', "{", "[" * 101])
def test_lenient_json_is_refused(text: str) -> None:
    assert refusal(text, is_json=True).startswith("spec")


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_yaml(text, "spec")
    except BadYaml as refused:
        assert str(refused).startswith("spec")


plain = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).filter(
    str.strip
)
ids = st.lists(
    st.from_regex(r"[A-Z][A-Z0-9]{0,5}(-[0-9]{1,3})?", fullmatch=True), min_size=1, max_size=5, unique=True
)


@given(plain, plain, ids, st.lists(plain, min_size=5, max_size=5), st.lists(plain, max_size=3))
def test_each_requirement_has_its_lines(
    title: str, goal: str, names: list[str], said: list[str], more: list[str]
) -> None:
    document = SpecDocument(
        title=title,
        goal=goal,
        requirements=tuple(
            SpecRequirement(id=name, text=text) for name, text in zip(names, said, strict=False)
        ),
        constraints=tuple(more),
    )
    spec = rendered(document, "0" * 64)
    assert rendered(document, "0" * 64) == spec
    lines = spec.text.split("\n")
    for item, requirement in zip(spec.given, document.requirements, strict=True):
        assert lines[item.first - 1].startswith(f"- {requirement.id}: ")
        passage = spec.passages[requirement.id]
        assert (passage.first, passage.last) == (item.first, item.last)
        if any(character.isalnum() for character in requirement.text):
            assert set(passage.words) <= spec.lines.covered([requirement.text])


@pytest.mark.parametrize(
    "text",
    ["* star", "1. numbered", "- one\n- two", "# title\n> quoted", "> - deep", "> many are refused", "*"],
)
def test_a_text_may_begin_like_a_list(text: str) -> None:
    document = SpecDocument.model_validate({**SMALL, "requirements": [{"id": "R", "text": text}]})
    spec = rendered(document, "0" * 64)
    said = set(spec.passages["R"].words)
    assert text == "*" or said <= spec.lines.covered([text])
    assert text == "*" or said <= spec.lines.covered([text.lstrip("*-#>1. ")])
    assert said


def fields(schema: dict[str, Any]) -> set[str]:
    return set(schema["properties"])


def test_the_published_schema_has_the_fields_of_the_document() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    requirement = SCHEMA["properties"]["requirements"]["items"]
    assert fields(SCHEMA) == set(SpecDocument.model_fields)
    assert fields(requirement) == set(SpecRequirement.model_fields)
    for schema, model in ((SCHEMA, SpecDocument), (requirement, SpecRequirement)):
        needed = {name for name, field in model.model_fields.items() if field.is_required()}
        assert set(schema["required"]) == needed


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"constraints": ["a"], "interfaces": [], "non_goals": ["b"]},
        {"title": " "},
        {"title": None},
        {"goal": 3},
        {"other": 1},
        {"requirements": []},
        {"requirements": [{"id": "REQ-01"}]},
        {"requirements": [{"id": "REQ-", "text": "x"}]},
        {"requirements": [{"id": "R" * 41, "text": "x"}]},
        {"requirements": [{"id": "R", "text": "x", "quotes": []}]},
        {"interfaces": [""]},
        {"interfaces": "x"},
    ],
)
def test_the_published_schema_judges_like_the_document(changes: dict[str, Any]) -> None:
    document = {**SMALL, **changes}
    published = jsonschema.Draft202012Validator(SCHEMA).is_valid(document)
    assert published == (schema_problems(SpecDocument, document) == ())


def test_the_starter_matches_the_published_schema() -> None:
    jsonschema.validate(yaml.safe_load(template_path("spec.yaml").read_text()), SCHEMA)
