"""The rules on what acceptance proves: code that can't be wrong, commands that pass before the work."""

import pytest

from factory.plans.commands.programs import read_command
from factory.plans.commands.strength import only_looks
from factory.plans.states.sources import Sources
from planner.check.document import check_document
from tests.support.plans import Json, absent, exists, makes, manifest


def python(code: str) -> str:
    return f'python -c "{code}"'


def diagnostics(
    *orders: Json, repo: dict[str, bytes] | None = None, **fields: object
) -> list[tuple[str, str]]:
    """Codes and places of what is found in a plan for a repository."""
    files = repo or {}
    sources = Sources(frozenset(files), files.get)
    checked = check_document(manifest(*orders, **fields), frozenset(files), sources=sources)
    return [(found.code, found.pointer) for found in checked.diagnostics]


def weak(*commands: str) -> list[str]:
    """Where a work order that builds behaviour has acceptance that proves too little."""
    step = makes(1, "a.py", "test_a.py", acceptance_commands=list(commands))
    return [pointer for code, pointer in diagnostics(step) if code == "W401"]


def passing(*orders: Json, repo: dict[str, bytes] | None = None) -> list[str]:
    """Where acceptance passes before the work."""
    return [pointer for code, pointer in diagnostics(*orders, repo=repo) if code == "W410"]


COMMANDS = "/work_orders/0/acceptance_commands"


