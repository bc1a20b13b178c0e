"""Who may write a file at each point of a plan, and what those who do are told."""

import re
from collections import defaultdict
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Plan, WorkOrder

MADE_BY_TOOLS: Final = frozenset(
    {".venv", "build", "coverage", "dist", "htmlcov", "node_modules", "out", "site", "target", "tmp", "venv"}
)
"""The directories into which builds and other tools put what they make."""


_AS_CODE: Final = re.compile(r"`[^`\n]*`|(?<=[\w)\]])\.\w+|\b\w+(?=\()|^\S+:\S+.*$", re.MULTILINE)

_GIVEN: Final = re.compile(r"(?<=\w)\([^()]*\)")


class Knowledge(StrEnum):
    """What is known about a name that a command needs."""

    GIVEN = "given, or open"
    UNTOLD = "nobody is told of it, and the work order itself could still write it"
    MISSING = "nobody who could have written it was told of it"


class Writers:
    """The work orders of a plan by the files that they may write.

    Attributes:
        repo_files: the files that the plan starts from.
        paths: those, and all that work orders may write.
    """

    def __init__(self, plan: Plan, repo_files: frozenset[str]) -> None:
        writers: defaultdict[str, list[int]] = defaultdict(list)
        for index, order in enumerate(plan.work_orders):
            for path in dict.fromkeys(order.allowed_files):
                writers[path].append(index)
        self.repo_files = repo_files
        self.paths = repo_files.union(writers)
        self._writers = dict(writers)
        self._plan = plan
        self._words: dict[tuple[int, bool], str] = {}

    def of(self, path: str, index: int) -> tuple[int, ...]:
        """The work orders up to `index` that may write a file."""
        return tuple(writer for writer in self._writers.get(path, ()) if writer <= index)

    def is_made_by_tools(self, path: str) -> bool:
        """Whether a path is where tools put what they make, and no file of plan or repository is there."""
        folders = path.split("/")[:-1]
        return any(
            folder in MADE_BY_TOOLS
            and not any(known.startswith("/".join([*folders[:count], folder, ""])) for known in self.paths)
            for count, folder in enumerate(folders)
        )

    def project(self, index: int) -> RepoPath | None:
        """The project of a work order; None for the repository's root."""
        return self._plan.work_orders[index].project

    def is_told(self, index: int, name: str, *, own: bool = False) -> bool:
        """Whether a work order's words hold a name.

        Args:
            index: the work order.
            name: the name.
            own: whether the name is from one of its own commands, which are then no other source.
        """
        return re.search(rf"\b{re.escape(name)}\b", self.words(index, own=own)) is not None

    def is_named(self, index: int, name: str, *, own: bool = False) -> bool:
        """Whether a work order's words hold a name as code: in backticks, behind a dot, or called.

        Where nothing is written as code, every word counts. See `is_told`.
        """
        words = self.words(index, own=own)
        if "`" not in words:
            return self.is_told(index, name, own=own)
        # What a call is given is no name of its own.
        written = "\n".join(_GIVEN.sub("()", piece) for piece in _AS_CODE.findall(words))
        return re.search(rf"\b{re.escape(name)}\b", written) is not None

    def words(self, index: int, *, own: bool = False) -> str:
        """What a work order says, its commands left out if `own`."""
        if (index, own) not in self._words:
            texts = _texts(self._plan.work_orders[index], own=own)
            self._words[index, own] = "\n".join([*self._plan.system_overview, *texts])
        return self._words[index, own]


def _texts(order: WorkOrder, *, own: bool) -> Iterator[str]:
    yield from (order.title, order.intent, order.notes or "", *order.provides, *order.consumes)
    if not own:
        yield from order.acceptance_commands
