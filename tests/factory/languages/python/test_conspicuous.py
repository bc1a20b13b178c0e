"""Which code a person is pointed to, and which is as any other."""

import pytest

from factory.languages.python.conspicuous import conspicuous


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import os\nos._exit(0)", (2, "calls os._exit")),
        ("from os import _exit as leave\ndef f():\n    leave(0)", (3, "calls os._exit")),
        ("import sys\nsys.exit(0)", (2, "calls sys.exit")),
        ("def f():\n    raise SystemExit(0)", (2, "raises SystemExit")),
        ("def f():\n    raise SystemExit", (2, "raises SystemExit")),
        ("import signal\nsignal.alarm(1)", (2, "calls signal.alarm")),
        (
            "import faulthandler as f\nf.dump_traceback_later(1)",
            (2, "calls faulthandler.dump_traceback_later"),
        ),
        ("import _pytest.runner as r\nr.TestReport = None", (2, "changes _pytest.runner.TestReport")),
        ("import pytest\nsetattr(pytest, 'main', 1)", (2, "changes pytest")),
        ("import unittest\ndel unittest.TestCase.run", (2, "changes unittest.TestCase.run")),
        ("import unittest\nunittest.x[0] += 1", (2, "changes unittest.x")),
        ("def f():\n    quit()", (2, "calls quit")),
        ("from sys import _getframe\n_getframe(1)", (2, "calls sys._getframe")),
        ("import gc\nfor x in gc.get_objects(): pass", (2, "calls gc.get_objects")),
        ("import builtins\nbuiltins.all = any", (2, "changes builtins.all")),
        ("import sys\nsys.modules['pytest'] = None", (2, "changes sys.modules")),
        ("import os\n'PYTEST_CURRENT_TEST' in os.environ", (2, "reads PYTEST_CURRENT_TEST")),
        ("class A(str):\n    def __eq__(self, other):\n        return True", (2, "is equal to everything")),
    ],
)
def test_code_that_ends_a_process_or_changes_its_judge_is_pointed_out(
    source: str, why: tuple[int, str]
) -> None:
    assert conspicuous(source) == (why,)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "import sys\nif __name__ == '__main__':\n    sys.exit(main())",
        "import sys\ndef main():\n    sys.exit(2)",
        "async def main():\n    raise SystemExit(1)",
        "import pytest\npytestmark = pytest.mark.slow\n\n\n@pytest.fixture\ndef x(): return pytest.raises",
        "import unittest\nclass A(unittest.TestCase):\n    def setUp(self):\n        self.x = 1",
        "def f(os): return os.path",
        "raise ValueError",
        "class A:\n    def __eq__(self, other):\n        if other is None: return False\n        return True",
        "x = (",
        "\0",
        "(" * 500,
    ],
)
def test_other_code_is_not(source: str) -> None:
    assert conspicuous(source) == ()
