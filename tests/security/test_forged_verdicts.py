"""Proposals that do not do the work and want to pass: none does, whatever exit code it brings about.

The product is one function and the plan's test of it, which every proposal leaves as it is, if it is there.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Stage
from factory.contract.repo_path import RepoPath
from factory.report.show import show_run
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, writes
from tests.support.environments import with_workers
from tests.support.observed import judged
from tests.support.repositories import git, make_repo, write_files
from tests.support.runs import Scene

pytestmark = pytest.mark.slow

TEST = "from slug import slug\n\n\ndef test_slug():\n    assert slug('A b') == 'a-b'\n"
RIGHT = "def slug(text):\n    return text.lower().replace(' ', '-')\n"
WRONG = "def slug(text):\n    return text\n"
CASE = (
    "import unittest\n\nfrom slug import slug\n\n\n"
    "class TestSlug(unittest.TestCase):\n"
    "    def test_slug(self):\n        self.assertEqual(slug('A b'), 'a-b')\n"
)
PYTEST = "python -m pytest -q test_slug.py"
CODE = "python -c \"from slug import slug; assert slug('A b') == 'a-b'\""
TWO = f"{TEST}\n\ndef test_there():\n    assert callable(slug)\n"
RAISES = (
    "import pytest\n\nfrom slug import slug\n\n\n"
    "def test_slug():\n    with pytest.raises(ValueError):\n        slug('')\n"
)
FAKE_REPORT = (
    "import pytest\n\n\n@pytest.hookimpl(wrapper=True, tryfirst=True)\n"
    "def pytest_runtest_makereport(item, call):\n"
    "    report = yield\n    report.outcome, report.longrepr = 'passed', None\n    return report\n"
)

# What is written, the command that is to be passed, and a part of what is said to be missing.
ATTACKS: dict[str, tuple[Mapping[str, str], str, str]] = {
    "the module ends the process at import": (
        {"slug.py": f"import os\nos._exit(0)\n{WRONG}"},
        PYTEST,
        "its session did not reach its end",
    ),
    "the function ends the process": (
        {"slug.py": "import os\n\n\ndef slug(text):\n    os._exit(0)\n"},
        PYTEST,
        "its session did not reach its end",
    ),
    "the session's end ends the process": (
        {"slug.py": WRONG, "conftest.py": "import os\n\n\ndef pytest_sessionfinish():\n    os._exit(0)\n"},
        PYTEST,
        "its session did not reach its end",
    ),
    "the session's end sets the exit status": (
        {"slug.py": WRONG, "conftest.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"},
        PYTEST,
        "its tests failed: test_slug.py::test_slug",
    ),
    "the interpreter's end ends the process": (
        {"slug.py": f"import atexit, os\natexit.register(os._exit, 0)\n{WRONG}"},
        PYTEST,
        "its session ended with 1",
    ),
    "conftest.py ends the process while it is imported": (
        {"slug.py": WRONG, "conftest.py": "import sys\nsys.exit(0)\n"},
        PYTEST,
        "its session did not reach its end",
    ),
    "options only collect": (
        {"slug.py": WRONG, "pytest.ini": "[pytest]\naddopts = --co\n"},
        PYTEST,
        "no test ran",
    ),
    "options only set up": (
        {"slug.py": WRONG, "pytest.ini": "[pytest]\naddopts = --setup-only\n"},
        PYTEST,
        "these tests were begun and did not run to their end: test_slug.py::test_slug",
    ),
    "options ask for the version": (
        {"slug.py": WRONG, "pytest.ini": "[pytest]\naddopts = --version --version\n"},
        PYTEST,
        "its session did not reach its end",
    ),
    "options leave the tests out": (
        {
            "slug.py": WRONG,
            "pytest.ini": "[pytest]\naddopts = --deselect test_slug.py::test_slug\n",
            "test_other.py": "def test_other():\n    pass\n",
        },
        "python -m pytest -q test_slug.py test_other.py",
        "of `test_slug.py`, which the command names, no test passed",
    ),
    "options run the tests in other processes": (
        {"slug.py": WRONG, "pytest.ini": "[pytest]\naddopts = -n 2\n", "conftest.py": FAKE_REPORT},
        PYTEST,
        "the runner was patched",
    ),
    "options unload what is not theirs": (
        {"slug.py": WRONG, "pytest.ini": "[pytest]\naddopts = -p no:runner -p no:main\n"},
        PYTEST,
        "",
    ),
    "reports are rewritten": (
        {"slug.py": WRONG, "conftest.py": FAKE_REPORT},
        PYTEST,
        "the runner was patched",
    ),
    "reports of the plan's test are rewritten where they are counted": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_logreport(report):\n"
                "    if 'test_slug' in report.nodeid:\n        report.outcome = 'passed'\n"
            ),
        },
        PYTEST,
        "the runner was patched: what was reported of test_slug.py::test_slug",
    ),
    "exceptions are taken from the call": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\n"
                "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n"
            ),
        },
        PYTEST,
        "the runner was patched",
    ),
    "tests are not called": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\n"
                "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"
            ),
        },
        PYTEST,
        "the runner was patched",
    ),
    "tests are replaced once they are collected": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "def pytest_collection_modifyitems(items):\n"
                "    for item in items:\n        item.obj = lambda: None\n"
            ),
        },
        PYTEST,
        "the runner was patched",
    ),
    "the loop runs nothing": (
        {"slug.py": WRONG, "conftest.py": "def pytest_runtestloop(session):\n    return True\n"},
        PYTEST,
        "no test ran",
    ),
    "the protocol runs nothing": (
        {
            "slug.py": WRONG,
            "conftest.py": "def pytest_runtest_protocol(item, nextitem):\n    return True\n",
        },
        PYTEST,
        "no test ran",
    ),
    "the report class is patched by the module": (
        {
            "slug.py": (
                "import _pytest.reports as r\n_of = r.TestReport.from_item_and_call.__func__\n\n\n"
                "def _passed(cls, item, call):\n    call.excinfo = None\n"
                "    return _of(cls, item, call)\n\n\n"
                f"r.TestReport.from_item_and_call = classmethod(_passed)\n{WRONG}"
            )
        },
        PYTEST,
        "the runner was patched",
    ),
    "the function patches the runner when it is called": (
        {
            "slug.py": (
                "import _pytest.runner as r\n\n\ndef slug(text):\n"
                "    r.TestReport.from_item_and_call = classmethod(_passed)\n    return text\n\n\n"
                "_of = r.TestReport.from_item_and_call.__func__\n\n\n"
                "def _passed(cls, item, call):\n    call.excinfo = None\n    return _of(cls, item, call)\n"
            )
        },
        PYTEST,
        "the runner was patched",
    ),
    "a hook of the call hides what is raised": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import pytest\n\n\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_call(item):\n"
                "    try:\n        return (yield)\n    except BaseException:\n        return None\n"
            ),
        },
        PYTEST,
        "the runner was patched",
    ),
    "the module skips its tests at import": (
        {"slug.py": f"import pytest\npytest.skip('later', allow_module_level=True)\n{WRONG}"},
        PYTEST,
        "",
    ),
    "the function skips its tests": (
        {"slug.py": "import pytest\n\n\ndef slug(text):\n    pytest.skip('later')\n"},
        PYTEST,
        "no test passed: 1 skipped",
    ),
    "every test is expected to fail": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n"
                "    for item in items:\n        item.add_marker(pytest.mark.xfail)\n"
            ),
        },
        PYTEST,
        "a test that must fail did not",
    ),
    "the function leaves the session": (
        {"slug.py": "import pytest\n\n\ndef slug(text):\n    pytest.exit('done', returncode=0)\n"},
        PYTEST,
        "its session did not reach its end",
    ),
    "a module of the name of pytest": (
        {"slug.py": WRONG, "pytest.py": "raise SystemExit(0)\n", "_pytest.py": "raise SystemExit(0)\n"},
        PYTEST,
        "",
    ),
    "a plugin's module is replaced": (
        {
            "slug.py": WRONG,
            "pluggy.py": "raise SystemExit(0)\n",
            "sitecustomize.py": "import os\nos._exit(0)\n",
        },
        f"env PYTHONPATH=. {PYTEST}",
        "",
    ),
    "a child of the process ends the session for it": (
        {"slug.py": f"import os\nif os.fork():\n    os.wait()\n    os._exit(0)\n{RIGHT}"},
        PYTEST,
        "its session did not reach its end",
    ),
    "the console command": (
        {"slug.py": f"import os\nos._exit(0)\n{WRONG}"},
        "timeout 60 pytest -q test_slug.py",
        "its session did not reach its end",
    ),
    "code: the module ends the process": (
        {"slug.py": f"import os\nos._exit(0)\n{WRONG}"},
        CODE,
        "it ended before its last statement",
    ),
    "code: the module exits": (
        {"slug.py": f"import sys\nsys.exit(0)\n{WRONG}"},
        CODE,
        "it ended before its last statement",
    ),
    "code: the function exits": (
        {"slug.py": "import sys\n\n\ndef slug(text):\n    sys.exit()\n"},
        CODE,
        "it ended before its last statement",
    ),
    "code: the function becomes another program": (
        {"slug.py": "import os\n\n\ndef slug(text):\n    os.execvp('true', ['true'])\n"},
        CODE,
        "it ended before its last statement",
    ),
    "code: the last statement imports what exits": (
        {"slug.py": f"import sys\nsys.exit(0)\n{WRONG}"},
        "python -c 'import slug'",
        "it ended before its last statement",
    ),
    "module: its package exits": (
        {"tool/__init__.py": "raise SystemExit\n", "tool/__main__.py": f"{TEST}\ntest_slug()\n"},
        "python -m tool",
        "it ended before its last statement",
    ),
    "module: what it imports exits": (
        {"slug.py": f"import sys\nsys.exit(0)\n{WRONG}", "tool.py": f"{TEST}\ntest_slug()\n"},
        "python -m tool",
        "it ended before its last statement",
    ),
    "module: what it imports ends the process": (
        {"slug.py": f"import os\nos._exit(0)\n{WRONG}", "tool.py": f"{TEST}\ntest_slug()\n"},
        "python -m tool",
        "it ended before its last statement",
    ),
    "unittest: the function ends the process": (
        {"slug.py": "import os\n\n\ndef slug(text):\n    os._exit(0)\n", "test_slug.py": CASE},
        "python -m unittest -q test_slug",
        "its session did not reach its end",
    ),
    "unittest: the function skips its tests": (
        {
            "slug.py": "import unittest\n\n\ndef slug(text):\n    raise unittest.SkipTest\n",
            "test_slug.py": CASE,
        },
        "python -m unittest -q test_slug",
        "no test passed: 1 skipped",
    ),
    "assertions are taken out while they are rewritten": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import ast\nimport _pytest.assertion.rewrite as r\n\n\n"
                "def without(tree, *_):\n    for node in ast.walk(tree):\n"
                "        if isinstance(node, ast.Assert):\n            node.test = ast.copy_location(\n"
                "                ast.Constant(True), node)\n\n\nr.rewrite_asserts = without\n"
            ),
        },
        PYTEST,
        "the project replaced _pytest.assertion.rewrite.rewrite_asserts",
    ),
    "the runner passes over the plan's test": (
        {
            "slug.py": (
                "import _pytest.python as p\n_run = p.Function.runtest\n\n\ndef _not(self):\n"
                f"    self.name == 'test_slug' or _run(self)\n\n\np.Function.runtest = _not\n{WRONG}"
            )
        },
        PYTEST,
        "the project replaced _pytest.python.Function.runtest",
    ),
    "the plan's test is not called": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "def pytest_pyfunc_call(pyfuncitem):\n"
                "    return True if pyfuncitem.name == 'test_slug' else None\n"
            ),
        },
        PYTEST,
        "a test that must fail did not",
    ),
    "what the plan's test raises is hidden": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import pytest\n\n\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_call(item):\n"
                "    try:\n        return (yield)\n    except BaseException:\n"
                "        if item.name != 'test_slug':\n            raise\n"
            ),
        },
        PYTEST,
        "a test that must fail did not",
    ),
    "another function is collected as the plan's test": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import pytest\n\n\ndef pytest_pycollect_makeitem(collector, name):\n"
                "    if name == 'test_slug':\n        return pytest.Function.from_parent(\n"
                "            collector, name=name, callobj=lambda: None)\n"
            ),
        },
        f"{PYTEST}::test_slug",
        "what ran as test_slug.py::test_slug is not what its file says",
    ),
    "the plan's test is emptied before it is called": (
        {
            "slug.py": (
                "import sys\n\n\ndef _empty(function):\n"
                "    function.__code__ = (lambda: None).__code__\n\n\nframe = sys._getframe()\n"
                "while frame:\n    if frame.f_globals.get('__name__') == 'test_slug':\n"
                f"        frame.f_globals['setup_function'] = _empty\n    frame = frame.f_back\n{WRONG}"
            )
        },
        PYTEST,
        "what ran as test_slug.py::test_slug is not what its file says",
    ),
    "the plan's test is written anew, and back": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import pathlib\nplace = pathlib.Path(__file__).with_name('test_slug.py')\n"
                "old = place.read_text()\nplace.write_text('def test_slug():\\n    pass\\n')\n\n\n"
                "def pytest_sessionfinish():\n    place.write_text(old)\n"
            ),
        },
        PYTEST,
        "what ran as test_slug.py::test_slug is not what its file says",
    ),
    "the plan's test comes from a finder of modules": (
        {
            "slug.py": WRONG,
            "conftest.py": (
                "import importlib.util, sys\n\n\nclass Finder:\n"
                "    def find_spec(self, name, path=None, target=None):\n        if name == 'test_slug':\n"
                "            file = __file__.replace('conftest', name)\n            return "
                "importlib.util.spec_from_file_location(name, file, loader=self)\n\n"
                "    def create_module(self, spec):\n        return None\n\n"
                "    def exec_module(self, module):\n        exec('def test_slug(): pass', vars(module))\n"
                "\n\nsys.meta_path.insert(0, Finder())\n"
            ),
        },
        PYTEST,
        "what ran as test_slug.py::test_slug is not what its file says",
    ),
    "one of the plan's tests is not collected": (
        {
            "slug.py": WRONG,
            "test_slug.py": TWO,
            "conftest.py": (
                "def pytest_pycollect_makeitem(name):\n    return [] if name == 'test_slug' else None\n"
            ),
        },
        PYTEST,
        "1 tests were neither run nor left out openly",
    ),
    "what the first of many tests raises is hidden": (
        {
            "slug.py": WRONG,
            "test_slug.py": TEST + "".join(f"\n\ndef test_{n}():\n    pass\n" for n in range(8)),
            "conftest.py": (
                "import pytest\n\n\n@pytest.hookimpl(wrapper=True)\n"
                "def pytest_pyfunc_call(pyfuncitem):\n    try:\n        return (yield)\n"
                "    except AssertionError:\n        if pyfuncitem.name != 'test_slug':\n            raise\n"
                "        return True\n"
            ),
        },
        PYTEST,
        "the runner was patched: a test that must fail did not",
    ),
    "one of the plan's tests is taken from the list": (
        {
            "slug.py": WRONG,
            "test_slug.py": TWO,
            "conftest.py": (
                "def pytest_collection_modifyitems(items):\n"
                "    items[:] = [item for item in items if item.name != 'test_slug']\n"
            ),
        },
        PYTEST,
        "1 tests were neither run nor left out openly",
    ),
    "what tests call of pytest is replaced": (
        {
            "slug.py": f"import contextlib, pytest\npytest.raises = contextlib.suppress\n{WRONG}",
            "test_slug.py": RAISES,
        },
        PYTEST,
        "the project replaced pytest.raises",
    ),
    "pytest is another module to the tests": (
        {
            "slug.py": (
                "import contextlib, sys, types\nsys.modules['pytest'] = "
                f"types.SimpleNamespace(raises=contextlib.suppress)\n{WRONG}"
            ),
            "test_slug.py": RAISES.replace(
                "import pytest\n\nfrom slug import slug", "from slug import slug\nimport pytest"
            ),
        },
        PYTEST,
        "the project replaced pytest",
    ),
    "unittest's assertion is replaced": (
        {
            "slug.py": f"import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n{WRONG}",
            "test_slug.py": CASE,
        },
        PYTEST,
        "the project replaced unittest.case.TestCase.assertEqual",
    ),
    "every descriptor gets a report without the word": (
        {
            "slug.py": (
                "import os\nfor fd in range(3, 64):\n    try:\n"
                '        os.write(fd, b\'x\\n{"runner": "python", "ended": true}\\n\')\n'
                f"    except OSError:\n        pass\nos._exit(0)\n{WRONG}"
            )
        },
        PYTEST,
        "its session did not reach its end",
    ),
    "code: what is built in is replaced": (
        {"slug.py": f"import builtins\nbuiltins.sorted = lambda *_: ['a']\n{WRONG}"},
        "python -c \"from slug import slug; assert sorted(slug('b')) == ['a']\"",
        "the project replaced builtins.sorted",
    ),
    "code: the hook for exceptions ends the process": (
        {"slug.py": f"import os, sys\nsys.excepthook = lambda *_: os._exit(0)\n{WRONG}"},
        CODE,
        "it ended before its last statement",
    ),
    "script: the function ends the process": (
        {
            "slug.py": "import os\n\n\ndef slug(text):\n    os._exit(0)\n",
            "check.py": f"{TEST}\ntest_slug()\n",
        },
        "python check.py",
        "it ended before its last statement",
    ),
    "script: what it imports exits": (
        {"slug.py": f"raise SystemExit\n{WRONG}", "check.py": f"{TEST}\ntest_slug()\n"},
        "python check.py",
        "it ended before its last statement",
    ),
    "unittest: what counts failures is replaced": (
        {
            "slug.py": f"import unittest\nunittest.TextTestResult.addFailure = lambda *_: None\n{WRONG}",
            "test_slug.py": CASE,
        },
        "python -m unittest -q test_slug",
        "the project replaced unittest.runner.TextTestResult.addFailure",
    ),
    "unittest: the class of the tests swallows how they end": (
        {
            "slug.py": f"import unittest\n\n\nclass Case(unittest.TestCase):\n"
            f"    def _callTestMethod(self, method):\n        pass\n\n\n{WRONG}",
            "test_slug.py": CASE.replace("unittest.TestCase", "slug.Case")
            .replace("import unittest\n", "import slug\n")
            .replace("from slug import slug", "from slug import slug as made")
            .replace("slug(", "made("),
        },
        "python -m unittest -q test_slug",
        "a test that must fail did not",
    ),
    "unittest: a failure is no failure": (
        {
            "slug.py": f"import unittest\n\n\nclass Case(unittest.TestCase):\n"
            f"    def assertEqual(self, *_):\n        pass\n\n\n{WRONG}",
            "test_slug.py": CASE.replace("unittest.TestCase", "slug.Case")
            .replace("import unittest\n", "import slug\n")
            .replace("from slug import slug", "from slug import slug as made")
            .replace("slug(", "made("),
        },
        "python -m unittest -q test_slug",
        "a test that must fail did not",
    ),
    "unittest's assertion is replaced by another of its own": (
        {
            "slug.py": (
                f"import unittest\nunittest.TestCase.assertEqual = unittest.TestCase.assertNotEqual\n{WRONG}"
            ),
            "test_slug.py": CASE,
        },
        PYTEST,
        "the runner was patched: the project replaced unittest.case.TestCase.assertEqual",
    ),
    "an assertion is replaced, and back when it is called": (
        {
            "slug.py": (
                "import unittest\nold = unittest.TestCase.assertEqual\n\n\n"
                "def passes(self, *_):\n    unittest.TestCase.assertEqual = old\n\n\n"
                f"unittest.TestCase.assertEqual = passes\n{WRONG}"
            ),
            "test_slug.py": CASE,
        },
        PYTEST,
        "the runner was patched: the project replaced unittest.case.TestCase.assertEqual",
    ),
    "a replacement says that it is of the standard library": (
        {
            "slug.py": (
                "import os, unittest\nnames = {}\n"
                "exec(compile('def passes(*_): pass', os.__file__, 'exec'), names)\n"
                f"unittest.TestCase.assertEqual = names['passes']\n{WRONG}"
            ),
            "test_slug.py": CASE,
        },
        PYTEST,
        "the runner was patched: the project replaced unittest.case.TestCase.assertEqual",
    ),
    "a replacement says that it is of an installed package": (
        {
            "slug.py": (
                "import pluggy, unittest\nnames = {}\n"
                "place = pluggy.__file__.replace('pluggy', 'iniconfig')\n"
                "exec(compile('def passes(*_): pass', place, 'exec'), names)\n"
                f"unittest.TestCase.assertEqual = names['passes']\n{WRONG}"
            ),
            "test_slug.py": CASE,
        },
        PYTEST,
        "the runner was patched: the project replaced unittest.case.TestCase.assertEqual",
    ),
    "a replacement comes from a file outside": (
        {
            "slug.py": (
                "import pathlib, sys, tempfile, unittest\nplace = pathlib.Path(tempfile.mkdtemp())\n"
                "(place / 'passing.py').write_text('def passes(*_): pass')\nsys.path.append(str(place))\n"
                f"unittest.TestCase.assertEqual = __import__('passing').passes\n{WRONG}"
            ),
            "test_slug.py": CASE,
        },
        PYTEST,
        "the runner was patched: the project replaced unittest.case.TestCase.assertEqual",
    ),
    "pytest.raises is replaced by a decorated function": (
        {
            "slug.py": (
                "import contextlib, sys\n\n\n@contextlib.contextmanager\ndef raises(*_):\n    yield\n\n\n"
                f"sys.modules['pytest'].raises = raises\n{WRONG}"
            ),
            "test_slug.py": RAISES,
        },
        PYTEST,
        "the runner was patched: the project replaced pytest.raises",
    ),
    "code: what exits is replaced": (
        {"slug.py": f"import sys\nsys.exit = lambda *_: None\n{WRONG}"},
        "python -c \"import sys; from slug import slug; sys.exit(slug('A b') != 'a-b')\"",
        "the runner was patched: the project replaced sys.exit",
    ),
    "unittest: a module of its name": (
        {"slug.py": WRONG, "test_slug.py": CASE, "unittest.py": "raise SystemExit(0)\n"},
        "python -m unittest -q test_slug",
        "",
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_proposal_that_does_not_do_the_work_does_not_pass(name: str, tmp_path: Path) -> None:
    files, command, missing = ATTACKS[name]
    root = tmp_path / "checkout"
    write_files(root, {"test_slug.py": TEST, **files})

    packages = with_workers(tmp_path / "packages") if "other processes" in name else None
    result = judged(root, command, packages=packages)

    assert not result.passed
    assert missing in result.missing


@pytest.mark.parametrize(
    "command", [PYTEST, CODE, "pytest -q", "python -m pytest -q test_slug.py::test_slug"]
)
def test_the_work_done_passes(command: str, tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    write_files(root, {"slug.py": RIGHT, "test_slug.py": TEST})

    assert judged(root, command).passed


# The proposal's files, the acceptance command, and a part of why the run failed.
WHOLE_RUNS: dict[str, tuple[Mapping[str, str], str, str]] = {
    "verify: the module ends the process": (
        {"slug.py": f"import os\nos._exit(0)\n{WRONG}"},
        "grep -q slug slug.py",
        "pytest returned 0, but its session did not reach its end",
    ),
    "acceptance: options only collect": (
        {"slug.py": WRONG, "pytest.ini": "[pytest]\naddopts = --co\n"},
        "python -m pytest -q test_slug.py",
        "pytest returned 0, but no test ran",
    ),
    "acceptance: the module exits": (
        {"slug.py": f"import sys\nsys.exit(0)\n{WRONG}"},
        CODE,
        "it returned 0, but it ended before its last statement",
    ),
    "acceptance: the function skips one of the tests": (
        {
            "slug.py": "import unittest\n\n\ndef slug(text):\n    raise unittest.SkipTest\n",
            "test_slug.py": TWO,
        },
        PYTEST,
        "did not run to its end, because the code under test skipped it: slug.py",
    ),
    "acceptance: the function has one of the tests expected to fail": (
        {
            "slug.py": "import sys\n\n\ndef slug(text):\n    sys.modules['pytest'].xfail('later')\n",
            "test_slug.py": TWO,
        },
        PYTEST,
        "did not run to its end, because the code under test skipped it: slug.py",
    ),
}


@pytest.mark.parametrize("name", WHOLE_RUNS)
def test_no_run_lands_what_proved_nothing(name: str, tmp_path: Path) -> None:
    files, command, why = WHOLE_RUNS[name]
    # Without a test of the product where the verification itself is not to notice.
    tests = {"test_slug.py": TEST} if command != CODE else {}
    scene = Scene(
        make_repo(tmp_path / "repo", {"README.md": "a product\n", "slug.py": RIGHT, **tests}),
        [a_proposal(files, bases={"slug.py": RIGHT, **tests})],
        allowed_files=sorted(files),
        acceptance_commands=[command],
    )

    accepted = frozenset(map(RepoPath.parse, files)) & {RepoPath("pytest.ini")}
    finished = scene.run(max_attempts=1, accepted_configuration=accepted)

    assert finished.ending.exit_code is ExitCode.FAIL
    assert finished.ending.failure is not None
    assert why in finished.ending.failure.message
    assert git(scene.repo, "log", "--format=%s") == git(scene.repo, "log", "-1", "--format=%s")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("python_functions = check_*\ntestpaths = nowhere", "python_functions"),
        ("addopts = --co", "addopts = --co"),
        ("addopts = -q --deselect test_slug.py::test_slug", "addopts = --deselect"),
    ],
)
def test_no_proposal_brings_a_choice_of_tests_that_nobody_accepted(
    setting: str, said: str, tmp_path: Path
) -> None:
    files = {"slug.py": WRONG, "pytest.ini": f"[pytest]\n{setting}\n"}
    scene = Scene(
        make_repo(tmp_path / "repo", {"slug.py": RIGHT, "test_slug.py": TEST}),
        [a_proposal(files, bases={"slug.py": RIGHT})],
        allowed_files=[*files],
        acceptance_commands=["grep -q x slug.py", "python -m pytest -q test_slug.py"],
    )

    failure = scene.run(max_attempts=1, red_probe=False).ending.failure

    assert failure is not None
    assert failure.stage is Stage.WRITE_SCOPE_VIOLATION
    assert failure.message == f"`pytest.ini` says which tests are found or run: `{said}`"
    assert "--allow-config pytest.ini" in failure.hint


JUDGING = "from title import title\n\n\ndef test_title():\n    assert title('a') == 'A'\n"


def marked(mark: str) -> str:
    return "import pytest\n" + JUDGING.replace("def ", f"@pytest.mark.{mark}\ndef ")


@pytest.mark.parametrize(
    ("test", "is_proven"),
    [
        (marked("skip"), False),
        (marked("skipif(True, reason='later')"), False),
        (marked("xfail"), False),
        ("import pytest\n\npytest.skip('later', allow_module_level=True)\n", False),
        (f"{marked('skip')}\n\ndef test_there():\n    assert callable(title)\n", True),
    ],
)
def test_a_file_of_tests_that_are_all_left_out_proves_nothing(
    test: str, is_proven: bool, tmp_path: Path
) -> None:
    files = {"title.py": "def title(text):\n    return text\n", "test_title.py": test}
    scene = Scene(
        make_repo(tmp_path / "repo", {"slug.py": RIGHT, "test_slug.py": TEST}),
        [a_proposal(files)],
        allowed_files=[*files],
        acceptance_commands=["python -m pytest -q", "grep -q def title.py"],
    )

    ending = scene.run(max_attempts=1).ending

    if is_proven:
        assert ending.exit_code is ExitCode.PASS
        return
    assert ending.failure is not None
    assert ending.failure.message == (
        "of test_title.py, which the work order adds, no test ran and passed: they are all left out"
    )


def test_a_landed_commit_names_the_weakest_verdict_of_its_acceptance(tmp_path: Path) -> None:
    scene = Scene(
        make_repo(tmp_path / "repo", {"README.md": "a product\n", "test_slug.py": TEST}),
        [a_proposal({"slug.py": RIGHT})],
        allowed_files=["slug.py"],
        acceptance_commands=[PYTEST, CODE],
    )

    finished = scene.run(baseline_red=True)

    assert git(scene.repo, "log", "-1", "--format=%(trailers:key=Verdict,valueonly)").strip() == "completion"
    assert finished.folder is not None
    shown = show_run(finished.folder)
    assert f"{PYTEST}  (by report)\n                 1 passed" in shown
    assert "(by completion)" in shown


def test_a_test_that_is_removed_where_it_may_be_is_told_to_a_person(tmp_path: Path) -> None:
    before = {"slug.py": RIGHT, "test_slug.py": TWO}
    scene = Scene(
        make_repo(tmp_path / "repo", before),
        [a_proposal({"slug.py": RIGHT + "# more\n", "test_slug.py": TEST}, bases=before)],
        allowed_files=["slug.py", "test_slug.py"],
        acceptance_commands=["python -m pytest -q", "grep -q more slug.py"],
    )

    finished = scene.run(max_attempts=1)

    assert finished.ending.exit_code is ExitCode.PASS
    assert git(scene.repo, "log", "-1", "--format=%(trailers:key=Removed-Tests,valueonly)").strip() == "1"
    assert finished.folder is not None
    assert "removed or renamed: test_slug.py::test_there\n" in show_run(finished.folder)


def test_no_build_lands_what_hides_a_test_that_passed_before(tmp_path: Path) -> None:
    repo = make_repo(
        tmp_path / "repo",
        {"test_old.py": "def test_old():\n    pass\n", "test_other.py": "def test_other():\n    pass\n"},
    )
    hiding = {"conftest.py": "collect_ignore = ['test_old.py']\n"}
    scene = BuildScene(repo, [writes("conftest.py")], lambda *_: a_proposal(hiding))

    # Also where a person accepted the file.
    scene.build(max_attempts=1, accepted_configuration=(RepoPath("conftest.py"),))

    assert scene.landed() == []
    brief = next(scene.out.glob("*/attempt_1/failure_brief.json")).read_text("utf-8")
    assert "1 test that passed before no longer ran and passed: test_old.py::test_old" in brief
