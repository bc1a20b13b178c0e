"""The files of a repository, as a value: their names, and a way to their bytes."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from factory.contract.text import Read

_DECLARING: Final = re.compile(
    r"pyproject\.toml|setup\.(?:cfg|py)|[\w.-]*requirements[\w.-]*\.(?:txt|in)|tox\.ini|Pipfile"
    r"|environment\.ya?ml|package\.json|Dockerfile|Makefile|[\w.-]*\.lock"
)
"""Files that say what a project needs."""


@dataclass(frozen=True)
class Sources:
    """A repository's files as they are now, with what has landed of a plan.

    Attributes:
        files: the paths of the tracked ones.
        read: gives their bytes.
    """

    files: frozenset[str]
    read: Read

    def declares(self, name: str) -> bool:
        """Whether the repository's own files say that it needs a package or a program."""
        return re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", self._declarations) is not None

    @cached_property
    def _declarations(self) -> str:
        paths = sorted(path for path in self.files if _DECLARING.fullmatch(path.rpartition("/")[2]))
        texts = (self.read(path) or b"" for path in paths)
        return "\n".join(text.decode("utf-8", "replace") for text in texts).lower()


NO_SOURCES: Final = Sources(frozenset(), lambda _path: None)
"""A repository that is new."""
