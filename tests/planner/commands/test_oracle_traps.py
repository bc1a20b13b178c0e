"""Commands that prove nothing (W401), predict (W402), or depend on the day (W403): and those that don't."""

import json
from pathlib import Path

import pytest

from planner.check.document import check_document, check_reply
from tests.support.plans import makes, manifest, order

RECORDING = Path(__file__).resolve().parents[3] / "scripts" / "demo.d" / "recording"


def codes(command: str) -> set[str]:
    """The codes found for one acceptance command of a work order without behaviour."""
    diagnostics = check_document(
        manifest(order(acceptance_commands=[command])), frozenset({"app.py"})
    ).diagnostics
    return {diagnostic.code for diagnostic in diagnostics} - {"W101", "W104", "E003"}


def python(code: str) -> str:
    return f'python -c "{code}"'


LOOKS = [
    python("from app import count; count('a')"),
    "test -f app.py",
    "[ -s app.py ]",
    "ls app.py",
    "cat app.py",
    "grep -q 'def main' app.py",
    "python -m compileall -q .",
    "python -m py_compile app.py",
    "mypy --strict .",
    "python -m ruff check .",
    "env X=1 timeout 5 python -m compileall .",
    "bash -n app.sh",
    "bash -c 'test -f app.py'",
    "python -m app --help",
    "python app.py --version",
    "pytest --collect-only -q",
    "python --version",
    python("import app"),
    python("from app import main; print('ok')"),
    python("import app; assert hasattr(app, 'main') and callable(app.main)"),
    python("import app; assert app.main is not None"),
    python("from pathlib import Path; assert Path('app.py').is_file()"),
    python("import os; assert os.path.exists('app.py')"),
    python("assert 'def main' in open('app.py').read()"),
    python("import ast; ast.parse(open('app.py').read())"),
    python("import importlib; importlib.import_module('app')"),
    python("import app, inspect; assert inspect.signature(app.main)"),
    python("import app, inspect; assert inspect.isfunction(app.main)"),
    python("import app; assert 1 + 1 == 2"),
    python("import os; assert os.path.getsize('app.py') > 0"),
    python("from pathlib import Path; assert Path('app.py').stat().st_size > 0"),
    python("assert len(open('app.py').read()) > 10"),
    "sleep 0",
    "mkdir -p build",
    python("import re; assert re.search('def main', open('app.py').read())"),
]
PROVES = [
    "python -m pytest -q tests/test_app.py",
    "pytest",
    "env X=1 python -m pytest -q",
    "python -m unittest tests.test_app",
    "python app.py data.txt",
    "python -m app run",
    "./run.sh",
    "bash scripts/check.sh",
    "node app.js",
    "make check",
    "diff -r out expected",
    python("from app import main; assert main([]) == 0"),
    python("from app import count; assert len(count('a')) > 0"),
    python("from app import LIMITS; assert len(LIMITS) > 0"),
    python("assert open('app.txt').read() == 'a'"),
    python("import re, app; assert re.search('a', app.count('a'))"),
    python("from app import LIMIT; assert LIMIT == 3"),
    python("import app; assert app.parse('x')"),
    python("import json; assert json.load(open('data.json'))['a']"),
    python("import subprocess, sys; subprocess.run([sys.executable, '-m', 'app', 'x'], check=True)"),
    python("from app import Board; assert Board() + Board()"),
    python("from app import Board; assert Board()"),
    python("from app import split; assert split('a b')"),
    python("import app; assert app.read('x') and app.exists('y')"),
]


WITH_TESTS = ("app.py", "tests/test_app.py")


