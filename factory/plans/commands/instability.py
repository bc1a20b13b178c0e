"""What changes the result of a command although the repository is the same: time, network, order, user, …

Looks at the words and the parsed code of a command; runs nothing, and leans towards silence.
"""

from collections.abc import Collection, Iterator
from typing import Final

from factory.plans.commands.addresses import LOCAL, is_far
from factory.plans.commands.code.circumstances import circumstances
from factory.plans.commands.code.unstable import instabilities_in_code
from factory.plans.commands.interpreters import ASSIGNMENT, is_python, python_run
from factory.plans.commands.programs import Invocation, Reading

_NETWORK: Final = frozenset({
    "apt", "apt-get", "curl", "dig", "ftp", "host", "nslookup", "ping", "rsync", "scp", "sftp", "ssh", "wget",
})  # fmt: skip
_INSTALLERS: Final = {"npm": ("ci", "i", "install"), "gem": ("install",), "cargo": ("install",)}
_GIT_REMOTE: Final = frozenset({"clone", "fetch", "ls-remote", "pull", "push"})


def instabilities(reading: Reading) -> Iterator[str]:
    """What the result of a command's programs depends on, in words: `the time`, `the network`, `chance`, …"""
    settings = {
        word.partition("=")[0]
        for invocation in reading.invocations
        if invocation.name == "env"
        for word in invocation.arguments
        if ASSIGNMENT.match(word)
    }
    for invocation in reading.invocations:
        yield from _instabilities(invocation, settings)


def _instabilities(invocation: Invocation, settings: Collection[str]) -> Iterator[str]:
    if invocation.code is not None and invocation.code.tree is not None:
        yield from instabilities_in_code(invocation.code.tree)
        yield from circumstances(invocation.code.tree, settings)
    elif invocation.name == "date" and not _is_fixed_date(invocation.arguments):
        yield "the time"
    elif invocation.name == "locale":
        yield "the locale"
    elif _reaches_out(invocation):
        yield "the network"


def _reaches_out(invocation: Invocation) -> bool:
    name, arguments = invocation.name, invocation.arguments
    if is_python(name):
        run = python_run(arguments)
        if run.kind != "module" or run.target != "pip":
            return False
        name, arguments = "pip", run.arguments
    if name in ("pip", "pip3"):
        return _installs_from_afar(arguments)
    if name in _INSTALLERS:
        return bool(arguments) and arguments[0] in _INSTALLERS[name]
    if name == "git":
        return any(word in _GIT_REMOTE for word in arguments) and any(is_far(word) for word in arguments)
    if name not in _NETWORK or _only_tells(arguments):
        return False
    # A server on this machine is not the network.
    return not any(host in argument for argument in arguments for host in LOCAL)


def _installs_from_afar(arguments: tuple[str, ...]) -> bool:
    if not arguments or arguments[0] not in ("download", "install") or "--no-index" in arguments:
        return False
    named = [argument for argument in arguments[1:] if not argument.startswith("-")]
    # What a project is built with is fetched into an environment of its own.
    builds = any(argument.startswith(".") and not argument.endswith(".whl") for argument in named)
    if builds and arguments[0] == "install" and "--no-build-isolation" not in arguments:
        return True
    return any(
        "/" not in argument and not argument.startswith(".") and not argument.endswith(".whl")
        for argument in named
    )


def _only_tells(arguments: tuple[str, ...]) -> bool:
    return bool({"--help", "--version", "-V"} & set(arguments))


def _is_fixed_date(arguments: tuple[str, ...]) -> bool:
    return any(
        argument.startswith(("-d", "--date", "-r", "--reference", "--help", "--version"))
        for argument in arguments
    )
