"""The shape of the code base in figures: sizes, folders, imports; with `--suite`, what its tests cost.

    .venv/test/bin/python scripts/bench/house.py [CHECKOUT] [--suite]

Reads the packages and the scripts of a checkout, by default this one, as text;
nothing of it is imported. `--suite` runs its whole test suite in the present environment and adds up the
processor time of all its processes, which depends less on what else the machine does than the time of day.
"""

import argparse
import ast
import graphlib
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("planner", "factory", "workorder")
LONG_FUNCTION: Final = 60
LONG_MODULE: Final = 200


def main() -> None:
    """Print the figures as a table of Markdown."""
    parser = argparse.ArgumentParser(description="The shape of the code base in figures.")
    parser.add_argument("checkout", nargs="?", type=Path, default=CHECKOUT)
    parser.add_argument(
        "--suite", action="store_true", help="run the tests, too, and add up their processor time"
    )
    options = parser.parse_args()
    figures = {**shape(options.checkout), **(suite(options.checkout) if options.suite else {})}
    print("| | |\n|---|---|")
    for name, figure in figures.items():
        print(f"| {name} | {figure} |")


def shape(checkout: Path) -> dict[str, str]:
    """The figures of the sources below a checkout, by their names."""
    files = [*_python(checkout, *PACKAGES), *_python(checkout, "scripts")]
    texts = {file: file.read_text("utf-8") for file in files}
    lengths = [_length(node) for text in texts.values() for node in _functions(text)]
    modules = [
        file for file in files if file.parts[len(checkout.parts)] in PACKAGES and file.name != "__init__.py"
    ]
    folders = Counter(file.parent.relative_to(checkout).as_posix() for file in modules)
    folder, most = min(folders.items(), key=lambda item: (-item[1], item[0]))
    graph = imports(checkout, modules)
    tests = [file.read_text("utf-8") for file in _python(checkout, "tests")]
    return {
        "files": f"{len(files):,}",
        "lines": f"{_lines(texts.values()):,}",
        "lines of tests": f"{_lines(tests):,}",
        f"functions over {LONG_FUNCTION} lines": str(sum(length > LONG_FUNCTION for length in lengths)),
        f"modules over {LONG_MODULE} lines": str(
            sum(len(text.splitlines()) > LONG_MODULE for file, text in texts.items() if file in modules)
        ),
        "largest flat folder": f"{most} ({folder})",
        "imports a module, mean": f"{sum(map(len, graph.values())) / len(graph):.1f}",
        "deepest import chain": str(deepest(graph)),
        "modules in circles": str(circular(graph)),
        "README": f"{len((checkout / 'README.md').read_bytes()) / 1000:.1f} KB",
    }


def imports(checkout: Path, modules: list[Path]) -> dict[str, set[str]]:
    """Which of the modules each one imports, wherever it says so but for the type checker alone."""
    names = {_name(checkout, file): file for file in modules}
    return {
        name: {
            target
            for target in _targets(ast.parse(file.read_text("utf-8")))
            if target in names and target != name
        }
        for name, file in names.items()
    }


def deepest(graph: Mapping[str, set[str]]) -> int:
    """How many modules the longest chain of imports has; what stands in a circle counts once."""
    groups = _groups(graph)
    depth: dict[frozenset[str], int] = {}
    order = graphlib.TopologicalSorter(
        {group: _below(graph, groups, group) for group in set(groups.values())}
    )
    for group in order.static_order():
        depth[group] = 1 + max((depth[below] for below in _below(graph, groups, group)), default=0)
    return max(depth.values(), default=0)


def circular(graph: Mapping[str, set[str]]) -> int:
    """How many modules can be reached from themselves."""
    return sum(len(group) for group in set(_groups(graph).values()) if len(group) > 1)


def suite(checkout: Path) -> dict[str, str]:
    """What a whole run of the tests costs, in seconds of processor time, and whether it passed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--quiet", "--numprocesses", "auto"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "tests": done.stdout.rstrip().rpartition("\n")[2].strip("= "),
        "CPU seconds of the suite": f"{used.ru_utime + used.ru_stime:.0f}",
    }


def _groups(graph: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    reach = {name: _reachable(graph, name) for name in graph}
    return {
        name: frozenset({name} | {other for other in reach[name] if name in reach[other]}) for name in graph
    }


def _below(
    graph: Mapping[str, set[str]], groups: Mapping[str, frozenset[str]], group: frozenset[str]
) -> set[frozenset[str]]:
    return {groups[target] for name in group for target in graph[name]} - {group}


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = graph[waiting.pop()] - seen
        seen |= fresh
        waiting.extend(fresh)
    return seen


def _targets(tree: ast.Module) -> Iterator[str]:
    for node in _statements(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _statements(node)


def _functions(text: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _lines(texts: Iterable[str]) -> int:
    return sum(len(text.splitlines()) for text in texts)


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _name(checkout: Path, file: Path) -> str:
    return ".".join(file.relative_to(checkout).with_suffix("").parts)


def _python(checkout: Path, *folders: str) -> list[Path]:
    return sorted(file for folder in folders for file in (checkout / folder).rglob("*.py"))


if __name__ == "__main__":
    main()
