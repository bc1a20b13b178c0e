"""Diagnostics as text, in each format; nothing that they quote can act."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.plans.diagnostics.places import Lines, Place, places
from factory.plans.diagnostics.render import OutputFormat, as_json, lines_named, render, summary
from planner.check.document import check_document
from tests.support.golden import assert_golden
from tests.support.plans import exists, makes, manifest, order, verified_by

BAD_PLAN = manifest(
    makes(1, "src/board.py", acceptance_commands=["bash scripts/verify.sh && echo ok"]),
    order(3, allowed_files=["src/*.py"], acceptance_commands=["python -c 'x ='", "pytest 'tests"], title=""),
    "not an object",
    verify_contract=verified_by("bash scripts/verify.sh"),
    comments="none",
)
BROKEN_CHAIN = manifest(
    makes(1, "src/board.py", "README.md", postconditions=[exists("src/board.py"), exists("LICENSE")]),
    order(2, allowed_files=["src/rules.py"], acceptance_commands=["python -m game.cli"]),
    makes(
        3,
        "src/game.py",
        preconditions=[exists("src/rules.py"), exists("src/dice.py")],
        acceptance_commands=["./scripts/verify.sh"],
        red_exempt=[{"command": "bash scripts/verify.sh", "reason": "It passes already."}],
        context_files=["docs/rules.md"],
    ),
    verify_contract=verified_by("bash scripts/verify.sh", "scripts/verify.sh"),
)
HOSTILE = Diagnostic(
    code="E005",
    name="schema",
    severity=Severity.ERROR,
    order="WO\n::set-env::",
    pointer="/a%\r\n::error::b",
    message="\x1b[2J100%\n::error file=x::gotcha\u2028\u202e",
    hint="a\tb\n::stop-commands::x",
)


@pytest.mark.parametrize("output_format", OutputFormat)
@pytest.mark.parametrize(("name", "plan"), [("bad_plan", BAD_PLAN), ("broken_chain", BROKEN_CHAIN)])
def test_the_findings_of_a_plan_read_like_this(name: str, plan: object, output_format: OutputFormat) -> None:
    diagnostics = check_document(plan, frozenset()).diagnostics  # type: ignore[arg-type]
    files = {"plans/WORK_ORDERS_MANIFEST.json": json.dumps(plan, indent=2).encode()}
    text = render(diagnostics, output_format, files)
    assert_golden(f"{name}.{output_format}.txt", text)


def test_a_finding_says_what_where_and_what_next() -> None:
    plan = manifest(makes(1, "a.py"), makes(2, "b.py", preconditions=[exists("src/board.py")]))
    assert render(check_document(plan, frozenset()).diagnostics, OutputFormat.FULL) == (
        "error[E101] WO-02 /work_orders/1/preconditions/0: `src/board.py` does not exist at this point\n"
        "  hint: let an earlier work order create it, or drop the precondition"
    )


def test_a_finding_about_the_whole_document_has_no_place() -> None:
    text = render(check_document([], frozenset()).diagnostics, OutputFormat.CONCISE)
    assert text == "error[E000]: the manifest must be an object, not a list"


@pytest.mark.parametrize("output_format", [OutputFormat.FULL, OutputFormat.CONCISE, OutputFormat.GITHUB])
def test_no_findings_are_no_text(output_format: OutputFormat) -> None:
    assert render((), output_format) == ""


def test_no_findings_are_an_empty_list_in_json() -> None:
    assert render((), OutputFormat.JSON) == "[]"


@pytest.mark.parametrize(
    ("output_format", "lines"),
    [("full", 2), ("concise", 1), ("github", 1), ("sarif", None), ("junit", None), ("gitlab", None)],
)
def test_hostile_text_begins_no_line_and_holds_no_control_character(
    output_format: str, lines: int | None
) -> None:
    text = render((HOSTILE,), OutputFormat(output_format), {"a,b:c\n.json": b"{}"})
    assert lines is None or len(text.splitlines()) == lines
    assert not any(line.startswith("::set") for line in text.splitlines())
    assert all(line.isprintable() for line in text.splitlines())


def test_a_workflow_command_escapes_what_would_end_its_parts() -> None:
    text = render((HOSTILE,), OutputFormat.GITHUB, {"a,b:c%.json": b"{}"})
    properties, _, message = text.removeprefix("::error ").partition("::")
    assert properties == "file=a%2Cb%3Ac%25.json,line=1,title=E005 schema"
    assert message.startswith(r"WO\n::set-env:: /a%25\r\n::error::b: \x1b[2J100%25\n::error file=x::gotcha")
    assert message.endswith(r"%0Ahint: a\tb\n::stop-commands::x")


def test_json_holds_the_texts_as_they_are() -> None:
    (value,) = json.loads(render((HOSTILE,), OutputFormat.JSON))
    assert [value] == as_json((HOSTILE,))
    assert value["message"] == HOSTILE.message
    assert value["severity"] == "error"
    assert list(value) == ["code", "name", "severity", "order", "pointer", "message", "hint", "accepted"]


def test_an_enormous_pointer_is_shortened_for_people() -> None:
    plan = manifest(order(**{"x" * 100_000: 1}))
    diagnostics = check_document(plan, frozenset()).diagnostics
    assert len(render(diagnostics, OutputFormat.CONCISE)) < 500


def test_a_summary_counts_by_severity() -> None:
    assert summary(()) == "0 errors, 0 warnings"
    assert summary((HOSTILE,)) == "1 error, 0 warnings"


PLAN_TEXT = b"""{
  "work_orders": [
    {"id": "WO-01"},
    {
      "id": "WO-02",
      "acceptance_commands": [
        "true",
        "false"
      ]
    }
  ]
}
"""


@pytest.mark.parametrize(
    ("pointer", "line"),
    [
        ("", 1),
        ("/work_orders", 2),
        ("/work_orders/0", 3),
        ("/work_orders/1/acceptance_commands/1", 8),
        ("/work_orders/1/notes", 4),
        ("/work_orders/7", 2),
        ("/work_orders/99999999999999999999", 2),
    ],
)
def test_a_pointer_has_the_line_of_what_there_is_of_it(pointer: str, line: int) -> None:
    assert Lines(PLAN_TEXT).line(pointer) == line


@pytest.mark.parametrize("data", [b"", b"\xff", b"{", b'\t{\n\t"a": 1}', b"[" * 2_000])
def test_a_file_that_can_t_be_read_has_a_first_line(data: bytes) -> None:
    assert Lines(data).line("/a") >= 1


def test_without_a_manifest_a_finding_is_in_the_file_of_its_work_order() -> None:
    finding = replace(HOSTILE, order="WO-02", pointer="/work_orders/1/title")
    place = places({"plan/WO-01.json": b"{}", "plan/WO-02.json": b'{\n"id": "WO-02",\n"title": ""}'})
    assert place(finding) == Place("plan/WO-02.json", 3)
    assert place(replace(finding, order="WO-99")) is None


def test_github_gets_the_errors_first_and_at_most_ten_of_a_kind() -> None:
    warnings = [replace(HOSTILE, severity=Severity.WARNING, message=f"w{number}") for number in range(3)]
    errors = [replace(HOSTILE, message=f"e{number}") for number in range(12)]
    lines = render([*warnings, *errors], OutputFormat.GITHUB).splitlines()
    assert [line.partition(" ")[0] for line in lines] == [
        *["::error"] * 10,
        "::notice::and",
        *["::warning"] * 3,
    ]
    assert lines[10] == "::notice::and 2 more errors: `planner check` shows all"


def test_what_the_plan_accepts_breaks_nothing_elsewhere() -> None:
    accepted = replace(HOSTILE, severity=Severity.WARNING, accepted="It is a table.")
    log = json.loads(render([accepted], OutputFormat.SARIF, {"p.json": b"{}"}))
    assert log["runs"][0]["results"][0]["suppressions"][0]["justification"] == "It is a table."
    assert json.loads(render([accepted], OutputFormat.GITLAB)) == []
    assert ElementTree.fromstring(render([accepted], OutputFormat.JUNIT))[0].get("failures") == "0"


def test_many_places_of_one_cause_are_one_finding_for_people() -> None:
    needs = [replace(HOSTILE, code="E101", order=f"WO-{number:02}", pointer="/a") for number in range(30)]
    other = replace(HOSTILE, code="E102")

    lines = render([*needs, other], OutputFormat.CONCISE).splitlines()
    assert [line.split()[0] for line in lines] == ["error[E101]", "error[E102]"]
    assert "(and 29 more that follow from this)" in lines[0]
    assert len(render([*needs, other], OutputFormat.CONCISE, most=1).splitlines()) == 1
    assert len(render(needs, OutputFormat.CONCISE, folds=False).splitlines()) == 30
    assert len(json.loads(render(needs, OutputFormat.JSON))) == 30


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        ((), ""),
        ((7,), "line 7"),
        ((3, 4), "lines 3, 4"),
        ((17, 18, 19, 20), "lines 17 to 20"),
        ((1, 3, 4, 5, 9, 10), "lines 1, 3 to 5, 9, 10"),
    ],
)
def test_lines_that_follow_each_other_are_named_by_their_ends(numbers: tuple[int, ...], shown: str) -> None:
    assert lines_named(numbers) == shown
