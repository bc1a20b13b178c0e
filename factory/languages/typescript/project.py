"""The commands that verify a project of TypeScript or JavaScript, and what a new one begins with."""

import json
import posixpath
import re
from collections.abc import Collection, Mapping
from typing import Final

from factory.languages.port import Read, Verification
from factory.languages.typescript.grammar import SUFFIXES, TYPED

PROJECT_FILES: Final = ("package.json", "tsconfig.json")
"""The files that make a directory a project."""

_TEST_FOLDERS: Final = frozenset({"__tests__", "e2e", "spec", "test", "tests"})
_TEST_NAME: Final = re.compile(r"(?:.*[._-])?(?:test|spec)(?:[._-].*)?")
_FOR_NODE: Final = re.compile(r"test|test-.+|.*[._-]test")
_FOR_VITEST: Final = re.compile(r".*\.(?:test|spec)")
_OTHER_RUNNERS: Final = frozenset({"ava", "jasmine", "jest", "mocha", "tap", "uvu"})
_LEFT_OUT: Final = frozenset({"node_modules", "dist"})
_DECLARATIONS: Final = (".d.ts", ".d.mts", ".d.cts")

TSC: Final = Verification("tsc", ("npx", "--no-install", "tsc", "--noEmit"))
"""The types fit."""

VITEST: Final = Verification("vitest", ("npx", "--no-install", "vitest", "run"), tests=True)
"""The tests pass, where vitest is declared."""

NODE: Final = Verification("node --test", ("node", "--test"), tests=True)
"""The tests pass."""


def is_test(path: str) -> bool:
    """Whether a source belongs to the tests, by its name and folders."""
    *folders, name = path.split("/")
    stem, _, _ = name.rpartition(".")
    return not _TEST_FOLDERS.isdisjoint(folders) or _TEST_NAME.fullmatch(stem) is not None


def verification(files: Collection[str], read: Read) -> tuple[Verification, ...]:
    """The compiler where it is declared and configured; the runner that is declared, where there are tests.

    Raises:
        WorkorderError: `package.json` is there and can't be read.
    """
    sources = sorted(path for path in files if _is_source(path))
    package = _package(read("package.json") if "package.json" in files else None)
    groups = (package.get(group) for group in ("dependencies", "devDependencies", "peerDependencies"))
    declared = {name for group in groups if isinstance(group, dict) for name in group}
    has_types = any(path.endswith(TYPED) for path in sources)
    compiles = (TSC,) if has_types and "tsconfig.json" in files and "typescript" in declared else ()
    return (*compiles, *_tests(sources, declared, package))


def _tests(sources: list[str], declared: set[str], package: Mapping[str, object]) -> tuple[Verification, ...]:
    stems = {path: posixpath.splitext(posixpath.basename(path))[0] for path in sources}
    if "vitest" in declared:
        return (VITEST,) if any(_FOR_VITEST.fullmatch(stem) for stem in stems.values()) else ()
    scripts = package.get("scripts")
    if declared & _OTHER_RUNNERS and isinstance(scripts, dict) and isinstance(scripts.get("test"), str):
        return (Verification("npm test", ("npm", "test"), tests=True, own=True),)
    tests = [
        path for path, stem in stems.items() if _FOR_NODE.fullmatch(stem) or "test" in path.split("/")[:-1]
    ]
    if not tests:
        return ()
    if "tsx" in declared and any(path.endswith(TYPED) for path in tests):
        # Node.js 20 looks for tests in JavaScript only.
        return (Verification("node --test", ("node", "--import", "tsx", "--test", *tests), tests=True),)
    return (NODE,)


def _is_source(path: str) -> bool:
    if not path.endswith(SUFFIXES) or path.endswith(_DECLARATIONS):
        return False
    return not any(folder in _LEFT_OUT or folder.startswith(".") for folder in path.split("/")[:-1])


def _package(data: bytes | None) -> Mapping[str, object]:
    """What `package.json` says; nothing where it can't be told."""
    try:
        document = json.loads(data) if data is not None else {}
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


VERIFY_SH: Final = r"""#!/usr/bin/env bash
# Verifies the whole repository: the types fit, and the tests pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Whether a package is declared.
declares() { [ -f package.json ] && grep -Eq "\"$1\"[[:space:]]*:" package.json; }
# The files of the repository whose names match, but nothing installed or built.
sources() {
    find . -type d \( -name node_modules -o -name dist -o -name '.?*' \) -prune -o -type f "$@" -print | sort
}

typed="$(sources \( -name '*.ts' -o -name '*.tsx' -o -name '*.mts' -o -name '*.cts' \))"
if [ -f tsconfig.json ] && declares typescript && [ -n "$typed" ]; then
    npx --no-install tsc --noEmit
fi

mapfile -t tests < <(sources \( -name '*.test.*' -o -name '*.spec.*' \))
if [ "${#tests[@]}" -eq 0 ]; then
    echo "there are no tests yet"
elif declares vitest; then
    # Vite writes its bundled configuration into the nearest one, and installed packages may be read-only.
    mkdir -p node_modules
    npx --no-install vitest run
elif declares tsx; then
    node --import tsx --test "${tests[@]}"
else
    node --test
fi
"""

GITIGNORE: Final = """\
node_modules/
dist/
coverage/
*.tsbuildinfo
"""

STARTER: Final[Mapping[str, str]] = {"scripts/verify.sh": VERIFY_SH, ".gitignore": GITIGNORE}
"""The files that a new project begins with."""
