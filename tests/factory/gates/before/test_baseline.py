"""The verification of a baseline, and what counts in an attempt on one that fails already. Real pytest."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.checkout.pool import checkout
from factory.checkout.workspace import Checkout
from factory.configuration.document import Configuration, read_configuration
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.environments.environment import Environment
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.before.baseline import BASELINE_RESULT, examine_baseline, require_usable
from factory.gates.bench import Bench
from factory.gates.check import CheckResult
from factory.gates.checks.registry import gating_commands, registry
from factory.gates.environment import gate_environment
from factory.gates.trial import expanded
from factory.repository.target import Refused, target
from factory.system.git.client import Git
from tests.support.environments import bare, with_workers
from tests.support.repositories import Files, a_work_order, commit_files, git, make_repo, write_files

FAILS = "def test_{}():\n    assert 0, 'because of {}'\n"
PASSES = "def test_{}():\n    pass\n"
RED: Files = {
    "test_red.py": FAILS.format("old", "old") + PASSES.format("fine"),
    "test_lost.py": "import not_there\n" + PASSES.format("hidden"),
    "test_more.py": "import pytest\n\nclass TestA:\n    @pytest.mark.parametrize('x', ['a', 'b'])\n"
    "    def test_p(self, x):\n        assert x == 'b'\n",
}
KNOWN = ("test_lost.py", "test_more.py::TestA::test_p[a]", "test_red.py::test_old")


class Desk:
    """A checkout of a repository's branch, and what is run in it."""

    def __init__(self, opened: Checkout, out: Path, packages: Environment) -> None:
        self.opened = opened
        self.out = out
        self.packages = packages
        self.environment = gate_environment(
            os.environ, packages, home=opened.home, temporary=opened.temporary
        )

    def examine(
        self, configuration: Configuration | None = None, *, seconds: float = 60.0, **options: Any
    ) -> BaselineReport:
        bench = Bench(self.opened, self.packages, self.environment, seconds)
        return examine_baseline(bench, self.out, configuration or Configuration(), **options)

    def attempt(
        self,
        known: BaselineReport | None,
        changes: Files,
        *,
        configuration: Configuration | None = None,
        fresh: bool = True,
    ) -> dict[str, CheckResult]:
        """The results of the verification after `changes`; a file that becomes empty is deleted.

        Unless `fresh`, it goes on from where the checkout is.
        """
        if fresh:
            self.opened.restore()
        write_files(self.opened.root, changes)
        for name, content in changes.items():
            if not content:
                (self.opened.root / name).unlink()
        tree = self.opened.stage([RepoPath.parse(name) for name in changes])
        folder = self.out / "attempt"
        folder.mkdir(parents=True, exist_ok=True)
        order = WorkOrder.model_validate(a_work_order(allowed_files=[*changes]))
        context = Bench(self.opened, self.packages, self.environment, 60.0).context(order, tree, folder)
        verify, _ = registry(configuration or Configuration(), known)
        return {check.name: check.run(context) for check in expanded(verify.checks, context)}


@contextmanager
def desk(repo: Path, packages: Environment | None = None) -> Iterator[Desk]:
    with checkout(target(Git.open(repo), None), in_place=False) as opened:
        yield Desk(opened, repo.parent / "out", packages or bare())


@pytest.fixture
def red(tmp_path: Path) -> Iterator[Desk]:
    with desk(make_repo(tmp_path / "repo", RED)) as opened:
        yield opened


# The baseline


def test_a_baseline_that_passes(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"test_a.py": PASSES.format("a")})
    before = git(repo, "status", "--porcelain", "--ignored")

    with desk(repo) as opened:
        report = opened.examine()

    assert report.red == ()
    assert [check.name for check in report.checks] == ["verify.sh", "compileall", "pytest"]
    assert report.tree == git(repo, "rev-parse", "HEAD^{tree}")
    assert BaselineReport.model_validate_json((opened.out / BASELINE_RESULT).read_bytes()) == report
    assert git(repo, "status", "--porcelain", "--ignored") == before


def test_how_much_its_tests_say_is_told(tmp_path: Path) -> None:
    skips = "import pytest\n\n@pytest.mark.skip\ndef test_{}():\n    pass\n"
    both = "import pytest\n\n@pytest.mark.parametrize('x', [1, 2])\ndef test_p(x):\n    pass\n"
    repo = make_repo(tmp_path / "repo", {"test_a.py": both, "test_b.py": skips.format("b")})
    with desk(repo) as opened:
        report = opened.examine()
        assert report.tally == "2 of its tests pass, 1 skipped"
        assert BaselineReport.model_validate_json(report.model_dump_json()) == report


def test_an_empty_product_passes(tmp_path: Path) -> None:
    with desk(make_repo(tmp_path / "repo", {"README.md": "x"})) as opened:
        report = opened.examine()

    assert report.red == ()
    assert report.checks[2].note == "no tests collected"


