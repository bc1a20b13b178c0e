"""What pytest says that it lacks: an option, a plugin, a file of tests, a test."""

import ast
import re
from collections.abc import Sequence
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.before.lacking.brought import may_be_module, may_write
from factory.gates.check import CheckContext, CommandResult
from factory.system.files.tree import FileProblem

_PYTEST_USAGE: Final = 4
_NO_OPTION: Final = re.compile(r"^.*: error: unrecognized arguments: (?P<options>.*)$", re.MULTILINE)
_NO_PLUGIN: Final = re.compile(
    r"""^(?:ImportError|ERROR): Error importing plugin "(?P<plugin>[^"]+)": """
    r"""No module named '(?P<module>[\w.]+)'""",
    re.MULTILINE,
)
_NO_REQUIRED_PLUGINS: Final = re.compile(r"^ERROR: Missing required plugins: (?P<plugins>.*)$", re.MULTILINE)
_NO_TESTS: Final = re.compile(r"^ERROR: file or directory not found: (?P<path>.*)$", re.MULTILINE)
_NO_TEST: Final = re.compile(r"^ERROR: not found: (?P<test>\S+\.py::.*)$", re.MULTILINE)
_BRINGS_OPTIONS: Final = frozenset({"conftest.py", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"})
"""Files by which a repository may bring options to pytest, beside its plugins."""
_TAKES_NAMES_ELSEWHERE: Final = re.compile(
    r"import \*|globals\(|setattr\(|exec\(|pytest_generate_tests|load_tests"
)
"""In a file of tests: what may define a test whose name does not stand there."""


def lacking_for_pytest(
    result: CommandResult, order: WorkOrder, context: CheckContext, earlier: Sequence[str]
) -> str:
    """What pytest lacks that nobody can bring; empty if nothing. See `reasons.lacking`."""
    if result.exit_code != _PYTEST_USAGE:
        return ""
    brings_options = any(_brings_options(path, context) for path in order.allowed_files)
    options = _NO_OPTION.search(result.excerpt)
    if options is not None and not brings_options:
        return f"pytest does not know `{options['options']}`, and the work order can't teach it"
    plugins = _NO_REQUIRED_PLUGINS.search(result.excerpt)
    if plugins is not None and not brings_options:
        return f"pytest is configured to need plugins that are not installed: {plugins['plugins']}"
    plugin = _NO_PLUGIN.search(result.excerpt)
    if plugin is not None and not may_be_module(plugin["module"], context, earlier):
        return f"pytest is told to load the plugin `{plugin['plugin']}`, which is not installed"
    files = _NO_TESTS.search(result.excerpt)
    if files is not None and not may_write(files["path"], order):
        return f"`{files['path']}` is not there, and the work order may not write it"
    test = _NO_TEST.search(result.excerpt)
    if test is not None and not brings_options and _stays_without(test["test"], order, context):
        return f"the test `{test['test']}` is not there, and the work order may not write its file"
    return ""


def _stays_without(test: str, order: WorkOrder, context: CheckContext) -> bool:
    """Whether a file of tests that the work order may not write can't get a test in another way."""
    path, *names = test.partition("[")[0].split("::")
    if may_write(path, order):
        return False
    try:
        file = context.tree.read(RepoPath.parse(path), max_bytes=MAX_CONTEXT_BYTES)
        text = file.data.decode("utf-8") if file is not None else ""
        classes = {node.name: node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)}
    except (WorkorderError, ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    if not text or _TAKES_NAMES_ELSEWHERE.search(text) or re.search(rf"\b{re.escape(names[-1])}\b", text):
        return False
    # A class that has bases may get its tests from them.
    return all(
        not re.search(rf"\b{re.escape(name)}\b", text) or (name in classes and _is_plain(classes[name]))
        for name in names[:-1]
    )


def _is_plain(node: ast.ClassDef) -> bool:
    return not (node.bases or node.keywords or node.decorator_list)


def _brings_options(path: RepoPath, context: CheckContext) -> bool:
    """Whether what is written to a file may teach pytest an option: its configuration, or a plugin."""
    if path.segments[-1] in _BRINGS_OPTIONS:
        return True
    try:
        file = context.tree.read(path, max_bytes=MAX_CONTEXT_BYTES)
    except FileProblem:
        # SE tells of it.
        return True
    return file is not None and b"pytest_addoption" in file.data
