"""Acceptance that proves nothing."""

from changes import exempt, only, python
from changes import together as both
from draft import Case

_NEVER = "no assertion that can be false"
_ALL = "all commands exempt from failing before"
_LANDED = "acceptance that landed work satisfies"
_BEFORE = "acceptance that passes before any work"

# fmt: off
CASES = (
    Case(_NEVER, "tally", 2, "no assertion", only(2, python("from tally.counting import count_words; count_words('a')"))),
    Case(_NEVER, "shelf", 3, "a call compared with itself", only(3, python("from shelf.stock import Stock; s = Stock(); assert s.total() == s.total()"))),
    Case(_NEVER, "calc", 4, "or True", only(4, python("from calc.evaluation import evaluate; assert evaluate('2+3*4') == 14 or True"))),
    Case(_NEVER, "board", 2, "a tuple", only(2, python("from board.notes import Board; assert (Board().post('x') == 1, 'the first number')"))),
    Case(_NEVER, "flow", 3, "a type alone", only(3, python("from flow.sums import totals; assert isinstance(totals([]), dict)"))),
    Case(_NEVER, "metric", 3, "a search in the test", only(3, "grep -q 'def test_examples' tests/test_temperature.py")),
    Case(_NEVER, "calc", 2, "a thing or its opposite", only(2, python("from calc.tokens import tokens; assert tokens('1') or not tokens('1')"))),
    Case(_NEVER, "shelf", 4, "a comparison that is not asserted", only(4, python("from shelf.stock import Stock; from shelf.keeping import dump, load; load(dump(Stock())) == Stock()"))),
    Case(_ALL, "shelf", 2, "of a library", exempt(2, "It may pass already.")),
    Case(_ALL, "flow", 5, "of a document", exempt(5, "The text is what counts.")),
    Case(_ALL, "metric", 2, "of a change", exempt(2, "What it does today stays as it is.")),
    Case(_LANDED, "tally", 4, "tests of the counting", only(4, "python -m pytest -q tests/test_counting.py")),
    Case(_LANDED, "calc", 4, "tests of the parser", only(4, "python -m pytest -q tests/test_parsing.py")),
    Case(_LANDED, "metric", 2, "tests of before", only(2, "python -m pytest -q tests/test_length.py")),
    Case(_LANDED, "board", 4, "tests of the service, exempt",
         both(only(4, "python -m pytest -q tests/test_service.py"), exempt(4, "The service stays as it is."))),
    Case(_BEFORE, "tally", 2, "what Python does", only(2, python("assert sorted('ba') == ['a', 'b']"))),
    Case(_BEFORE, "flow", 5, "a file of before", only(5, "test -f data/sales.csv")),
    Case(_BEFORE, "metric", 4, "a word of before", only(4, "grep -q metric README.md")),
    Case(_BEFORE, "board", 3, "all tests", only(3, "python -m pytest -q tests")),
)
# fmt: on
