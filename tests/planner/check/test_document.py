"""Checking as a whole: whatever comes in, the result is diagnostics, complete, sorted, quickly."""

import json
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.contract.errors import WorkorderError
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity, in_order
from factory.plans.diagnostics.render import OutputFormat, render
from factory.plans.states.dependencies import depends_on
from factory.plans.states.file_state import verify_exempt
from planner.check.document import Checked, check_document, check_reply
from planner.check.on_disk import check_plan
from planner.report.diagram import GraphFormat, draw
from planner.specification.spec import Spec
from tests.support.plans import Json, exists, makes, manifest, order, verified_by

GOOD = manifest(
    makes(1, "scripts/verify.sh", acceptance_commands=["bash -n scripts/verify.sh"]),
    makes(
        2,
        "src/board.py",
        "tests/test_board.py",
        preconditions=[exists("scripts/verify.sh")],
        acceptance_commands=["python -m pytest tests/test_board.py", "python -c 'import board; x=1'"],
        context_files=["scripts/verify.sh"],
        forbidden=["docs/"],
        notes="Keep it small.",
    ),
    verify_contract=verified_by("bash scripts/verify.sh", "scripts/verify.sh", "src/board.py"),
)

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[]))
)
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)
pieces = ["'", '"', "\\", " ", "\n", "bash", "-c ", "env ", "python ", "$(", ";", "&&", "X=", "/", ".."]
commands = st.lists(st.sampled_from(pieces) | st.characters(), max_size=30).map("".join)
UNSHOWABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def judge(checked: Checked) -> None:
    """What holds of every check, whatever was checked; everything that takes its result is run."""
    assert checked.plan is not None or not checked.ok
    assert list(checked.diagnostics) == sorted(
        checked.diagnostics, key=lambda diagnostic: diagnostic.sort_key
    )
    for output_format in OutputFormat:
        text = render(checked.diagnostics, output_format, {"plan.json": b"{}"})
        assert (
            not {unicodedata.category(character) for line in text.split("\n") for character in line}
            & UNSHOWABLE
        )
    if checked.plan is not None:
        dependencies = depends_on(checked.plan, frozenset())
        assert len(verify_exempt(checked.plan, frozenset())) == len(checked.plan.work_orders)
        for graph_format in GraphFormat:
            draw(checked.plan, dependencies, graph_format)


@given(documents)
def test_any_document_ends_in_diagnostics(document: Any) -> None:
    judge(check_document(document, frozenset()))


@given(st.text(st.characters(exclude_categories=[])))
def test_any_reply_ends_in_diagnostics(reply: str) -> None:
    judge(check_reply(reply, frozenset()))


@given(
    st.lists(documents | st.fixed_dictionaries({}, optional=dict.fromkeys(order(), documents)), max_size=3)
)
def test_any_list_of_work_orders_ends_in_diagnostics(orders: Any) -> None:
    judge(check_document({"work_orders": orders}, frozenset()))


any_requirements = st.lists(
    documents
    | st.fixed_dictionaries(
        {"id": st.just("REQ-01") | st.text(), "text": st.text(), "quotes": st.lists(st.text(), max_size=3)}
    ),
    max_size=4,
)


@given(documents | any_requirements, documents | st.lists(st.text() | st.just("REQ-01")), st.text())
def test_any_requirements_end_in_diagnostics(requirements: Any, taken: Any, text: str) -> None:
    document = manifest(order(requirements=taken), requirements=requirements)
    for spec in (None, Spec.of_text(text)):
        judge(check_document(document, frozenset(), spec, is_new=True))


@given(st.lists(commands, min_size=1, max_size=3), commands)
def test_any_command_ends_in_diagnostics(acceptance: list[str], verify: str) -> None:
    document = manifest(order(acceptance_commands=acceptance), verify_contract=verified_by(verify, "a.py"))
    judge(check_document(document, frozenset({"a.py"})))


@settings(max_examples=200)
@given(st.data())
def test_a_good_plan_with_one_value_changed_ends_in_diagnostics(data: st.DataObject) -> None:
    document = json.loads(json.dumps(GOOD))
    places = list(_places(document))
    container, key = data.draw(st.sampled_from(places))
    if data.draw(st.booleans()):
        container[key] = data.draw(
            documents | st.sampled_from(["../x", "src/*.py", "a && b", "WO-99", "", " "])
        )
    else:
        del container[key]
    judge(check_document(document, frozenset()))


def _places(value: Any) -> Any:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def test_a_good_plan_has_no_findings() -> None:
    checked = check_document(GOOD, frozenset())
    assert checked.diagnostics == ()
    assert checked.ok
    assert checked.plan is not None
    assert checked.plan.work_orders[1].notes == "Keep it small."


def test_work_orders_with_only_the_eight_basic_fields_check_cleanly() -> None:
    basic = [
        order(1, forbidden=[], context_files=[], notes=None),
        order(
            2,
            forbidden=["docs"],
            context_files=["file_1.py"],
            notes="",
            acceptance_commands=["python file_1.py"],
        ),
    ]
    assert check_document({"work_orders": basic}, frozenset()).diagnostics == ()  # type: ignore[dict-item]


