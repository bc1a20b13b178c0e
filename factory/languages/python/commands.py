"""The commands that verify a Python project, and the texts that a new one begins with."""

from collections.abc import Mapping
from typing import Final

from factory.languages.port import Verification

COMPILE_ALL: Final = Verification("compileall", ("python", "-m", "compileall", "-q", "."))
"""Every file compiles."""

PYTEST: Final = Verification("pytest", ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider"), tests=True)
"""The tests pass."""

VERIFY_SH: Final = """\
#!/usr/bin/env bash
# Verifies the whole repository: every Python file compiles, and the tests pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Hidden directories, such as .venv, hold other people's code.
python -m compileall -q -x '/\\.[^/]' .

status=0
python -m pytest -q -p no:cacheprovider || status=$?
# 5: no tests were collected, which is no failure as long as there are none.
if [ "$status" -ne 0 ] && [ "$status" -ne 5 ]; then
    exit "$status"
fi
"""

GITIGNORE: Final = """\
__pycache__/
*.py[cod]
.pytest_cache/
.venv/
build/
dist/
*.egg-info/
"""

STARTER: Final[Mapping[str, str]] = {"scripts/verify.sh": VERIFY_SH, ".gitignore": GITIGNORE}
"""The files that a new project begins with."""
