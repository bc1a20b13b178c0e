"""What changes the result of a command although the repository is the same: time, network, locale, order.

Looks at the words and the parsed code of a command; runs nothing, and leans towards silence.
"""

import ast
import re
from collections.abc import Iterator
from typing import Final

from planner.acceptance.interpreters import is_python, python_run
from planner.acceptance.programs import Invocation
from planner.acceptance.python_code import called, dotted

_CLOCKS: Final = frozenset(
    {
        "date.today", "datetime.now", "datetime.today", "datetime.utcnow", "perf_counter", "time.ctime",
        "time.gmtime", "time.localtime", "time.monotonic", "time.monotonic_ns", "time.perf_counter",
        "time.perf_counter_ns", "time.process_time", "time.time", "time.time_ns", "timeit.timeit",
    }
)  # fmt: skip
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

_HOST: Final = re.compile(r"(?:[\w-]+\.)+[\w-]+")
_URL: Final = re.compile(r"(?:https?|ftp|git|ssh)://(?P<host>[^/:\s]+)|git@(?P<other>[\w.-]+):")
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "0.0.0.0"})  # noqa: S104
_NETWORK: Final = frozenset(
    {
        "apt",
        "apt-get",
        "curl",
        "dig",
        "ftp",
        "host",
        "nslookup",
        "ping",
        "rsync",
        "scp",
        "sftp",
        "ssh",
        "wget",
    }
)
_INSTALLERS: Final = {"npm": ("ci", "i", "install"), "gem": ("install",), "cargo": ("install",)}
_GIT_REMOTE: Final = frozenset({"clone", "fetch", "ls-remote", "pull", "push"})
_LOCALE_CALLS: Final = frozenset(
    {"getdefaultlocale", "getlocale", "localeconv", "setlocale", "strcoll", "strxfrm"}
)
_LOCALE_FORMAT: Final = re.compile(r"%[-_0^#]?[aAbBcxXp]")
_ORDERING: Final = frozenset({"enumerate", "iter", "join", "list", "repr", "str", "tuple", "zip"})
_UNORDERED: Final = frozenset({"frozenset", "set"})
_LISTINGS: Final = frozenset({"glob", "iglob", "iterdir", "listdir", "rglob", "scandir"})
_ORDER_FREE: Final = frozenset(
    {
        "Counter",
        "all",
        "any",
        "assertCountEqual",
        "bool",
        "frozenset",
        "len",
        "max",
        "min",
        "set",
        "sorted",
        "sum",
    }
)


def instabilities(found: Invocation) -> Iterator[str]:
    """What a program's result depends on, in words: `the time`, `the network`, `the locale`, …"""
    if found.code is not None and found.code.tree is not None:
        yield from dict.fromkeys(_in_code(found.code.tree))
    elif found.name == "date" and not _is_fixed_date(found.arguments):
        yield "the time"
    elif found.name == "locale":
        yield "the locale"
    elif _reaches_out(found):
        yield "the network"


def _reaches_out(found: Invocation) -> bool:
    name, arguments = found.name, found.arguments
    if is_python(name):
        run = python_run(arguments)
        if run.kind != "module" or run.target != "pip":
            return False
        name, arguments = "pip", run.arguments
    if name in ("pip", "pip3"):
        return _installs_from_afar(arguments)
    if name in _INSTALLERS:
        return bool(arguments) and arguments[0] in _INSTALLERS[name]
    if name == "git":
        return any(one in _GIT_REMOTE for one in arguments) and any(_is_far(one) for one in arguments)
    if name not in _NETWORK or _only_tells(arguments):
        return False
    # A server on this machine is not the network.
    return not any(host in argument for argument in arguments for host in _LOCAL)


def _installs_from_afar(arguments: tuple[str, ...]) -> bool:
    if not arguments or arguments[0] not in ("download", "install") or "--no-index" in arguments:
        return False
    named = [one for one in arguments[1:] if not one.startswith("-")]
    return any("/" not in one and not one.startswith(".") and not one.endswith(".whl") for one in named)


def _only_tells(arguments: tuple[str, ...]) -> bool:
    return bool({"--help", "--version", "-V"} & set(arguments))


def _is_fixed_date(arguments: tuple[str, ...]) -> bool:
    return any(
        one.startswith(("-d", "--date", "-r", "--reference", "--help", "--version")) for one in arguments
    )


def _in_code(tree: ast.Module) -> Iterator[str]:
    free = _order_free(tree)
    unordered = _unordered_names(tree)
    connects = not _NETWORK_MODULES.isdisjoint(_imported(tree))
    names = _imported_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            first, _, rest = dotted(node.func).partition(".")
            name = ".".join(part for part in (names.get(first, first), rest) if part)
            last = name.rpartition(".")[2] or called(node)
            if ".".join(name.split(".")[-2:]) in _CLOCKS:
                yield "the time"
            if connects and (
                (last in _OPENERS and any(_is_far(text) for text in _texts(node)))
                or (last in _CONNECTING and any(_is_machine(text) for text in _texts(node)))
            ):
                yield "the network"
            if last in _LOCALE_CALLS or (
                last == "strftime" and any(_LOCALE_FORMAT.search(text) for text in _texts(node))
            ):
                yield "the locale"
        elif isinstance(node, ast.Compare) and _is_equality(node):
            for side in (node.left, *node.comparators):
                for inner in ast.walk(side):
                    if id(inner) not in free:
                        yield from _order(inner, unordered)


def _imported_names(tree: ast.Module) -> dict[str, str]:
    """What names that an import binds stand for, dotted."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update({alias.asname: alias.name for alias in node.names if alias.asname})
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return found


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


def _order_free(tree: ast.Module) -> frozenset[int]:
    """The nodes below a call, or in a set, whose result no order changes."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if (isinstance(node, ast.Call) and called(node) in _ORDER_FREE) or isinstance(
            node, ast.Set | ast.SetComp
        ):
            found.update(id(inner) for inner in ast.walk(node) if inner is not node)
    return frozenset(found)


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
        return len(node.elts) > 1 or any(isinstance(one, ast.Starred) for one in node.elts)
    if isinstance(node, ast.Name):
        return node.id in unordered
    return isinstance(node, ast.SetComp) or (isinstance(node, ast.Call) and dotted(node.func) in _UNORDERED)


def _is_equality(node: ast.Compare) -> bool:
    return any(isinstance(operator, ast.Eq | ast.NotEq) for operator in node.ops)


def _texts(node: ast.Call) -> list[str]:
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    # An address may be a host and a port.
    given += [one.elts[0] for one in given if isinstance(one, ast.Tuple) and one.elts]
    return [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _is_machine(text: str) -> bool:
    """Whether a text is the name of another machine."""
    return _HOST.fullmatch(text) is not None and text not in _LOCAL


def _is_far(text: str) -> bool:
    """Whether a text is the address of something on another machine."""
    found = _URL.search(text)
    host = (found["host"] or found["other"]) if found is not None else ""
    # A name without a dot, such as a test client's, is no machine of the internet.
    return "." in host and host not in _LOCAL
