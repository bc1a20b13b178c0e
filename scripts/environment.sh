# shellcheck shell=bash
# Makes the virtual environments of the scripts beside it. Sourced; it changes nothing by itself.
#
# The environments are .venv/test and .venv/demo in the checkout: never .venv itself, which may be yours.
#
#   PYTHON   the interpreter to make them with (default: the first Python 3.11 or newer that is found)

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# activate_environment NAME REQUIREMENT [SOURCE…]
#   Makes .venv/NAME if it is missing or out of date, installs REQUIREMENT into it, and activates it for this
#   process. It is made anew when pyproject.toml, the interpreter or the checkout's place has changed, and
#   REQUIREMENT is installed again when something in a SOURCE, a path in the checkout, has changed.
activate_environment() {
    local name=$1 requirement=$2 environment made installed python
    shift 2
    environment=$checkout/.venv/$name
    command -v git >/dev/null || { echo "error: git is not installed" >&2 && return 2; }
    shed_surroundings
    python=$(find_python) || return
    made=$(fingerprint "$python" "$requirement" pyproject.toml) || return
    installed=$(fingerprint "$python" "$requirement" "$@") || return
    if ! stamped "$environment/made" "$made" || ! "$environment/bin/python" -c '' 2>/dev/null; then
        echo "making .venv/$name with $("$python" --version); only the first time takes a minute"
        create_environment "$python" "$environment" || return
        install_into "$environment" "$requirement" || return
        echo "$made" >"$environment/made"
        echo "$installed" >"$environment/installed"
    elif ! stamped "$environment/installed" "$installed"; then
        echo "bringing .venv/$name up to date"
        install_into "$environment" "$requirement" || return
        echo "$installed" >"$environment/installed"
    fi
    export VIRTUAL_ENV=$environment PATH=$environment/bin:$PATH
}

# What the caller's shell may carry that would make Python, pip or git work elsewhere than here, or Python compile
# the same modules again and again.
shed_surroundings() {
    unset PYTHONHOME PYTHONPATH PYTHONSAFEPATH PYTHONDONTWRITEBYTECODE VIRTUAL_ENV PIP_PREFIX PIP_TARGET PIP_USER
    # A git hook runs with GIT_DIR and its like set; this is git's own list of them.
    # shellcheck disable=SC2046
    unset $(git rev-parse --local-env-vars)
    if [ -z "${HOME:-}" ]; then
        # pip would put its cache into the root directory, or into one that is called ~.
        export HOME=$checkout/.venv/home
        mkdir -p "$HOME"
    fi
}

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3 python python3.14 python3.13 python3.12 python3.11; do
        # Asked and not only looked for: a shim on PATH may stand for no interpreter at all.
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            # Not that of an active virtual environment, which may be the one that is made anew.
            "$candidate" -c 'import sys; print(getattr(sys, "_base_executable", sys.executable))'
            return
        elif [ -n "${PYTHON:-}" ]; then
            echo "error: PYTHON=$PYTHON is not a Python 3.11 or newer" >&2
            return 2
        fi
    done
    echo "error: no Python 3.11 or newer was found on PATH" >&2
    echo "  hint: install one, or name it: PYTHON=/path/to/python3 $0" >&2
    return 2
}

# fingerprint PYTHON REQUIREMENT [SOURCE…]: one line that changes when any of them does.
fingerprint() {
    local python=$1
    shift
    (cd "$checkout" && "$python" -I - "$@") <<'PYTHON'
import hashlib, os, pathlib, sys

_, requirement, *sources = sys.argv
digest = hashlib.sha256(repr((sys.version, sys.base_prefix, os.getcwd(), requirement)).encode())
for source in map(pathlib.Path, sources):
    files = [source] if source.is_file() else sorted(source.rglob("*"))
    for file in files:
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(repr((str(file), hashlib.sha256(file.read_bytes()).hexdigest())).encode())
print(digest.hexdigest())
PYTHON
}

stamped() {
    [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]
}

create_environment() {
    rm -rf "$2"
    if ! "$1" -m venv "$2"; then
        echo "error: $1 can't make a virtual environment" >&2
        echo "  hint: on Debian and Ubuntu, apt install python3-venv" >&2
        return 2
    fi
}

# install_into ENVIRONMENT REQUIREMENT
#   By uv, which takes an eighth of the processor time; where it does not know a registry that pip is configured
#   for, or can't be had, by pip.
install_into() {
    local pip=("$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-input)
    # From the checkout, because REQUIREMENT is a path in it. It trusts whom the system trusts, as pip does.
    # Copied: nothing that is done to this environment may reach uv's cache.
    if ! (cd "$checkout" && {
        { "${pip[@]}" uv && "$1/bin/uv" pip install --quiet --system-certs --python "$1" --link-mode copy "$2"; } >/dev/null 2>&1 ||
            "${pip[@]}" "$2"
    }); then
        echo "error: $2 could not be installed into $1" >&2
        echo "  hint: the packages that it needs come from the network the first time" >&2
        return 2
    fi
}
