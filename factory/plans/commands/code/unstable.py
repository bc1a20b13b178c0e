"""What changes the result of Python code although the repository is the same.

Looks at names as they are written and imported; runs nothing, and leans towards silence.
"""

import ast
import re
from collections.abc import Iterator
from typing import Final

from factory.plans.commands.addresses import is_far, is_machine
from factory.plans.commands.python_code import called, dotted

# fmt: off
_CLOCKS: Final = frozenset(
    {
        "date.today", "datetime.now", "datetime.today", "datetime.utcnow", "perf_counter", "time.ctime",
        "time.gmtime", "time.localtime", "time.monotonic", "time.monotonic_ns", "time.perf_counter",
        "time.perf_counter_ns", "time.process_time", "time.time", "time.time_ns", "timeit.timeit",
    }
)
_OPENERS: Final = frozenset(
    {"Request", "create_connection", "delete", "get", "gethostbyname", "getaddrinfo", "head", "post", "put"}
    | {"request", "urlopen", "urlretrieve"}
)
_NETWORK_MODULES: Final = frozenset(
    {"aiohttp", "ftplib", "http", "httpx", "requests", "smtplib", "socket", "urllib", "urllib3"}
)
_CONNECTING: Final = frozenset(
    {"FTP", "HTTPConnection", "HTTPSConnection", "SMTP", "connect", "create_connection", "getaddrinfo"}
    | {"gethostbyname"}
)
"""What takes the name of a machine."""

_CHANGES: Final = frozenset({"getctime", "getmtime", "st_ctime", "st_ctime_ns", "st_mtime", "st_mtime_ns"})
_LOCALE_CALLS: Final = frozenset(
    {"getdefaultlocale", "getlocale", "localeconv", "setlocale", "strcoll", "strxfrm"}
)
_LOCALE_FORMAT: Final = re.compile(r"%[-_0^#]?[aAbBcxXp]")
_ORDERING: Final = frozenset({"enumerate", "iter", "join", "list", "repr", "str", "tuple", "zip"})
_UNORDERED: Final = frozenset({"frozenset", "set"})
_LISTINGS: Final = frozenset({"glob", "iglob", "iterdir", "listdir", "rglob", "scandir"})
_ORDER_FREE: Final = frozenset({
    "Counter", "all", "any", "assertCountEqual", "bool", "frozenset", "len", "max", "min", "set", "sorted",
    "sum",
})
# fmt: on


