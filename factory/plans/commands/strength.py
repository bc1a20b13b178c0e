"""Whether a command proves behaviour, or only that something exists or can be imported.

Decides by the words alone and leans towards proof: a program that is not known proves something.
"""

import ast
import posixpath
import re
from typing import Final

from factory.plans.commands.code.uses import outright
from factory.plans.commands.interpreters import WRAPPERS, is_python, is_shell, python_run, shell_run
from factory.plans.commands.programs import Invocation, Reading
from factory.plans.commands.proof.demands import can_be_wrong, is_self_contained
from factory.plans.commands.python_code import called, dotted

_LOOKING: Final = frozenset(
    {
        ":",
        "[",
        "cat",
        "chmod",
        "cksum",
        "command",
        "cp",
        "du",
        "echo",
        "egrep",
        "exit",
        "export",
        "fgrep",
        "file",
        "find",
        "grep",
        "head",
        "ls",
    }
    | {"md5sum", "mkdir", "mv", "printf", "pwd", "readlink", "realpath", "rg", "rm", "set", "sha1sum"}
    | {"sha256sum", "sleep", "stat", "tail", "test", "touch", "trap", "true", "type", "umask", "unset", "wc"}
    | {"which"}
)
"""Programs that only look at files, or do nothing that could show a behaviour."""

_COMPILING: Final = frozenset(
    {
        "black",
        "compileall",
        "biome",
        "eslint",
        "flake8",
        "gofmt",
        "mypy",
        "py_compile",
        "pyflakes",
        "pylint",
        "pyright",
        "prettier",
        "ruff",
        "rustfmt",
        "tabnanny",
        "tsc",
    }
)
"""Programs and modules that read sources without running them."""

_COMPILING_PARTS: Final = {
    "cargo": frozenset({"build", "check", "clippy", "fetch", "fmt", "tree"}),
    "go": frozenset({"build", "env", "fmt", "get", "list", "mod", "version", "vet"}),
    "npm": frozenset({"ci", "i", "install", "ls", "pack"}),
    "npx": frozenset({"biome", "eslint", "prettier", "tsc"}),
}
"""Programs that run tests, too, with those of their commands that only read sources or prepare something."""

_NESTED_MODULES: Final = frozenset({"pytest", "unittest", "coverage"})
_ONLY_TELLING: Final = frozenset({"--help", "-h", "--version", "-V", "--collect-only", "--co"})

_LOOKING_CALLS: Final = frozenset(
    {"Path", "__import__", "ast.parse", "bool", "callable", "compile", "dir", "exists", "getattr", "hasattr"}
    | {"importlib.import_module", "importlib.util.find_spec", "import_module", "inspect.signature", "isdir"}
    | {"inspect.getsource", "inspect.isclass", "inspect.isfunction", "re.match", "re.search"}
    | {"isfile", "isinstance", "issubclass", "len", "open", "os.listdir", "os.path.exists", "os.path.getsize"}
    | {"os.path.isdir", "os.path.isfile", "os.stat", "pathlib.Path", "print", "type"}
    | {"exit", "sys.exit", "sys.path.append", "sys.path.insert"}
)
"""Functions that look at a file or at a name, or prepare that, or tell the result."""

_LOOKING_METHODS: Final = frozenset(
    {"exists", "is_dir", "is_file", "read", "read_bytes", "read_text", "split", "splitlines", "stat", "strip"}
)
"""Methods that do, of what such a function returned."""


_SEARCHING: Final = frozenset({"egrep", "fgrep", "grep", "rg"})
_DOCUMENTS: Final = (".adoc", ".md", ".rst", ".txt")
_SUCCEEDING: Final = frozenset({":", "echo", "printf", "pwd", "sleep", "true"})
"""Programs that always succeed."""

_SHELL_SEPARATOR: Final = re.compile(r"\|\||[;\n]")
_SUCCESS: Final = re.compile(r"true|:|exit(?: 0)?|echo\b[^&|<>$`]*")
_LEAVING: Final = re.compile(r"\b(?:exec|exit|set)\b")
"""By what a shell may end before its last command."""


def only_looks(reading: Reading) -> bool:
    """Whether every program that a command starts only looks at files or imports modules."""
    program = outright(reading)
    if program is not None and program.code is not None and len(reading.invocations) > 1:
        # What code starts counts as far as the code asks how it ended.
        return _only_looks(program)
    return never_fails(reading) or all(_only_looks(invocation) for invocation in reading.invocations)


def never_fails(reading: Reading) -> bool:
    """Whether a command succeeds whatever becomes of the programs that it names: `sh -c "pytest || true"`."""
    for invocation in reading.invocations:
        if is_shell(invocation.name):
            return _swallows(invocation)
        if invocation.name not in WRAPPERS:
            return len(reading.invocations) == 1 and invocation.name in _SUCCEEDING
    return False


