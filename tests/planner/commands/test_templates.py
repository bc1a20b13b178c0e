"""The templates: the example is a right plan, the script works, the limits are those of the contract."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from factory.contract.canonical import dump
from factory.contract.limits import (
    MAX_CONTEXT_BYTES,
    MAX_PROPOSAL_BYTES,
    MAX_WRITE_BYTES,
)
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import (
    COMPUTED_FIELDS,
    GIVEN_FIELDS,
    Plan,
    WorkOrder,
)
from factory.languages.python.language import PYTHON
from factory.system.templates import template_path
from planner.check.document import check_reply
from planner.commands.inputs import read_revision_template, read_spec, read_template
from planner.plan.bootstrap import bootstrap
from planner.prompt.context import NEW
from planner.prompt.template import USER_MARKER, first_messages
from planner.specification.spec import Spec

PLANNER = read_template(None).text
VERIFY = template_path("verify.sh").read_text()


GIVEN = bootstrap(frozenset(), (PYTHON,))


def example() -> str:
    (text,) = re.findall(r"^```json\n(.*?)^```$", PLANNER, re.DOTALL | re.MULTILINE)
    assert isinstance(text, str)
    return text


def example_plan() -> Plan:
    plan = check_reply(example(), frozenset(), example_spec(), given=GIVEN).plan
    assert plan is not None
    return plan


def example_spec() -> Spec:
    (text,) = re.findall(
        r"^The specification was, in two lines:\n\n```text\n(.*?)^```$", PLANNER, re.S | re.M
    )
    return Spec.of_text(re.sub(r"^L[0-9]+\| ", "", text, flags=re.MULTILINE))


def test_the_example_has_no_diagnostics() -> None:
    checked = check_reply(example(), frozenset(), example_spec(), given=GIVEN)
    assert checked.diagnostics == ()
    assert checked.ok
    assert checked.plan is not None


def test_the_example_leaves_out_what_would_be_empty_or_is_computed() -> None:
    document: JsonObject = json.loads(example())
    assert set(document) == {"requirements", "remarks", "work_orders"}
    always = {"id", "title", "requirements", "intent", "allowed_files", "acceptance_commands"}
    for order in document["work_orders"]:  # type: ignore[union-attr]
        assert always <= set(order)  # type: ignore[arg-type]
    assert set().union(*document["work_orders"]) == always | {"provides", "consumes", "notes"}  # type: ignore[arg-type]


def test_what_is_left_out_of_the_example_is_computed() -> None:
    _, first, second = example_plan().work_orders
    assert second.context_files == ("tally/counting.py",)
    assert [(condition.kind, condition.path) for condition in second.preconditions] == [
        ("file_absent", "tally/__main__.py"),
        ("file_absent", "tests/test_command.py"),
        ("file_exists", "tally/counting.py"),
    ]
    assert {condition.path for condition in first.postconditions} == set(first.allowed_files)
    contract = example_plan().verify_contract
    assert contract is not None
    assert contract.command == "bash scripts/verify.sh"


def test_the_example_declares_what_each_work_order_leaves() -> None:
    for order in example_plan().work_orders:
        assert {condition.path for condition in order.postconditions} == set(order.allowed_files)
        assert dump(order)


def test_the_fields_are_explained() -> None:
    for field in set(WorkOrder.model_fields) - COMPUTED_FIELDS - GIVEN_FIELDS - {"difficulty", "project"}:
        assert f"`{field}`" in PLANNER
    for field in COMPUTED_FIELDS | GIVEN_FIELDS:
        assert field not in PLANNER


def test_the_limits_are_those_of_the_contract() -> None:
    assert (MAX_WRITE_BYTES, MAX_PROPOSAL_BYTES, MAX_CONTEXT_BYTES) == (200_000, 500_000, 200_000)
    assert "A file has at most 200 KB, one work order writes at most 500 KB" in PLANNER
    assert "context files have at most 200 KB together" in PLANNER


def test_the_script_that_is_given_is_the_reference_script() -> None:
    assert GIVEN is not None
    assert {file.path: file.text for file in GIVEN.fixed_files}["scripts/verify.sh"] == VERIFY


def test_the_packaged_templates_can_be_used() -> None:
    assert USER_MARKER in PLANNER
    assert read_revision_template().text
    system, user = first_messages(read_template(None), "the spec", '"a.py"')
    assert (system.role, user.role) == ("system", "user")
    assert user.content.index('"a.py"') < user.content.index("\nL1| the spec\n")


def test_what_is_the_same_for_all_specs_comes_first() -> None:
    prompt = first_messages(read_template(None), "one", NEW)[1].content
    other = first_messages(read_template(None), "other", NEW)[1].content
    same = next(at for at, (left, right) in enumerate(zip(prompt, other, strict=False)) if left != right)
    assert same > 0.9 * len(prompt)


def test_the_prompt_names_no_machine() -> None:
    for message in first_messages(read_template(None), "the spec", '"a.py"'):
        assert str(Path.cwd()) not in message.content
        assert str(Path.home()) not in message.content or str(Path.home()) == "/"


def test_the_starter_spec_is_a_spec() -> None:
    assert "{{" not in read_spec(template_path("spec.md")).text


def test_the_example_quotes_all_of_its_specification() -> None:
    plan = example_plan()
    lines = example_spec().lines
    quoted = lines.covered(text for requirement in plan.requirements for text in requirement.quotes)
    left_out = [word.written for index, word in enumerate(lines.words.all) if index not in quoted]
    assert left_out == ["`tally`", "counts", "words."]


def test_the_starter_spec_as_data_is_a_spec() -> None:
    spec = read_spec(template_path("spec.yaml"))
    assert [given.id for given in spec.given] == ["REQ-01", "REQ-02", "REQ-03"]
    assert "{{" not in spec.text


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    shutil.copy(template_path("verify.sh"), tmp_path / "scripts" / "verify.sh")
    return tmp_path


def verify(repository: Path) -> int:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = ["bash", "scripts/verify.sh"]
    return subprocess.run(
        command, cwd=repository, env={"PATH": path}, capture_output=True, timeout=60
    ).returncode


def test_an_empty_repository_verifies(repository: Path) -> None:
    assert verify(repository) == 0


def test_passing_tests_verify(repository: Path) -> None:
    (repository / "thing.py").write_text("VALUE = 1\n")
    (repository / "tests").mkdir()
    (repository / "tests" / "test_thing.py").write_text(
        "from thing import VALUE\n\ndef test_it():\n    assert VALUE\n"
    )
    assert verify(repository) == 0


def test_a_failing_test_fails(repository: Path) -> None:
    (repository / "test_it.py").write_text("def test_it():\n    assert False\n")
    assert verify(repository) == 1


def test_a_syntax_error_fails_without_any_test(repository: Path) -> None:
    (repository / "pkg").mkdir()
    (repository / "pkg" / "bad.py").write_text("def f(:\n")
    assert verify(repository) != 0


def test_other_peoples_code_in_hidden_directories_is_left_alone(repository: Path) -> None:
    (repository / ".venv" / "lib").mkdir(parents=True)
    (repository / ".venv" / "lib" / "template.py").write_text("def {{name}}:\n")
    assert verify(repository) == 0
