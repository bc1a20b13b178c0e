"""Commands that can't pass, or not always."""

from changes import also, only, python
from draft import Case

_NAME = "a name that nobody provides, in a command"
_SHELL = "the shell's words as arguments"
_MISSING = "a missing program, module, option or plugin"
_NO_TEST = "a test in a file that it may not write"
_NO_MODULE = "a submodule that nobody writes"
_UNSTABLE = "an unstable command"

# fmt: off
CASES = (
    Case(_NAME, "tally", 2, "a function",
         also(2, python("from tally.counting import count_lines; assert count_lines('a') == 1"))),
    Case(_NAME, "shelf", 3, "a member",
         also(3, python("from shelf.stock import Stock; s = Stock(); s.clear(); assert s.names() == []"))),
    Case(_NAME, "calc", 4, "a keyword",
         also(4, python("from calc.evaluation import evaluate; assert evaluate('a', variables={'a': 2}) == 2"))),
    Case(_NAME, "board", 3, "too few arguments",
         also(3, python("from board.service import make_server; s = make_server(0); assert s; s.server_close()"))),
    Case(_NAME, "flow", 3, "a module", also(3, python("from flow.summing import totals; assert totals([]) == {}"))),
    Case(_NAME, "metric", 2, "a function of a module that exists",
         also(2, python("from metric.length import from_metres; assert from_metres(1, 'mm') == 1000"))),
    Case(_SHELL, "tally", 2, "&&", also(2, 'python -c "import tally.counting" && false')),
    Case(_SHELL, "flow", 4, "a pipe", also(4, "python -m flow data/sales.csv report.json | grep totals")),
    Case(_SHELL, "calc", 3, "a semicolon", also(3, 'python -c "import calc.parsing"; true')),
    Case(_SHELL, "board", 4, "a redirection", also(4, "python -m board --help > help.txt")),
    Case(_MISSING, "board", 4, "a Node module", also(4, "node -e \"require('no-such-module-of-node')\"")),
    Case(_MISSING, "tally", 3, "a program", also(3, "bats-of-this-product tests/cli.bats")),
    Case(_MISSING, "shelf", 3, "an option of pytest", also(3, "python -m pytest -q tests/test_stock.py --benchmark-only")),
    Case(_MISSING, "calc", 4, "a plugin of pytest", also(4, "python -m pytest -q -p pytest_golden_trees tests/test_evaluation.py")),
    Case(_MISSING, "flow", 3, "a package", also(3, python("import pandas; from flow.sums import totals; assert len(pandas.Series(totals([]))) == 0"))),
    Case(_NO_TEST, "tally", 4, "of the counting", also(4, "python -m pytest -q tests/test_counting.py::test_the_longest_word")),
    Case(_NO_TEST, "metric", 2, "of the lengths", also(2, "python -m pytest -q tests/test_length.py::test_millimetres")),
    Case(_NO_TEST, "calc", 4, "of the tokens", also(4, "python -m pytest -q tests/test_tokens.py::test_names")),
    Case(_NO_MODULE, "shelf", 4, "imported", also(4, python("from shelf.codec import encode; assert encode([]) == '[]'"))),
    Case(_NO_MODULE, "flow", 4, "run", also(4, "python -m flow.cli data/sales.csv /tmp/report.json")),
    Case(_NO_MODULE, "board", 4, "imported by its dotted name", also(4, python("import board.client; assert board.client.ask"))),
    Case(_UNSTABLE, "calc", 4, "a random number without a seed",
         also(4, python("import random; from calc.evaluation import evaluate; n = random.randint(1, 9); assert evaluate(f'{n}+1') == n + 1"))),
    Case(_UNSTABLE, "board", 3, "the number of the process",
         also(3, python("import os; from board.notes import Board; from board.service import make_server; s = make_server(Board(), 20000 + os.getpid() % 1000); s.server_close(); assert s.server_port >= 20000"))),
    Case(_UNSTABLE, "flow", 3, "the day", also(3, python("import datetime; from flow.reading import Sale; from flow.sums import best_day; d = str(datetime.date.today()); assert best_day([Sale(d, 'tea', 1)]) == str(datetime.date.today())"))),
    Case(_UNSTABLE, "tally", 2, "the order of a set", also(2, python("from tally.counting import count_words; assert list({w for w in count_words('a b c')}) == ['a', 'b', 'c']"))),
    Case(_UNSTABLE, "tally", 3, "the home of the user", also(3, python("import os; from tally.cli import main; assert main(['count', os.path.expanduser('~/.profile')]) == 0"))),
    Case(_UNSTABLE, "metric", 3, "the name of the user", also(3, python("import getpass; from metric.temperature import to_celsius; assert to_celsius(32, 'F') == 0 and getpass.getuser() == 'builder'"))),
    Case(_UNSTABLE, "shelf", 4, "a variable", only(4, "python -m pytest -q tests/test_keeping.py", python("import os; from shelf.keeping import load; assert load('[]').total() == int(os.environ.get('STOCK_TOTAL', '0'))"))),
)
# fmt: on