def searched_documents(reading: Reading) -> tuple[str, ...]:
    """The names, without endings, of the documents that a command searches for words: `README`."""
    names = [
        posixpath.basename(word)
        for invocation in reading.invocations
        if invocation.name in _SEARCHING or invocation.code is not None
        for word in (invocation.code.texts if invocation.code is not None else invocation.arguments[1:])
    ]
    return tuple(name.rpartition(".")[0] for name in names if name.endswith(_DOCUMENTS))


def _swallows(invocation: Invocation) -> bool:
    """Whether a shell ends with a command that succeeds, whatever came before."""
    run = shell_run(invocation.arguments)
    *before, last = _SHELL_SEPARATOR.split((run.text or "").strip(" \t\n;"))
    given = invocation.arguments[0] if invocation.arguments else ""
    stops = "e" in given or any(_LEAVING.search(part) for part in before)
    return not stops and _SUCCESS.fullmatch(last.strip()) is not None


def _only_looks(invocation: Invocation) -> bool:
    if is_shell(invocation.name):
        run = shell_run(invocation.arguments)
        return run.text is not None or not run.executes
    if is_python(invocation.name):
        return _python_only_looks(invocation)
    if invocation.code is not None:
        return invocation.code.tree is not None and _proves_nothing(invocation.code.tree)
    if invocation.name == "node" and {"--check", "-c"} & set(invocation.arguments):
        return True
    if invocation.name in WRAPPERS or invocation.name in _LOOKING or invocation.name in _COMPILING:
        return True
    given = next((word for word in invocation.arguments if not word.startswith("-")), "")
    if given in _COMPILING_PARTS.get(invocation.name, ()):
        return True
    if (
        invocation.name in ("pytest", "py.test")
        and not invocation.asserts
        and _is_plain(invocation.arguments)
    ):
        return True
    return _only_tells(invocation.arguments)


def _python_only_looks(invocation: Invocation) -> bool:
    run = python_run(invocation.arguments)
    if run.kind == "code":
        return (
            invocation.code is not None
            and invocation.code.tree is not None
            and _proves_nothing(invocation.code.tree)
        )
    if run.kind == "module":
        return run.target in _COMPILING | _NESTED_MODULES or _only_tells(run.arguments)
    return run.kind == "input" or _only_tells(run.arguments)


def _is_plain(arguments: tuple[str, ...]) -> bool:
    """Whether pytest does not rewrite the assertions of tests, which hold where Python leaves others out."""
    pairs = zip(("", *arguments), arguments, strict=False)
    return any(word == "--assert=plain" or (before, word) == ("--assert", "plain") for before, word in pairs)


def _only_tells(arguments: tuple[str, ...]) -> bool:
    return bool(set(arguments) & _ONLY_TELLING)


def _proves_nothing(tree: ast.Module) -> bool:
    return _code_only_looks(tree) or is_self_contained(tree) or not can_be_wrong(tree)


def _code_only_looks(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not _is_looking(node):
            return False
        if isinstance(node, ast.Compare) and not (_looks_at_text(node) or _looks_at_size(node)):
            return False
        # An operator on an imported thing may run anything; so may a loop over it.
        if isinstance(node, ast.BinOp) and not _is_constant(node):
            return False
        if isinstance(node, ast.For | ast.While | ast.comprehension | ast.Await):
            return False
    return True


def _looks_at_text(node: ast.Compare) -> bool:
    """`x is not None`, whether a piece of text stands in a file or a name in a module, or `1 == 1`."""
    if _is_constant(node):
        return True
    if all(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops):
        return True
    return all(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops) and not any(
        isinstance(inner, ast.Subscript) for inner in ast.walk(node)
    )


def _looks_at_size(node: ast.Compare) -> bool:
    """Whether a file is more than empty: `os.path.getsize("a") > 0`, `Path("a").stat().st_size > 0`."""
    functions = {
        id(inner) for call in ast.walk(node) if isinstance(call, ast.Call) for inner in ast.walk(call.func)
    }
    return all(isinstance(operator, ast.Gt | ast.GtE | ast.NotEq) for operator in node.ops) and not any(
        isinstance(inner, ast.Name) and id(inner) not in functions for inner in ast.walk(node)
    )


def _is_constant(node: ast.expr) -> bool:
    return not any(isinstance(inner, ast.Name | ast.Call) for inner in ast.walk(node))


def _is_looking(node: ast.Call) -> bool:
    name = dotted(node.func)
    # A method of a name may be the product's own.
    return name in _LOOKING_CALLS if name else called(node) in _LOOKING_METHODS
