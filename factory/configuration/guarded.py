"""Which files are the user's own configuration, so that a work order may change them only if a person
accepted that. Pure: paths and texts in, a reason out.

These are files that git, a CI service, Python or Workorder itself obeys whatever stands in them. Files of
which only a part is obeyed are told apart by their texts, in `guarded_parts`.
"""

import shlex
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Final

from factory.configuration.document import OWN_FILE
from factory.configuration.shadowing import shadowed
from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder

OPTION: Final = "--allow-config"
"""The option by which a person accepts a change of one file."""

_GIT: Final = "git obeys it"
_HOOK: Final = "git runs it"
_CI: Final = "CI runs it"
_PYTHON: Final = "Python runs it whenever it starts"

_NAMES: Final = {
    OWN_FILE: "it configures Workorder",
    ".gitattributes": _GIT,
    ".gitconfig": _GIT,
    ".gitmodules": _GIT,
    ".lfsconfig": _GIT,
}
_PLACES: Final = {
    ".githooks": _HOOK,
    ".husky": _HOOK,
    ".pre-commit-config.yaml": _HOOK,
    ".ci": _CI,
    ".circleci": _CI,
    ".github/actions": _CI,
    ".github/workflows": _CI,
    ".gitlab-ci.yml": _CI,
    ".travis.yml": _CI,
    "azure-pipelines.yml": _CI,
    "bitbucket-pipelines.yml": _CI,
    "jenkinsfile": _CI,
}
"""Files and directories at the root, in small letters."""

_AT_START: Final = ("sitecustomize", "usercustomize")


class NotAccepted(WorkorderError):
    """A work order lists files of the user's configuration, and nobody accepted that; or nobody needs it."""


def obeyed(path: RepoPath) -> str | None:
    """Why the whole file is the user's configuration, whatever stands in it; None if it is not."""
    # Some file systems take names for one that differ in letter case or in compatibility forms.
    segments = tuple(_folded(name) for name in path.segments)
    name = segments[-1]
    if name in _NAMES:
        return _NAMES[name]
    if name.endswith(".pth") or any(
        segments[-1] == f"{module}.py" or segments[-2:] == (module, "__init__.py") for module in _AT_START
    ):
        return _PYTHON
    for depth in range(1, len(segments) + 1):
        reason = _PLACES.get("/".join(segments[:depth]))
        if reason is not None:
            return reason
    return None


def is_verification(path: RepoPath) -> bool:
    """Whether it is the verification of the repository or of a project; the user's once it is there."""
    return f"/{_folded(path)}".endswith(f"/{VERIFY_SCRIPT}")


def require_accepted(
    pending: Sequence[WorkOrder],
    exists: Callable[[RepoPath], bool],
    accepted: Set[RepoPath],
    places: Mapping[RepoPath, str] = MappingProxyType({}),
) -> None:
    """Refuse work orders that may write the user's configuration although nobody accepted that.

    Args:
        pending: what is to be executed, in the plan's order.
        exists: whether the base has a file.
        accepted: the files that a person accepted.
        places: further files and directories that are configuration in this repository, and why.

    Raises:
        NotAccepted: some file is not accepted; all of them are named, with the options to give.
    """
    refused: dict[RepoPath, str] = {}
    verified = {path for path in filter(is_verification, _listed(pending)) if exists(path)}
    for order in pending:
        for path in order.allowed_files:
            if is_verification(path):
                reason = "it verifies the repository" if path in verified else None
            else:
                own = next((why for place, why in places.items() if path.is_within(place)), None)
                reason = own or obeyed(path) or _shadows(path, exists)
            if reason is not None and path not in accepted:
                refused.setdefault(path, f"`{path}` of {order.id}: {reason}")
        # Whoever comes later finds it made.
        verified.update(filter(is_verification, order.allowed_files))
    if refused:
        raise NotAccepted(
            "the user's configuration is changed only if a person accepts it: " + "; ".join(refused.values()),
            where="allowed_files",
            hint=f"to accept it, add {options(refused)}; else take it out of the work order",
        )


def require_listed(orders: Sequence[WorkOrder], accepted: Iterable[RepoPath]) -> None:
    """Refuse an acceptance that fits no work order: a name that was mistaken.

    Raises:
        NotAccepted: no work order may write the file.
    """
    listed = set(_listed(orders))
    for path in sorted(accepted):
        if path not in listed:
            raise NotAccepted(
                "no work order lists this file in `allowed_files`",
                where=options([path]),
                hint="give the path as the work order writes it, or leave out the option",
            )


def options(paths: Iterable[str]) -> str:
    """The options that accept these files, as they are typed."""
    return " ".join(f"{OPTION} {shlex.quote(path)}" for path in paths)


def _listed(orders: Sequence[WorkOrder]) -> list[RepoPath]:
    return [path for order in orders for path in order.allowed_files]


def _shadows(path: RepoPath, exists: Callable[[RepoPath], bool]) -> str | None:
    module = shadowed(path)
    # What the user already has under such a name is theirs to have.
    return None if module is None or exists(path) else f"it would be imported in place of `{module}`"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