def instabilities_in_code(tree: ast.Module) -> Iterator[str]:
    """What the code's result depends on, in words."""
    free = _order_free(tree)
    unordered = _unordered_names(tree)
    connects = not _NETWORK_MODULES.isdisjoint(_imported(tree))
    names = _imported_names(tree)
    if any(map(_texts, _hashes(tree))) and not any(map(_compares_hashes, ast.walk(tree))):
        yield "the seed of hashes"
    if _asks_for_changes(tree):
        yield "the time"
    if _waits_for_a_process(tree):
        yield "how fast a process is"
    if _expects_order(tree, free):
        yield "the order of a set"
    returning = coming_back(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and id(node) not in returning:
            yield from _in_call(node, names, connects=connects)
        elif isinstance(node, ast.Compare) and _is_equality(node):
            for side in (node.left, *node.comparators):
                for inner in ast.walk(side):
                    if id(inner) not in free:
                        yield from _order(inner, unordered)


def coming_back(tree: ast.Module) -> frozenset[int]:
    """The `id` of each call whose value has a name that every comparison asks for as it is."""
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    if not compared or not all(map(_is_equality, compared)):
        return frozenset()
    asked = frozenset.intersection(
        *(
            frozenset(name for side in (node.left, *node.comparators) for name in _as_they_are(side))
            for node in compared
        )
    )
    return frozenset(
        id(node)
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and statement.targets[0].id in asked
        for node in ast.walk(statement.value)
        if isinstance(node, ast.Call)
    )


def _as_they_are(node: ast.expr) -> Iterator[str]:
    """The names that an expression is, or holds in lists and the like."""
    if isinstance(node, ast.Dict):
        for value in node.values:
            yield from _as_they_are(value)
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for element in node.elts:
            yield from _as_they_are(element)
    elif isinstance(node, ast.Name):
        yield node.id


def _in_call(node: ast.Call, names: dict[str, str], *, connects: bool) -> Iterator[str]:
    first, _, rest = dotted(node.func).partition(".")
    name = ".".join(part for part in (names.get(first, first), rest) if part)
    last = name.rpartition(".")[2] or called(node)
    texts = _texts(node)
    last_two = ".".join(name.split(".")[-2:])
    if last_two in _CLOCKS or (last_two == "time.strftime" and len(node.args) == 1):
        yield "the time"
    is_asked = (last in _OPENERS and any(map(is_far, texts))) or (
        last in _CONNECTING and any(map(is_machine, texts))
    )
    if connects and is_asked:
        yield "the network"
    if last in _LOCALE_CALLS or (last == "strftime" and any(map(_LOCALE_FORMAT.search, texts))):
        yield "the locale"


def _imported_names(tree: ast.Module) -> dict[str, str]:
    """What names that an import binds stand for, dotted."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update({alias.asname: alias.name for alias in node.names if alias.asname})
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return names


def _imported(tree: ast.Module) -> Iterator[str]:
    """The names of the packages that are imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def _order(node: ast.AST, unordered: frozenset[str]) -> Iterator[str]:
    """What an expression's value owes its order to."""
    if isinstance(node, ast.Call):
        name = called(node)
        if name in _LISTINGS:
            yield "the order of a directory's entries"
        if name in _ORDERING and any(_is_unordered(argument, unordered) for argument in node.args):
            yield "the order of a set"
        if (
            name == "pop"
            and isinstance(node.func, ast.Attribute)
            and _is_unordered(node.func.value, unordered)
        ):
            yield "the order of a set"
    else:
        source = node.generators[0].iter if isinstance(node, ast.ListComp) else None
        source = node.value if isinstance(node, ast.Starred) else source
        if source is not None and _is_unordered(source, unordered):
            yield "the order of a set"


def _asks_for_changes(tree: ast.Module) -> bool:
    """Whether the time is asserted at which a file was changed, which nobody sets."""
    nodes = list(ast.walk(tree))
    if any(isinstance(node, ast.Call) and called(node) == "utime" for node in nodes):
        return False
    asked = [node for compared in nodes if isinstance(compared, ast.Compare) for node in ast.walk(compared)]
    return any(
        (isinstance(node, ast.Attribute) and node.attr in _CHANGES)
        or (isinstance(node, ast.Call) and called(node) in _CHANGES)
        for node in asked
    )


def _waits_for_a_process(tree: ast.Module) -> bool:
    """Whether code starts a process, and then waits for a while that is written down, and only once."""
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if any(isinstance(node, ast.For | ast.While) for node in nodes):
        return False
    starts = any(called(call) in ("Popen", "fork", "spawn") for call in calls)
    return starts and any(
        called(call) in ("sleep", "setTimeout")
        and any(
            isinstance(given, ast.Constant) and isinstance(given.value, int | float) for given in call.args
        )
        for call in calls
    )


def _expects_order(tree: ast.Module, free: frozenset[int]) -> bool:
    """Whether texts of a set are expected one after the other, after something put them in a row."""
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    sides = {id(side) for node in compared for side in (node.left, *node.comparators)}
    expected = [
        _told(side)
        for node in compared
        if _is_equality(node)
        for side in (node.left, *node.comparators)
        if isinstance(side, ast.Constant | ast.List | ast.Tuple)
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Set) and id(node) not in free | sides:
            texts = _told(node)
            if any(
                len({text for text in texts for value in values if text in value}) > 1 for values in expected
            ):
                return True
    return False


def _told(node: ast.expr) -> set[str]:
    """The texts in an expression."""
    constants = (inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant))
    return {value for value in constants if isinstance(value, str) and value}


def _order_free(tree: ast.Module) -> frozenset[int]:
    """The nodes below a call, or in a set, whose result no order changes."""
    identities: set[int] = set()
    for node in ast.walk(tree):
        if (isinstance(node, ast.Call) and called(node) in _ORDER_FREE) or isinstance(
            node, ast.Set | ast.SetComp
        ):
            identities.update(id(inner) for inner in ast.walk(node) if inner is not node)
    return frozenset(identities)


def _unordered_names(tree: ast.Module) -> frozenset[str]:
    return frozenset(
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_unordered(node.value, frozenset())
        for target in node.targets
        if isinstance(target, ast.Name)
    )


def _is_unordered(node: ast.expr, unordered: frozenset[str]) -> bool:
    if isinstance(node, ast.Set):
        # With one element there is one order.
        return len(node.elts) > 1 or any(isinstance(element, ast.Starred) for element in node.elts)
    if isinstance(node, ast.Name):
        return node.id in unordered
    return isinstance(node, ast.SetComp) or (isinstance(node, ast.Call) and dotted(node.func) in _UNORDERED)


def _compares_hashes(node: ast.AST) -> bool:
    """Whether hashes are held against each other: those of one process are the same for what is equal."""
    return isinstance(node, ast.Compare) and all(map(_hashes, (node.left, *node.comparators)))


def _hashes(node: ast.AST) -> list[ast.Call]:
    return [inner for inner in ast.walk(node) if isinstance(inner, ast.Call) and dotted(inner.func) == "hash"]


def _is_equality(node: ast.Compare) -> bool:
    return any(isinstance(operator, ast.Eq | ast.NotEq) for operator in node.ops)


def _texts(node: ast.Call) -> list[str]:
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    # An address may be a host and a port.
    given += [argument.elts[0] for argument in given if isinstance(argument, ast.Tuple) and argument.elts]
    return [
        argument.value
        for argument in given
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