class TestWeakAcceptance:
    @staticmethod
    def is_weak(
        *commands: str, files: tuple[str, ...] = ("app.py", "tests/test_app.py"), **fields: object
    ) -> bool:
        step = makes(1, *files, acceptance_commands=list(commands), **fields)
        return "W401" in {
            diagnostic.code for diagnostic in check_document(manifest(step), frozenset()).diagnostics
        }

    @pytest.mark.parametrize("command", LOOKS)
    def test_a_look_proves_nothing(self, command: str) -> None:
        assert self.is_weak(command)

    @pytest.mark.parametrize("command", PROVES)
    def test_running_it_proves_something(self, command: str) -> None:
        assert not self.is_weak(command)

    def test_one_proof_is_enough(self) -> None:
        assert self.is_weak(*LOOKS)
        assert not self.is_weak(*LOOKS, PROVES[0])

    @pytest.mark.parametrize(
        ("files", "fields", "behaves"),
        [
            (("app.py",), {}, False),
            (("app.py",), {"provides": ["app:f() -> int"]}, True),
            (("app.py",), {"provides": ["app:C.f(self) -> int"]}, True),
            (("app.py",), {"provides": ["app:LIMIT: int", "app:Wrong"]}, False),
            (("app.py",), {"notes": "In app.py:\ndef main(arguments: list[str]) -> int"}, True),
            (("app.py",), {"intent": "Write `def main(arguments)`."}, True),
            (("app.py",), {"intent": "Write `slugify(text)` in `app.py`."}, True),
            (("app.py",), {"intent": "Slugs: `app.slugify` returns a text in lower case."}, True),
            (("app.py",), {"intent": "Move the table(s) (three of them) into `app.py`."}, False),
            (("app/__init__.py", "tests/test_app.py"), {}, False),
            (("tests/test_app.py",), {}, False),
            (("README.md", "data.json", "scripts/verify.sh"), {"notes": "def f()"}, False),
        ],
    )
    def test_only_behaviour_must_be_proven(
        self, files: tuple[str, ...], fields: dict[str, object], behaves: bool
    ) -> None:
        assert self.is_weak("test -f app.py", files=files, **fields) is behaves


SHA1 = "3f786850e387550fdab836ed7e6dc881de23001b"


class TestPredictions:
    @pytest.mark.parametrize(
        "command",
        [
            python(f"from app import sign; assert sign('a') == '{SHA1}'"),
            python(f"from app import sign; assert '{SHA1}' in sign('a')"),
            python(f"from app import sign; assert ('a', '{SHA1}') == sign('a')"),
            python("from app import f; assert f(3) == 0.30000000000000004"),
            python("from app import f; assert f(3) == [1, -2.718281828459045]"),
            python("from app import f; assert f(30) == 832040265252859"),
            python(f"from app import f; assert f() == '{'ab ' * 50}'"),
            python("from app import f; assert f() == 'a\\\\nb\\\\nc\\\\nd\\\\ne\\\\nf\\\\ng\\\\nh'"),
            python(f"from app import f; assert f() == {list(range(30))}"),
            python("from app import f; assert f() == 'TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5'"),
            python("import random, app; random.seed(7); assert app.roll() == 4"),
            python("from app import roll; from random import Random; assert roll(Random(1)) == [3, 5]"),
            python("from app import f; assert hash(f()) == 12345"),
            python("from app import f; import pytest; assert f(1) == pytest.approx(0.123456789123)"),
            python("from app import f; import math; assert math.isclose(f(1), 0.123456789123)"),
            python("from app import f; assert abs(f(1) - 0.123456789123) < 1e-9"),
            python("from app import f; assert round(f(1), 12) == 0.123456789123"),
            python(f"from app import sign; x = sign('a'); y = '{SHA1}'; assert x == y"),
            python(f"from app import sign; assert sign('a').startswith('{SHA1}')"),
            python("from app import roll; assert roll(3, seed=42) == [6, 1, 1]"),
            python("from app import pick; assert pick(['x', 'y'], 2, seed=1) == 'apple'"),
            python("import unittest, app; unittest.TestCase().assertEqual(app.f(), 0.123456789123)"),
            f"grep -q {SHA1} out.txt",
            "bash -c 'grep 0.30000000000000004 out.txt'",
        ],
    )
    def test_what_only_running_could_tell_is_found(self, command: str) -> None:
        assert codes(command) == {"W402"}

    @pytest.mark.parametrize(
        "command",
        [
            python("from app import sign; assert len(sign('a')) == 40"),
            python(f"from app import check; assert check('{SHA1}') is True"),
            python(f"from app import parse; assert parse('{SHA1}') == '{SHA1}'"),
            python("from app import f; assert f() == '0000000000000000000000000000000000000000'"),
            python("from app import f; assert f(0.1) == 0.5 and f(2) == 3.14159"),
            python("from app import f; assert f(1e-9) == 1e-9 and f(-1.5) == -1.5"),
            python("from app import LIMIT; assert LIMIT == 1000000000000"),
            python("from app import LIMIT; assert LIMIT == 4294967296 and LIMIT - 1 == 2147483647"),
            python("from app import f; assert f('1234567890123') == 1234567890123"),
            python("from app import f; assert f('a A') == {'a': 2}"),
            python("from app import f; assert f() == 'usage: app FILE'"),
            python("import random, app; random.seed(7); a = app.f(); random.seed(7); assert a == app.f()"),
            python("import random, app; random.seed(7); assert len(app.deal(52)) == 52"),
            python("import random, app; random.seed(); assert 1 <= app.roll() <= 6"),
            python("import random, app; random.seed(1); assert app.deal(0) == []"),
            python("import random, app; random.seed(1); assert sorted(app.mix([3, 1, 2])) == [1, 2, 3]"),
            python("from app import roll; assert roll(seed=1) == roll(seed=1)"),
            python("from app import roll; assert roll(seed=1, n=6).count(0) == 6"),
            python("from app import Game; assert Game(seed=1).width == 80"),
            python(f"from app import load, save; t = '{SHA1}'; assert load(save(t)) == t"),
            python(f"from app import load, save; t = '{SHA1}'; u = save(t); assert load(u) == t"),
            python("from app import f; assert f('12,345,678,901') == 12345678901"),
            python("from app import f; assert abs(f(1) - 0.5) < 1e-12"),
            python("assert 'pytest' in open('verify.sh').read()"),
            python("from app import f; assert hash(f(1)) == hash(f(1))"),
            python("import app; assert app.hash('a') == 7 and app.Row(3).id() == 3"),
            f"git show {SHA1}",
            "grep -q 'def main' app.py",
            "python -m app 0.30000000000000004",
            "python -m pytest -q tests/test_3f786850e387550fdab836ed7e6dc881de23001b.py",
            python("from app import TestBoardParsesEverythingThatWasWritten as t; assert t.name == 'x'"),
        ],
    )
    def test_what_rules_and_inputs_say_is_left_alone(self, command: str) -> None:
        assert "W402" not in codes(command)