class TestWeakAcceptance:
    @pytest.mark.parametrize(
        "code",
        [
            "from a import f; f('x')",
            "from a import f; print(f('x'))",
            "from a import S; s = S(); assert s.total() == s.total()",
            "from a import f; assert f(1) >= f(1)",
            "from a import f; assert isinstance(f([]), dict)",
            "from a import f\ntry: assert f(1) == 2\nexcept Exception: pass",
            "from a import f\ntry:\n  for x in f(): assert x == 2\nexcept (OSError, AssertionError): pass",
            "from a import f\ntry: assert f(1) == 2\nexcept: pass",
            "from a import f; assert isinstance(f(1), (int, float))",
            "from a import f; assert type(f(1)) is int",
            "from a import f; assert f(1) is not None",
            "from a import f; assert f(1) in [f(1)]",
            "from a import f; x = f(1); assert x == x",
            "from a import f; f(1); assert 'a' in 'abc'",
            "import subprocess; subprocess.run(['python', '-m', 'a'], check=False)",
            "from subprocess import run; run(['python', '-m', 'pytest', 'tests/test_a.py'])",
            "import os; os.system('python -m a')",
            "from a import f; x = f(1); assert x is not None",
            "import a; a.f(1); assert a.f",
            "from a import f\nwith open('x') as t: f(t)",
            "assert sorted('ba') == ['a', 'b']",
            "import json; assert json.loads('[1]') == [1]",
            "pass",
        ],
    )
    def test_code_that_no_wrong_result_fails(self, code: str) -> None:
        assert weak(python(code)) == [COMMANDS]

    @pytest.mark.parametrize("options", ["-O", "-OO", "-bO", "-O -W error"])
    def test_assertions_that_the_interpreter_leaves_out(self, options: str) -> None:
        code = "from a import f; assert f(1) == 2"

        assert weak(f'python {options} -c "{code}"') == [COMMANDS]
        assert weak(f'python -W O -c "{code}"') == []

    @pytest.mark.parametrize(
        ("command", "is_weak"),
        [
            ("env PYTHONOPTIMIZE=1 python -c '{}'", True),
            ("env PYTHONOPTIMIZE=2 python -c '{}'", True),
            ("env -i PYTHONOPTIMIZE=yes python3 -c '{}'", True),
            ("env -S 'PYTHONOPTIMIZE=1 python' -c '{}'", True),
            ("env PYTHONOPTIMIZE=1 timeout 5 python -c '{}'", True),
            ("sh -c \"PYTHONOPTIMIZE=1 python -c '{}'\"", True),
            ("sh -c \"export PYTHONOPTIMIZE=1; python -c '{}'\"", True),
            ("env PYTHONOPTIMIZE=1 sh -c \"python -c '{}'\"", True),
            ("env PYTHONOPTIMIZE=0 python -c '{}'", False),
            ("env PYTHONOPTIMIZE= python -c '{}'", False),
            ("env PYTHONOPTIMIZE=1 python -E -c '{}'", False),
            ("env PYTHONOPTIMIZE=1 python -I -c '{}'", False),
            ("env PYTHONOPTIMIZE=1 env -u PYTHONOPTIMIZE python -c '{}'", False),
            ("sh -c \"PYTHONOPTIMIZE=1 true; python -c '{}'\"", False),
            ("env PYTHONHASHSEED=1 python -c '{}'", False),
        ],
    )
    def test_assertions_that_the_environment_leaves_out(self, command: str, is_weak: bool) -> None:
        found = weak(command.format("from a import f; assert f(1) == 2"))

        assert found == ([COMMANDS] if is_weak else [])

    @pytest.mark.parametrize(
        ("command", "is_weak"),
        [
            # What pytest has rewritten holds without Python's own assertions.
            ("python -O -m pytest -q test_a.py", False),
            ("env PYTHONOPTIMIZE=1 python -m pytest -q test_a.py", False),
            ("python -m pytest -q --assert=plain test_a.py", False),
            ("python -O -m pytest -q --assert=plain test_a.py", True),
            ("env PYTHONOPTIMIZE=1 pytest --assert plain test_a.py", True),
        ],
    )
    def test_assertions_that_pytest_rewrites_hold(self, command: str, is_weak: bool) -> None:
        assert weak(command) == ([COMMANDS] if is_weak else [])

    def test_an_option_of_python_is_nothing_to_what_its_code_starts(self) -> None:
        check = (
            "import subprocess; subprocess.run(['python', '-c', 'import a; assert a.f(1) == 2'], check=True)"
        )

        assert weak(f'python -O -c "{check}"') == []

    @pytest.mark.parametrize(
        "code",
        [
            "from a import f; assert f('x')",
            "from a import f; assert len(f('x')) >= 1",
            "from a import f; assert f(1) == f(2)",
            "from a import f; assert f(seed=1) == f(seed=1)",
            "import random; from a import f; assert f(random.Random(1)) == f(random.Random(1))",
            "from a import f; assert isinstance(f(1), int) and f(1) == 2",
            "from a import Node, parse; assert isinstance(parse('1'), Node)",
            "from a import get; assert get(1) is not None",
            "import pytest; from a import E, f; pytest.raises(E, f, '1')",
            "import pytest; from a import E, f\nwith pytest.raises(E): f('1')",
            "import sys; from a import f; sys.exit(f('a') != 2)",
            "from a import f\nif f(1) != 2: raise SystemExit(1)",
            "from a import f\ntry: f('')\nexcept ValueError: pass\nelse: assert False",
            "from a import f\nfor x in f(): assert x > 1",
            "from a import f\ntry: assert f(1) == 2\nexcept OSError: pass",
            "from a import f\ntry: assert f(1) == 2\nexcept AssertionError: raise SystemExit(1)",
            "from a import f; one, two = f(1)",
            "from a import f; 1 / (f(1) == 2)",
            "from a import main; main(['x'])",
            "from a import check_all; check_all()",
            "import asyncio; from a import go; asyncio.run(go())",
            "assert open('a.txt').read() == 'x'",
            "import a; assert 2 == len(a.f()), 'two'",
        ],
    )
    def test_code_that_a_wrong_result_fails(self, code: str) -> None:
        assert weak(python(code)) == []

    @pytest.mark.parametrize(
        "code",
        [
            "from a import S; s = S(); assert isinstance(s, S) or s.total() == 3",
            "from a import f; assert (f(1) == 2, 'two')",
            "from a import f; assert f(1) == 2 or True",
            "from a import f; assert f(1) or not f(1)",
            "from a import f; assert f(1) == 2 or f(1) != 2",
            "from a import f; assert f(1) == 2 or 'two'",
            "from a import f; assert [f(1) == 2]",
            "from a import f; assert 'f(1) == 2'",
            "from a import f; f(1) == 2",
            "from a import f; assert len(f(1)) >= 0",
            "from a import f; assert -1 < len(f(1))",
            "from a import f; assert 0 <= len(f(1)) and not len(f(1)) < 0",
            "from a import f; n = len(f(1)); assert n != -1",
            "from a import f; x = f(1); assert x in [x]",
            "from a import f; x = f(1); assert x in (0, x), x",
            "from a import f; x = f(1); assert x is x",
            "from a import f; x = f(1); assert x is None or x is not None",
            "from a import f; assert isinstance(f(1), object)",
            "from a import f; assert isinstance(f(1), (int, object))",
            "from a import f; assert True or f(1) == 2",
            "from a import f; assert not (False and f(1))",
        ],
    )
    def test_an_assertion_in_vain_is_told_beside_others(self, code: str) -> None:
        assert weak("python -m pytest -q test_a.py", python(code)) == [f"{COMMANDS}/1"]

    @pytest.mark.parametrize(
        "code",
        [
            "from a import f\ntry: f(0)\nexcept ValueError: assert True\nelse: assert False",
            "from a import f; assert f(1) == 2 or f(1) == 3",
            "from a import f; assert f(1) or not f(2)",
            "from a import f; assert all(x == 1 for x in f())",
            "from a import f; assert (f(1) == 2), 'two'",
            "from a import f; x = f(1) == 2; assert x",
            "from a import f; assert [*f(1)]",
            "try: import a\nexcept ImportError: assert 1 == 1",
            "from a import f; assert len(f(1)) >= 1",
            "from a import f; assert 0 < len(f(1))",
            "from a import f; assert 0 <= len(f(1)) < 3",
            "from a import f; assert len(f(1)) != 0",
            "from a import len; assert len(1) >= 0",
            "from a import *; assert len(1) >= 0",
            "from a import isinstance as i, object; assert isinstance(i, object)",
            "from a import f\nn = len(f(1))\nn = f(2)\nassert n >= 0",
            "from a import f\nn = len(f(1))\nn -= 3\nassert n >= 0",
            # What equals nothing, not even itself, or is another thing each time.
            "from a import f; x = f(1); assert x == x",
            "from a import f; assert f(1) is f(1)",
            "from a import f; assert f(1) in [f(1)]",
            "from a import f; assert isinstance(f(1), int)",
        ],
    )
    def test_an_assertion_that_may_be_false_is_left_alone(self, code: str) -> None:
        assert weak("python -m pytest -q test_a.py", python(code)) == []

    @pytest.mark.parametrize("nested", ["+".join("1" * 4_000), f"{'-' * 4_000}1"], ids=["sum", "signs"])
    def test_code_that_is_nested_deeply_ends_nothing(self, nested: str) -> None:
        assert weak(python(f"from a import f; assert f(1) == {nested} or f(1) == {nested}")) in (
            [],
            [COMMANDS],
        )

    def test_a_number_that_python_refuses_to_write_down_ends_nothing(self) -> None:
        assert weak(python(f"from a import f; assert f(1) == 0x{'f' * 3_700} or 0x{'f' * 3_700}")) == [
            COMMANDS,
            f"{COMMANDS}/0",
        ]

    @pytest.mark.parametrize(
        ("command", "is_weak"),
        [
            ("sh -c 'pytest -q || true'", True),
            ("bash -c 'pytest -q; exit 0'", True),
            ("timeout 9 bash -c 'python a.py; echo done'", True),
            ("bash -c 'set -e; test -f a.py'", True),
            ("bash -c 'set -e; python a.py; echo done'", False),
            ("bash -ec 'python a.py; true'", False),
            ("sh -c 'python a.py || exit 1; true'", False),
            ("sh -c 'python a.py && true'", False),
            ("sh -c 'true; python a.py'", False),
            ("sh -c 'python a.py \"x || true\"'", False),
        ],
    )
    def test_a_shell_that_ends_well_whatever_happened(self, command: str, is_weak: bool) -> None:
        assert only_looks(read_command(command)) is is_weak


