"""Sound variants of the plans: what looks a little like a defect, and is none."""

from changes import (
    also,
    arrange,
    demand,
    exempt,
    leave_out,
    less,
    more,
    only,
    python,
    quote,
    reword,
    say,
    set_field,
    write,
)
from changes import together as both
from draft import Case, Draft

_WORDS = "other words"
_ORDER = "another order"
_EXEMPT = "an exempt command with its reason"
_STABLE = "stable, although it looks otherwise"
_LITERAL = "a literal of the specification"
_TEXT = "a search in a document that is asked for"
_TMP = "a file outside, while it is there"
_PROOF = "a proof of another form"
_CALL = "a call of another form"
_LISTS = "lists and requirements of another form"


def _halves(draft: Draft) -> None:
    """One line, quoted by two requirements, each with its half."""
    first = draft.requirement("REQ-03")
    text, error = first["quotes"]
    head, tail = text.split("; ")
    first["quotes"] = [head + ";", error]
    draft.manifest["requirements"].append({"id": "REQ-08", "text": "Equal counts.", "quotes": [tail]})
    draft.order(2)["requirements"].append("REQ-08")


_README_ONLY = both(
    leave_out(5, "tests/test_readme.py"),
    only(5, "grep -q '^## Report' README.md", "grep -q best_day README.md"),
    reword(
        5,
        (
            " `tests/test_readme.py` reads `README.md` and checks that the section is there and names each of the three keys.",
            "",
        ),
    ),
)

