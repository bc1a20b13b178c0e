"""Plans on disk: a manifest, a directory with one, a directory of work orders."""

import json
import os
from pathlib import Path

import pytest

from factory.contract.errors import WorkorderError
from factory.contract.strict_json import BadJson
from factory.contract.work_order import SPEC_NAME
from factory.system.plan_files import NoPlan, read_plan, read_spec_text
from planner.check.on_disk import check_plan
from tests.support.answers import sha256
from tests.support.plans import Json, makes, manifest, order

MANIFEST = "WORK_ORDERS_MANIFEST.json"


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def plan_directory(path: Path, *orders: Json) -> Path:
    write(path / MANIFEST, manifest(*orders))
    for step in orders:
        write(path / f"{step['id']}.json", step)
    return path


def test_a_manifest_is_read_from_a_file_of_any_name(tmp_path: Path) -> None:
    document = manifest(order())
    assert read_plan(write(tmp_path / "anything.txt", document)) == document


def test_the_specification_beside_a_plan_must_be_the_one_that_it_was_made_for(tmp_path: Path) -> None:
    text = "It is called hello.\n"
    copy = tmp_path / SPEC_NAME
    document = manifest(order(), spec_text_hash=sha256(text))
    plan = write(tmp_path / MANIFEST, document)
    copy.write_text(text)
    assert read_plan(tmp_path) == read_plan(plan) == document
    assert read_spec_text(tmp_path, sha256(text)) == read_spec_text(plan, sha256(text)) == text
    assert read_spec_text(tmp_path, None) is None
    copy.write_text("It is called goodbye.\n")
    for path in (tmp_path, plan):
        with pytest.raises(NoPlan, match="not the specification that the plan was made for") as refused:
            read_plan(path)
        assert "planner revise --spec" in refused.value.hint
    copy.unlink()
    with pytest.raises(NoPlan, match=f"holds no {SPEC_NAME}"):
        read_plan(tmp_path)
    os.mkfifo(copy)
    with pytest.raises(WorkorderError, match="not a file"):
        read_plan(tmp_path)


def test_a_directory_stands_for_its_manifest(tmp_path: Path) -> None:
    document = manifest(makes(1, "a.py"), makes(2, "b.py"))
    write(tmp_path / MANIFEST, document)
    write(tmp_path / "compile_summary.json", {})
    assert read_plan(tmp_path) == document


def test_work_orders_without_a_manifest_are_put_together_by_number(tmp_path: Path) -> None:
    orders = [order(number) for number in range(1, 102)]
    for step in reversed(orders):
        write(tmp_path / f"{step['id']}.json", step)
    (tmp_path / "notes.md").write_text("not a plan")
    assert read_plan(tmp_path) == {"system_overview": [], "verify_contract": None, "work_orders": orders}
    assert check_plan(tmp_path, frozenset()).diagnostics == ()


def test_computed_fields_may_differ_between_manifest_and_work_orders(tmp_path: Path) -> None:
    plan_directory(tmp_path, order(1))
    write(tmp_path / "WO-01.json", order(1, verify_exempt=True, depends_on=[]))
    assert check_plan(tmp_path, frozenset()).ok


def test_a_work_order_that_was_edited_is_noticed(tmp_path: Path) -> None:
    plan_directory(tmp_path, order(1), order(2))
    write(tmp_path / "WO-02.json", order(2, title="Edited"))
    with pytest.raises(NoPlan, match=r"WO-02\.json differs") as raised:
        read_plan(tmp_path)
    assert str(tmp_path) in str(raised.value)
    assert raised.value.hint


def test_a_work_order_that_is_missing_or_left_over_is_noticed(tmp_path: Path) -> None:
    plan_directory(tmp_path, order(1), order(2))
    (tmp_path / "WO-02.json").unlink()
    with pytest.raises(NoPlan, match=r"WO-02\.json is missing"):
        read_plan(tmp_path)
    plan_directory(tmp_path, order(1), order(2))
    write(tmp_path / "WO-03.json", order(3))
    with pytest.raises(NoPlan, match=r"WO-03\.json is not a work order of the manifest"):
        read_plan(tmp_path)


def test_the_manifest_alone_can_be_checked_all_the_same(tmp_path: Path) -> None:
    plan_directory(tmp_path, order(1))
    write(tmp_path / "WO-01.json", order(1, title="Edited"))
    assert check_plan(tmp_path / MANIFEST, frozenset()).ok


@pytest.mark.parametrize("broken", [None, [], {"work_orders": 7}, {"work_orders": [None, {"id": []}]}])
def test_a_manifest_of_the_wrong_shape_is_for_the_check(tmp_path: Path, broken: object) -> None:
    write(tmp_path / MANIFEST, broken)
    checked = check_plan(tmp_path, frozenset())
    assert {diagnostic.code for diagnostic in checked.diagnostics} >= {"E000"}


def test_a_single_work_order_is_no_plan(tmp_path: Path) -> None:
    plan_directory(tmp_path, makes(1, "a.py"))

    with pytest.raises(NoPlan, match=r"WO-01\.json: is one work order, not a plan"):
        read_plan(tmp_path / "WO-01.json")


@pytest.mark.parametrize(
    ("name", "kind"), [("spec.md", "a Markdown file"), ("notes.txt", "text, but no JSON")]
)
def test_a_specification_is_called_what_it_is(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / name).write_text("# Greet\n\nPrint a greeting.\n")

    with pytest.raises(NoPlan, match=f"is {kind}, not a plan") as raised:
        read_plan(tmp_path / name)

    assert "planner compile --spec" in raised.value.hint
    (tmp_path / name).write_text(json.dumps({"work_orders": []}))
    assert read_plan(tmp_path / name) == {"work_orders": []}


def test_a_broken_work_order_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "WO-01.json").write_text('{"id": "WO-01", "id": "WO-02"}')
    with pytest.raises(BadJson, match=r"WO-01\.json:1:17 /id: the key \"id\" stands twice"):
        read_plan(tmp_path)
    (diagnostic,) = check_plan(tmp_path, frozenset()).diagnostics
    assert "WO-01.json" in diagnostic.message


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoPlan, match="no such file or directory"):
        read_plan(tmp_path / "absent")
    with pytest.raises(NoPlan, match="holds neither"):
        read_plan(tmp_path)


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WorkorderError, match="is a special file"):
        read_plan(tmp_path / "pipe")
