"""Writing a plan: computed fields, overwrite protection, and a crash at every step."""

import json
import os
import sys
from pathlib import Path

import pytest

from factory.contract.canonical import dump, readable_json
from factory.contract.identity import plan_hash
from factory.contract.work_order import (
    MANIFEST_NAME,
    SPEC_NAME,
    Condition,
    Plan,
    Postcondition,
    Provenance,
    VerifyContract,
    WorkOrder,
    work_order_id,
)
from factory.system.files.tree import FileProblem
from factory.system.plan_files import read_spec_text
from planner.compile.emit import (
    Occupied,
    compile_hash,
    refuse_unusable,
    with_computed_fields,
    with_spec_text,
    write_plan,
)


def plan_of(count: int, title: str = "Build", **changes: object) -> Plan:
    """A plan whose work orders each create one file; the first one bootstraps verification."""
    orders = tuple(
        WorkOrder.model_validate(
            {
                "id": work_order_id(number),
                "title": f"{title} {number}",
                "intent": "Do it.",
                "postconditions": [{"kind": "file_exists", "path": f"m{number}.py"}],
                "allowed_files": [f"m{number}.py"],
                "acceptance_commands": [f"python m{number}.py"],
                **changes,
            }
        )
        for number in range(1, count + 1)
    )
    return Plan(system_overview=("One.",), work_orders=orders)


def files_in(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def expected_files(plan: Plan) -> dict[str, bytes]:
    orders = {f"{order.id}.json": readable_json(dump(order)) for order in plan.work_orders}
    return {**orders, MANIFEST_NAME: readable_json(dump(plan))}


def test_a_plan_is_written_into_a_new_directory(tmp_path: Path) -> None:
    outdir = tmp_path / "a" / "plan"
    plan = plan_of(11)
    write_plan(plan, outdir, overwrite=False)
    assert files_in(outdir) == expected_files(plan)
    assert [path.name for path in outdir.iterdir() if path.is_dir()] == []


def test_the_specification_lies_beside_the_plan_until_another_plan_has_none(tmp_path: Path) -> None:
    plan = with_spec_text(plan_of(2), "Ä spec\n")
    write_plan(plan, tmp_path, overwrite=False, spec="Ä spec\n")
    assert files_in(tmp_path) == expected_files(plan) | {SPEC_NAME: "Ä spec\n".encode()}
    assert read_spec_text(tmp_path, plan.spec_text_hash) == "Ä spec\n"
    assert plan_hash(plan) != plan_hash(plan_of(2))
    write_plan(plan_of(2), tmp_path, overwrite=True)
    assert files_in(tmp_path) == expected_files(plan_of(2))


def test_work_orders_are_readable_and_sorted(tmp_path: Path) -> None:
    write_plan(plan_of(1), tmp_path, overwrite=False)
    text = (tmp_path / "WO-01.json").read_text()
    assert text.endswith("}\n")
    assert list(json.loads(text)) == sorted(json.loads(text))
    assert '\n  "title": "Build 1"' in text


@pytest.mark.parametrize("name", ["WO-01.json", "WO-7.json", "WO-123.json", MANIFEST_NAME])
def test_an_outdir_with_a_plan_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    for attempt in (
        lambda: refuse_unusable(tmp_path, overwrite=False),
        lambda: write_plan(plan_of(1), tmp_path, overwrite=False),
    ):
        with pytest.raises(Occupied, match=name) as refused:
            attempt()
        assert "--overwrite" in refused.value.hint
    assert files_in(tmp_path) == {name: b"mine"}


def test_overwriting_removes_old_work_orders_and_nothing_else(tmp_path: Path) -> None:
    write_plan(plan_of(5, "Old"), tmp_path, overwrite=False)
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "WO-notes.json").write_text("mine")
    new = plan_of(2, "New")
    write_plan(new, tmp_path, overwrite=True)
    mine = {"README.md": b"mine", "WO-notes.json": b"mine"}
    assert files_in(tmp_path) == {**expected_files(new), **mine}


def test_an_outdir_that_is_a_file_or_below_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for outdir in (tmp_path / "file", tmp_path / "file" / "plan"):
        with pytest.raises(FileProblem, match="is not a directory"):
            refuse_unusable(outdir, overwrite=True)


def test_a_dangling_link_as_outdir_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileProblem, match="is not a directory"):
        refuse_unusable(tmp_path / "link", overwrite=False)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_outdir_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(FileProblem, match="permission denied"):
        refuse_unusable(tmp_path / "plan", overwrite=False)


