"""What a model sees of a command's output: short, and the same wherever and whenever the command ran."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.brief import canonical_output, excerpt
from tests.support.golden import assert_golden

CAPTURED = Path(__file__).parent / "captured"
PLACES = {
    "/tmp/workorder-k3x_9abc/checkout": ".",
    "/tmp/workorder-k3x_9abc/home": "<home>",
    "/tmp/workorder-k3x_9abc/tmp": "<tmp>",
    "/tmp/workorder-k3x_9abc": "<tmp>",
    "/home/ada/.venv": "<venv>",
}


def canonical(text: str) -> str:
    return canonical_output(text.encode("utf-8", "surrogateescape"), PLACES)


def in_pytest(report: str) -> str:
    """A report by pytest with one failure."""
    return f"{'=' * 40} FAILURES {'=' * 40}\n{'_' * 40} test_a {'_' * 40}\n\n{report}"


class TestOneFailureOnTwoMachines:
    """The same tests, run by pytest under Python 3.11 and 3.13, at different places and times."""

    @pytest.fixture
    def here(self) -> str:
        return canonical_output((CAPTURED / "pytest_python_3.11.txt").read_bytes(), PLACES)

    @pytest.fixture
    def there(self) -> str:
        places = {"/home/ben/product": ".", "/home/ben/product/.venv": "<venv>", "/var/tmp/ben": "<tmp>"}
        return canonical_output((CAPTURED / "pytest_python_3.13.txt").read_bytes(), places)

    def test_gives_the_same_text(self, here: str, there: str) -> None:
        assert here == there

    def test_gives_the_same_excerpt(self, here: str, there: str) -> None:
        assert excerpt(here) == excerpt(there)
        assert len(excerpt(here)) <= 2_000

    def test_shows_what_matters(self, here: str) -> None:
        assert_golden("pytest_canonical.txt", here + "\n")
        assert_golden("pytest_excerpt.txt", excerpt(here) + "\n")


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("/tmp/workorder-k3x_9abc/checkout/src/app.py:3", "src/app.py:3"),
        ("cd /tmp/workorder-k3x_9abc/checkout && ls", "cd . && ls"),
        ("/tmp/workorder-k3x_9abc/checkout-2/x", "<tmp>/checkout-2/x"),
        ("/tmp/workorder-k3x_9abc/home/.cache/x", "<home>/.cache/x"),
        ("/tmp/workorder-k3x_9abc/tmp/pytest-of-ada/pytest-12/test_a0/x", "<tmp>/pytest/test_a0/x"),
        ("/tmp/workorder-k3x_9abc/tmp/tmpab12_cd3/x.db", "<tmp>/<name>/x.db"),
        ("/tmp/tmpab12_cd3", "<tmp>"),
        ("<object at 0x7fbec5187b90>", "<object at 0x<address>>"),
        ("<Thread(f, started daemon 140457322718912)>", "<Thread(f, started daemon <thread>)>"),
        ("Current thread 0x00007f01 (most recent", "Current thread 0x<address> (most recent"),
        ("server on http://127.0.0.1:43567/x", "server on http://127.0.0.1:<port>/x"),
        ("('127.0.0.1', 43567)", "('127.0.0.1', <port>)"),
        ("('<tmp>/pytest/test_p.../tmp/tmplt3ubq3k', 1)", "('...', 1)"),
        ("('/tmp/workorder-k3x_9abc/tmp...z5', 1)", "('...', 1)"),
        ("worker pid=4711 died", "worker pid=<pid> died"),
        ("Ran 3 tests in 0.012s", "Ran 3 tests in <time>"),
        ("1 failed, 2 passed in 0.03s", "1 failed, 2 passed in <time>"),
        ("1 failed in 75.03s (0:01:15)", "1 failed in <time>"),
        ("0.52s call     tests/test_a.py::test_a", "<time> call     tests/test_a.py::test_a"),
        ("real\t0m0.035s", "real\t<time>"),
        ("2026-03-01 12:00:00,123 ERROR broken", "<date> ERROR broken"),
        ("[2026-03-01T12:00:00Z] broken", "[<date>] broken"),
        ('127.0.0.1 - - [01/Mar/2026 12:00:00] "GET"', '127.0.0.1 - - [<date>] "GET"'),
        ("/usr/lib/python3.11/json/decoder.py:353: E", "<python>/json/decoder.py:<line>: E"),
        ("/usr/lib/python3/dist-packages/x/y.py:3: E", "<python>/x/y.py:<line>: E"),
        ("/opt/py/lib/python3.13t/site-packages/x.py:3: E", "<python>/x.py:<line>: E"),
        ("/home/ada/.venv/lib64/python3.11/site-packages/x.py:3", "<python>/x.py:<line>"),
        ("/home/ada/.venv/bin/python3.11: No module named x", "python: No module named x"),
        ("/usr/bin/python3: can't open file", "python: can't open file"),
        ("/home/ada/.venv/share/x", "<venv>/share/x"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07text", "red text"),
        ("10%\r100%\r\nend", "10%\n100%\nend"),
        ("a\0b\x08c\x9bd", "a\ufffdb\ufffdc\ufffdd"),
        ("\udcff\udcfe", "\ufffd\ufffd"),
    ],
)  # fmt: skip
def test_facts_of_the_machine_and_the_moment_are_replaced(printed: str, shown: str) -> None:
    assert canonical(printed) == shown


@pytest.mark.parametrize(
    "text",
    [
        "E       AssertionError: assert '90s' == '1m 30s'",
        "E       AssertionError: assert 'took 1.5s' == 'took 1.50 s'",
        "E       AssertionError: assert '2026-01-01T00:00:00Z' == '2026-01-02T00:00:00Z'",
        "E         - 2026-01-01 00:00:00",
        "expected 5 seconds, got 6 seconds",
        "the colour is 0xDEADBEEF and not 0xdeadbee0",
        "listening on 127.0.0.1:8080",
        "from 2026-01-01T00:00:00 to 2026-01-02T00:00:00",
        "lib/python3.11/x.py is ours",
        "src/bin/python",
        "  ^",
        "~~~",
        "== results ==",
        "3 errors, 2 warnings",
        "src/app.py:3: in spite of all",
        "__ init __",
        "name = value",
        "and so on... / or not",
        "[1, 2...",
        "plugins: three",
        "FAILED to load - no such file",
    ],
)
def test_what_the_product_says_stays(text: str) -> None:
    assert canonical(f"before\n{text}\nafter") == f"before\n{text}\nafter"


def test_a_traceback_keeps_the_product_s_frames() -> None:
    printed = """\
