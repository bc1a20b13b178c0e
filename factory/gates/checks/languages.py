"""The default verification of the languages in a tree, for a repository without a script of its own.

Python's commands are `CompileAll` and `Pytest` of `verify`, because more is known of them; the commands of
the other languages are what each of them says of the tree that is judged.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from factory.attempt.failure import Stage
from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.repo_path import RepoPath, UnsafePath
from factory.contract.work_order import VERIFY_SCRIPT
from factory.gates.check import Check, CheckContext, CheckResult
from factory.gates.checks.kept_tests import kept_of, passed_tests, removed, skipped_tests, vanished
from factory.gates.judge import judge
from factory.languages.port import Language, Read, Verification
from factory.languages.python.language import PYTHON
from factory.languages.starters import starter
from factory.languages.table import languages_in
from factory.system.files.tree import FileProblem, Tree

SCRIPT_VERIFIES: Final = "skipped: scripts/verify.sh verifies"
ONE_BY_ONE: Final = "skipped: it is that of a new project, and what it does is run one by one"
EXEMPT: Final = "skipped: the work order is exempt"
NO_PYTHON: Final = "skipped: the repository holds no Python"


def script_verifies(context: CheckContext) -> bool:
    """Whether the repository's own script does the work."""
    return not context.exempt and context.tree.exists(VERIFY_SCRIPT) and not is_of_a_new_project(context)


def is_of_a_new_project(context: CheckContext) -> bool:
    """Whether the script is, word for word, the one that a new project in these languages begins with.

    It does what the languages' own commands do, of which more is known than the exit code of a shell.
    """
    languages = languages_in(context.landing)
    text = starter(languages, ())[VERIFY_SCRIPT] if languages else ""
    return bool(text) and reading(context.tree)(VERIFY_SCRIPT) == text.encode("utf-8")


def holds_python(context: CheckContext) -> bool:
    """Whether Python's commands verify a tree: it holds Python, or no language that is known."""
    languages = languages_in(context.landing)
    return not languages or PYTHON in languages


def reading(tree: Tree) -> Read:
    """Gives the bytes of a tree's files; None for a name that no file can have."""

    def read(path: str) -> bytes | None:
        try:
            file = tree.read(RepoPath.parse(path), max_bytes=MAX_SOURCE_BYTES)
        except (FileProblem, UnsafePath):
            return None
        return file.data if file is not None else None

    return read


@dataclass(frozen=True)
class LanguageChecks:
    """The commands of all languages but Python that the tree to be judged holds, a check each.

    Attributes:
        judged: what becomes of such a check where the baseline is known.
        kept: the ids of tests that passed before and must pass again.
    """

    judged: Callable[[Check], Check]
    kept: tuple[str, ...] = ()

    def checks(self, context: CheckContext) -> tuple[Check, ...]:
        """The checks of a tree."""
        if context.exempt or script_verifies(context):
            return ()
        files = frozenset(context.landing)
        read = reading(context.tree)
        checks: list[Check] = []
        for language in languages_in(files):
            commands = language.verification(files, read) if language is not PYTHON else ()
            kept = kept_of(self.kept, language)
            checks += (self.judged(LanguageCheck(language, command, kept)) for command in commands)
            if not commands and language is not PYTHON:
                checks.append(Unverified(language))
        return tuple(checks)


@dataclass(frozen=True)
class Unverified:
    """Says that nothing verifies the sources of a language, and fails nothing.

    Attributes:
        language: the language.
    """

    language: Language

    @property
    def name(self) -> str:
        return self.language.name

    def run(self, context: CheckContext) -> CheckResult:
        return CheckResult(name=self.name, note="skipped: no tests and no project of it that commands verify")


@dataclass(frozen=True)
class LanguageCheck:
    """A command of a language's default verification returns 0.

    Attributes:
        language: whose command it is.
        command: the command.
        kept: the ids of tests of its files that passed before and must pass again.
    """

    language: Language
    command: Verification
    kept: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.command.name

    def run(self, context: CheckContext) -> CheckResult:
        words = self.command.words
        output = "".join(letter if letter.isalnum() else "_" for letter in self.name)
        result = context.execute(output, " ".join(words), words)
        failure = judge(result, Stage.VERIFY_FAILED, context)
        passed = passed_tests(result, context)
        failure = failure or vanished(
            self.kept, passed, result, self.name, context.writable, skipped_tests(result, context)
        )
        return CheckResult(
            name=self.name,
            failure=failure,
            commands=(result,),
            passed_tests=passed,
            removed_tests=removed(self.kept, passed, context.writable) if failure is None else (),
        )
