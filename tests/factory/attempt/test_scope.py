"""What a proposal may touch: decided from values, before anything is looked at twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.failure import FailureClass, Stage
from factory.attempt.scope import violation
from factory.contract.canonical import EMPTY_SHA256
from factory.contract.proposal import Write, WriteProposal
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from tests.support.repositories import a_work_order

PATHS = (
    "a.py",
    "A.py",
    "src/a.py",
    "src/b/c.py",
    "src/b",
    "docs/x.md",
    "src",
    "Src/a.py",
    "straße",
    "STRASSE",
)


def order(*allowed: str, forbidden: tuple[str, ...] = ()) -> WorkOrder:
    return WorkOrder.model_validate(a_work_order(allowed_files=list(allowed), forbidden=list(forbidden)))


def proposal(*paths: str) -> WriteProposal:
    writes = [Write(path=RepoPath(path), base_sha256=EMPTY_SHA256, content="") for path in paths]
    return WriteProposal(summary="s", writes=tuple(writes))


def absent(made: WriteProposal) -> dict[RepoPath, str]:
    return {write.path: EMPTY_SHA256 for write in made.writes}


@pytest.mark.parametrize(
    ("paths", "contract", "message"),
    [
        (("a.py", "a.py"), order("a.py"), "`a.py` is written twice (as `a.py` and `a.py`)"),
        (("a.py", "A.py"), order("a.py", "A.py"), "`A.py` is written twice (as `a.py` and `A.py`)"),
        (("ß", "SS"), order("ß", "SS"), "`SS` is written twice (as `ß` and `SS`)"),
        (("a/b.py", "a"), order("a/b.py", "a"), "`a/b.py` lies below `a`, which is written as a file"),
        (("A", "a/b/c.py"), order("A", "a/b/c.py"), "`a/b/c.py` lies below `A`, which is written as a file"),
        (("b.py",), order("a.py"), "`b.py` is not one of the work order's allowed files"),
        (("a.py/b",), order("a.py"), "`a.py/b` is not one of the work order's allowed files"),
        (("src/a.py",), order("src/a.py", forbidden=("src/",)), "`src/a.py` is forbidden by `src`"),
        (("src/a.py",), order("src/a.py", forbidden=("src/a.py",)), "`src/a.py` is forbidden by `src/a.py`"),
    ],
)  # fmt: skip
def test_what_leaves_the_scope_is_the_model_s_fault(
    paths: tuple[str, ...], contract: WorkOrder, message: str
) -> None:
    made = proposal(*paths)

    refused = violation(made, contract, absent(made))

    assert refused is not None
    assert (refused.message, refused.stage) == (message, Stage.WRITE_SCOPE_VIOLATION)
    assert refused.failure_class is FailureClass.MODEL_DEFECT
    assert refused.hint


@pytest.mark.parametrize("forbidden", ["src2", "sr", "src/a", "src/a.pyc", "a.py"])
def test_a_forbidden_name_forbids_itself_and_what_is_below_it_only(forbidden: str) -> None:
    made = proposal("src/a.py")

    assert violation(made, order("src/a.py", forbidden=(forbidden,)), absent(made)) is None


def test_a_stale_hash_is_refused_with_the_right_one() -> None:
    made = proposal("a.py")

    refused = violation(made, order("a.py"), {RepoPath("a.py"): "ab" * 32})

    assert refused is not None
    assert refused.stage is Stage.STALE_CONTEXT
    assert refused.hint == f"copy it from the prompt: {'ab' * 32}"


@given(
    st.lists(st.sampled_from(PATHS), min_size=1, max_size=5),
    st.lists(st.sampled_from(PATHS), min_size=1, max_size=5),
    st.lists(st.sampled_from(PATHS), max_size=2),
)
def test_what_is_let_through_is_allowed_and_unambiguous(
    paths: list[str], allowed: list[str], forbidden: list[str]
) -> None:
    made = proposal(*paths)

    refused = violation(made, order(*allowed, forbidden=tuple(forbidden)), absent(made))

    if refused is None:
        folded = [path.casefold() for path in paths]
        assert set(paths) <= set(allowed)
        assert len(set(folded)) == len(folded)
        assert not any(
            inner != outer and inner.startswith(outer + "/") for inner in folded for outer in folded
        )
        assert not any(path == name or path.startswith(name + "/") for path in paths for name in forbidden)
