"""What Node.js says that it lacks: a module, a package or an option."""

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder
from factory.gates.before.lacking.brought import is_written, words
from factory.gates.check import CheckContext, CommandResult
from factory.system.files.tree import FileProblem

_NO_NODE_MODULE: Final = re.compile(
    r"^(?:Uncaught )?Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '(?P<what>[^']+)'",
    re.MULTILINE,
)
_NO_OPTION: Final = re.compile(r"^\S*node: bad option: (?P<option>\S+)$", re.MULTILINE)
_BAD_OPTION: Final = 9
"""The exit code that the manual of Node.js gives for an option that it does not know."""

_INSTALLS: Final = re.compile(r"\b(?:npm|pnpm|yarn|bun|pip|uv|make)\b")


def lacking_for_node(
    result: CommandResult, order: WorkOrder, context: CheckContext, earlier: Sequence[str]
) -> str:
    """What Node.js lacks that nobody can bring; empty if nothing. See `reasons.lacking`."""
    option = _NO_OPTION.search(result.excerpt)
    if (
        option is not None
        and result.exit_code == _BAD_OPTION
        and result.argv[:1] == (result.command.split()[0],)
    ):
        return f"Node.js does not know the option `{option['option']}`"
    missing = _NO_NODE_MODULE.search(result.excerpt)
    if missing is None:
        return ""
    if any(path in result.excerpt for path in context.writable) or is_written(missing["what"], order):
        return ""
    own = {
        segment.partition(".")[0]
        for path in (*context.landing, *context.writable, *words(earlier))
        for segment in path.split("/")
    }
    if posixpath.basename(missing["what"]).partition(".")[0] in own or _may_install(context, earlier):
        return ""
    return (
        f"it needs the module `{missing['what']}` of Node.js, which is not installed and which the work order"
        " can't write"
    )


def _may_install(context: CheckContext, earlier: Sequence[str]) -> bool:
    """Whether an earlier command or the verification may install packages."""
    if VERIFY_SCRIPT in context.writable:
        return True
    try:
        script = context.tree.read(RepoPath.parse(VERIFY_SCRIPT), max_bytes=MAX_CONTEXT_BYTES)
    except FileProblem:
        return True
    texts = [*earlier, script.data.decode("utf-8", "replace") if script is not None else ""]
    return any(_INSTALLS.search(text) for text in texts)
