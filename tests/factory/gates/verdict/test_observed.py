"""Programs of ours in the place of a command's own: what is seen of it, and that nothing else differs."""

import re
import shlex
from pathlib import Path

import pytest

from factory.gates.verdict.judgement import summary_of
from factory.gates.verdict.report import PytestReport, UnittestReport
from tests.support.environments import with_workers
from tests.support.observed import Judged, judged
from tests.support.repositories import write_files

pytestmark = pytest.mark.slow

_DURATION = re.compile(r"in \d+\.\d+s")

FILES = {
    "app.py": "import sys\nimport warnings\n\n\ndef fail():\n    raise ValueError('no')\n\n\n"
    "def warn():\n    warnings.warn('old', stacklevel=2)\n\n\n"
    "if __name__ == '__main__':\n    print(sys.argv[1:], __spec__.name)\n    sys.exit(len(sys.argv) - 1)\n",
    "package/__init__.py": "",
    "package/__main__.py": "import package\n\nprint(package.__name__, __package__)\n1 / 0\n",
    "script.py": "import sys\n\nimport app\n\nprint(sys.argv, sys.path[0], sys.orig_argv, sorted(vars()))\n"
    "print(__file__, __name__, __spec__, __package__, __doc__, __loader__.name, __cached__)\n"
    "print(sys.modules['__main__'].__dict__ is globals())\n"
    "if len(sys.argv) > 1:\n    app.fail()\n",
    "broken.py": "x = (\n",
    "leaves.py": "import sys\n\nsys.exit('bye')\n",
    "tests/test_app.py": (
        "import unittest\n\nimport pytest\n\nimport app\n\n\n"
        "def test_passes(tmp_path):\n    print('said')\n\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_numbers(n):\n    assert n\n\n\n"
        "@pytest.mark.skip(reason='later')\ndef test_later():\n    pass\n\n\n"
        "@pytest.mark.xfail\ndef test_expected():\n    assert 0\n\n\n"
        "@pytest.mark.xfail\ndef test_unexpected():\n    pass\n\n\n"
        "def test_warns():\n    app.warn()\n\n\n"
        "class TestCase(unittest.TestCase):\n    def test_case(self):\n        self.assertTrue(1)\n"
    ),
    "starting/test_processes.py": (
        "import subprocess\nimport sys\n\n\n"
        "def test_starts_a_process():\n"
        "    assert subprocess.run([sys.executable, '-c', 'pass']).returncode == 0\n\n\n"
        "def test_starts_workers():\n    import multiprocessing\n\n"
        "    for kind in ('fork', 'spawn'):\n"
        "        with multiprocessing.get_context(kind).Pool(1) as pool:\n"
        "            assert pool.map(abs, [-1]) == [1]\n"
    ),
    "tests/test_red.py": (
        "def test_red():\n    assert {'a': 1} == {'a': 2}\n\n\ndef test_green():\n    pass\n"
    ),
    "cases/test_case.py": (
        "import unittest\n\n\nclass Case(unittest.TestCase):\n    def test_one(self):\n        pass\n\n"
        "    @unittest.skip('x')\n    def test_two(self):\n        pass\n"
    ),
}  # fmt: skip

