"""Files that are not there, not there any more, or that can't be there together."""

from changes import also, change_file, make_file, python, say, write
from changes import together as both
from draft import Case

_INTENT = "a path in the intent that is in no list"
_READ = "a file that a command reads and nobody makes"
_GLOB = "a pattern of file names"
_TMP = "a file outside that does not outlive its work order"
_CLASH = "paths that can't be there together"
_CONTENTS = "one file, two contents"
_PIN = "a check that pins what later work extends"

_INIT = '''"""What is in stock."""

from shelf.items import Item, StockError
from shelf.keeping import dump, load

__all__ = ["Item", "StockError", "dump", "load"]
'''

_VERSION = '\n\nVERSION = "1.0"\n'
_COUNTING = '''"""Counts words, and has another version."""

from collections import Counter

VERSION = "1.1"


def count_words(text: str) -> dict[str, int]:
    return dict(Counter("".join(sign if sign.isalpha() else " " for sign in text).lower().split()))


def top_words(text: str, limit: int) -> list[tuple[str, int]]:
    if limit < 0:
        raise ValueError("the limit is negative")
    return sorted(count_words(text).items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
'''
_VERSION_TEST = """

def test_the_version():
    import tally.counting

    assert tally.counting.VERSION == "1.0"
"""
_EXPORTS_TEST = """

def test_what_is_exported():
    import shelf

    assert sorted(shelf.__all__) == ["Item", "StockError"]
"""
_UNITS_TEST = """

def test_just_these_three():
    from metric.units import UNITS

    assert sorted(UNITS) == ["cm", "km", "m"]
"""
_FILES_TEST = """

def test_no_other_files():
    present = sorted(path.name for path in (Path(__file__).parents[1] / "flow").glob("*.py"))
    assert present == ["__init__.py", "reading.py"]
"""
_HELP_TEST = """

def test_the_only_command():
    assert "{count}" in tally("--help").stdout
"""

# fmt: off
CASES = (
    Case(_INTENT, "tally", 3, "to read", say(3, "Words that stand in `tally/stopwords.txt` are left out of what is printed.")),
    Case(_INTENT, "flow", 4, "to write", say(4, "Write the names of the keys to `flow/keys.py` and import them from there.")),
    Case(_INTENT, "board", 3, "settings", say(3, "The longest text that is accepted is read from `config/board.toml`.")),
    Case(_INTENT, "metric", 3, "to register in", say(3, "Add `to_celsius` to the table in `metric/registry.py`.")),
    Case(_READ, "tally", 3, "an argument", also(3, "python -m tally count samples/text.txt")),
    Case(_READ, "flow", 2, "in a Path", also(2, python("from pathlib import Path; from flow.reading import read_sales; assert len(read_sales(Path('data/march.csv'))) == 3"))),
    Case(_READ, "calc", 3, "opened", also(3, python("from calc.parsing import parse; assert parse(open('examples/deep.txt').read().strip())"))),
    Case(_READ, "flow", 4, "an argument of the program", also(4, "python -m flow data/april.csv /tmp/report.json")),
    Case(_GLOB, "flow", 3, "of tests", also(3, "python -m pytest -q tests/test_*.py")),
    Case(_GLOB, "metric", 3, "of sources", also(3, "python -m py_compile metric/temp*.py")),
    Case(_GLOB, "shelf", 4, "to search", also(4, "grep -l StockError shelf/keep*.py")),
    Case(_TMP, "flow", 5, "a report", both(also(4, "python -m flow data/sales.csv /tmp/report.json"), also(5, python("import json; assert json.load(open('/tmp/report.json'))['lines'] >= 3")))),
    Case(_TMP, "calc", 4, "a report of tests", both(also(3, "python -m pytest -q tests/test_parsing.py --junitxml=/tmp/calc.xml"), also(4, "grep -q testsuite /tmp/calc.xml"))),
    Case(_TMP, "tally", 4, "a text", both(also(3, python("import pathlib; from tally.cli import main; pathlib.Path('/tmp/words.txt').write_text('a bb'); assert main(['count', '/tmp/words.txt']) == 0")), also(4, "python -m tally longest /tmp/words.txt"))),
    Case(_CLASH, "tally", 4, "a file and what is below it", both(make_file(3, "tally/output", "plain\n"), make_file(4, "tally/output/longest.txt", "plain\n"))),
    Case(_CLASH, "shelf", 4, "both in one work order", both(make_file(4, "data", "none\n"), make_file(4, "data/empty.json", "[]\n"))),
    Case(_CLASH, "metric", 3, "letter case, in one work order", make_file(3, "metric/Temperature.py", '"""Temperatures."""\n')),
    Case(_CLASH, "flow", 5, "letter case, of an earlier file", both(make_file(4, "readme.md", "# flow\n"), say(4, "`readme.md` names the program."))),
    Case(_CONTENTS, "board", 4, "a text that it may not change",
         both(say(2, "The docstring of `board/__init__.py` is `Notes.`."), write(2, "board/__init__.py", '"""Notes."""\n'), also(2, python("import board; assert board.__doc__ == 'Notes.'")), also(4, python("import board; assert board.__doc__ == 'Notes over HTTP.'")))),
    Case(_CONTENTS, "tally", 4, "a constant, and a test of it that stays",
         both(say(2, "`tally/counting.py` has the constant `VERSION`, which `tests/test_counting.py` checks: it is `1.0`."), also(2, python("import tally.counting; assert tally.counting.VERSION == '1.0'")),
              write(2, "tally/counting.py", _VERSION, at_end=True), write(2, "tests/test_counting.py", _VERSION_TEST, at_end=True), change_file(4, "tally/counting.py", _COUNTING), say(4, "`VERSION` in `tally/counting.py` is `1.1`."), also(4, python("import tally.counting; assert tally.counting.VERSION == '1.1'")))),
    Case(_CONTENTS, "metric", 4, "the first line of a file",
         also(4, python("assert open('README.md').readline() == '# metric' + chr(10)"), python("assert open('README.md').readline() == '# Units' + chr(10)"))),
    Case(_PIN, "shelf", 4, "what a package exports",
         both(say(2, "`tests/test_items.py` checks that `shelf.__all__` holds nothing but these two."), also(2, python("import shelf; assert sorted(shelf.__all__) == ['Item', 'StockError']")),
              write(2, "tests/test_items.py", _EXPORTS_TEST, at_end=True), change_file(4, "shelf/__init__.py", _INIT), say(4, "`shelf/__init__.py` also exports `dump` and `load`, in `__all__`, too."))),
    Case(_PIN, "metric", 2, "a table", both(say(1, "`tests/test_units.py` checks that `UNITS` has just these three."), write(1, "tests/test_units.py", _UNITS_TEST, at_end=True), also(1, python("from metric.units import UNITS; assert sorted(UNITS) == ['cm', 'km', 'm']")))),
    Case(_PIN, "flow", 3, "the files of a folder", both(say(2, "`tests/test_reading.py` checks that `flow` holds these files and no others."), write(2, "tests/test_reading.py", _FILES_TEST, at_end=True), also(2, python("import os; assert sorted(n for n in os.listdir('flow') if n.endswith('.py')) == ['__init__.py', 'reading.py']")))),
    Case(_PIN, "tally", 4, "the help", both(say(3, "`tests/test_cli.py` checks that `--help` names `count` as the only command."), write(3, "tests/test_cli.py", _HELP_TEST, at_end=True), also(3, python("import subprocess, sys; assert '{count}' in subprocess.run([sys.executable, '-m', 'tally', '--help'], capture_output=True, text=True, timeout=30).stdout")))),
)
# fmt: on
