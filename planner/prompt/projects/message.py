"""The message on the projects of a repository; none where it is one project. No prompt without it changes."""

from collections.abc import Collection, Sequence
from typing import Final

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import VERIFY_SCRIPT
from factory.languages.table import default_verification, languages_in
from factory.llm.port import Message
from factory.llm.template import quoted
from factory.plans.states.projects import project_of
from factory.plans.states.sources import Sources
from factory.system.terminal.console import one_line
from planner.prompt.projects.packages import declared_packages

_PACKAGE_CHARS: Final = 120

_SEVERAL: Final = """\
# The projects of the repository

The repository holds several projects, each in a directory of its own. That changes some of what is said \
above:

- A work order has one more field, `project`: the directory of its project, as it is written below, or \
`null` for what lies in none of them. Its acceptance commands run **in that directory**, with the packages \
of that project and no other: paths in commands are relative to it (`python -m pytest -q tests/test_x.py`).
- All other paths stay relative to the root of the repository: `allowed_files`, `forbidden`, \
`context_files`, conditions, and files that `provides` and `consumes` name. Modules of Python are named as \
the project imports them, so the same name in two projects is two modules.
- A work order writes files of its own project only. Where two projects must agree on something, each gets a \
work order of its own, and the intents of both say what it is.
- What a work order requires in `requires_packages` is added to its project.
- {verification}After each work order the projects that it writes in are verified, each in its directory, \
then all others."""

_ALONE: Final = """\
# The product is one directory of the repository

The product is the directory `{project}`; nothing else of the repository is shown, built or verified. That \
changes some of what is said above:

- Acceptance commands run **in `{project}`**, with the packages of that directory: paths in commands are \
relative to it (`python -m pytest -q tests/test_x.py`).
- All other paths stay relative to the root of the repository, so they begin with `{project}/`: \
`allowed_files`, `forbidden`, `context_files`, conditions, and files that `provides` and `consumes` name. \
Modules of Python are named as they are imported in `{project}`.
- {verification}After each work order `{project}` is verified, in its directory."""

_NO_CONTRACT: Final = "`verify_contract` is null, and no work order bootstraps verification. "

_BESIDE: Final = "Beside the projects, `project` is null"


def projects_message(sources: Sources) -> Message | None:
    """What the model is told of a repository's projects; None where it is one project.

    Args:
        sources: the repository as it is now.
    """
    projects = sources.projects
    if not projects:
        return None
    text = _SEVERAL if sources.alone is None else _ALONE
    facts = [_facts(f"Project {project}", _below(sources, project)) for project in projects]
    if sources.alone is None:
        facts.append(_facts(_BESIDE, _beside(sources, projects)))
    contract = "" if VERIFY_SCRIPT in sources.files and sources.alone is None else _NO_CONTRACT
    said = text.format(project=one_line(projects[0]), verification=contract)
    return Message(role="user", content=f"{said}\n\n{quoted('projects', chr(10).join(facts))}")


def heading(path: str, projects: Collection[RepoPath]) -> str:
    """What stands above the outlines of a file's project."""
    project = project_of(path, projects)
    return "# == beside the projects ==" if project is None else f"# == project {one_line(project)} =="


def _facts(name: str, sources: Sources) -> str:
    files, read = sources.files, sources.read
    languages = ", ".join(language.name for language in languages_in(files)) or "no sources yet"
    packages = [one_line(package)[:_PACKAGE_CHARS] for package in declared_packages(files, read)]
    if VERIFY_SCRIPT in files:
        verification = [f"bash {VERIFY_SCRIPT}"]
    elif languages_in(files):
        verification = [command.spoken for command in default_verification(files, read)]
    else:
        verification = []
    return "\n".join(
        [
            f"{one_line(name)}:",
            f"  language: {languages}",
            f"  packages: {', '.join(packages) or 'none'}",
            f"  verified by: {'; '.join(verification) or 'nothing yet'}",
        ]
    )


def _below(sources: Sources, project: RepoPath) -> Sources:
    """The files of a project, by their paths in it."""
    below = f"{project}/"
    own = frozenset(path.removeprefix(below) for path in sources.files if path.startswith(below))
    return Sources(own, lambda path: sources.read(below + path))


def _beside(sources: Sources, projects: Sequence[RepoPath]) -> Sources:
    own = frozenset(path for path in sources.files if project_of(path, projects) is None)
    return Sources(own, sources.read)
