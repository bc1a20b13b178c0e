"""Which tests passed on a base that was made of several work orders' results."""

from pathlib import Path

import pytest

from factory.builds.passed_tests import PassedTests, passed_after

OLD, OTHER = "tests/old.py::test_old", "tests/other.py::test_other"


@pytest.mark.parametrize(
    ("made", "passed"),
    [
        ([], {OLD, OTHER}),
        # What it has renamed, and what it has written.
        ([({"tests/old.py"}, {"tests/old.py::test_new", OTHER})], {"tests/old.py::test_new", OTHER}),
        # Of a file that it did not write another one decides, who may not be in the base.
        ([({"src/a.py"}, {"tests/elsewhere.py::test_x", OLD})], {OLD, OTHER}),
        # The last who wrote it decides, whatever the one before has reported.
        (
            [({"tests/old.py"}, {OLD}), ({"tests/old.py"}, {"tests/old.py::test_last"})],
            {"tests/old.py::test_last", OTHER},
        ),
        # Nobody knows.
        ([({"tests/old.py"}, None)], {OTHER}),
        ([({"tests/old.py"}, {OLD}), ({"src/a.py"}, None)], {OLD, OTHER}),
    ],
)
def test_of_each_file_the_last_who_wrote_it_tells(
    made: list[tuple[set[str], set[str] | None]], passed: set[str]
) -> None:
    assert passed_after((OLD, OTHER), made) == tuple(sorted(passed))


def test_what_another_directory_records_is_not_known(tmp_path: Path) -> None:
    known = PassedTests([OLD, OTHER], tmp_path)
    known.keep("WO-01", ["tests/old.py"], "elsewhere")
    # Exempt from the verification, or verified by what gives no report: its own record says so.
    (tmp_path / "here/attempt_1").mkdir(parents=True)
    known.keep("WO-02", ["tests/other.py"], "here")

    assert known.unrecorded == ("WO-01",)
    assert (known.after(["WO-01"]), known.after(["WO-02"]), known.after([])) == (
        (OTHER,),
        (OLD,),
        (OLD, OTHER),
    )
