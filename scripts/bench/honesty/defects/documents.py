"""What can be told from the plan's own lists: scopes, conditions, symbols, order."""

from changes import arrange, condition, less, more, set_field
from changes import together as both
from draft import Case

_BOTH = "allowed and forbidden at once"
_SCOPE = "a postcondition outside of the scope"
_SYMBOL = "a consumed symbol that nobody provides so"
_ORDER = "work orders in the wrong order"
_GONE = "a work order that is missing"
_CONTEXT = "a context file that nobody makes"
_CONDITIONS = "conditions that contradict each other"

_TOTALS = "flow.sums:totals(sales: list[Sale]) -> dict[str, int]"

# fmt: off
CASES = (
    Case(_BOTH, "tally", 4, "a file", more(4, "forbidden", "tally/cli.py")),
    Case(_BOTH, "metric", 2, "a folder", more(2, "forbidden", "metric")),
    Case(_BOTH, "shelf", 3, "a folder with its slash", more(3, "forbidden", "tests/")),
    Case(_SCOPE, "shelf", 3, "of a library", more(3, "postconditions", condition("file_exists", "shelf/history.py"))),
    Case(_SCOPE, "flow", 4, "of a pipeline", more(4, "postconditions", condition("file_exists", "report.json"))),
    Case(_SYMBOL, "shelf", 4, "a method", more(4, "consumes", "shelf.stock:Stock.items(self) -> list[Item]")),
    Case(_SYMBOL, "flow", 4, "another signature", both(less(4, "consumes", _TOTALS), more(4, "consumes", "flow.sums:totals(path: Path) -> dict[str, int]"))),
    Case(_SYMBOL, "board", 3, "a function", more(3, "consumes", "board.notes:all_notes() -> list[str]")),
    Case(_ORDER, "calc", 3, "the evaluation before the parser", arrange(1, 2, 4, 3)),
    Case(_ORDER, "flow", 3, "the report before the sums", arrange(1, 2, 4, 3, 5)),
    Case(_GONE, "tally", 3, "the command line", arrange(1, 2, 4)),
    Case(_GONE, "shelf", 2, "the items", arrange(1, 3, 4)),
    Case(_GONE, "metric", 1, "the table", arrange(2, 3, 4)),
    Case(_CONTEXT, "tally", 3, "a module", more(3, "context_files", "tally/words.py")),
    Case(_CONTEXT, "shelf", 4, "a document", more(4, "context_files", "docs/format.md")),
    Case(_CONDITIONS, "metric", 2, "before", more(2, "preconditions", condition("file_absent", "metric/units.py"))),
    Case(_CONDITIONS, "board", 3, "a file that is there by then", set_field(3, "preconditions", [condition("file_absent", "board/notes.py")])),
)
# fmt: on
