"""What a command needs beside the repository and Python: programs, plugins of pytest, modules of Node.

Knows the usual ones by name; whether others are there is for whoever knows the machine.
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.plans.commands.interpreters import is_python, is_shell
from factory.plans.commands.programs import Invocation
from factory.plans.commands.tests import pytest_arguments

# fmt: off
BUILT_INS: Final = frozenset({
    ".", ":", "[[", "alias", "bg", "break", "builtin", "case", "cd", "command", "continue", "declare",
    "dirs", "disown", "do", "done", "elif", "else", "enable", "esac", "eval", "exec", "exit", "export",
    "fc", "fg", "fi", "for", "function", "getopts", "hash", "if", "jobs", "let", "local", "logout",
    "mapfile", "popd", "pushd", "read", "readarray", "readonly", "return", "select", "set", "shift",
    "shopt", "source", "suspend", "then", "times", "trap", "type", "typeset", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "while", "{", "}", "!",
})
"""Built-ins and keywords of shells; those that exist as programs, too (`echo`, `test`), are left out."""

_PROGRAMS: Final = frozenset("""
    [ ag ant apt apt-get ar as at awk b2sum base32 base64 basename bat bazel bc biome black brew build buf
    bun bundle bundler bunx busybox bzip2 c++ cargo cat cc cd chgrp chmod chown cksum clang clang-format
    clang-tidy clang++ clippy cmake cmp column comm command composer conan conda convert corepack coverage
    cp cpio cppcheck csplit ctest curl cut dart dash date dc dd deno df diff diff3 dig dir dirname dircolors
    docker docker-compose dotnet du echo ed egrep elixir elm emacs env erl eslint esbuild expand expect expr
    factor false fd ffmpeg fgrep file find flake8 flutter fmt fold free ftp g++ gawk gcc gdb gem getconf
    getent getopt gfortran gh ghc git gmake gnumake go gofmt golangci-lint gpg gradle gradlew grep groups
    groovy gunzip gzip hadolint hatch head helm hexdump host hostname iconv id identify info install isort
    java javac javadoc jest join jq julia just kill kotlin kotlinc kubectl ld ldd less link lld ln locale
    localedef logname lsof ls lua luac luajit m4 make man markdownlint mawk md5sum meson mix mkdir mkdocs
    mkfifo mknod mktemp mocha more msgfmt mv mvn mypy nice ninja nl nm node nohup nox npm npx nproc nslookup
    numfmt objdump ocaml od openssl pandoc paste patch pdm perl perldoc php phpunit pidof pikchr pip pip3
    pipenv pipx pkg-config pkill playwright pnpm podman poetry pr prettier printenv printf protoc ps psql
    ptx pwd py py.test pycodestyle pydocstyle pyenv pyflakes pylint pyright pytest python python3 r R
    Rscript rake readelf readlink realpath rebar3 redis-cli rg rm rmdir rspec rsync ruby rubocop ruff rustc
    rustfmt rye sbt scala scalac scp screen script scons sdiff sed seq setsid sftp sh sha1sum sha224sum
    sha256sum sha384sum sha512sum shellcheck shfmt shred shuf size sleep sort sphinx-build split sqlite3 ssh
    stack stat stdbuf strace strings strip stty su sudo sum swift swiftc sync tac tail tar tee terraform
    test time timeout tmux top touch tox tput tr tree true truncate tsc tsort tsx ts-node tty type uname
    unexpand uniq unittest unlink unrar unshare unxz unzip uptime uv uvx valgrind vi vim virtualenv vitest
    wait watch wc wget whereis which whoami xargs xmllint xxd xz yacc yamllint yarn yes yq zcat zig zip zsh
    zstd
""".split())  # noqa: SIM905
_PLUGINS: Final = {
    "--asyncio-mode": "pytest-asyncio", "--benchmark": "pytest-benchmark", "--black": "pytest-black",
    "--cov": "pytest-cov", "--dist": "pytest-xdist", "--ds": "pytest-django", "--flake8": "pytest-flake8",
    "--force-regen": "pytest-regressions", "--forked": "pytest-forked", "--html": "pytest-html",
    "--json-report": "pytest-json-report", "--mypy": "pytest-mypy", "--no-cov": "pytest-cov",
    "--numprocesses": "pytest-xdist", "--picked": "pytest-picked", "--pylint": "pytest-pylint",
    "--random-order": "pytest-random-order", "--randomly": "pytest-randomly",
    "--reruns": "pytest-rerunfailures", "--snapshot-update": "syrupy", "--testmon": "pytest-testmon",
    "--timeout": "pytest-timeout", "-n": "pytest-xdist",
}
_OWN_PLUGINS: Final = frozenset({
    "assertion", "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "fixtures",
    "freeze_support", "helpconfig", "junitxml", "legacypath", "logging", "main", "mark", "monkeypatch",
    "nose", "pastebin", "pytester", "pytester_assertions", "python", "python_path", "recwarn", "reports",
    "runner", "setuponly", "setupplan", "skipping", "stepwise", "terminal", "threadexception", "tmpdir",
    "unittest", "unraisableexception", "warnings",
})
_NODE_MODULES: Final = frozenset("""
    assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram
    diagnostics_channel dns domain events fs fs/promises http http2 https inspector module net os path
    path/posix perf_hooks process punycode querystring readline readline/promises repl stream
    stream/promises string_decoder timers timers/promises tls trace_events tty url util util/types v8 vm
    wasi worker_threads zlib
""".split())  # noqa: SIM905
# fmt: on
_VERSION: Final = re.compile(r"python3\.\d+")
"""Python of one version, which is the environment's own only by chance."""

_REQUIRED: Final = re.compile(r"\b(?:(?:require|import)\(\s*|from\s+|import\s+)['\"]([^'\"]+)['\"]")


def unusual_needs(invocation: Invocation) -> Iterator[tuple[str, str]]:
    """What a program needs that not every machine has: in words, and the name of it."""
    name = invocation.program
    if "/" not in name and name not in _PROGRAMS | BUILT_INS and not is_python(name) and not is_shell(name):
        yield f"the program `{name}`", name
    if _VERSION.fullmatch(name):
        yield f"the program `{name}`", name
    yield from _plugins(pytest_arguments(invocation))
    if invocation.name == "node":
        for before, text in zip(invocation.arguments, invocation.arguments[1:], strict=False):
            if before in ("-e", "--eval", "-p", "--print", "-pe"):
                for module in _REQUIRED.findall(text):
                    if not module.startswith((".", "/", "node:")) and module not in _NODE_MODULES:
                        yield f"the Node module `{module}`", module


def _plugins(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The plugins that options of pytest ask for."""
    for before, argument in zip(("", *arguments), arguments, strict=False):
        if before == "-p" or (argument.startswith("-p") and len(argument) > 2):
            plugin = argument if before == "-p" else argument[2:]
            if not plugin.startswith("no:") and plugin.partition(".")[0] not in _OWN_PLUGINS | {"_pytest"}:
                yield f"the plugin `{plugin}` of pytest", plugin
            continue
        if before in ("-k", "-m"):
            continue
        for option, plugin in _PLUGINS.items():
            is_it = argument == option or re.match(rf"{re.escape(option)}[-=]", argument)
            if is_it or (option == "-n" and re.fullmatch(r"-n(?:\d+|auto|logical)", argument)):
                yield f"the plugin `{plugin}` of pytest", plugin
                break
