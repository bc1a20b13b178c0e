#!/usr/bin/env bash
# Verifies the whole repository: every Python file compiles, and the tests pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Hidden directories, such as .venv, hold other people's code.
python -m compileall -q -x '/\.[^/]' .

status=0
python -m pytest -q -p no:cacheprovider || status=$?
# 5: no tests were collected, which is no failure as long as there are none.
if [ "$status" -ne 0 ] && [ "$status" -ne 5 ]; then
    exit "$status"
fi
