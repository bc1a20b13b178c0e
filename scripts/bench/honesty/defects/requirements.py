"""Requirements that are lost on the way."""

from changes import quote, reword, set_field
from changes import together as both
from draft import Case, Change, Draft

_HUNG = "a requirement at a work order that mentions none of its names"
_HALF = "half a line quoted as if it were all"


def _move(name: str, source: int, target: int) -> Change:
    """A requirement that another work order takes."""

    def make(draft: Draft) -> None:
        draft.order(source)["requirements"].remove(name)
        draft.order(target)["requirements"].append(name)

    return make


# fmt: off
CASES = (
    Case(_HUNG, "tally", 2, "the longest word", _move("REQ-06", 4, 2)),
    Case(_HUNG, "shelf", 2, "the round trip", _move("REQ-06", 4, 2)),
    Case(_HUNG, "board", 2, "the program", _move("REQ-07", 4, 2)),
    Case(_HUNG, "flow", 5, "the best day", _move("REQ-04", 3, 5)),
    Case(_HALF, "tally", 2, "the order of equal counts", both(
        quote("REQ-03", "`top_words(text, limit)` returns pairs of word and count, the most frequent first", "A negative limit raises `ValueError`."),
        reword(2, (", words of equal count in the order of the alphabet", ""), ("the order of `top_words` with equal counts, ", "")))),
    Case(_HALF, "shelf", 3, "nothing changes", both(
        quote("REQ-04", "`Stock.remove(name, count)` takes pieces away; `StockError` is raised if there are fewer"),
        reword(3, (" and nothing changes", ""), (", both errors, and that a refused removal changes nothing", " and both errors")))),
    Case(_HALF, "calc", 3, "the position", both(
        quote("REQ-03", "A wrong expression raises `calc.CalcError`", "For an expression that ends too early, `position` is its length."),
        reword(3, ("whose `position` is the index of the first sign that does not fit; for one", "whose `position` for one")))),
    Case(_HALF, "metric", 3, "the second example", both(
        quote("REQ-04", "`to_celsius(value, unit)` in `metric/temperature.py` converts from `K` and `F`: 273.15 K are 0 degrees Celsius", "A temperature below absolute zero raises `ValueError`."),
        reword(3, (" are 0 degrees Celsius, and so are 32 F", " are 0 degrees Celsius"), ("both examples", "the example")),
        set_field(3, "acceptance_commands", ["python -m pytest -q tests/test_temperature.py"]))),
)
# fmt: on