class TestInstability:
    @pytest.mark.parametrize(
        ("command", "what"),
        [
            ("date +%Y", "the time"),
            (python("from datetime import date; from app import f; assert f() == date.today()"), "the time"),
            (python("import datetime as d, app; assert app.f(d.datetime.now())"), "the time"),
            (python("import time, app; t = time.time(); app.f(); assert time.time() - t < 1"), "the time"),
            ("curl -f https://example.com", "the network"),
            (python("from time import time; from app import f; assert f(time())"), "the time"),
            (python("from time import perf_counter as p; import app; assert p() < app.f()"), "the time"),
            (python("from datetime import datetime as d; from app import f; f(d.now())"), "the time"),
            (python("from urllib.request import urlopen as u; u('http://example.com')"), "the network"),
            (python("import socket; socket.create_connection(('example.com', 80))"), "the network"),
            (python("import http.client as h; h.HTTPSConnection('example.com')"), "the network"),
            ("git clone https://example.com/x.git", "the network"),
            ("git ls-remote git@example.com:x.git", "the network"),
            ("pip install requests", "the network"),
            ("python -m pip install -e .", "the network"),
            (python("import random; assert f(random.randint(1, 9)) == 1"), "chance"),
            (python("import random; x = ['a', 'b']; random.shuffle(x); assert f(x) == 'a,b'"), "chance"),
            ("node -e \"assert(f(['1s', '2s'].sort(() => Math.random() - 0.5)) === '1s')\"", "chance"),
            (python("from random import choice as c; assert f(c('ab')) == 1"), "chance"),
            (python("import random; assert f(random.Random().random()) == 1"), "chance"),
            (python("import time; from app import f; assert f() == time.strftime('%Y-%m-%d')"), "the time"),
            (python("from app import f; assert f() == hash('text') % 8"), "the seed of hashes"),
            (python("from app import f; n = hash('text') % 8; assert f(n) == 1"), "the seed of hashes"),
            (python("import uuid; assert f(uuid.uuid4().hex) == 1"), "chance"),
            (python("import secrets; assert f(secrets.token_hex(4)) == 1"), "chance"),
            (python("import tempfile; assert tempfile.mkdtemp() == '/tmp/a'"), "chance"),
            (python("import os; assert f(20000 + os.getpid()) == 1"), "the number of the process"),
            (python("import getpass; assert getpass.getuser() == 'builder'"), "the user's name"),
            (python("import os; assert f(os.path.expanduser('~/.profile')) == 0"), "the user's home"),
            (python("from pathlib import Path; assert f(Path.home()) == 0"), "the user's home"),
            (python("from pathlib import Path; assert f(Path('~/a').expanduser()) == 0"), "the user's home"),
            (python("import socket; assert f(socket.gethostname()) == 'here'"), "the machine's name"),
            (python("import os; assert f(os.environ['MODE']) == 0"), "the environment variable MODE"),
            (python("import os; assert f(os.getenv('MODE', 'x')) == 0"), "the environment variable MODE"),
            (python("from os import environ; f(environ.get('MODE'))"), "the environment variable MODE"),
            ("python -m pip download wheel", "the network"),
            ("npm ci", "the network"),
            ("timeout 5 ping -c1 example.com", "the network"),
            (python("from urllib.request import urlopen; urlopen('https://example.com')"), "the network"),
            (python("import requests; assert requests.get('http://example.com').ok"), "the network"),
            (python("import locale, app; locale.setlocale(locale.LC_ALL, 'de_DE'); app.f()"), "the locale"),
            (python("from app import d; assert d.strftime('%A') == 'Monday'"), "the locale"),
            ("locale -a", "the locale"),
            (python("from app import f; assert list(set(f())) == ['a', 'b']"), "the order of a set"),
            (python("from app import f; assert ','.join({*f()}) == 'a,b'"), "the order of a set"),
            (python("from app import f; assert [x for x in set(f())] == [1, 2]"), "the order of a set"),
            (python("from app import f; s = set(f()); assert list(s) == [1, 2]"), "the order of a set"),
            (python("from app import f; assert str({1, f()}) == '{1, 2}'"), "the order of a set"),
            (python("from app import f; assert set(f()).pop() == 1"), "the order of a set"),
            (python("from app import f; t = list({'a', 'b'}); assert f(t) == 'a,b'"), "the order of a set"),
            (python("import os; from app import f; f(); assert os.stat('a').st_mtime > 1"), "the time"),
            (
                python("import subprocess, time; subprocess.Popen(['a']); time.sleep(1); assert f()"),
                "how fast a process is",
            ),
            (
                "node -e \"const { spawn } = require('child_process'); spawn('a'); setTimeout(f, 250)\"",
                "how fast a process is",
            ),
            (python("from app import f; r = f({'ab', 'c'}); assert r == ['c', 'ab']"), "the order of a set"),
            (
                python("import os; assert os.listdir('out') == ['a', 'b']"),
                "the order of a directory's entries",
            ),
        ],
    )
    def test_what_changes_by_itself_is_found(self, command: str, what: str) -> None:
        step = order(acceptance_commands=[command])
        diagnostics = check_document(manifest(step), frozenset({"app.py"})).diagnostics
        (unstable,) = [diagnostic for diagnostic in diagnostics if diagnostic.code == "W403"]
        assert unstable.message == f"the result of the command depends on {what}"

    @pytest.mark.parametrize(
        "command",
        [
            "date -d 2026-01-31 +%s",
            "sleep 1",
            "git status",
            "git push --help",
            "curl --version",
            "curl -f http://localhost:8000/",
            "python -m pip install --no-build-isolation --no-deps -e .",
            "pip install --no-index wheel",
            python("import random; n = random.Random(7).randint(1, 9); assert f(n) == 1"),
            python("import random; random.seed(7); assert f(random.random()) == 1"),
            python("from app import random; assert random.choice('ab') == 'a'"),
            python("import uuid; assert f(uuid.UUID(int=3)) == 1"),
            python("import time; from app import t; assert time.strftime('%Y', t) == '2026'"),
            python("from app import T; assert hash(T('a')) == hash('a') or hash(T('b')) == hash('b')"),
            python("assert hash(1) == 1"),
            python("import tempfile; d = tempfile.mkdtemp(); assert f(d) == 1"),
            python("import os; os.environ['MODE'] = 'fast'; assert os.environ['MODE'] == 'fast'"),
            python("import os, subprocess; subprocess.run(['a'], env={**os.environ, 'MODE': 'x'})"),
            python("import os; assert f(os.environ['PATH']) == 0"),
            python("from app import environ; assert environ['MODE'] == 'x'"),
            f"env MODE=fast {python('import os; assert os.environ[`MODE`]')}".replace("`", "'"),
            f"env HOME=/tmp/a {python('from pathlib import Path; assert f(Path.home()) == 1')}",
            "pip install ./dist/app.whl",
            "npm test",
            "sort names.txt",
            python("import time; time.sleep(0.1)"),
            python("from app import time; assert time(3) == 3"),
            python("from app import clock; assert clock.now() == 3"),
            python("import socket; socket.create_connection(('127.0.0.1', 80))"),
            python("import sqlite3; sqlite3.connect('app.db')"),
            python("from datetime import date; from app import f; assert f(date(2026, 1, 31)) == 31"),
            python("from app import d; assert d.strftime('%Y-%m-%d') == '2026-01-31'"),
            python("from app import f; assert f('https://example.com/a') == 'example.com'"),
            python("from app import get; assert get('https://example.com/a').host == 'example.com'"),
            python("from app import client; import http; assert client.get('http://testserver/').ok"),
            python("from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/')"),
            python("from app import f; assert sorted(set(f())) == ['a', 'b']"),
            python("from app import f; assert set(f()) == {'a', 'b'}"),
            python("from app import f; assert len(list(set(f()))) == 2"),
            python("from app import f; t = sorted({'a', 'b'}); assert f(t) == 'a,b'"),
            python("import os; from app import f; os.utime('a', (1, 1)); assert os.stat('a').st_mtime == 1"),
            python("import time; time.sleep(0.5); import subprocess; subprocess.run(['a'])"),
            python("from datetime import date; from app import f; d = date.today(); assert f(d).day == d"),
            python("import random; from app import f; n = random.random(); assert f(n) == {'n': n}"),
            python("import random; from app import f; x = ['a', 'b']; random.shuffle(x); assert f(x) == 2"),
            "node -e \"assert(f(['1s', '2s'].sort(() => Math.random() - 0.5)) === 3)\"",
            python("from app import f; r = f({'ab', 'c'}); assert r == 2"),
            python("from app import f; assert f('a,b') == 'a,b' and set(f('x')) == {'a', 'b'}"),
            python("from app import f; assert sorted(x for x in set(f())) == [1]"),
            python("from app import f; assert list(f()) == [1, 2]"),
            python("from app import f; assert str({1}) == f()"),
            python("import os; assert sorted(os.listdir('out')) == ['a']"),
            python("import os; assert 'a' in os.listdir('out')"),
            python("from app import f; assert ','.join(['a', 'b']) == f()"),
        ],
    )
    def test_what_stays_the_same_is_left_alone(self, command: str) -> None:
        assert "W403" not in codes(command)