# fmt: off
VARIANTS = (
    Case(_WORDS, "tally", 2, "of an intent", both(reword(2, ("Write `tally/counting.py` with `count_words` and `top_words`. A word is", "The module `tally/counting.py` is to offer `count_words` and `top_words`. By a word we mean")), set_field(2, "title", "A module that counts"))),
    Case(_WORDS, "board", 3, "with a path that is a part of an address", reword(3, ("every other path with 404.", "every other path, such as `/notes/1/text` or `/index.html`, with 404."))),
    Case(_WORDS, "tally", 3, "with an example of a file that is not there", reword(3, ("(missing, a directory, not UTF-8)", "(missing as `no/such/file.txt`, a directory, not UTF-8)"))),
    Case(_WORDS, "flow", 4, "with a file that is made at run time", reword(4, ("The report is written to", "The report, for example `out/report.json`, is written to"))),
    Case(_ORDER, "metric", 2, "temperatures first", arrange(3, 1, 2, 4)),
    Case(_ORDER, "metric", 3, "millimetres later", arrange(1, 3, 2, 4)),
    Case(_ORDER, "metric", 4, "temperatures last", arrange(1, 2, 4, 3)),
    Case(_EXEMPT, "tally", 4, "what must stay", both(also(4, "python -m pytest -q tests/test_cli.py"), exempt(4, "What count prints must stay as it is.", ["python -m pytest -q tests/test_cli.py"]))),
    Case(_EXEMPT, "calc", 4, "the parser must stay", both(also(4, "python -m pytest -q tests/test_parsing.py"), exempt(4, "The parser must stay as it is.", ["python -m pytest -q tests/test_parsing.py"]))),
    Case(_STABLE, "calc", 4, "a seeded generator", also(4, python("import random; from calc.evaluation import evaluate; n = random.Random(7).randint(1, 9); assert evaluate(f'{n}+1') == n + 1"))),
    Case(_STABLE, "tally", 2, "a set that is sorted", also(2, python("from tally.counting import count_words; assert sorted({w for w in count_words('b a')}) == ['a', 'b']"))),
    Case(_STABLE, "tally", 3, "a set that is compared with a set", also(3, python("from tally.cli import main; from tally.counting import count_words; assert set(count_words('b a')) == {'a', 'b'}"))),
    Case(_STABLE, "board", 2, "an environment of its own", also(2, "env PYTHONHASHSEED=0 python -m pytest -q tests/test_notes.py")),
    Case(_STABLE, "flow", 3, "a fixed day", also(3, python("import datetime; from flow.reading import Sale; from flow.sums import best_day; d = str(datetime.date(2024, 1, 1)); assert best_day([Sale(d, 'tea', 1)]) == d"))),
    Case(_LITERAL, "calc", 4, "each example", also(4, python("from calc.evaluation import evaluate; assert evaluate('7-2-1') == 4"), python("from calc.evaluation import evaluate; assert evaluate('-3+5') == 2"))),
    Case(_LITERAL, "calc", 2, "a long number that is given", both(demand("more than 18 digits are refused with `CalcError`.", "more than 18 digits are refused with `CalcError`: 123456789012345678 is the last that begins like this."), quote("REQ-04", "Numbers of more than 18 digits are refused with `CalcError`: 123456789012345678 is the last that begins like this."), also(2, python("from calc.tokens import tokens; assert int(tokens('0' + '12345678901234567')[0][0]) == 12345678901234567")))),
    Case(_TEXT, "flow", 5, "nothing but a search", _README_ONLY),
    Case(_TEXT, "metric", 4, "beside tests", also(4, "grep -q '^## Units' README.md")),
    Case(_TMP, "flow", 4, "in one command", also(4, python("import json, pathlib; from flow.report import write_report; p = pathlib.Path('/tmp/report.json'); write_report([], p); assert json.loads(p.read_text())['lines'] == 0"))),
    Case(_TMP, "flow", 4, "in two commands of one work order", also(4, "python -m flow data/sales.csv /tmp/report.json", python("import json; assert json.load(open('/tmp/report.json'))['lines'] >= 3"))),
    Case(_PROOF, "calc", 2, "an error that is demanded without assert", also(2, python("import pytest; from calc.tokens import CalcError, tokens; pytest.raises(CalcError, tokens, '1 ? 2')"))),
    Case(_PROOF, "tally", 2, "an exit code", only(2, python("import sys; from tally.counting import count_words; sys.exit(count_words('a A b') != {'a': 2, 'b': 1})"))),
    Case(_PROOF, "shelf", 2, "what is exported, and stays so", both(say(2, "`shelf.__all__` names just these two."), also(2, python("import shelf; assert sorted(shelf.__all__) == ['Item', 'StockError']")))),
    Case(_PROOF, "board", 4, "the help, which nothing extends", also(4, python("import subprocess, sys; assert '--port' in subprocess.run([sys.executable, '-m', 'board', '--help'], capture_output=True, text=True, timeout=30).stdout"))),
    Case(_PROOF, "shelf", 3, "tests by name", both(only(3, "python -m pytest -q tests/test_stock.py::test_totals_and_names", "python -m pytest -q tests/test_stock.py::test_what_is_refused_changes_nothing"), reword(3, ("`tests/test_stock.py` checks each of these, both errors, and that a refused removal changes nothing.", "`tests/test_stock.py` checks the sums and names in `test_totals_and_names`, and both errors, and that a refused removal changes nothing, in `test_what_is_refused_changes_nothing`.")))),
    Case(_PROOF, "calc", 3, "tests with a time limit", only(3, "timeout 60 python -m pytest -q tests/test_parsing.py")),
    Case(_CALL, "calc", 4, "by keyword", also(4, python("from calc.evaluation import evaluate; assert evaluate(text='a*2', values={'a': 21}) == 42"))),
    Case(_CALL, "board", 3, "by keyword, with what it inherits", also(3, python("from board.notes import Board; from board.service import make_server; s = make_server(board=Board(), port=0); s.server_close(); assert s.server_port > 0"))),
    Case(_CALL, "shelf", 3, "through the package", also(3, python("import shelf; from shelf.stock import Stock; s = Stock(); s.add(shelf.Item(name='pen', price=250), count=3); assert s.total() == 750"))),
    Case(_CALL, "flow", 4, "of the program with files of before", also(4, "python -m flow data/sales.csv /tmp/report.json")),
    Case(_LISTS, "tally", 2, "what is not asked for", demand("## Command line", "## Not asked for\n\n- Other languages than English.\n- A count of letters.\n\n## Command line")),
    Case(_LISTS, "tally", 2, "one line in two requirements", _halves),
    Case(_LISTS, "shelf", 3, "folders that are forbidden", more(3, "forbidden", "scripts/", "docs")),
    Case(_LISTS, "flow", 4, "fewer symbols than it uses", less(4, "consumes", "flow.reading:FlowError")),
    Case(_LISTS, "board", 2, "a docstring of its own", both(reword(2, ("`board/__init__.py` is empty.", "`board/__init__.py` holds one docstring.")), write(2, "board/__init__.py", '"""Notes over HTTP."""\n'))),
)
"""All of them."""
# fmt: on