SNIPPETS = [
    "",
    "pass",
    "print(1)",
    "import sys; print(sys.argv, sys.path, sys.flags, sys.warnoptions, sys.orig_argv)",
    "import sys; print(sorted(vars()), __name__, __file__ if '__file__' in vars() else None, __spec__)",
    "import sys; print(sys.modules['__main__'].__dict__ is globals(), '_ctypes' in globals())",
    "1/0",
    "x = (",
    "x = = 1",
    "if 1:\nprint(2)",
    "  print(3)",
    "import app; app.fail()",
    "import app; app.warn()",
    "import app\ntry:\n    app.fail()\nexcept ValueError as error:\n    raise KeyError(1) from error",
    "def f():\n    g()\ndef g():\n    raise RuntimeError('deep')\nf()",
    "import sys; sys.exit(3)",
    "import sys; sys.exit('message')",
    "import sys; sys.exit()",
    "raise SystemExit",
    "raise KeyboardInterrupt",
    "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "import atexit; atexit.register(print, 'late'); print('early')",
    "import sys; sys.excepthook = lambda *a: print('mine', a[0].__name__); 1/0",
    "from __future__ import annotations\ndef f(x: undefined): return x\nprint(f(1), f.__annotations__)",
    "from __future__ import annotations",
    "'a docstring'\nprint(__doc__)",
    "x: int = 1\nprint(__annotations__)",
    "assert (1, 2)",
    "print(1 is 1)",
    r"print('\d')",
    "assert 1 == 2, 'unequal'",
    "import os; print(os.getcwd() == os.path.dirname(os.path.abspath('app.py')))",
    "import threading; threading.Thread(target=lambda: print('thread')).start()",
    "print(eval('__import__')('app').__name__)",
    "exec('1/0')",
    "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))).__module__)",
    "import sys; print(input() if not sys.stdin.isatty() else 0)",
    "import nothing_of_that_name",
    "async def f(): return 1\nimport asyncio; print(asyncio.run(f()))",
    "import os\npid = os.fork()\nif pid == 0: print('child')\nelse: os.wait(); print('parent')",
    "import leaves",
]

COMMANDS = [
    *(f"python -c {shlex.quote(snippet)} a 'b c'" for snippet in SNIPPETS),
    *(
        f"python {options} -c {shlex.quote('import sys, app; print(sys.flags, sys.path[:1]); app.warn()')}"
        for options in ("-W error", "-X dev", "-O", "-OO", "-I", "-P", "-E", "-B", "-u", "-S", "-bb")
    ),
    "python -W error -c 'print(1 is 1)'",
    "python -O -c 'assert 0'",
    "env PYTHONPATH=package:cases python -c 'import sys; print(sys.path[:3]); import test_case'",
    "python script.py",
    "python -B ./script.py x",
    "python -I tests/../leaves.py",
    "python -m app",
    "python -m app x y",
    "python -m package",
    "python -m leaves",
    "python -m package.nothing",
    "python -W error -m app",
    "python broken.py",
    "python -m unittest discover -s cases",
    "python -m unittest -v cases.test_case",
    "python -m unittest nothing",
    "python -m unittest --help",
]

SESSIONS = [
    "tests/test_app.py",
    "starting",
    "-q tests",
    "-v tests/test_app.py -p no:randomly",
    "-rA tests/test_app.py",
    "-q tests -x",
    "tests/test_app.py -k 'passes or numbers'",
    "tests/test_app.py --deselect tests/test_app.py::test_warns",
    "-q tests -m nothing",
    "tests --co -q",
    "tests --setup-show -k passes",
    "tests --durations=0 -k nothing",
    "nothing.py",
    "--no-such-option",
    "tests/test_app.py::nothing",
    "tests/test_app.py -p no:terminal",
    "tests/test_app.py -o log_cli=true -s",
    "tests/test_app.py --lf --maxfail=1",
    "--version",
    "-p nothing tests",
]


def as_it_is_read(result: Judged) -> tuple[int | None, int | None, str]:
    return result.exit_code, result.observed.outcome.signal, _DURATION.sub("in <time>", result.printed)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path / "checkout", FILES)
    return tmp_path / "checkout"


@pytest.mark.parametrize("command", COMMANDS)
def test_python_code_ends_and_prints_as_it_would_without_us(command: str, root: Path) -> None:
    ours, theirs = judged(root, command), judged(root, command, directly=True)

    assert as_it_is_read(ours) == as_it_is_read(theirs)
    assert ours.observed.command is not None