class TestPassesBefore:
    def test_tests_that_earlier_work_made_pass(self) -> None:
        first = makes(1, "a.py", "tests/test_a.py", acceptance_commands=["pytest -q tests/test_a.py"])
        for command in ("python -m pytest tests/test_a.py -x", "pytest -q tests", "python -m pytest"):
            assert passing(first, makes(2, "b.py", acceptance_commands=[command])) == [
                "/work_orders/1/acceptance_commands/0"
            ]

    @pytest.mark.parametrize(
        "command",
        [
            "pytest -q tests/test_a.py::test_more",
            "pytest -q tests/test_b.py",
            "pytest -q tests/test_a.py tests/test_b.py",
            "pytest -q tests/test_a.py -k more",
            "pytest -q tests/test_a.py --cov-fail-under=90",
            "env MORE=1 pytest -q tests/test_a.py",
            "pytest -q more",
            "python -m mypy a.py",
            "test ! -f a.py",
            "test -f b.py",
            "test -x a.py",
        ],
    )
    def test_what_may_fail_before_is_left_alone(self, command: str) -> None:
        first = makes(1, "a.py", "tests/test_a.py", acceptance_commands=["pytest -q tests/test_a.py"])
        assert passing(first, makes(2, "b.py", "tests/test_b.py", acceptance_commands=[command])) == []

    def test_tests_that_were_written_before_their_code_may_fail(self) -> None:
        first = makes(1, "tests/test_a.py", acceptance_commands=["test -f tests/test_a.py"])
        for command in ("pytest -q tests/test_a.py", "pytest -q"):
            assert passing(first, makes(2, "a.py", acceptance_commands=[command])) == []

    @pytest.mark.parametrize(
        ("test", "allowed", "passes"),
        [
            (b"from a import f\n", "a.py", False),
            (b"import pytest\nfrom kit import a\n", "src/kit/a.py", False),
            (b"import kit.a\n", "kit/a.py", False),
            (b"from kit import b\n", "kit/a.py", True),
            (b"from kit import a\n", "kit/b.py", True),
            (b"def broken(\n", "a.py", True),
        ],
    )
    def test_tests_of_the_repository_that_wait_for_a_module_fail(
        self, test: bytes, allowed: str, passes: bool
    ) -> None:
        repo = {"tests/test_a.py": test, "kit/b.py": b""}
        for command in ("pytest -q tests/test_a.py", "pytest -q"):
            step = makes(1, allowed, acceptance_commands=[command])
            assert passing(step, repo=repo) == ([f"{COMMANDS}/0"] if passes else [])

    def test_files_that_are_there_and_words_that_stand_in_them(self) -> None:
        repo = {"README.md": b"# Words\n", "data.csv": b"", "tests/test_a.py": b""}

        def one(command: str, **fields: object) -> list[str]:
            return passing(makes(1, "README.md", "b.py", acceptance_commands=[command], **fields), repo=repo)

        assert one("test -f data.csv") == one("grep -q Words README.md") == [f"{COMMANDS}/0"]
        assert one("pytest -q tests/test_a.py") == one("pytest -q") == [f"{COMMANDS}/0"]
        assert one("grep -q 'More words' README.md") == one("grep -q ^Words README.md") == []
        assert one("grep -v Words README.md") == one("test -s data.csv") == one("test -f b.py") == []
        stays = [{"command": "test -f data.csv", "reason": "It stays."}]
        assert one("test -f data.csv", red_exempt=stays) == ["/work_orders/0/red_exempt"]

    def test_a_file_that_earlier_work_may_change_is_not_read(self) -> None:
        steps = makes(1, "a.md"), makes(2, "b.py", acceptance_commands=["grep -q x a.md"])
        assert passing(*steps, repo={"a.md": b"x"}) == []

    @pytest.mark.parametrize(
        "command", ["true", "echo done", "sh -c 'pytest || true'", python("assert 1 + 1 == 2")]
    )
    def test_what_depends_on_nothing_of_the_repository(self, command: str) -> None:
        assert passing(makes(1, "a.py", acceptance_commands=[command])) == [f"{COMMANDS}/0"]

    @pytest.mark.parametrize(
        "code",
        [
            "import a; assert 1 + 1 == 2",
            "assert open('a.txt').read() == ''",
            "import sys; sys.path.insert(0, 'src'); import a",
            "import os; assert os.listdir('.')",
            "exec('import a')",
        ],
    )
    def test_what_may_depend_on_it_is_left_alone(self, code: str) -> None:
        assert passing(makes(1, "a.py", acceptance_commands=[python(code)])) == []

    def test_some_commands_may_be_exempt_and_not_all(self) -> None:
        commands = ["pytest -q", "python a.py"]
        exempt = [{"command": command, "reason": "It stays as it is."} for command in commands]
        for count, found in ((0, []), (1, []), (2, ["/work_orders/0/red_exempt"])):
            step = makes(1, "a.py", acceptance_commands=commands, red_exempt=exempt[:count])
            assert passing(step) == found