@pytest.mark.parametrize(
    ("sentence", "finds"),
    [
        ("`tests/test_app.py` fetches `https://example.org/a` and checks its status.", True),
        ("Link to `https://example.org/a`; a test requests the address.", True),
        ("`tests/test_app.py` checks that the page links to `https://example.org/a`.", False),
        ("The program fetches `https://example.org/a`.", False),
        ("The test requests `http://127.0.0.1:8000/a` of the server that it starts.", False),
    ],
)
def test_tests_of_other_machines(sentence: str, finds: bool) -> None:
    checked = check_document(manifest(makes(1, "app.py", intent=sentence)), frozenset())
    places = [it.pointer for it in checked.diagnostics if it.code == "W403"]
    assert places == (["/work_orders/0/intent"] if finds else [])


def test_a_good_plan_raises_no_alarm() -> None:
    answers = [json.loads(path.read_bytes())["answer"]["text"] for path in sorted(RECORDING.glob("*.json"))]
    plans = [text for text in answers if '"work_orders"' in text]
    assert plans
    for text in plans:
        assert [
            diagnostic
            for diagnostic in check_reply(text, frozenset()).diagnostics
            if diagnostic.code.startswith("W4")
        ] == []


@pytest.mark.parametrize(
    "code",
    [
        "x" + "==x" * 4000,
        "f(" * 90 + ")" * 90 + "==1",
        "assert f()==" + "[" * 90 + "]" * 90,
        "a" + ".b" * 3000,
    ],
)
def test_hostile_code_ends_in_an_answer(code: str) -> None:
    codes(python(code))
