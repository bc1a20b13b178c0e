"""What a person has approved: who can say so, what it covers, and what is refused without it."""

import json
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.contract.identity import contract_trailers
from factory.contract.work_order import Plan
from factory.people.approvals import NotApproved, approve, require_approved, unapproved
from factory.system.git.client import Git
from planner.cli import main
from tests.support.builds import BuildScene, writes
from tests.support.plans import makes, manifest
from tests.support.repositories import commit_files, git, make_repo


def plan(*changes: tuple[int, str, str]) -> Plan:
    orders = [makes(number, f"{number}.py") for number in (1, 2)]
    for number, key, value in changes:
        orders[number - 1] |= {key: value}
    return Plan.model_validate(manifest(*orders))


@pytest.fixture
def repo(tmp_path: Path) -> Git:
    return Git.open(make_repo(tmp_path / "repo"))


def test_an_approval_holds_for_what_binds_and_a_revision_needs_one_for_what_is_new(repo: Git) -> None:
    first = plan()
    assert [order.id for order in approve(repo, first).orders] == ["WO-01", "WO-02"]
    require_approved(repo, first.work_orders)
    assert approve(repo, first).tag == ""
    require_approved(repo, plan((1, "title", "In better words")).work_orders)

    second = plan((2, "intent", "Make something else."))
    with pytest.raises(NotApproved, match="nobody has approved WO-02"):
        require_approved(repo, second.work_orders)
    assert [order.id for order in approve(repo, second).orders] == ["WO-02"]
    require_approved(repo, second.work_orders)


def test_who_approved_and_when_travels_with_a_push(repo: Git, tmp_path: Path) -> None:
    tag = approve(repo, plan()).tag
    git(tmp_path, "init", "--quiet", "--bare", "other")
    git(repo.work_tree, "push", "--quiet", str(tmp_path / "other"), "HEAD:refs/heads/main", tag)
    told = git(
        tmp_path / "other",
        "for-each-ref",
        "--format=%(objecttype) %(taggername) %(taggerdate:unix)",
        "refs/tags",
    )
    kind, *name, moment = told.split()
    assert (kind, bool(name), moment.isdecimal()) == ("tag", True, True)


@pytest.mark.parametrize("remote", ["", "hub"])
def test_a_push_is_named_where_there_is_somewhere_to_push_to(
    repo: Git, remote: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if remote:
        git(repo.work_tree, "remote", "add", remote, str(tmp_path / "other"))
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(manifest(makes(1, "1.py", acceptance_commands=["python -m compileall 1.py"]))))

    assert main(["approve", str(path), "--repo", str(repo.work_tree)]) == 0

    assert ("next: git push hub workorder/approved/" in capsys.readouterr().err) == bool(remote)


@pytest.mark.parametrize("how", ["a commit's message", "a light tag", "another place"])
def test_nothing_else_is_an_approval(repo: Git, how: str) -> None:
    order = plan().work_orders[0]
    line = f"Contract: {order.id} {contract_trailers(order)[0]}"
    commit_files(repo.work_tree, {"a.txt": "a\n"}, f"Say so\n\n{line}\n")
    if how == "a light tag":
        git(repo.work_tree, "tag", "workorder/approved/123456789012")
    if how == "another place":
        git(repo.work_tree, "tag", "-a", "-m", line, "approved")
    assert unapproved(repo, [order]) == (order,)


def test_a_build_refuses_what_nobody_has_approved_before_it_asks(tmp_path: Path) -> None:
    scene = BuildScene(
        make_repo(tmp_path / "repo"), [writes("a.txt")], lambda *_: pytest.fail("it was asked")
    )
    refused = scene.build(require_approval=True)
    assert refused.ended.exit_code is ExitCode.REFUSED
    assert "nobody has approved WO-01" in refused.ended.message
    commit_files(scene.repo, {"workorder.toml": "require-approval = true\n"})
    assert "nobody has approved WO-01" in scene.build().ended.message


def test_a_plan_that_is_unsound_is_not_approved(repo: Git, tmp_path: Path) -> None:
    folder = tmp_path / "plan"
    folder.mkdir()
    (folder / "WORK_ORDERS_MANIFEST.json").write_text("{}")
    assert main(["approve", str(folder), "--repo", str(repo.work_tree)]) != 0
    assert git(repo.work_tree, "tag").strip() == ""