class TestPins:
    def pinned(self, code: str, *paths: str, intent: str = "Do more.", **fields: object) -> list[str]:
        """Where a command of the first work order pins what the second may add to."""
        first = makes(1, "a/__init__.py", "a/b.py", acceptance_commands=[python(code)])
        second = makes(2, *paths, intent=intent, acceptance_commands=["python -m a"], **fields)
        return [pointer for code, pointer in diagnostics(first, second) if code == "W411"]

    @pytest.mark.parametrize(
        "code",
        [
            "import a; assert a.__all__ == ['x']",
            "import a; assert set(a.__all__) ^ {'x'} == set()",
            "import a; assert sorted(a.__all__) == ['x']",
            "import a; assert ['x'] == [n for n in dir(a) if n]",
            "from a.b import UNITS; assert sorted(UNITS) == ['m']",
            "from a.b import UNITS; assert set(UNITS.keys()) == {'m'}",
            "import a.b; assert len(a.b.UNITS) == 3",
        ],
    )
    def test_what_a_later_work_order_adds_to(self, code: str) -> None:
        paths = ("a/__init__.py", "a/b.py")
        assert self.pinned(code, *paths, intent="Add to `UNITS`.") == [f"{COMMANDS}/0"]
        assert self.pinned(code, "a/c.py", intent="Use `UNITS`.") == []

    @pytest.mark.parametrize(
        "code",
        [
            "import a; assert 'x' in a.__all__",
            "import a; assert [n for n in a.__all__ if n[0].isupper()] == ['X']",
            "import a; assert {'x'} <= set(a.__all__)",
            "from a.b import UNITS; assert UNITS['m'] == 1",
            "from a.b import units; assert sorted(units('m')) == ['m']",
            "from a.b import f; UNITS = f(); assert sorted(UNITS) == ['m']",
            "import a.b; x = a.b.f(); assert len(x) == 3",
        ],
    )
    def test_what_leaves_room(self, code: str) -> None:
        assert self.pinned(code, "a/__init__.py", "a/b.py", intent="Add to `UNITS`.") == []

    def test_a_table_that_nobody_speaks_of_stays_as_it_is(self) -> None:
        code = "from a.b import UNITS; assert sorted(UNITS) == ['m']"
        assert self.pinned(code, "a/b.py", intent="Add `UNITS_OF_TIME`.") == []

    @pytest.mark.parametrize("listing", ["os.listdir('a')", "pathlib.Path('a/').iterdir()"])
    def test_the_files_of_a_directory(self, listing: str) -> None:
        code = f"import os, pathlib; assert sorted({listing}) == ['b.py']"
        assert self.pinned(code, "a/c.py", preconditions=[absent("a/c.py")]) == [f"{COMMANDS}/0"]
        assert self.pinned(code, "a/b.py", preconditions=[exists("a/b.py")]) == []
        assert self.pinned(code, "c/c.py", preconditions=[absent("c/c.py")]) == []

    def test_a_file_that_was_not_there_is_made_whatever_its_conditions(self) -> None:
        code = "import os; assert sorted(os.listdir('a')) == ['__init__.py', 'b.py']"
        assert self.pinned(code, "a/c.py", "a/b.py") == [f"{COMMANDS}/0"]
        assert self.pinned(code, "a/b.py") == []
        assert self.pinned(code.replace("'a'", "'.'"), "c.py") == [f"{COMMANDS}/0"]
        assert self.pinned(code.replace("'a'", "'./a/'"), "a/c.py") == [f"{COMMANDS}/0"]
        first = makes(1, "a/b.py", acceptance_commands=[python(code)])
        second = makes(2, "a/__init__.py", acceptance_commands=["python -m a"])
        assert "W411" not in [found for found, _ in diagnostics(first, second, repo={"a/__init__.py": b""})]

    @pytest.mark.parametrize("program", ["'-m', 'a'", "'a/b.py'", "'./a/b.py'"])
    @pytest.mark.parametrize(
        "check",
        [
            "assert subprocess.run([sys.executable, {}, '--help'], text=True).stdout == 'usage: a [-h]'",
            "out = subprocess.check_output([sys.executable, {}, '--help']); assert b'usage' == out.strip()",
            "p = subprocess.run(['python', {}, '--help'], text=True); assert p.stdout.strip() == 'usage:'",
        ],
    )
    def test_the_whole_help_of_a_program(self, program: str, check: str) -> None:
        code = f"import subprocess, sys; {check.format(program)}"
        assert self.pinned(code, "a/b.py", intent="Add the option `--sum`.") == [f"{COMMANDS}/0"]
        assert self.pinned(code, "a/b.py", intent="Add the command `sum`.") == [f"{COMMANDS}/0"]
        assert self.pinned(code, "a/b.py", intent="Sort what is printed.") == []
        assert self.pinned(code, "c.py", intent="Add the option `--sum`.") == []

    @pytest.mark.parametrize(
        "check",
        [
            "subprocess.run(['python', 'a/b.py', '--help']).returncode == 0",
            "'usage' in subprocess.run(['python', 'a/b.py', '--help'], text=True).stdout",
            "subprocess.run(['python', 'a/b.py', '--help'], text=True).stdout.split()[0] == 'usage:'",
            "subprocess.run(['python', 'a/b.py', 'x'], text=True).stdout == '--help'",
        ],
    )
    def test_help_that_leaves_room(self, check: str) -> None:
        code = f"import subprocess; assert {check}"
        assert self.pinned(code, "a/b.py", intent="Add the option `--sum`.") == []

    def test_the_commands_of_a_script(self) -> None:
        run = "subprocess.run([sys.executable, 'a/b.py', '--help'], capture_output=True, text=True)"
        code = f"import subprocess, sys; assert '{{count}}' in {run}.stdout"
        later = {"preconditions": [exists("a/b.py")]}
        assert self.pinned(code, "a/b.py", intent="Add the command `sum`.", **later) == [f"{COMMANDS}/0"]
        assert self.pinned(code, "a/__init__.py", intent="Add the command `sum`.", **later) == []

    def test_help_by_its_short_option(self) -> None:
        run = "subprocess.run([sys.executable, '-m', 'a', '-h'], capture_output=True, text=True)"
        code = f"import subprocess, sys; assert '{{count}}' in {run}.stdout"
        later = {"preconditions": [exists("a/b.py")], "intent": "Add the command `sum`."}
        assert self.pinned(code, "a/b.py", **later) == [f"{COMMANDS}/0"]

    @pytest.mark.parametrize(("sought", "count"), [("{count}", 1), ("{count,sum}", 1), ("--port", 0)])
    def test_the_commands_of_a_program(self, sought: str, count: int) -> None:
        code = (
            "import subprocess, sys; assert "
            f"'{sought}' in subprocess.run([sys.executable, '-m', 'a', '--help'], capture_output=True).stdout"
        )
        later = {"preconditions": [exists("a/b.py")]}
        assert len(self.pinned(code, "a/b.py", intent="Add the command `sum`.", **later)) == count
        assert self.pinned(code, "a/b.py", intent="Sort what is printed.", **later) == []
        assert self.pinned(code, "c.py", intent="Add the command `sum`.") == []

    def test_a_command_inside_that_cannot_be_split_ends_nothing(self) -> None:
        code = "import os; os.system('python -m \\' --help'); assert '{a}' in '--help'"
        assert self.pinned(code, "a/b.py") == []

    @pytest.mark.parametrize(
        ("sentence", "finds"),
        [
            ("The test checks that `a.__all__` is `f` and `g`, and no more.", True),
            ("`tests/test_a.py` checks that `a` holds exactly `__init__.py` and `b.py`.", True),
            ("The test checks that `a.__all__` names `f`.", False),
            ("`a` holds exactly one module by now.", False),
            ("The test checks that `docs` holds exactly `a.md`.", False),
            ("The test checks that `python -m a --help` shows `{add,list}`.", False),
            ("The test checks that `a/__init__.py` has `f` and no other name.", True),
            ("The test checks that `a/__init__.py` has `f`.", False),
            ("`a/__init__.py` has `f` and nothing else by now.", False),
        ],
    )
    def test_what_a_test_is_told_to_hold_to_be_all(self, sentence: str, finds: bool) -> None:
        orders = (makes(1, "a/b.py", intent=f"Write it. {sentence}"), makes(2, "a/__init__.py", "a/c.py"))
        checked = check_document(manifest(*orders), frozenset({"a/__init__.py"}))
        places = [it.pointer for it in checked.diagnostics if it.code == "W411"]
        assert places == (["/work_orders/0/intent"] if finds else [])

    @pytest.mark.parametrize(
        "code",
        [
            "from pathlib import Path; assert len(Path('a.md').read_text().splitlines()) == 3",
            "assert open('a.md').read() == 'x'",
            "assert open('a.md').read().count('## ') == 1",
            "assert open('./a.md').read().strip() == 'x'",
            "import json; assert list(json.loads(open('a.md').read()).keys()) == ['x']",
            "import json; assert json.loads(open('a.md').read()) == {'x': 1}",
        ],
    )
    def test_the_text_of_a_file(self, code: str) -> None:
        assert self.pinned(code, "a.md") == [f"{COMMANDS}/0"]
        assert self.pinned(code, "b.md") == []
