"""The manifest is the source of a plan; `sync` brings its views along and loses nobody's edit."""

import json
from pathlib import Path
from typing import Any

import pytest

from factory.contract.identity import plan_hash
from factory.contract.work_order import MANIFEST_NAME, Plan
from factory.system.plan_files import read_plan
from planner.cli import main
from planner.compile.emit import with_computed_fields, write_plan
from planner.compile.exit_codes import ExitCode

Json = dict[str, Any]


def order(number: int, **changes: Any) -> Json:
    name = f"m{number}.py"
    return {
        "id": f"WO-{number:02}",
        "title": f"Step {number}",
        "intent": f"Write `{name}`, which prints {number}.",
        "postconditions": [{"kind": "file_exists", "path": name}],
        "allowed_files": [name],
        "acceptance_commands": [f"python -m pytest -q {name}"],
        **changes,
    }


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    plan = Plan.model_validate({"work_orders": [order(1), order(2)]})
    write_plan(
        with_computed_fields(plan, frozenset(), "c" * 16, "5" * 64), tmp_path / "plan", overwrite=False
    )
    return tmp_path / "plan"


def read(file: Path) -> Json:
    document: Json = json.loads(file.read_text())
    return document


def edit_manifest(directory: Path, **changes: Any) -> None:
    """Edit the second work order of the manifest."""
    manifest = read(directory / MANIFEST_NAME)
    manifest["work_orders"][1] |= changes
    (directory / MANIFEST_NAME).write_text(json.dumps(manifest))


def edit_view(directory: Path, name: str, **changes: Any) -> None:
    file = directory / name
    file.write_text(json.dumps(read(file) | changes))


def test_an_edited_manifest_brings_its_views_and_computed_fields_along(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit_manifest(directory, title="Better", context_files=["m1.py"], depends_on=[], verify_exempt=True)

    assert main(["sync", str(directory)]) == 0

    assert "WO-02 written anew" in capsys.readouterr().err
    view = read(directory / "WO-02.json")
    assert (view["title"], view["depends_on"]) == ("Better", ["WO-01"])
    assert view["verify_exempt"] is False
    plan = Plan.model_validate(read_plan(directory))
    assert view["provenance"] == {
        "compile_hash": "c" * 16,
        "spec_hash": "5" * 64,
        "plan_hash": plan_hash(plan),
    }


def test_a_work_order_that_the_manifest_no_longer_has_goes(directory: Path) -> None:
    manifest = read(directory / MANIFEST_NAME)
    del manifest["work_orders"][1]
    (directory / MANIFEST_NAME).write_text(json.dumps(manifest))
    (directory / "changes.log").write_text("revision 1: made\n")

    assert main(["sync", str(directory)]) == 0

    names = sorted(path.name for path in directory.iterdir())
    assert names == ["WO-01.json", MANIFEST_NAME, "changes.log"]
    assert (directory / "changes.log").read_text() == "revision 1: made\n"


def test_nothing_changes_when_all_agree(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    assert main(["sync", str(directory)]) == 0
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before
    assert "every work order said so already" in capsys.readouterr().err


@pytest.mark.parametrize("is_manifest_edited", [False, True])
def test_an_edited_view_is_not_overwritten_unless_that_is_asked_for(
    directory: Path, capsys: pytest.CaptureFixture[str], is_manifest_edited: bool
) -> None:
    edit_view(directory, "WO-01.json", notes="Mine.")
    if is_manifest_edited:
        edit_manifest(directory, notes="Also mine.")
    before = {path.name: path.read_bytes() for path in directory.iterdir()}

    assert main(["sync", str(directory)]) == ExitCode.REFUSED

    said = capsys.readouterr().err
    assert "WO-01.json" in said and "edited by hand" in said and "--overwrite" in said
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before
    assert main(["sync", str(directory), "--overwrite"]) == 0
    assert read(directory / "WO-01.json")["notes"] is None


def test_a_view_that_is_no_work_order_any_more_is_not_overwritten(directory: Path) -> None:
    (directory / "WO-02.json").write_text("{ half an edit")
    edit_manifest(directory, title="Better")
    assert main(["sync", str(directory)]) == ExitCode.REFUSED
    assert (directory / "WO-02.json").read_text() == "{ half an edit"


def test_a_wrong_manifest_changes_nothing(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_manifest(directory, preconditions=[{"kind": "file_exists", "path": "missing.py"}])
    view = (directory / "WO-02.json").read_bytes()

    assert main(["sync", str(directory)]) == ExitCode.INVALID

    said = capsys.readouterr()
    assert "error[E101] WO-02" in said.out and "nothing was written" in said.err
    assert (directory / "WO-02.json").read_bytes() == view


def test_a_directory_without_the_source_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sync", str(tmp_path)]) == ExitCode.REFUSED
    assert MANIFEST_NAME in capsys.readouterr().err