def test_failing_tests_are_named(red: Desk) -> None:
    report = red.examine()

    (check,) = report.red
    assert (check.name, check.failing_tests) == ("pytest", KNOWN)
    assert check.failure is not None
    assert check.failure.message == "the command returned 1"
    assert report.unacceptable == ()
    assert (red.out / "pytest_report.xml").is_file()


def test_every_check_is_run_also_after_one_that_failed(tmp_path: Path) -> None:
    configuration = read_configuration(
        b"checks = [{name='a', command='false'}, {name='b', command='true'},"
        b" {name='c', command='false', gates=false}]",
        None,
    )
    with desk(make_repo(tmp_path / "repo", {"bad.py": "def\n", "scripts/verify.sh": "exit 3\n"})) as opened:
        report = opened.examine(configuration)

    assert [check.name for check in report.red] == ["verify.sh", "a"]
    assert [check.name for check in report.checks if check.failure] == ["verify.sh", "a", "c"]


def test_what_cannot_be_verified_yet_is_only_compiled(tmp_path: Path) -> None:
    with desk(make_repo(tmp_path / "repo", {"scripts/verify.sh": "exit 3\n", "a.py": ""})) as opened:
        report = opened.examine(exempt=True)

    assert report.red == ()
    assert (opened.out / "compileall.output.txt").exists()


def test_a_program_that_is_missing_cannot_be_accepted(tmp_path: Path) -> None:
    configuration = read_configuration(b"checks = [{name='lint', command='no-such-linter'}]", None)
    with desk(make_repo(tmp_path / "repo")) as opened:
        report = opened.examine(configuration)

    (check,) = report.unacceptable
    assert check.failure is not None
    assert (check.name, check.failure.failure_class) == ("lint", FailureClass.ENVIRONMENT)


def test_a_check_that_changes_files_cannot_be_accepted_and_harms_no_other(tmp_path: Path) -> None:
    configuration = read_configuration(
        b"checks = [{name='fix', command='python fix.py'}, {name='after', command='true'}]", None
    )
    files = {"fix.py": "open('README.md', 'w')\n", "README.md": "x", "scripts/verify.sh": ""}
    with desk(make_repo(tmp_path / "repo", files)) as opened:
        report = opened.examine(configuration)

    assert [check.name for check in report.red] == ["fix"]
    assert report.unacceptable == report.red


# The stored result


def counting(tmp_path: Path, exit_code: int = 0) -> tuple[Configuration, Path]:
    """A check that counts in a file how often it was run, a byte each time."""
    count = tmp_path / "count"
    script = f"open({str(count)!r}, 'a').write('x') and exit({exit_code})"
    toml = f'checks = [{{name="count", command="""python -c "{script}" """}}]'
    return read_configuration(toml.encode(), None), count


def test_a_result_is_used_again(tmp_path: Path) -> None:
    configuration, count = counting(tmp_path)
    repo = make_repo(tmp_path / "repo")

    # Also in another checkout, which lies elsewhere
    reports = []
    for _ in range(2):
        with desk(repo) as opened:
            reports.append(opened.examine(configuration))

    assert reports[0] == reports[1]
    assert count.read_text() == "x"