@pytest.mark.parametrize("arguments", SESSIONS)
def test_pytest_ends_and_prints_as_it_would_without_us(arguments: str, root: Path) -> None:
    ours = judged(root, f"python -m pytest -p no:cacheprovider {arguments}")
    theirs = judged(root, f"python -m pytest -p no:cacheprovider {arguments}", directly=True)

    assert as_it_is_read(ours) == as_it_is_read(theirs)


def test_the_console_command_prints_as_it_would_without_us(root: Path) -> None:
    ours, theirs = judged(root, "pytest tests"), judged(root, "pytest tests", directly=True)

    assert as_it_is_read(ours) == as_it_is_read(theirs)
    assert ours.observed.report is not None


def test_each_test_is_seen_in_the_way_it_ended(root: Path) -> None:
    report = judged(root, "python -m pytest tests/test_app.py tests/test_red.py starting").observed.report

    assert isinstance(report, PytestReport)
    ends = dict(report.outcomes)
    assert {test.partition("::")[2]: end for test, end in ends.items()} == {
        "test_passes": "passed",
        "test_numbers[1]": "passed",
        "test_numbers[2]": "passed",
        "test_later": "skipped",
        "test_expected": "xfailed",
        "test_unexpected": "xpassed",
        "test_warns": "passed",
        "TestCase::test_case": "passed",
        "test_starts_a_process": "passed",
        "test_starts_workers": "passed",
        "test_red": "failed",
        "test_green": "passed",
    }
    assert [(named.word, named.passed) for named in report.named] == [
        ("tests/test_app.py", 5),
        ("tests/test_red.py", 1),
        ("starting", 2),
    ]
    assert report.canary == "failed"


def test_what_the_project_brings_to_the_session_is_listed(root: Path) -> None:
    write_files(
        root,
        {
            "conftest.py": "def pytest_collection_modifyitems(items): pass\n",
            "pytest.ini": "[pytest]\naddopts = -q -k passes\n",
        },
    )

    summary = summary_of(judged(root, "python -m pytest tests").observed.report)

    assert summary is not None
    assert [(plugin.file, plugin.hooks) for plugin in summary.plugins] == [
        ("conftest.py", ("pytest_collection_modifyitems",))
    ]
    assert (summary.configuration, summary.addopts) == ("pytest.ini", ("-q", "-k", "passes"))
    assert (summary.passed, summary.deselected) == (1, 9)


def test_workers_are_done_without(root: Path, tmp_path: Path) -> None:
    write_files(root, {"pytest.ini": "[pytest]\naddopts = -n 2\n"})

    result = judged(
        root, "python -m pytest -q tests/test_app.py starting", packages=with_workers(tmp_path / "packages")
    )

    assert result.passed


ALL_KINDS = """
import pytest, unittest

@pytest.fixture
def test_data():
    return 1

def test_plain(test_data): pass
def test_removed(): pass
del test_removed

if True:
    def test_conditional(): pass

@pytest.mark.parametrize("n", [1, 2])
def test_with_parameters(n): pass

@pytest.mark.parametrize("n", [])
def test_without_parameters(n): pass

@pytest.mark.skip
def test_later(): pass

class TestGroup:
    def test_in_group(self): pass
    class TestInner:
        def test_inside(self): pass

class TestMade:
    def __init__(self): pass
    def test_in_made(self): pass

class TestOfBase(dict):
    def test_in_subclass(self): pass

class Case(unittest.TestCase):
    def test_case(self): pass
"""


def test_every_kind_of_test_in_a_named_file_is_found_where_pytest_finds_it(root: Path) -> None:
    write_files(root, {"test_kinds.py": ALL_KINDS})

    result = judged(root, "python -m pytest -q -W ignore test_kinds.py")

    assert (result.exit_code, result.missing) == (0, "")


def test_what_the_configuration_takes_for_tests_is_its_own_affair(root: Path) -> None:
    write_files(
        root,
        {
            "pytest.ini": "[pytest]\npython_functions = check_*\n",
            "test_own.py": "def check_a():\n    pass\n\n\ndef test_b():\n    pass\n",
        },
    )

    assert judged(root, "python -m pytest -q test_own.py").passed


