"""The files of a repository, as a value: their names, a way to their bytes, the projects that they make."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.contract.text import Read
from factory.plans.states.projects import configured_projects, project_of

_DECLARING: Final = re.compile(
    r"pyproject\.toml|setup\.(?:cfg|py)|[\w.-]*requirements[\w.-]*\.(?:txt|in)|tox\.ini|Pipfile"
    r"|environment\.ya?ml|package(?:-lock)?\.json|pnpm-lock\.yaml|pylock[\w.-]*\.toml|workorder\.toml"
    r"|Dockerfile|Makefile|[\w.-]*\.lock"
)
"""Files that say what a project needs."""

_NAMING: Final = re.compile(r"pyproject\.toml|setup\.(?:cfg|py)|package\.json")
_OWN_NAME: Final = re.compile(r"^\s*\"?name\"?\s*[:=]\s*[\"']?([\w.@/-]+)", re.MULTILINE)
"""What a project is called itself, in the files that say that, too."""


@dataclass(frozen=True)
class Sources:
    """A repository's files as they are now, with what has landed of a plan.

    Attributes:
        files: the paths of the tracked ones.
        read: gives their bytes.
        alone: the directory that is the only project, whatever the configuration says; None to ask that.
    """

    files: frozenset[str]
    read: Read
    alone: RepoPath | None = None
    _declarations: dict[RepoPath | None, tuple[str, frozenset[str]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @cached_property
    def known_projects(self) -> tuple[RepoPath, ...] | None:
        """The directories of the projects; None if the configuration that names them can't be read."""
        if self.alone is not None:
            return (self.alone,)
        return configured_projects(self.files, self.read)

    @property
    def projects(self) -> tuple[RepoPath, ...]:
        """The directories of the projects, as far as they are known."""
        return self.known_projects or ()

    def declares(self, name: str, project: RepoPath | None = None) -> bool:
        """Whether files of the repository say that a project needs a package or a program.

        Args:
            name: the package, or a program or module of its name.
            project: the directory of the project; None for what lies in none of them.
        """
        if project not in self._declarations:
            self._declarations[project] = self._of(project)
        text, own = self._declarations[project]
        return names_package(name, text) and not names_package(name, among=own)

    def has_word(self, word: str, folder: str, suffixes: tuple[str, ...]) -> bool:
        """Whether a source in a directory, anywhere in the repository, or below it has a word.

        Args:
            word: the word.
            folder: the directory's path, or the end of it; empty for the root.
            suffixes: how the names of sources end.
        """
        pattern = re.compile(rf"\b{re.escape(word)}\b")
        sources = (path for path in self.files if path.endswith(suffixes))
        inside = sorted(path for path in sources if not folder or f"/{folder}/" in f"/{path}")
        return any(pattern.search(self._text(path)) for path in inside)

    def _of(self, project: RepoPath | None) -> tuple[str, frozenset[str]]:
        """What a project declares, in small letters, and the names that it has itself."""
        paths = sorted(
            path
            for path in self.files
            if _DECLARING.fullmatch(path.rpartition("/")[2]) and project_of(path, self.projects) == project
        )
        texts = {path: self._text(path).lower() for path in paths}
        own = (
            name
            for path, text in texts.items()
            if _NAMING.fullmatch(path.rpartition("/")[2])
            for name in _OWN_NAME.findall(text)
        )
        return "\n".join(texts.values()), frozenset(own)

    def _text(self, path: str) -> str:
        try:
            return (self.read(path) or b"").decode("utf-8", "replace")
        except WorkorderError:
            return ""


def names_package(name: str, *texts: str, among: Iterable[str] = ()) -> bool:
    """Whether texts in small letters, or names, hold that of a package; `-` and `_` are one sign.

    Args:
        name: the package.
        texts: what may name it anywhere.
        among: names of packages.
    """
    words = re.split(r"[-_]", name.lower())
    sought = re.compile("[-_]".join(map(re.escape, words)))
    if any(sought.fullmatch(other.lower()) for other in among):
        return True
    return any(re.search(rf"(?<![\w-]){sought.pattern}(?![\w-])", text) for text in texts)


NO_SOURCES: Final = Sources(frozenset(), lambda _path: None)
"""A repository that is new."""
