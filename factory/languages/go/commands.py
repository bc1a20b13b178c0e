"""The commands that verify a module of Go, and the texts that a new one begins with."""

from collections.abc import Mapping
from typing import Final

from factory.languages.port import Verification

VET: Final = Verification("go vet", ("go", "vet", "./..."))
"""Every package compiles, its tests included, and has no mistake that is known to be one."""

TEST: Final = Verification("go test", ("go", "test", "./..."), tests=True)
"""The tests pass."""

COMPILE: Final = ("go", "build", "-o", "/dev/null", "./...")
"""What fails where the product doesn't compile; without a place for it, a program would be left behind."""

VERIFY_SH: Final = """\
#!/usr/bin/env bash
# Verifies the whole module: every package compiles without conspicuous mistakes, and the tests pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Nothing is wrong with a repository that is to become a module.
[ -f go.mod ] || [ -f go.work ] || exit 0
go vet ./...
go test ./...
"""

GITIGNORE: Final = """\
*.test
*.out
/bin/
/vendor/
"""

STARTER: Final[Mapping[str, str]] = {"scripts/verify.sh": VERIFY_SH, ".gitignore": GITIGNORE}
"""The files that a new project begins with."""