def test_what_skips_a_test_is_told_with_its_file(root: Path) -> None:
    write_files(
        root,
        {
            "product.py": (
                "import unittest\n\n\ndef skips():\n    raise unittest.SkipTest\n\n\n"
                "def fails():\n    raise ValueError\n"
            ),
            "test_own.py": (
                "import pytest\nfrom product import fails, skips\n\n\ndef test_a():\n    skips()\n\n\n"
                "def test_b():\n    pytest.skip()\n\n\n@pytest.mark.xfail\ndef test_c():\n    fails()\n\n\n"
                "@pytest.mark.skip\ndef test_d():\n    pass\n\n\ndef test_e():\n    pass\n"
            ),
        },
    )

    report = judged(root, "python -m pytest -q test_own.py").observed.report

    assert isinstance(report, PytestReport)
    skips = (("a", "product.py"), ("b", "test_own.py"), ("c", ""), ("d", ""))
    assert report.skips == tuple((f"test_own.py::test_{name}", file) for name, file in skips)


def test_unittest_tells_which_tests_passed_and_what_skips_others(root: Path) -> None:
    product = (
        "import unittest\n\n\nclass Case(unittest.TestCase):\n"
        "    def setUp(self):\n        self.skipTest('later')\n"
    )
    a_test = "    def test_{0}(self):\n        pass\n"
    tests = (
        "import unittest\nfrom product import Case\n\n\n"
        f"class A(Case):\n{a_test.format('a')}\n\n"
        "class B(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n"
        f"        raise unittest.SkipTest\n\n{a_test.format('b')}\n\n"
        f"class C(unittest.TestCase):\n{a_test.format('c')}\n"
        f"    @unittest.skip('never')\n{a_test.format('d')}\n\n"
        f"@unittest.skip('never')\nclass D(unittest.TestCase):\n{a_test.format('e')}"
    )
    write_files(root, {"product.py": product, "test_own.py": tests})

    whole = judged(root, "python -m unittest test_own")
    named = judged(root, "python -m unittest test_own.B test_own.C")

    assert whole.missing == ""
    assert isinstance(whole.observed.report, UnittestReport)
    assert whole.observed.report.passed == 1
    assert whole.observed.report.skips == (
        ("test_own.py::A::test_a", "product.py"),
        ("test_own.py::B", "test_own.py"),
        ("test_own.py::C::test_d", ""),
        ("test_own.py::D::test_e", "test_own.py"),
    )
    assert (
        named.missing == "unittest returned 0, but of `test_own.B`, which the command names, no test passed"
    )


HONEST_HOOKS = {
    "refuse a test without a mark": (
        "import pytest\ndef pytest_collection_modifyitems(items):\n"
        "    if not all(item.get_closest_marker('own') for item in items):\n"
        "        raise pytest.UsageError('a test without a mark')\n"
    ),
    "look at every test": (
        "def pytest_collection_modifyitems(items):\n"
        "    items.sort(key=lambda item: (item.module.__name__, item.function.__name__, item.cls is None))\n"
    ),
    "end the session at the first failure": (
        "import pytest\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        "    report = yield\n    if report.failed:\n        pytest.exit('failure', 1)\n    return report\n"
    ),
    "look at what every test has": (
        "import pytest\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        "    report = yield\n    if report.failed:\n        item.funcargs['page'].close()\n"
        "    return report\n"
    ),
}


@pytest.mark.parametrize("conftest", HONEST_HOOKS.values(), ids=HONEST_HOOKS)
def test_honest_hooks_don_t_mind_the_canary(conftest: str, root: Path) -> None:
    write_files(root, {"conftest.py": conftest, "test_own.py": OWN})

    assert judged(root, "python -m pytest -q test_own.py").passed


OWN = (
    "import pytest\npytestmark = pytest.mark.own\n\n\ndef test_a():\n    pass\n\n\ndef test_b():\n    pass\n"
)
