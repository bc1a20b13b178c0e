#!/usr/bin/env bash
# Runs the program that the demo's work orders made. Usage: show.sh PYTHON, in the built repository.
set -euo pipefail
python=$1

show() {
    local word
    printf '$ python -m cronline'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_.:=/-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$python" -m cronline "$@"
    printf '\n'
}

show next '*/20 9-17 * * mon-fri' --after 2026-01-30T16:50 --count 4
show next '0 12 29 2 *' --after 2026-03-01T00:00 --count 2
show explain '30 9 * * 1'
