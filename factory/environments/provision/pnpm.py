"""What pnpm means by what it prints where it can't install a lock, in the words of versions 9 to 12."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from factory.contract.errors import MachineProblem, WorkorderError
from factory.environments.needs.declared import BadPackages
from factory.environments.needs.node.manifest import MANIFEST
from factory.environments.needs.node.pnpm import PNPM_LOCK
from factory.environments.tools.workshop import Printed
from factory.system.terminal.console import listed, visible

_OTHER_HASH: Final = re.compile(r"ERR_PNPM_TARBALL_INTEGRITY")
_TARBALL: Final = re.compile(r"(\S+\.tgz)")
_STALE: Final = re.compile(r"ERR_PNPM_(?:OUTDATED_LOCKFILE|LOCKFILE_CONFIG_MISMATCH|FROZEN_LOCKFILE\w*)")
_MISSING: Final = re.compile(
    r"GET \S+?/(?P<tarball>(?:@[^/\s]+/)?[^/\s]+)/-/\S+\.tgz\b.{0,40}\b404"
    r"|(?:metadata from|GET) \S+?/(?P<name>(?:@[^/\s%]+(?:/|%2[fF]))?[^/\s:]+): .{0,40}\b404"
    r"|(?P<entry>(?:@[^@/\s]+/)?[^@/\s]+)@\S+ could not be checked [^(]*\(version not present"
)
_TOO_NEW: Final = "ERR_PNPM_MINIMUM_RELEASE_AGE_VIOLATION"


def pnpm_problem(printed: Printed, names: Sequence[str]) -> WorkorderError:
    """What pnpm's words mean.

    Args:
        printed: what it printed.
        names: the packages that are asked for.
    """
    # It breaks lines between the parts of a URL, and draws what follows from what.
    whole = re.sub(r"(?<=[/-])\n[\s\u2502]*", "", printed.text)
    text = " ".join(re.sub(r"[\u2500-\u257f\u25b6\u00d7]", " ", whole).split())
    printed = replace(printed, text=text)
    if _OTHER_HASH.search(text):
        file = _TARBALL.search(text)
        named = file[1] if file else _said(text)
        return MachineProblem(
            f"a file of npm's registry has another hash than the lock says: {named}",
            hint="the registry serves other files than were locked: find out why before you lock it anew",
        )
    if _STALE.search(text):
        return BadPackages(
            f"does not fit {MANIFEST}, or the settings of pnpm: {_said(text)}",
            where=PNPM_LOCK,
            hint="run `pnpm install --lockfile-only`, and commit the lock",
        )
    refused = printed.refusal("a registry of npm", names, "correct what ~/.npmrc says of it")
    if refused is not None:
        return refused
    missing = _MISSING.search(text)
    if missing is not None:
        name = re.sub(
            "%2f", "/", missing["tarball"] or missing["name"] or missing["entry"], flags=re.IGNORECASE
        )
        return BadPackages(
            f"the npm package {visible(name)[:214]} is not in the registry in the version that is locked",
            where=PNPM_LOCK,
            hint="correct the name or the version, or configure the registry that has it in ~/.npmrc",
        )
    if _TOO_NEW in text:
        return BadPackages(
            f"holds versions that are newer than pnpm takes: {_said(text)}",
            where=PNPM_LOCK,
            hint="lock older ones, wait, or set PNPM_CONFIG_MINIMUM_RELEASE_AGE in your environment",
        )
    if printed.is_unreachable:
        return MachineProblem(
            f"npm's registry does not answer, and these are not in the cache: {listed(names)}"
            f" ({_said(text)})",
            hint="connect to the network once, or set the registry in ~/.npmrc",
        )
    return MachineProblem(
        f"pnpm failed: {_said(text)}", hint="what it printed is in the directory `environment` of OUT"
    )


def _said(text: str) -> str:
    """What it says of the error, without what it does until then."""
    return visible(text[max(text.find("ERR_PNPM"), 0) :])[:400]
