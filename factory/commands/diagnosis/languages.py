"""What `doctor` says of languages: what each offers, and whether the programs of those in use are here."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.languages.features import lacking
from factory.languages.port import Language
from factory.languages.table import LANGUAGES, languages_in
from factory.system.git.client import Git
from factory.system.process.environment import searched_places


class LanguageFinding(BaseModel):
    """A language.

    Attributes:
        name: as people write it.
        suffixes: how its sources end.
        is_here: whether the repository around the current directory holds it.
        programs: what its verification starts, each with its place; None if it is not on PATH.
        lacks: what Workorder doesn't offer for it, with the reason.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    suffixes: tuple[str, ...]
    is_here: bool
    programs: Mapping[str, str | None]
    lacks: Mapping[str, str]

    @property
    def missing(self) -> tuple[str, ...]:
        """The programs that are not on PATH."""
        return tuple(program for program, place in self.programs.items() if place is None)

    @property
    def found(self) -> str:
        """What was found, a clause."""
        places = [place for place in self.programs.values() if place is not None]
        parts = [
            *([", ".join(places)] if places else []),
            *([f"not on PATH: {', '.join(self.missing)}"] if self.missing else []),
            *(f"no {feature}: {why}" for feature, why in self.lacks.items()),
        ]
        return "; ".join(parts)


def look_at_languages(
    repo: Path | None, environment: Mapping[str, str], project: RepoPath | None = None
) -> tuple[LanguageFinding, ...]:
    """All languages that are known.

    Args:
        repo: the repository whose languages are in use; None, or what is none, uses none.
        environment: the factory's own environment.
        project: the directory whose languages count; None for the whole repository.
    """
    files = _files(repo)
    if project is not None:
        files = frozenset(path for path in files if path.startswith(f"{project}/"))
    here = languages_in(files)
    # As for commands, which search no place that is relative to where they run.
    path = os.pathsep.join(searched_places(environment))
    return tuple(_finding(language, path, is_here=language in here) for language in LANGUAGES)


def _finding(language: Language, path: str, *, is_here: bool) -> LanguageFinding:
    return LanguageFinding(
        name=language.name,
        suffixes=language.suffixes,
        is_here=is_here,
        programs={program: shutil.which(program, path=path) for program in language.programs},
        lacks=lacking(language),
    )


def _files(repo: Path | None) -> frozenset[str]:
    try:
        return Git.open(repo).tracked_files() if repo is not None else frozenset()
    except (WorkorderError, OSError):
        return frozenset()