Traceback (most recent call last):
  File "<frozen runpy>", line 198, in _run_module_as_main
  File "<frozen runpy>", line 88, in _run_code
  File "/tmp/workorder-k3x_9abc/checkout/src/app.py", line 9, in main
    load(
    ~~~~^
        "x.json",
        ^^^^^^^^^
    )
    ^
  File "/tmp/workorder-k3x_9abc/checkout/src/app.py", line 4, in load
    return json.loads(text)
           ^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
"""

    assert canonical(printed) == (
        "Traceback (most recent call last):\n"
        '  File "src/app.py", line 9, in main\n'
        "    load(\n"
        '  File "src/app.py", line 4, in load\n'
        "    return json.loads(text)\n"
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"
    )


def test_a_syntax_error_keeps_its_mark() -> None:
    printed = """\
*** Error compiling './a.py'...
  File "./a.py", line 1
    def f(
         ^
SyntaxError: '(' was never closed"""

    assert canonical(printed) == printed


def test_a_recursion_is_told_once() -> None:
    frame = "app.py:3: in f\n    return f(n + 1)\n"

    text = canonical(in_pytest(f"{frame * 9}E   RecursionError: maximum recursion depth exceeded\n"))

    assert text.count("return f(n + 1)") == 1


def test_a_short_output_is_shown_whole() -> None:
    assert excerpt("a\nb") == "a\nb"
    assert excerpt("x" * 2_000) == "x" * 2_000


def test_a_long_output_is_cut_at_line_ends_and_its_end_gets_more_room() -> None:
    lines = [f"line {number:04}" for number in range(1_000)]

    shown = excerpt("\n".join(lines))

    head, mark, tail = shown.partition("\n[... ")
    count, _, tail = tail.partition(" characters left out ...]\n")
    assert mark
    assert head.splitlines() == lines[: len(head.splitlines())]
    assert tail.splitlines() == lines[-len(tail.splitlines()) :]
    assert 2 * len(head) < len(tail)
    assert len("\n".join(lines)) == len(head) + int(count) + len(tail)


@given(st.text(max_size=5_000), st.integers(min_value=100, max_value=3_000))
def test_no_excerpt_is_longer_than_the_limit(text: str, limit: int) -> None:
    assert len(excerpt(text, limit)) <= limit


def test_a_long_report_loses_the_source_before_the_evidence() -> None:
    source = "".join(f"        step_{number}()\n" for number in range(40))
    failures = "".join(
        f"{'_' * 30} test_{number} {'_' * 30}\n\n    def test_{number}():\n{source}"
        f">       assert f({number}) == 0\nE       assert {number} == 0\n\ntests/test_a.py:{number}: Error\n"
        for number in range(1, 9)
    )

    shown = excerpt(canonical(f"{'=' * 40} FAILURES {'=' * 40}\n{failures}"))

    assert "step_" not in shown
    assert all(f"E       assert {number} == 0" in shown for number in range(1, 9))


@given(st.text(max_size=400))
def test_any_output_becomes_a_text_that_can_be_sent(text: str) -> None:
    shown = canonical_output(text.encode("utf-8", "surrogatepass"), PLACES)

    shown.encode("utf-8")
    assert "\x1b" not in shown
    assert canonical(shown.replace("\ufffd", "?")) == shown.replace("\ufffd", "?").strip("\n")


@pytest.mark.parametrize(
    "unit",
    ["/a", "/", "1", "0x1", " ", "^", "~ ", "E ", "_ ", "=", "-", "\x1b[", "\x1b]", "/tmp/tmp", "a.b:",
     '  File "', "1 a, ", "pid ", "[", "/lib", "<", ">", "127.0.0.1:"],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "\n", "x"])
def test_no_output_takes_long(unit: str, end: str) -> None:
    started = time.process_time()

    canonical_output((unit * (100_000 // len(unit)) + end).encode(), PLACES)

    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "line", ["x = 1", "E   a", '  File "a.py", line 1, in f', "    return 1", "a.py:1: in f"]
)
def test_no_number_of_lines_takes_long(line: str) -> None:
    started = time.process_time()

    excerpt(canonical(in_pytest(f"{line}\n" * (100_000 // len(line)))))

    assert time.process_time() - started < 4