def test_a_result_is_not_used_for_something_else(tmp_path: Path) -> None:
    configuration, count = counting(tmp_path)
    more = read_configuration(b"checks = [{name='other', command='true'}]", None)
    repo = make_repo(tmp_path / "repo")

    with desk(repo) as opened:
        opened.examine(configuration)
        opened.examine(configuration, seconds=30.0)
        opened.examine(more)
        opened.examine(configuration)
        opened.examine(configuration, exempt=True)
    commit_files(repo, {"new.txt": "x"})
    with desk(repo) as opened:
        opened.examine(configuration)

    assert count.read_text() == "xxxx"


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff", b'{"tree": 1}', b"[" * 10_000])
def test_a_damaged_result_is_made_anew(damage: bytes, tmp_path: Path) -> None:
    with desk(make_repo(tmp_path / "repo")) as opened:
        report = opened.examine()
        (opened.out / BASELINE_RESULT).write_bytes(damage)

        assert opened.examine() == report
        assert BaselineReport.model_validate_json((opened.out / BASELINE_RESULT).read_bytes()) == report


def test_a_failed_result_is_used_again_only_if_it_is_accepted(tmp_path: Path) -> None:
    configuration, count = counting(tmp_path, exit_code=1)
    with desk(make_repo(tmp_path / "repo")) as opened:
        opened.examine(configuration)
        opened.examine(configuration)
        assert count.read_text() == "xx"

        assert opened.examine(configuration, red_accepted=True).red
        assert count.read_text() == "xx"


def test_a_missing_program_is_looked_for_again(tmp_path: Path) -> None:
    configuration = read_configuration(b"checks = [{name='lint', command='no-such-linter'}]", None)
    with desk(make_repo(tmp_path / "repo")) as opened:
        assert opened.examine(configuration, red_accepted=True).unacceptable
        programs = opened.opened.home.parent / "bin"
        programs.mkdir()
        (programs / "no-such-linter").write_text("#!/bin/sh\n")
        (programs / "no-such-linter").chmod(0o755)
        opened.environment["PATH"] += f":{programs}"

        assert opened.examine(configuration, red_accepted=True).red == ()


# Attempts on a baseline that fails


def test_only_new_failures_count(red: Desk) -> None:
    known = red.examine()

    same = red.attempt(known, {"src/app.py": "x = 1\n"})["pytest"]
    worse = red.attempt(known, {"test_new.py": FAILS.format("new", "new") + PASSES.format("fine")})["pytest"]
    strict = red.attempt(None, {"src/app.py": "x = 1\n"})["pytest"]

    assert (same.passed, same.note) == (True, "ignored 3 failing tests of the baseline")
    assert same.failing_tests == KNOWN
    assert worse.failure is not None
    assert worse.failure.message == (
        "1 failing test that the baseline does not have: test_new.py::test_new; "
        "ignored 3 failing tests of the baseline"
    )
    assert worse.failure.failure_class == FailureClass.MODEL_DEFECT
    assert worse.failure.where == "python -m pytest -q -p no:cacheprovider"
    assert "because of new" in worse.failure.excerpt
    assert "because of old" not in worse.failure.excerpt
    assert not strict.passed


WORSE_OR_NOT: list[tuple[dict[str, str], str]] = [
        # Repaired, deleted, or collected for the first time: better than before, or at least not worse.
        (dict.fromkeys(RED, "x = 1\n"), ""),
        (dict.fromkeys(RED, ""), ""),
        ({"test_red.py": PASSES.format("old")}, ""),
        ({"not_there.py": "x = 1\n"}, ""),
        ({"test_lost.py": FAILS.format("hidden", "x")}, ""),
        # Worse than before.
        ({"test_red.py": FAILS.format("old", "x") + FAILS.format("fine", "x")}, "test_red.py::test_fine"),
        ({"test_red.py": "import not_there_either\n"}, "test_red.py"),
        (
            {"test_more.py": str(RED["test_more.py"]).replace("'b'\n", "'c'\n")},
            "test_more.py::TestA::test_p[b]",
        ),
        ({"test_red.py": str(RED["test_red.py"]) + "\ndef teardown_function():\n    raise OSError\n"},
         "test_red.py::test_fine, test_red.py::test_old"),
    ]  # fmt: skip


def test_what_is_new(red: Desk) -> None:
    known = red.examine()
    found = []
    for changes, _ in WORSE_OR_NOT:
        failure = red.attempt(known, changes)["pytest"].failure
        message = failure.message if failure else ""
        found.append((changes, message.partition(" that the baseline does not have: ")[2].partition(";")[0]))

    assert found == WORSE_OR_NOT


ENDS = (
    "import os\n\ndef test_a():\n    os._exit(1)\n",
    "import os\n\ndef test_a():\n    os.kill(os.getpid(), 9)\n",
    "def test_a():\n    raise KeyboardInterrupt\n",
    "import pytest\n\ndef test_a():\n    pytest.exit('enough', returncode=3)\n",
)


def test_a_run_that_dies_has_failed(red: Desk) -> None:
    known = red.examine()
    results = {ends: red.attempt(known, {"test_a_first.py": ends})["pytest"] for ends in ENDS}

    lost = "it left no report that tells new failures from those of the baseline"
    assert {ends: (result.passed, result.failing_tests, result.note) for ends, result in results.items()} == (
        dict.fromkeys(ENDS, (False, None, lost))
    )


FORGERIES = (
    "os.symlink({forged!r}, {report!r})",
    "os.mkfifo({report!r})",
    "os.mkdir({report!r})",
    "open({report!r}, 'w').write('<!DOCTYPE x>' + open({forged!r}).read())",
    "open({report!r}, 'w').truncate(200_000_000)",
)


def test_a_report_that_was_tampered_with_is_none(red: Desk) -> None:
    known = red.examine()
    report = red.opened.temporary / "pytest_report.xml"
    passed = []
    for forges in FORGERIES:
        assert not os.path.lexists(report)
        forge = forges.format(forged=str(red.out / "pytest_report.xml"), report=str(report))
        test = f"import os\n\ndef test_a():\n    {forge}\n    open('forged', 'w')\n    os._exit(1)\n"
        if red.attempt(known, {"test_a.py": test})["pytest"].passed:
            passed.append(forges)
        assert (red.opened.root / "forged").exists(), forges

    assert passed == []


def test_what_an_earlier_command_left_in_the_report_s_place_does_not_count(red: Desk) -> None:
    known = red.examine()
    place = red.opened.temporary / "pytest_report.xml"
    assert not place.exists()

    place.mkdir()
    (place / "x").touch()
    beside_a_directory = red.attempt(known, {"src/app.py": "x = 1\n"}, fresh=False)["pytest"]
    place.write_bytes((red.out / "pytest_report.xml").read_bytes())
    dies = "import os\n\ndef test_a():\n    os._exit(1)\n"
    beside_a_report = red.attempt(known, {"test_a.py": dies}, fresh=False)["pytest"]

    assert beside_a_directory.passed
    assert not beside_a_report.passed


def test_options_of_the_repository_do_not_end_the_comparison_early(tmp_path: Path) -> None:
    ini = "[pytest]\naddopts = -x --maxfail=1\njunit_family = xunit2\n"
    with desk(make_repo(tmp_path / "repo", {**RED, "pytest.ini": ini})) as opened:
        known = opened.examine()
        (check,) = known.red
        result = opened.attempt(known, {"test_z.py": FAILS.format("z", "z")})["pytest"]

    assert check.failing_tests == KNOWN
    assert result.failure is not None
    assert "test_z.py::test_z;" in result.failure.message


def test_tests_that_run_in_parallel_have_the_same_ids(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**RED, "pytest.ini": "[pytest]\naddopts = -n2\n"})
    with desk(repo, with_workers(tmp_path / "packages")) as opened:
        (check,) = opened.examine().red

    assert check.failing_tests == KNOWN


