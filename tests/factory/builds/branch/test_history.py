"""What is done is what a commit says with its trailers, and nothing else."""

from pathlib import Path

import pytest

from factory.attempt.commit.message import commit_message
from factory.builds.branch.history import History, history
from factory.contract.identity import contract_hash, contract_trailers
from factory.contract.work_order import Plan
from factory.system.git.client import Git
from tests.support.repositories import a_work_order, commit_files, git, make_repo

PLAN = Plan.model_validate(
    {"work_orders": [a_work_order(id=f"WO-0{n}", title=f"Step {n}") for n in (1, 2, 3)]}
)


class Branch:
    """A branch that grows."""

    def __init__(self, folder: Path) -> None:
        self.repo = make_repo(folder / "repo")
        self.first = git(self.repo, "rev-parse", "HEAD")

    def land(self, number: int, *, contract: str | None = None, run: str = "r") -> str:
        order = PLAN.work_orders[number - 1]
        message = commit_message(
            order, "Done.", contract or contract_trailers(order)[0], f"{run}{number}", "report", "e" * 64
        )
        return commit_files(self.repo, {f"{number}-{run}.txt": f"{contract}\n"}, message)

    def read(self) -> History:
        tip = git(self.repo, "rev-parse", "HEAD")
        return history(Git.open(self.repo), tip, PLAN)


@pytest.fixture
def branch(tmp_path: Path) -> Branch:
    return Branch(tmp_path)


def test_nothing_is_done_on_a_branch_of_others(branch: Branch) -> None:
    past = branch.read()

    assert (past.base, dict(past.landed), past.above_base) == (branch.first, {}, ())


def test_what_landed_is_above_the_base_in_the_order_of_landing(branch: Branch) -> None:
    third, first = branch.land(3), branch.land(1)

    past = branch.read()

    assert past.base == branch.first
    assert past.above_base == ("WO-03", "WO-01")
    assert (past.landed["WO-01"].commit, past.landed["WO-01"].parent) == (first, third)
    assert past.landed["WO-03"].run_id == "r3"
    assert set(past.made_by(Git.open(branch.repo), "WO-01")) == {"1-r.txt"}


def test_commits_from_before_contracts_had_a_version_count(branch: Branch) -> None:
    made = branch.land(1, contract=contract_hash(PLAN.work_orders[0]))

    assert branch.read().landed["WO-01"].commit == made


def test_a_better_title_and_better_notes_are_no_other_contract(branch: Branch) -> None:
    made = branch.land(1)
    reworded = PLAN.work_orders[0].model_copy(update={"title": "Better", "notes": "Better."})
    plan = PLAN.model_copy(update={"work_orders": (reworded, *PLAN.work_orders[1:])})

    assert history(Git.open(branch.repo), made, plan).landed["WO-01"].commit == made


def test_a_users_commit_in_between_is_the_base_and_what_is_below_stays_done(branch: Branch) -> None:
    branch.land(1)
    mine = commit_files(branch.repo, {"mine.txt": "mine\n"}, "By hand")
    branch.land(2)

    past = branch.read()

    assert (past.base, past.above_base) == (mine, ("WO-02",))
    assert set(past.landed) == {"WO-01", "WO-02"}


@pytest.mark.parametrize(
    "message",
    [
        "Quote\n\nWork-Order: WO-01\nContract: {contract}\nRun-Id: r1\n\nNot at the end.",
        "Another contract\n\nWork-Order: WO-01\nContract: 0{contract}\nRun-Id: r1",
        "Another work order\n\nWork-Order: WO-02\nContract: {contract}\nRun-Id: r1",
        "Two at once\n\nWork-Order: WO-01\nWork-Order: WO-02\nContract: {contract}\nRun-Id: r1",
        "Work-Order: WO-01 Contract: {contract}",
    ],
)
def test_words_that_are_no_trailers_of_this_contract_prove_nothing(branch: Branch, message: str) -> None:
    tip = commit_files(
        branch.repo, {"a.txt": "a\n"}, message.format(contract=contract_hash(PLAN.work_orders[0]))
    )

    past = branch.read()

    assert (dict(past.landed), past.base) == ({}, tip)


def test_of_two_commits_for_one_contract_the_newer_counts_and_the_older_is_part_of_the_base(
    branch: Branch,
) -> None:
    older = branch.land(1, run="a")
    newer = branch.land(1, run="b")

    past = branch.read()

    assert past.landed["WO-01"].commit == newer
    assert (past.base, past.above_base) == (older, ("WO-01",))


def test_a_merge_of_the_users_ends_what_is_above_the_base(branch: Branch) -> None:
    branch.land(1)
    git(branch.repo, "checkout", "--quiet", "-b", "other", branch.first)
    commit_files(branch.repo, {"other.txt": "other\n"}, "Elsewhere")
    git(branch.repo, "checkout", "--quiet", "main")
    git(branch.repo, "merge", "--quiet", "--no-edit", "other")
    merge = git(branch.repo, "rev-parse", "HEAD")
    branch.land(2)

    past = branch.read()

    assert (past.base, past.above_base) == (merge, ("WO-02",))
    assert set(past.landed) == {"WO-01", "WO-02"}


def test_a_work_order_on_a_merged_branch_is_done(branch: Branch) -> None:
    git(branch.repo, "checkout", "--quiet", "-b", "other")
    branch.land(1)
    git(branch.repo, "checkout", "--quiet", "main")
    commit_files(branch.repo, {"mine.txt": "mine\n"}, "By hand")
    git(branch.repo, "merge", "--quiet", "--no-edit", "other")
    merge = git(branch.repo, "rev-parse", "HEAD")

    past = branch.read()

    assert set(past.landed) == {"WO-01"}
    assert (past.base, past.above_base) == (merge, ())


def test_a_root_commit_that_claims_a_work_order_is_no_landing_above_a_base(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {})
    order = PLAN.work_orders[0]
    tip = commit_files(
        repo, {"a.txt": "a\n"}, commit_message(order, "Done.", contract_hash(order), "r1", "report", "e" * 64)
    )

    past = history(Git.open(repo), tip, PLAN)

    assert (past.base, past.above_base) == (tip, ())
