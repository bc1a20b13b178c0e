"""The loop, with a scripted model and everything else real: artifacts, ledger, the plan on the disk."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from factory.contract.note import Note, notes_hash
from factory.contract.work_order import MANIFEST_NAME, SPEC_NAME, Plan, Requirement, WorkOrder
from factory.llm.ledger.store import Ledger
from factory.llm.port import FinishReason, Parameters, ProviderError
from factory.plans.states.sources import NO_SOURCES, Sources
from factory.system.clock import SystemClock
from factory.system.files.tree import FileProblem
from factory.system.process.signals import Interrupted
from planner.commands.inputs import read_review_template, read_revision_template, read_template
from planner.compile.artifacts import Artifacts, default_directory
from planner.compile.ending import Outcome
from planner.compile.job import Job, Warnings
from planner.compile.loop import Compiled, Deps, compile_spec
from planner.compile.manifest_schema import correction_schema, manifest_schema
from planner.compile.reviewing import question
from planner.compile.watch import Answered, Asked, Happening, Judged
from planner.prompt.context import Context
from planner.prompt.gather import gather
from planner.revision.references import corrected
from planner.specification.spec import Spec
from tests.support.scripted_model import Script, ScriptedModel, answer

SPEC = "A program that says hello."
REQUIREMENT = {"id": "REQ-01", "text": "It says hello.", "quotes": [SPEC]}


def order(number: int = 1, **changes: object) -> dict[str, object]:
    return {
        "id": f"WO-{number:02}",
        "title": f"Step {number}",
        "requirements": ["REQ-01"],
        "intent": "Create the file.",
        "preconditions": [],
        "postconditions": [{"kind": "file_exists", "path": f"m{number}.py"}],
        "allowed_files": [f"m{number}.py"],
        "forbidden": [],
        "acceptance_commands": [f"python m{number}.py"],
        "context_files": [],
        "notes": None,
        **changes,
    }


def reply(*orders: dict[str, object]) -> str:
    return json.dumps(
        {
            "system_overview": ["Small."],
            "verify_contract": None,
            "requirements": [REQUIREMENT],
            "work_orders": orders or [order()],
        }
    )


GOOD = reply()
BAD = reply(order(preconditions=[{"kind": "file_exists", "path": "missing.py"}]))
WARNED = reply(order(acceptance_commands=["python -c 'import m1'", "python elsewhere.py"]))
ACCEPTING = reply(
    order(
        acceptance_commands=["python -c 'import m1'", "python elsewhere.py"],
        accepted_warnings=[{"code": "W101", "reason": "it is made by hand"}],
    )
)


@dataclass
class Bench:
    """A directory to compile in, and what was seen there."""

    root: Path
    progress: list[str] = field(default_factory=list)
    happened: list[Happening] = field(default_factory=list)
    models: list[ScriptedModel] = field(default_factory=list)

    @property
    def outdir(self) -> Path:
        return self.root / "plan"

    @property
    def artifacts(self) -> Path:
        return default_directory(self.outdir)

    @property
    def summary(self) -> dict[str, Any]:
        return self.json("compile_summary.json")

    @property
    def plan(self) -> Any:
        return json.loads((self.outdir / MANIFEST_NAME).read_text())

    def json(self, name: str) -> Any:
        return json.loads((self.artifacts / name).read_text())

    def artifact_names(self) -> list[str]:
        return sorted(
            path.name for path in self.artifacts.iterdir() if path.name not in (".gitignore", "ledger")
        )

    def compile(self, script: Sequence[Script], **changes: Any) -> Compiled:
        model = ScriptedModel(script)
        self.models.append(model)
        job = Job(
            spec=Spec.of_text(SPEC),
            template=read_template(None),
            revision=read_revision_template(),
            repo_files=frozenset(),
            outdir=self.outdir,
            overwrite=False,
            max_attempts=3,
            parameters=Parameters(max_output_tokens=1_000, reasoning_effort="medium"),
        )
        deps = Deps(
            model=Ledger(self.artifacts / "ledger").wrap(model),
            clock=SystemClock(),
            artifacts=Artifacts(self.artifacts),
            progress=self.progress.append,
            watch=self.happened.append,
        )
        return compile_spec(replace(job, **changes), deps)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_good_answer_becomes_a_plan(bench: Bench) -> None:
    summary = bench.compile([GOOD]).summary
    assert (summary.outcome, summary.exit_code) == (Outcome.WRITTEN, 0)
    assert sorted(path.name for path in bench.outdir.iterdir()) == ["WO-01.json", MANIFEST_NAME, SPEC_NAME]
    manifest = json.loads((bench.outdir / MANIFEST_NAME).read_text())
    assert manifest["system_overview"] == ["Small."]
    assert manifest["work_orders"] == [json.loads((bench.outdir / "WO-01.json").read_text())]
    provenance = manifest["work_orders"][0]["provenance"]
    assert provenance == {
        "compile_hash": summary.compile_hash,
        "plan_hash": summary.plan_hash,
        "spec_hash": summary.settings.spec_sha256,
    }


def test_each_attempt_leaves_its_files(bench: Bench) -> None:
    bench.compile(["not json", BAD, GOOD])
    assert bench.artifact_names() == [
        "compile_summary.json",
        "llm_raw_response_attempt_1.txt",
        "llm_raw_response_attempt_2.txt",
        "llm_raw_response_attempt_3.txt",
        "manifest_raw_attempt_2.json",
        "manifest_raw_attempt_3.json",
        "prompt_attempt_1.txt",
        "prompt_attempt_2.txt",
        "prompt_attempt_3.txt",
        "validation_errors_attempt_1.json",
        "validation_errors_attempt_2.json",
        "validation_errors_attempt_3.json",
    ]
    assert [diagnostic["code"] for diagnostic in bench.json("validation_errors_attempt_2.json")] == ["E101"]
    assert bench.json("validation_errors_attempt_3.json") == []
    assert (bench.artifacts / "llm_raw_response_attempt_1.txt").read_text() == "not json"
    assert (bench.artifacts / ".gitignore").read_text() == "*\n"


def test_the_summary_of_a_success(bench: Bench) -> None:
    bench.compile([BAD, GOOD])
    summary = bench.summary
    assert summary["outcome"] == "written"
    assert summary["exit_code"] == 0
    assert [
        (attempt["number"], attempt["errors"], attempt["is_json"]) for attempt in summary["attempts"]
    ] == [
        (1, 1, True),
        (2, 0, True),
    ]
    assert summary["usage"]["input_tokens"] == 200
    assert summary["usage"]["reasoning_tokens"] == 10
    assert summary["cost_usd"] is None
    assert summary["diagnostics"] == []
    assert summary["work_orders"] == [
        {"id": "WO-01", "title": "Step 1", "depends_on": [], "verify_exempt": False}
    ]
    assert summary["settings"]["model"] == "script"
    assert summary["settings"]["reasoning_effort"] == "medium"


def test_a_revision_carries_the_answer_and_the_diagnostics(bench: Bench) -> None:
    bench.compile([BAD, GOOD])
    first, second = bench.models[0].requests
    assert (first.purpose, second.purpose) == ("plan", "revise")
    assert (first.attempt, second.attempt) == (1, 2)
    assert second.messages[: len(first.messages)] == first.messages
    revision = second.messages[-1].content
    assert BAD in revision
    assert "E101" in revision
    assert "missing.py" in revision


def test_a_revision_carries_the_latest_answer_only(bench: Bench) -> None:
    bench.compile([BAD, "prose", GOOD])
    revision = bench.models[0].requests[2].messages[-1].content
    assert "prose" in revision
    assert "missing.py" not in revision


def test_a_correction_names_what_stays_and_writes_what_changes(bench: Bench) -> None:
    wrong = order(2, preconditions=[{"kind": "file_exists", "path": "missing.py"}])
    right = {"requirements": [{"same_as": "REQ-01"}], "work_orders": [{"same_as": "WO-01"}, order(2)]}
    summary = bench.compile([reply(order(), wrong, order(3)), json.dumps(right)]).summary

    assert summary.outcome == Outcome.WRITTEN
    assert [each["id"] for each in bench.plan["work_orders"]] == ["WO-01", "WO-02"]
    assert bench.plan["system_overview"] == ["Small."]
    first, second = bench.models[0].requests
    assert first.answer_schema == manifest_schema()
    assert second.answer_schema == correction_schema()


def test_what_a_correction_leaves_out_stays_and_what_is_put_in_front_moves_the_rest(bench: Bench) -> None:
    wrong = order(2, preconditions=[{"kind": "file_exists", "path": "missing.py"}])
    still = {"work_orders": [order(1), {**wrong, "title": "Wrong again"}, {"same_as": "WO-03"}]}
    right = {"work_orders": [{"same_as": "WO-01"}, {"same_as": "WO-03"}]}
    summary = bench.compile([reply(wrong, order(3)), json.dumps(still), json.dumps(right)]).summary

    assert summary.outcome == Outcome.WRITTEN, [each.message for each in summary.diagnostics]
    assert [(each["id"], each["allowed_files"]) for each in bench.plan["work_orders"]] == [
        ("WO-01", ["m1.py"]),
        ("WO-02", ["m3.py"]),
    ]
    # The third question shows the second answer as it is with what it took over.
    shown = bench.models[0].requests[2].messages[-1].content
    assert "Wrong again" in shown
    assert "same_as" not in shown.partition("<previous_answer")[2].partition("</previous_answer")[0]


def test_a_correction_names_a_work_order_with_the_fields_that_change(bench: Bench) -> None:
    """Those that are null stay: where a schema is enforced, a model writes all of them."""
    reason = [{"code": "W101", "reason": "it is there"}]
    named = {"same_as": "WO-01", "accepted_warnings": reason, "intent": None}
    summary = bench.compile([WARNED, json.dumps({"work_orders": [named]})]).summary

    assert summary.outcome == Outcome.WRITTEN
    (written,) = bench.plan["work_orders"]
    assert (written["intent"], written["acceptance_commands"]) == (
        "Create the file.",
        json.loads(WARNED)["work_orders"][0]["acceptance_commands"],
    )
    assert [found.accepted for found in summary.diagnostics] == ["it is there"]


def test_a_given_work_order_may_be_named_in_a_correction_too() -> None:
    before = {"work_orders": [order(2), order(3)]}
    answered = {"work_orders": [{"same_as": "WO-01"}, {"same_as": "WO-02 to WO-03"}]}
    made = corrected(answered, before, 2)  # type: ignore[arg-type]
    assert isinstance(made, dict)
    assert made["work_orders"] == [{"same_as": "WO-01"}, order(2), order(3)]


def test_a_small_answer_becomes_no_large_one() -> None:
    before = {"work_orders": [order(number) for number in range(1, 101)]}
    answered = {"work_orders": [{"same_as": "WO-01 to WO-100"}] * 10_000}
    made = corrected(answered, before, 1)  # type: ignore[arg-type]
    assert isinstance(made, dict)
    assert isinstance(made["work_orders"], list)
    assert made["work_orders"][:100] == before["work_orders"]
    assert len(made["work_orders"]) == 100 + 9_999


def test_a_name_that_stands_for_nothing_is_told(bench: Bench) -> None:
    wrong = {"work_orders": [{"same_as": "WO-07"}]}
    assert bench.compile([BAD, json.dumps(wrong), GOOD]).summary.outcome == Outcome.WRITTEN
    assert any("E211" in line for line in bench.progress)


def test_a_fenced_answer_is_understood(bench: Bench) -> None:
    assert bench.compile([f"Here it is:\n```json\n{GOOD}\n```\n"]).summary.outcome is Outcome.WRITTEN


def test_warnings_at_which_a_build_stops_lead_back_while_there_are_attempts(bench: Bench) -> None:
    result = bench.compile([WARNED, WARNED, WARNED])
    assert result.summary.outcome is Outcome.WRITTEN
    for request in bench.models[0].requests[1:]:
        assert "warning[W101] WO-01" in request.messages[-1].content
    assert {diagnostic.code for diagnostic in result.diagnostics} == {"W101"}
    assert [attempt["warnings"] for attempt in bench.summary["attempts"]] == [1, 1, 1]
    assert result.summary.message == (
        "the plan has 1 work order, and 1 warning without a reason, at which `factory build` stops"
    )
    assert "`accepted_warnings`" in result.summary.hint
    assert "`--warnings accept`" in result.summary.hint


def test_warnings_at_which_no_build_stops_lead_back_once(bench: Bench) -> None:
    document = json.loads(GOOD)
    digest = "3f786850e387550fdab836ed7e6dc881de23001b"
    command = f"python -c \"import m1; assert m1.f() == '{digest}'\""
    document["work_orders"][0]["acceptance_commands"].append(command)
    document["work_orders"][0]["provides"] = ["m1:f() -> str"]
    predicted = json.dumps(document)
    result = bench.compile([predicted, predicted])
    assert {diagnostic.code for diagnostic in result.diagnostics} == {"W402"}
    assert (len(bench.models[0].requests), result.summary.hint) == (2, "")


def test_a_plan_that_mends_its_warnings_is_taken(bench: Bench) -> None:
    assert bench.compile([WARNED, GOOD]).diagnostics == ()


def test_the_reason_of_a_warning_that_stays_is_in_the_plan(bench: Bench) -> None:
    result = bench.compile([WARNED, ACCEPTING])
    assert [diagnostic.accepted for diagnostic in result.diagnostics] == ["it is made by hand"]
    (order,) = bench.plan["work_orders"]
    assert order["accepted_warnings"] == [{"code": "W101", "reason": "it is made by hand"}]
    assert bench.summary["diagnostics"][0]["accepted"] == "it is made by hand"


def test_what_an_answer_accepts_before_it_was_warned_is_shown_to_it(bench: Bench) -> None:
    bench.compile([ACCEPTING, GOOD])
    assert len(bench.models[0].requests) == 2


OBJECTION = {
    "order": "WO-01",
    "kind": "proves_nothing",
    "quote": "python m1.py",
    "against": "says hello",
    "problem": "It passes whatever the program prints.",
    "mend": "Compare what it prints.",
}
OBJECTING = json.dumps({"objections": [OBJECTION]})
CONTENT = json.dumps({"objections": []})
CORRECTED = reply(order(acceptance_commands=["python -m m1"]))


def test_what_a_second_opinion_objects_to_goes_back_once(bench: Bench) -> None:
    result = bench.compile([GOOD, OBJECTING, CORRECTED], review=read_review_template())

    assert result.summary.outcome is Outcome.WRITTEN
    assert bench.plan["work_orders"][0]["acceptance_commands"] == ["python -m m1"]
    asked, reviewed, corrected_ = bench.models[0].requests
    assert [each.purpose for each in (asked, reviewed, corrected_)] == ["plan", "review", "revise"]
    assert SPEC in reviewed.messages[-1].content
    assert '"python m1.py"' in reviewed.messages[-1].content
    assert "warning[W220] WO-01" in corrected_.messages[-1].content
    assert "passes whatever the program prints" in corrected_.messages[-1].content
    assert [len(attempt["calls"]) for attempt in bench.summary["attempts"]] == [2, 1]
    assert "review_prompt_attempt_1.txt" in bench.artifact_names()
    assert "attempt 1: a second opinion has 1 objection" in bench.progress
    assert result.diagnostics == ()


def test_a_plan_to_which_nothing_is_objected_is_taken(bench: Bench) -> None:
    assert bench.compile([GOOD, CONTENT], review=read_review_template()).diagnostics == ()
    assert "attempt 1: a second opinion objects to nothing" in bench.progress


def test_an_objection_to_words_that_stand_nowhere_counts_for_nothing(bench: Bench) -> None:
    said = [{**OBJECTION, "quote": "python m2.py"}, {**OBJECTION, "against": "says goodbye"}]
    wrong = [{**OBJECTION, "order": "WO-02"}, {**OBJECTION, "quote": ""}]
    bench.compile([GOOD, json.dumps({"objections": said + wrong})], review=read_review_template())
    assert "attempt 1: a second opinion has 0 objections; 4 without evidence left out" in bench.progress


def test_a_reviewer_is_shown_what_a_requirement_quotes_as_it_stands() -> None:
    """A plan keeps a quote by its words; that two blanks are demanded stands in the specification alone."""
    spec = Spec(
        "# Sums\n\nAt the end it prints:\n\n    total  0:00 and\n      nothing else. It ends.\n", "0" * 64
    )
    quotes = ("At the end it prints:", "total 0:00 and nothing else.", "are not there")
    required = Requirement(id="REQ-01", text="It ends.", quotes=quotes)
    plan = Plan(requirements=(required,), work_orders=(WorkOrder.model_validate(order()),))
    shown = question(read_review_template(), plan, spec, Context())[-1].content
    assert json.dumps(["L3", "total  0:00 and\n      nothing else.", "are not there"]) in shown


@pytest.mark.parametrize("number", ["R7:", "**R7.**", "[R7]"])
def test_a_requirement_that_the_specification_numbers_is_shown_as_its_line(number: str) -> None:
    spec = Spec.of_text(f"# Sums\n\n- {number} It prints a total. And ends.\n")
    required = Requirement(id="R7", text="It prints.", quotes=("It prints a total. And ends.", "And ends."))
    plan = Plan(requirements=(required,), work_orders=(WorkOrder.model_validate(order()),))
    shown = question(read_review_template(), plan, spec, Context())[-1].content
    assert json.dumps(["L3", "And ends."]) in shown


def test_the_plan_is_reviewed_that_would_be_taken(bench: Bench) -> None:
    """Rules cost nothing: what they find goes back before anybody is paid for reading."""
    bench.compile([BAD, WARNED, GOOD, OBJECTING, CORRECTED], review=read_review_template(), max_attempts=4)
    purposes = [request.purpose for request in bench.models[0].requests]
    assert purposes == ["plan", "revise", "revise", "review", "revise"]


def test_objections_to_the_last_answer_are_told(bench: Bench) -> None:
    result = bench.compile([GOOD, OBJECTING], review=read_review_template(), max_attempts=1)
    assert result.summary.outcome is Outcome.WRITTEN
    assert [found.code for found in result.diagnostics] == ["W220"]
    (record,) = bench.summary["diagnostics"]
    assert record["pointer"] == "/work_orders/0/acceptance_commands/0"


def test_who_accepts_warnings_is_told_of_objections(bench: Bench) -> None:
    result = bench.compile([GOOD, OBJECTING], review=read_review_template(), warnings=Warnings.ACCEPT)
    assert [found.code for found in result.diagnostics] == ["W220"]


@pytest.mark.parametrize("said", [ProviderError("is down"), "prose", '{"objections": [{}]}'])
def test_without_a_second_opinion_the_plan_is_taken(bench: Bench, said: Script) -> None:
    result = bench.compile([GOOD, said], review=read_review_template())
    assert (result.summary.outcome, result.diagnostics) == (Outcome.WRITTEN, ())
    assert any(line.startswith("there is no second opinion: ") for line in bench.progress)


def test_an_objection_may_stand_with_a_reason(bench: Bench) -> None:
    kept = reply(order(accepted_warnings=[{"code": "W220", "reason": "the test compares it"}]))
    bench.compile([GOOD, OBJECTING, kept], review=read_review_template())
    (only,) = bench.plan["work_orders"]
    assert only["accepted_warnings"] == [{"code": "W220", "reason": "the test compares it"}]
    assert not any("led to nothing" in line for line in bench.progress)


OTHER_REASON = reply(order(title="Another", accepted_warnings=[{"code": "W401", "reason": "it is enough"}]))


@pytest.mark.parametrize("again", [GOOD, OTHER_REASON])
def test_an_objection_that_is_passed_over_goes_back_and_is_told_at_last(bench: Bench, again: str) -> None:
    result = bench.compile([GOOD, OBJECTING, again, again], review=read_review_template())
    assert result.summary.outcome is Outcome.WRITTEN
    assert [(found.code, found.accepted) for found in result.diagnostics] == [("W220", "")]
    told = "1 objection of the second opinion led to nothing, and the plan says not why"
    assert [line for line in bench.progress if told in line] == [f"attempt 2: {told}", f"attempt 3: {told}"]
    assert len(bench.models[0].requests) == 4


def test_what_seems_lost_may_be_found_anywhere(bench: Bench) -> None:
    """A work order of its own is no other one than the objection names."""
    lost = {**OBJECTION, "kind": "lost", "quote": "says hello"}
    more = reply(order(), order(2, acceptance_commands=["python m2.py"]))
    said = json.dumps({"objections": [lost]})
    assert bench.compile([GOOD, said, more], review=read_review_template()).diagnostics == ()


@pytest.mark.parametrize(
    ("last", "outcome"), [(GOOD, Outcome.VALIDATION_FAILED), (CORRECTED, Outcome.WRITTEN)]
)
def test_where_each_warning_needs_a_reason_an_objection_does(
    bench: Bench, last: str, outcome: Outcome
) -> None:
    script = [GOOD, OBJECTING, GOOD, last]
    result = bench.compile(script, review=read_review_template(), warnings=Warnings.ERROR)
    assert result.summary.outcome is outcome


def test_warnings_cost_no_plan(bench: Bench) -> None:
    """What comes instead of a sound plan may be worse, or may not come at all."""
    assert bench.compile([WARNED, BAD, "not json"]).summary.outcome is Outcome.WRITTEN
    assert bench.plan["work_orders"][0]["acceptance_commands"][1] == "python elsewhere.py"
    assert [record["code"] for record in bench.summary["diagnostics"]] == ["W101"]


def test_a_provider_that_fails_after_warnings_costs_no_plan(bench: Bench) -> None:
    assert bench.compile([WARNED, ProviderError("is down")]).summary.outcome is Outcome.WRITTEN


def test_warnings_in_the_last_answer_are_accepted(bench: Bench) -> None:
    assert bench.compile([BAD, BAD, WARNED]).summary.outcome is Outcome.WRITTEN


def test_warnings_that_are_accepted_as_such_cost_no_attempt(bench: Bench) -> None:
    result = bench.compile([WARNED], warnings=Warnings.ACCEPT)
    assert result.summary.outcome is Outcome.WRITTEN
    assert {diagnostic.code for diagnostic in result.diagnostics} == {"W101"}


def test_warnings_that_count_as_errors_need_a_reason(bench: Bench) -> None:
    refused = bench.compile([WARNED, WARNED, WARNED], warnings=Warnings.ERROR).summary
    assert refused.outcome is Outcome.VALIDATION_FAILED
    assert refused.message == "attempt 3: the plan has 1 warning without a reason"
    assert not bench.outdir.exists()
    assert bench.compile([ACCEPTING], warnings=Warnings.ERROR, max_attempts=4).summary.exit_code == 0


def test_a_plan_without_requirements_is_sent_back(bench: Bench) -> None:
    document = json.loads(GOOD)
    del document["requirements"], document["work_orders"][0]["requirements"]
    assert bench.compile([json.dumps(document), GOOD]).summary.outcome is Outcome.WRITTEN
    revision = bench.models[0].requests[1].messages[-1].content
    assert "error[E203] /requirements: the plan has no requirements" in revision


def test_a_quote_that_the_specification_does_not_have_is_sent_back(bench: Bench) -> None:
    document = json.loads(GOOD)
    document["requirements"][0]["quotes"] = ["A program which says hello."]
    assert bench.compile([json.dumps(document), GOOD]).summary.outcome is Outcome.WRITTEN
    revision = bench.models[0].requests[1].messages[-1].content
    assert "error[E201] /requirements/0/quotes/0: " in revision
    assert f"the nearest passage is line 1: `{SPEC}`" in revision


def test_what_an_answer_is_sent_back_for_is_shown_up_to_a_bound(bench: Bench) -> None:
    document = json.loads(BAD)
    document["requirements"][0]["quotes"] = [f"Nobody said {number}." for number in range(20)]
    bench.compile([json.dumps(document), BAD, GOOD], max_attempts=3)

    first, rest, verdict = bench.progress[2:5]
    assert first.startswith("error[E201] /requirements/0/quotes/0: `Nobody said 0.` is not in")
    assert len(first.splitlines()) == 10
    assert rest == "and 11 more"
    assert verdict.startswith("attempt 2 of 3: asking")
    assert bench.progress[6].startswith("error[E101] WO-01 /work_orders/0/")


def test_the_attempts_can_be_spent_on_errors(bench: Bench) -> None:
    summary = bench.compile([BAD, BAD], max_attempts=2).summary
    assert (summary.outcome, summary.exit_code) == (Outcome.VALIDATION_FAILED, 2)
    assert summary.message == "attempt 2: the plan has 1 error"
    assert "--max-attempts 4" in summary.hint
    assert [diagnostic["code"] for diagnostic in bench.summary["diagnostics"]] == ["E101"]
    assert not bench.outdir.exists()


def test_more_attempts_go_on_where_the_last_compile_stopped(bench: Bench) -> None:
    bench.compile([BAD, BAD], max_attempts=2)
    bench.compile([GOOD], max_attempts=4)
    assert [request.attempt for request in bench.models[1].requests] == [3]
    calls = [call["from_ledger"] for attempt in bench.summary["attempts"] for call in attempt["calls"]]
    assert calls == [True, True, False]


@pytest.mark.parametrize("text", ["I can't do that.", "", "{", "```json\n{\n```"])
def test_an_answer_that_is_not_json(bench: Bench, text: str) -> None:
    summary = bench.compile([text], max_attempts=1).summary
    assert (summary.outcome, summary.exit_code) == (Outcome.NOT_JSON, 4)
    assert "manifest_raw_attempt_1.json" not in bench.artifact_names()


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "null",
        '"text"',
        "12",
        "{}",
        '{"work_orders": 3}',
        '{"work_orders": [null]}',
        '{"work_orders": [[[null]]]}',
        '{"work_orders": []}',
        '{"work_orders": [{"id": 1, "allowed_files": 2}]}',
        json.dumps({"verify_contract": "bash", "work_orders": [order()]}),
        GOOD.replace("[]", "7"),
    ],
)
def test_json_that_is_not_a_plan(bench: Bench, text: str) -> None:
    result = bench.compile([text], max_attempts=1)
    assert (result.summary.outcome, result.summary.exit_code) == (Outcome.VALIDATION_FAILED, 2)
    assert result.diagnostics
    assert ("manifest_raw_attempt_1.json" in bench.artifact_names()) == (text != "null")


def test_duplicate_keys_are_an_error(bench: Bench) -> None:
    result = bench.compile(['{"work_orders": [], "work_orders": []}'], max_attempts=1)
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["E000"]
    assert result.summary.exit_code in (2, 4)


def test_a_cut_off_answer_is_asked_for_once_more_with_twice_the_tokens(bench: Bench) -> None:
    summary = bench.compile([answer(GOOD[:20], FinishReason.LENGTH), BAD, GOOD]).summary
    assert summary.outcome is Outcome.WRITTEN
    limits = [request.parameters.max_output_tokens for request in bench.models[0].requests]
    assert limits == [1_000, 2_000, 2_000]
    assert [len(attempt.calls) for attempt in summary.attempts] == [2, 1]
    assert (bench.artifacts / "llm_cut_off_response_attempt_1.txt").read_text() == GOOD[:20]
    assert len(list((bench.artifacts / "ledger").glob("*.json"))) == 3


def test_an_answer_that_is_cut_off_twice(bench: Bench) -> None:
    cut = answer("{", FinishReason.LENGTH)
    summary = bench.compile([cut, cut, GOOD]).summary
    assert (summary.outcome, summary.exit_code) == (Outcome.API_FAILED, 3)
    assert "cut off at 2,000 tokens" in summary.message
    assert "--max-output-tokens" in summary.hint


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        (FinishReason.REFUSAL, "the model refused: I'd rather not"),
        (FinishReason.CONTENT_FILTER, "content filter"),
    ],
)
def test_a_refusal_is_an_api_failure(bench: Bench, reason: FinishReason, says: str) -> None:
    summary = bench.compile([answer("I'd rather\nnot", reason)]).summary
    assert (summary.outcome, summary.exit_code) == (Outcome.API_FAILED, 3)
    assert says in summary.message
    assert (bench.artifacts / "llm_raw_response_attempt_1.txt").exists()


def test_an_api_failure(bench: Bench) -> None:
    summary = bench.compile([BAD, ProviderError("the key is wrong", hint="set it")]).summary
    assert (summary.outcome, summary.exit_code) == (Outcome.API_FAILED, 3)
    assert (summary.message, summary.hint) == ("attempt 2: the key is wrong", "set it")
    assert [attempt["calls"] for attempt in bench.summary["attempts"]][1] == []
    assert not bench.outdir.exists()


@pytest.mark.parametrize(
    ("stop", "outcome", "exit_code"),
    [
        (Interrupted(2), "interrupted", 130),
        (Interrupted(15), "interrupted", 143),
        (KeyboardInterrupt(), "interrupted", 130),
        (RuntimeError("bug"), "internal_error", 70),
        (OSError(28, "No space left on device"), "error", 1),
    ],
)
def test_what_stops_it_is_in_the_summary(
    bench: Bench, stop: BaseException, outcome: str, exit_code: int
) -> None:
    with pytest.raises(type(stop)):
        bench.compile([BAD, stop])
    assert (bench.summary["outcome"], bench.summary["exit_code"]) == (outcome, exit_code)
    assert len(bench.summary["attempts"]) == 1
    assert not bench.outdir.exists()


def test_running_again_after_a_stop_pays_for_no_answer_twice(bench: Bench) -> None:
    with pytest.raises(Interrupted):
        bench.compile([BAD, Interrupted(2)])
    assert bench.compile([GOOD]).summary.outcome is Outcome.WRITTEN
    assert [request.attempt for request in bench.models[1].requests] == [2]


FAILURES: list[tuple[Script, int]] = [("prose", 1), (BAD, 1), (ProviderError("down"), 1)]


@pytest.mark.parametrize(("turn", "attempts"), FAILURES)
def test_a_failed_compile_leaves_the_old_plan(bench: Bench, turn: Script, attempts: int) -> None:
    bench.compile([reply(order(1), order(2))])
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in bench.outdir.iterdir()}
    bench.compile([turn], spec=Spec.of_text(f"{SPEC} Aloud."), overwrite=True, max_attempts=attempts)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in bench.outdir.iterdir()} == before


def test_a_plan_that_appears_meanwhile_is_not_overwritten(bench: Bench) -> None:
    def meanwhile(_: object) -> str:
        bench.outdir.mkdir()
        (bench.outdir / "WO-01.json").write_text("mine")
        return GOOD

    with pytest.raises(Exception, match="already holds a plan"):
        bench.compile([meanwhile])
    assert (bench.outdir / "WO-01.json").read_text() == "mine"
    assert (bench.summary["outcome"], bench.summary["exit_code"]) == ("error", 1)


def test_an_earlier_compiles_artifacts_are_removed(bench: Bench) -> None:
    bench.compile([BAD, BAD, BAD])
    (bench.artifacts / "notes.txt").write_text("mine")
    bench.compile([GOOD], spec=Spec.of_text(f"{SPEC} Aloud."))
    names = bench.artifact_names()
    assert "prompt_attempt_2.txt" not in names
    assert "notes.txt" in names


def test_artifacts_that_cannot_be_kept_stop_it_before_the_model(bench: Bench) -> None:
    bench.artifacts.write_text("a file")
    with pytest.raises(FileProblem, match="can't hold the artifacts"):
        bench.compile([GOOD])
    assert bench.models[0].requests == []


def test_a_prompt_is_the_same_wherever_it_is_made(tmp_path: Path) -> None:
    benches = [Bench(tmp_path / "one"), Bench(tmp_path / "elsewhere" / "two")]
    for bench in benches:
        bench.root.mkdir(parents=True)
        bench.compile([BAD, GOOD])
    first, second = benches
    assert first.models[0].requests == second.models[0].requests
    assert str(tmp_path) not in (first.artifacts / "prompt_attempt_2.txt").read_text()
    assert (first.outdir / "WO-01.json").read_bytes() == (second.outdir / "WO-01.json").read_bytes()


def test_the_model_is_asked_for_the_schema(bench: Bench) -> None:
    bench.compile([GOOD])
    (request,) = bench.models[0].requests
    assert request.schema_name == "plan"
    assert request.answer_schema is not None
    assert request.parameters.reasoning_effort == "medium"


@pytest.mark.parametrize("text", ["\x00\x1b[31m", "x" * 300_000, "{" * 100_000])
def test_a_strange_answer_ends_in_diagnostics(bench: Bench, text: str) -> None:
    assert bench.compile([text, GOOD]).summary.outcome is Outcome.WRITTEN


def test_progress_is_told(bench: Bench) -> None:
    bench.compile([BAD, GOOD])
    assert bench.progress == [
        "attempt 1 of 3: asking scripted:script",
        "attempt 1: 1 error, 0 warnings",
        "error[E101] WO-01 /work_orders/0/preconditions/0: `missing.py` does not exist at this point",
        "attempt 2 of 3: asking scripted:script",
        "attempt 2: 0 errors, 0 warnings",
    ]


def test_what_is_known_beside_the_specification_is_asked_with_and_recorded(bench: Bench) -> None:
    def known(text: str) -> dict[str, Any]:
        notes = (Note("a.md", text),)
        files = {"app.py": b"def start() -> None: ...\n", "broken.py": b"("}
        context = gather(Sources(frozenset(files), files.get), notes, SPEC, 24_000)
        return {"context": context, "repo_files": frozenset(files), "overwrite": True}

    plain = bench.compile([GOOD]).summary
    first = bench.compile([GOOD], **known("Be brief.")).summary
    # Asked again with the same, nobody is asked; with other notes, the model is.
    again = bench.compile([], **known("Be brief.")).summary
    other = bench.compile([GOOD], **known("Be long.")).summary

    prompt = (bench.artifacts / "prompt_attempt_1.txt").read_text()
    assert prompt.index(SPEC) < prompt.index("Be long.") < prompt.index("app:start() -> None")
    assert [len(model.requests) for model in bench.models] == [1, 1, 0, 1]
    assert len({plain.compile_hash, first.compile_hash, other.compile_hash}) == 3
    assert first.compile_hash == again.compile_hash
    assert (plain.context.tokens, plain.context.parts) == (0, ())
    recorded = bench.summary["context"]
    assert recorded["notes_sha256"] == notes_hash((Note("a.md", "Be long."),))
    assert recorded["limit_tokens"] == 24_000
    assert [(part["part"], part["shown"], part["unreadable"]) for part in recorded["parts"]] == [
        ("files", ["app.py", "broken.py"], []),
        ("notes", ["a.md"], []),
        ("outline", ["app.py"], ["broken.py"]),
    ]
    assert 0 < sum(part["tokens"] for part in recorded["parts"]) < recorded["tokens"]


def test_a_revised_question_still_carries_it(bench: Bench) -> None:
    context = gather(NO_SOURCES, (Note("a.md", "Be brief."),), SPEC, 24_000)

    bench.compile([BAD, GOOD], context=context)

    prompt = (bench.artifacts / "prompt_attempt_2.txt").read_text()
    assert prompt.index("Be brief.") < prompt.index("<previous_answer")


def test_whoever_watches_learns_of_each_question_answer_and_finding(bench: Bench) -> None:
    result = bench.compile([BAD, GOOD])

    asked, answered, judged, *rest = bench.happened
    assert asked == Asked(1)
    assert isinstance(answered, Answered) and not answered.from_ledger
    assert isinstance(judged, Judged) and [one.code for one in judged.diagnostics] == ["E101"]
    assert rest[0] == Asked(2)
    assert rest[-1] == Judged(2, result.diagnostics, True)