def test_a_place_in_an_id_is_the_same_in_every_checkout(tmp_path: Path) -> None:
    test = (
        "import os, pytest\n\n@pytest.mark.parametrize('p', [os.path.abspath('a'), os.environ['TMPDIR']])\n"
        "def test_p(p):\n    assert 0\n"
    )
    repo = make_repo(tmp_path / "repo", {"test_p.py": test})
    with desk(repo) as first:
        known = first.examine()
    with desk(repo) as second:
        result = second.attempt(known, {"src/app.py": "x = 1\n"})["pytest"]

    assert result.passed
    assert result.failing_tests == ("test_p.py::test_p[./a]", "test_p.py::test_p[<tmp>]")


@pytest.mark.parametrize("addopts", ["--no-such-option", "-p no:junitxml"])
def test_a_baseline_whose_tests_cannot_be_told_apart_is_only_reported(addopts: str, tmp_path: Path) -> None:
    files = {**RED, "pytest.ini": f"[pytest]\naddopts = {addopts}\n"}
    with desk(make_repo(tmp_path / "repo", files)) as opened:
        known = opened.examine()
        result = opened.attempt(known, {"test_new.py": FAILS.format("new", "new")})["pytest"]

    assert known.red[0].failing_tests is None
    assert (result.passed, result.gates) == (True, False)
    assert result.note == "only reported: it fails on the baseline, and its failures can't be told apart"


def test_other_checks_that_fail_on_the_baseline_are_only_reported(tmp_path: Path) -> None:
    configuration = read_configuration(
        b"checks = [{name='red', command='false'}, {name='green', command='true'}]", None
    )
    with desk(make_repo(tmp_path / "repo", {"scripts/verify.sh": "exit 3\n"})) as opened:
        known = opened.examine(configuration)
        results = opened.attempt(known, {"src/app.py": "x = 1\n"}, configuration=configuration)

    assert {name: (result.passed, result.gates) for name, result in results.items()} == {
        "unusual code": (True, False),
        "verify.sh": (True, False),
        "compileall": (True, True),
        "pytest": (True, True),
        "red": (True, False),
        "green": (True, True),
    }
    assert gating_commands(registry(configuration, known)) == ("true",)


def test_code_that_does_not_compile_is_only_reported_then(tmp_path: Path) -> None:
    with desk(make_repo(tmp_path / "repo", {"bad.py": "def\n"})) as opened:
        known = opened.examine()
        results = opened.attempt(known, {"src/app.py": "def\n"})

    assert [check.name for check in known.red] == ["compileall"]
    assert results["compileall"].passed
    assert results["compileall"].failure is not None


def test_a_service_that_ended_is_told_with_the_test_that_failed(tmp_path: Path) -> None:
    message = "the command returned 1; the service db ended with exit code 3 before"
    check = BaselineCheck(
        name="pytest",
        gates=True,
        failure=Failure.model_defect(Stage.VERIFY_FAILED, message, where="pytest"),
        note="",
        failing_tests=("test_a.py::test_a",),
        changed=False,
    )
    report = BaselineReport(tree="", identity="", checks=(check,))

    with pytest.raises(Refused, match="test_a; the service db ended with exit code 3 before"):
        require_usable(report, tmp_path, red_accepted=False)
