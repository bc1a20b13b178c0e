#!/usr/bin/env bash
# Runs the program that the demo's work orders made. Usage: show.sh PYTHON, in the built repository.
set -euo pipefail
python=$1

show() {
    printf '$ python -m cronline'
    printf ' %q' "$@"
    printf '\n'
    "$python" -m cronline "$@"
    printf '\n'
}

show next '*/20 9-17 * * mon-fri' --after 2026-01-30T16:50 --count 4
show next '0 12 29 2 *' --after 2026-03-01T00:00 --count 2
show explain '30 9 * * 1'