def crash_while_writing(plan: Plan, outdir: Path, step: int) -> bool:
    """Write in a child process that dies at its `step`-th change of the file system; whether it died."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    left = step

    def die(event: str, _: object) -> None:
        nonlocal left
        if event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
            left -= 1
            if left == 0:
                os._exit(9)

    sys.addaudithook(die)
    try:
        write_plan(plan, outdir, overwrite=True)
    except BaseException:
        os._exit(1)
    os._exit(0)


def test_a_crash_at_any_step_leaves_the_old_plan_the_new_one_or_none(tmp_path: Path) -> None:
    old, new = plan_of(3, "Old"), plan_of(2, "New")
    wholes = (expected_files(old), expected_files(new))
    seen: set[str] = set()
    step = 0
    died = True
    while died:
        step += 1
        outdir = tmp_path / str(step)
        write_plan(old, outdir, overwrite=False)
        died = crash_while_writing(new, outdir, step)
        present = files_in(outdir)
        if present in wholes:
            seen.add("old" if present == wholes[0] else "new")
        else:
            assert MANIFEST_NAME not in present
            without_manifest = [{k: v for k, v in whole.items() if k != MANIFEST_NAME} for whole in wholes]
            assert present in without_manifest or "WO-01.json" not in present
            seen.add("none")
        write_plan(new, outdir, overwrite=True)
        assert files_in(outdir) == wholes[1]
        assert [path for path in outdir.iterdir() if path.is_dir()] == []
    assert seen == {"old", "new", "none"}
    assert step > 10


def test_computed_fields_are_ours_whatever_the_model_said() -> None:
    claimed = plan_of(
        2,
        verify_exempt=True,
        depends_on=["WO-09"],
        provenance={"compile_hash": "forged", "plan_hash": "forged"},
    )
    computed = with_computed_fields(claimed, frozenset(), "c0ffee")
    honest = with_computed_fields(plan_of(2), frozenset(), "c0ffee")
    assert computed == honest
    provenance = Provenance(compile_hash="c0ffee", plan_hash=plan_hash(claimed))
    assert [order.provenance for order in computed.work_orders] == [provenance] * 2
    assert [order.verify_exempt for order in computed.work_orders] == [False, False]


def test_a_work_order_is_exempt_until_verification_can_run() -> None:
    plan = plan_of(3)
    contract = VerifyContract(
        command="python m2.py", requires=(Condition.model_validate({"kind": "file_exists", "path": "m2.py"}),)
    )
    computed = with_computed_fields(plan.model_copy(update={"verify_contract": contract}), frozenset(), "c")
    assert [order.verify_exempt for order in computed.work_orders] == [True, False, False]


def test_dependencies_are_computed() -> None:
    first, second = plan_of(2).work_orders
    needs_first = second.model_copy(
        update={"preconditions": (Condition.model_validate({"kind": "file_exists", "path": "m1.py"}),)}
    )
    assert first.postconditions == (Postcondition.model_validate({"kind": "file_exists", "path": "m1.py"}),)
    computed = with_computed_fields(Plan(work_orders=(first, needs_first)), frozenset(), "c")
    assert [order.depends_on for order in computed.work_orders] == [(), ("WO-01",)]


def test_the_plan_hash_does_not_depend_on_computed_fields() -> None:
    plan = plan_of(2)
    computed = with_computed_fields(plan, frozenset(), "c")
    assert plan_hash(computed) == plan_hash(plan)


def test_the_compile_hash_tells_its_inputs_apart() -> None:
    inputs = [
        ("a", "b", "m", "medium"),
        ("ab", "", "m", "medium"),
        ("", "ab", "m", "medium"),
        ("a", "bm", "", "medium"),
        ("a", "b", "m", None),
        ("a", "b", "m", "None"),
        ('a","b', "", "m", "medium"),
    ]
    hashes = {compile_hash(*values) for values in inputs}
    assert len(hashes) == len(inputs)
    assert all(len(digest) == 16 and int(digest, 16) >= 0 for digest in hashes)


def test_the_compile_hash_is_stable() -> None:
    # SHA-256 of ["spec","template","model","medium"].
    assert compile_hash("spec", "template", "model", "medium") == "9493c942518a4532"


def test_the_record_of_changes_goes_with_its_plan(tmp_path: Path) -> None:
    first, second = plan_of(1), plan_of(2)
    (tmp_path / "changes.log").write_text("mine\n")
    write_plan(first, tmp_path, overwrite=False)
    assert (tmp_path / "changes.log").read_text() == "mine\n"
    write_plan(second, tmp_path, overwrite=True, changes="revision 2: so\n")
    assert (tmp_path / "changes.log").read_text() == "revision 2: so\n"
    write_plan(first, tmp_path, overwrite=True)
    assert not (tmp_path / "changes.log").exists()