def test_findings_come_by_position_with_indices_as_numbers() -> None:
    orders = [makes(number, f"{number}.py") for number in range(1, 12)]
    orders[1]["acceptance_commands"] = ["a; b"]
    orders[10]["acceptance_commands"] = ["a; b", "a; b"]
    orders[10]["title"] = 1
    diagnostics = check_document(manifest(*orders, extra=1), frozenset()).diagnostics
    assert [(diagnostic.order, diagnostic.pointer) for diagnostic in diagnostics] == [
        ("", "/extra"),
        ("WO-02", "/work_orders/1/acceptance_commands/0"),
        ("WO-11", "/work_orders/10/acceptance_commands/0"),
        ("WO-11", "/work_orders/10/acceptance_commands/1"),
        ("WO-11", "/work_orders/10/title"),
    ]


def test_a_finding_that_is_made_twice_is_told_once() -> None:
    diagnostic = Diagnostic("E101", "name", Severity.ERROR, "", "/a", "message", "hint")
    assert in_order([diagnostic, diagnostic]) == (diagnostic,)


def test_a_warning_leaves_a_plan_usable_and_an_error_does_not() -> None:
    assert check_document(manifest(order(context_files=["x.py"])), frozenset()).ok
    assert not check_document(manifest(order(acceptance_commands=["a; b"])), frozenset()).ok


def test_computed_fields_of_a_reply_are_dropped_even_if_they_are_nonsense() -> None:
    step = makes(1, "a.py", verify_exempt="yes", depends_on=7, provenance=[], requirements=["REQ-01"])
    requirement = {"id": "REQ-01", "text": "Something.", "quotes": ["something"]}
    reply = json.dumps(manifest(step, requirements=[requirement]))
    checked = check_reply(reply, frozenset())
    assert checked.ok
    assert checked.plan is not None
    assert checked.plan.work_orders[0].verify_exempt is False


class TestPlansOnDisk:
    def test_a_good_plan_is_read_and_checked(self, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        path.write_text(json.dumps(GOOD))
        assert check_plan(path, frozenset()).ok

    @pytest.mark.parametrize(
        ("content", "is_json"),
        [
            (b"", False),
            (b"prose", False),
            (b"\xff\xfe", True),
            (b'{"work_orders": [', False),
            (b'{"work_orders": [], "work_orders": []}', True),
            (b'{"work_orders": NaN}', True),
            (b'["\\ud800"]', True),
            (b"[" * 101 + b"]" * 101, True),
            (b" " * 11_000_000, True),
            (b"null", True),
            (b'"text"', True),
            (b'[{"id": "WO-01"}]', True),
        ],
        ids=lambda value: repr(value[:20]) if isinstance(value, bytes) else str(value),
    )
    def test_a_file_that_is_no_manifest_is_one_finding(
        self, tmp_path: Path, content: bytes, is_json: bool
    ) -> None:
        path = tmp_path / "plan.json"
        path.write_bytes(content)
        checked = check_plan(path, frozenset())
        assert [diagnostic.code for diagnostic in checked.diagnostics] == ["E000"]
        assert checked.is_json is is_json
        judge(checked)

    def test_a_path_that_is_not_there_is_an_error_of_the_caller(self, tmp_path: Path) -> None:
        with pytest.raises(WorkorderError, match="no such file"):
            check_plan(tmp_path / "absent", frozenset())


class TestScale:
    def test_a_thousand_work_orders_take_about_a_second(self) -> None:
        orders: list[Json] = [
            makes(
                number,
                f"src/app/m{number}.py",
                f"tests/test_m{number}.py",
                preconditions=[exists(f"src/app/m{number - 1}.py")] if number > 1 else [],
                context_files=[f"src/app/m{number - 1}.py"] if number > 1 else [],
                acceptance_commands=[
                    f"python -m pytest tests/test_m{number}.py",
                    f'python -c "from app import m{number}"',
                ],
            )
            for number in range(1, 1001)
        ]
        started = time.process_time()
        checked = check_document(manifest(*orders), frozenset())
        assert checked.plan is not None
        dependencies = depends_on(checked.plan, frozenset())
        # Far above what it takes, so that only a change of order of growth is seen.
        assert time.process_time() - started < 8
        assert checked.diagnostics == ()
        assert dependencies[999] == ("WO-999",)

    @pytest.mark.parametrize(
        "command",
        [
            "a;" * 9000,
            "env " * 5000,
            "if " * 6000,
            "$(" * 9000,
            "'" * 19998,
            "bash -c " * 2000,
            '"$x" ' * 3000,
        ],
        ids=lambda command: command[:8],
    )
    def test_a_hostile_command_takes_no_longer_than_its_length(self, command: str) -> None:
        started = time.process_time()
        judge(check_document(manifest(order(acceptance_commands=[command])), frozenset()))
        assert time.process_time() - started < 4

    def test_checking_imports_no_model_sdk_and_no_graph_library(self) -> None:
        modules = (
            "planner.check.document",
            "planner.check.explain",
            "factory.plans.diagnostics.render",
            "planner.report.diagram",
        )
        program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        loaded = {name.partition(".")[0] for name in done.stdout.split()}
        assert "pydantic" in loaded
        assert not loaded & {"openai", "anthropic", "langgraph", "langchain_core", "httpx"}
