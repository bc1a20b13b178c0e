"""What code takes from chance, from its process, from its user or from the environment.

Looks at names as they are written and imported; runs nothing, and leans towards silence.
"""

import ast
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from factory.plans.commands.code.unstable import coming_back
from factory.plans.commands.code.uses import imported_places
from factory.plans.commands.python_code import called, dotted

_CHANCE: Final = "chance"
_HOME: Final = "the user's home"

# fmt: off
_DRAWING: Final = frozenset({
    "betavariate", "binomialvariate", "choice", "choices", "expovariate", "gammavariate", "gauss",
    "getrandbits", "lognormvariate", "normalvariate", "paretovariate", "randbytes", "randint", "random",
    "randrange", "sample", "shuffle", "triangular", "uniform", "vonmisesvariate", "weibullvariate",
})
_TAKING: Final = {
    "getpass.getuser": "the user's name",
    "os.getlogin": "the user's name",
    "os.getpid": "the number of the process",
    "os.getppid": "the number of the process",
    "os.path.expanduser": _HOME,
    "os.urandom": _CHANCE,
    "pathlib.Path.home": _HOME,
    "platform.node": "the machine's name",
    "random.SystemRandom": _CHANCE,
    "secrets.choice": _CHANCE,
    "secrets.randbelow": _CHANCE,
    "secrets.randbits": _CHANCE,
    "secrets.token_bytes": _CHANCE,
    "secrets.token_hex": _CHANCE,
    "secrets.token_urlsafe": _CHANCE,
    "socket.gethostname": "the machine's name",
    "uuid.uuid1": _CHANCE,
    "uuid.uuid4": _CHANCE,
}
# fmt: on
_TEMPORARY: Final = frozenset({"gettempdir", "mkdtemp", "mkstemp", "mktemp"})
_LISTING: Final = frozenset({"glob.glob", "os.listdir", "os.scandir"})
_LISTINGS: Final = frozenset({"glob", "iterdir", "rglob"})
_SHARED: Final = frozenset({"/tmp", "/tmp/", "/tmp/*", "/var/tmp"})  # noqa: S108
_GIVEN: Final = frozenset({"PATH", "PYTHONPATH", "TMPDIR"})
"""Variables that every command has, or that code hands on."""


def circumstances(tree: ast.Module, settings: Collection[str]) -> Iterator[str]:
    """What the code's result depends on beside the repository, in words.

    Args:
        tree: the code.
        settings: the environment variables that the command sets itself.
    """
    places = imported_places(tree)
    texts = Counter(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    calls = [(_full_name(node.func, places), node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    returning = coming_back(tree)
    is_seeded = any(name == "random.seed" and call.args for name, call in calls)
    for name, call in calls:
        if _lists_temporary(name, call, places):
            yield "what else lies in the directory of temporary files"
        taken = _taken(name, call, is_seeded=is_seeded)
        if taken == _CHANCE and (id(call) in returning or _only_orders(tree, name, call)):
            continue
        if taken and not (taken == _HOME and "HOME" in settings):
            yield taken
    for node in ast.walk(tree):
        variable = _variable(node, places)
        # A name that the code holds twice may well be one that it sets.
        if variable and variable not in _GIVEN and variable not in settings and texts[variable] == 1:
            yield f"the environment variable {variable}"
        if isinstance(node, ast.Compare) and _compares_temporary(node, places):
            yield _CHANCE


def _only_orders(tree: ast.Module, name: str, taken: ast.Call) -> bool:
    """Whether chance puts constants into an order, and no comparison asks for one of them."""
    orders = _shuffled(tree, taken) if name == "random.shuffle" else _sorted_by(tree, taken)
    if not isinstance(orders, ast.List) or not all(isinstance(one, ast.Constant) for one in orders.elts):
        return False
    ordered = {one.value for one in orders.elts if isinstance(one, ast.Constant)}
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    asked = {
        inner.value
        for node in compared
        for side in (node.left, *node.comparators)
        if isinstance(side, ast.Constant | ast.List | ast.Tuple)
        for inner in ast.walk(side)
        if isinstance(inner, ast.Constant)
    }
    return bool(compared) and not any(
        text == other or (isinstance(text, str) and isinstance(other, str) and text in other)
        for text in ordered
        for other in asked
    )


def _shuffled(tree: ast.Module, taken: ast.Call) -> ast.expr | None:
    """What `random.shuffle` is given, with the value of a name; None for nothing."""
    first = taken.args[0] if taken.args else None
    values = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    return values.get(first.id) if isinstance(first, ast.Name) else first


def _sorted_by(tree: ast.Module, taken: ast.Call) -> ast.expr | None:
    """What is sorted by what a call gives, as in JavaScript: `[…].sort(() => Math.random() - 0.5)`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="sort" | "toSorted"), args=given):
                if any(inner is taken for argument in given for inner in ast.walk(argument)):
                    return owner
    return None


def _lists_temporary(name: str, call: ast.Call, places: dict[str, tuple[str, str]]) -> bool:
    """Whether a call lists the directory that all programs share."""
    given = call.args
    if not name and called(call) in _LISTINGS and isinstance(call.func, ast.Attribute):
        owner = call.func.value
        given = owner.args if isinstance(owner, ast.Call) and called(owner) == "Path" else []
    elif name not in _LISTING:
        return False
    first = given[0] if given else None
    if isinstance(first, ast.Call):
        return _full_name(first.func, places) == "tempfile.gettempdir"
    return isinstance(first, ast.Constant) and first.value in _SHARED


def _taken(name: str, call: ast.Call, *, is_seeded: bool) -> str:
    module, _, function = name.rpartition(".")
    if module == "random" and function in _DRAWING:
        return "" if is_seeded else _CHANCE
    if name == "random.Random" and not call.args and not call.keywords:
        return _CHANCE
    if not name and called(call) == "expanduser":
        return _HOME
    return _TAKING.get(name, "")


def _variable(node: ast.AST, places: dict[str, tuple[str, str]]) -> str:
    """The environment variable that an expression reads; empty if it reads none."""
    key: ast.expr | None = None
    match node:
        case ast.Subscript(value=value, slice=index, ctx=ast.Load()) if (
            _full_name(value, places) == "os.environ"
        ):
            key = index
        case ast.Call(func=function, args=[first, *_]) if _full_name(function, places) in (
            "os.environ.get",
            "os.getenv",
        ):
            key = first
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _compares_temporary(node: ast.Compare, places: dict[str, tuple[str, str]]) -> bool:
    """Whether the name of something temporary is compared with a text."""
    sides = [node.left, *node.comparators]
    made = [
        side
        for side in sides
        if isinstance(side, ast.Call)
        and _full_name(side.func, places).partition("tempfile.")[2] in _TEMPORARY
    ]
    return bool(made) and any(isinstance(side, ast.Constant) for side in sides)


def _full_name(node: ast.expr, places: dict[str, tuple[str, str]]) -> str:
    """A name with the module that it is imported from; empty for anything else."""
    first, _, rest = dotted(node).partition(".")
    if first not in places:
        return ""
    return ".".join(part for part in (*places[first], rest) if part)
