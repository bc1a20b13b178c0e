"""Locks and installs packages of npm's registry, by npm or pnpm; install scripts never run."""

import json
import platform
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from factory.contract.canonical import canonical_json, readable_json, sha256_hex
from factory.contract.errors import MachineProblem, WorkorderError
from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonObject, JsonValue
from factory.environments.cache import Cache
from factory.environments.environment import Package
from factory.environments.needs.declared import BadPackages, CommitFiles, Declared, not_locked
from factory.environments.needs.node.lock import LOCK, checked_lock, lacking, locked_packages
from factory.environments.needs.node.manifest import MANIFEST
from factory.environments.needs.node.needs import NodeNeeds, node_needs, unread_workspaces
from factory.environments.needs.node.pnpm import PNPM_LOCK, PNPM_SETTINGS
from factory.environments.provision.node_scripts import run_install_scripts
from factory.environments.provision.part import Part
from factory.environments.provision.pnpm import pnpm_problem
from factory.environments.tools.registries import node_environment, pnpm_environment
from factory.environments.tools.versions import said_by
from factory.environments.tools.workshop import Printed, Workshop
from factory.system.files.tree import FileProblem, read_bounded
from factory.system.terminal.console import listed

_FORMAT: Final = 1
_INSTALL_NODE: Final = "install Node.js with npm, such as `apt install nodejs npm`"
_INSTALL_PNPM: Final = "install it: npm install -g pnpm"
_QUIET: Final = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--no-progress")
_SCRIPTS: Final = ("preinstall", "install", "postinstall")
_MISSING: Final = re.compile(
    r"(?:404|notarget)\s+(?:'|No matching version found for |Not Found - GET \S+/)(@?[^@'\s]+)"
)
_OTHER_HASH: Final = re.compile(r"EINTEGRITY")
_TARBALL: Final = re.compile(r"(\S+\.tgz)")
_CONFLICT: Final = re.compile(r"ERESOLVE|EBADENGINE|ETARGET|E404")


def node_locks(files: CommitFiles, declared: Declared, workshop: Workshop) -> Mapping[RepoPath, bytes]:
    """The files that a commit lacks for its packages to be locked.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.
        workshop: where npm runs.

    Raises:
        WorkorderError: a lock of the commit does not fit, or none can be made.
    """
    needs = node_needs(files, declared)
    if needs is None and (unread := unread_workspaces(files)):
        workshop.progress(unread)
    if needs is None or not needs.is_open:
        return {}
    npm = workshop.program("npm", _INSTALL_NODE)
    workshop.progress("locking the packages of npm")
    with TemporaryDirectory(prefix="workorder-") as folder:
        # npm writes the directory's name into the lock.
        place = Path(folder) / "project"
        place.mkdir()
        _write_manifests(place, needs)
        if needs.before is not None:
            (place / LOCK).write_bytes(readable_json(needs.before))
        command = (npm, "install", "--package-lock-only", *_QUIET)
        printed = workshop.run("node-lock", command, cwd=place, environment=_environment(workshop))
        if not printed.is_done:
            raise _problem(printed, declared, needs)
        text = (place / LOCK).read_text()
    # Of the registry alone, whatever the packages ask for.
    lacks = lacking(checked_lock(text, needs.workspaces), needs.workspaces)
    if lacks:
        raise BadPackages(
            f"npm does not link the workspace `{lacks[0].name}`",
            where=lacks[0].path,
            hint=f"see whether {MANIFEST} asks for another package of that name",
        )
    locks = {RepoPath.parse(LOCK): text.encode()}
    if needs.text is not None:
        locks[RepoPath.parse(MANIFEST)] = needs.text
    return locks


@contextmanager
def node_packages(
    files: CommitFiles, declared: Declared, cache: Cache, workshop: Workshop
) -> Iterator[Part | None]:
    """Within the block there is a `node_modules` of what a commit has locked; None if it is no such project.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.
        cache: where environments are kept.
        workshop: where npm runs.

    Raises:
        WorkorderError: it is not locked, has another hash, or no registry answers.
    """
    needs = node_needs(files, declared)
    if needs is None and (MANIFEST not in files.names or not workshop.has("node")):
        yield None
        return
    if needs is not None and needs.is_open:
        raise not_locked("the packages of npm", LOCK)
    version = said_by(workshop.program("node", _INSTALL_NODE), cache.folder, workshop, "--version")
    interpreters = (f"node {version.removeprefix('v')}",)
    if needs is None:
        # Without a package Node.js is what the commands find all the same.
        yield Part(hash=sha256_hex(canonical_json([_FORMAT, version])), interpreters=interpreters)
        return
    platform_ = [platform.system(), platform.machine(), *platform.libc_ver()]
    parts: list[JsonValue] = [_FORMAT, version, list(platform_), needs.manifest, needs.lock, needs.pnpm]
    if declared.allow_build:
        parts.append(list[JsonValue](sorted(declared.allow_build)))
    if needs.pnpm_settings:
        parts.append(needs.pnpm_settings)
    if needs.workspaces:
        parts.append([[workspace.directory, workspace.manifest] for workspace in needs.workspaces])
    contents = sha256_hex(canonical_json(parts))

    def make(folder: Path, _final: Path) -> None:
        _install(folder, needs, declared.allow_build, workshop)

    with cache.entry(f"node-{contents[:24]}", make) as folder:
        modules = folder / "node_modules"
        packages = (
            locked_packages(needs.lock, needs.direct)
            if needs.lock is not None
            else _installed(folder, needs.direct)
        )
        yield Part(
            hash=contents,
            programs=(modules / ".bin",),
            interpreters=interpreters,
            visible=(folder,),
            node_modules=modules,
            workspaces={workspace.name: workspace.directory for workspace in needs.workspaces},
            packages=(*packages, *(workspace.package for workspace in needs.workspaces)),
        )


def _install(folder: Path, needs: NodeNeeds, allow_build: Collection[str], workshop: Workshop) -> None:
    _write_manifests(folder, needs)
    environment = _environment(workshop)
    if needs.pnpm is not None:
        program = workshop.program("pnpm", _INSTALL_PNPM)
        (folder / PNPM_LOCK).write_text(needs.pnpm)
        if needs.pnpm_settings:
            (folder / PNPM_SETTINGS).write_bytes(readable_json(needs.pnpm_settings))
        environment = pnpm_environment(environment)
        command: tuple[str | Path, ...] = (program, "install", "--frozen-lockfile", "--ignore-scripts")
        command += ("--package-import-method", "copy")
    else:
        program = workshop.program("npm", _INSTALL_NODE)
        assert needs.lock is not None
        (folder / LOCK).write_bytes(readable_json(needs.lock))
        command = (program, "ci", *_QUIET)
    named = sorted(needs.direct) or [workspace.name for workspace in needs.workspaces]
    workshop.progress(f"installing the packages of npm: {listed(named)}")
    printed = workshop.run("node-install", command, cwd=folder, environment=environment)
    if not printed.is_done:
        if needs.pnpm is not None:
            raise pnpm_problem(printed, sorted(needs.direct))
        raise _problem(printed, Declared(), needs)
    (folder / "node_modules" / ".bin").mkdir(parents=True, exist_ok=True)
    with_scripts = set(_with_scripts(folder / "node_modules"))
    wanted = sorted(with_scripts & set(allow_build))
    if wanted and needs.pnpm is not None:
        raise BadPackages(
            f"install scripts run with npm alone: {listed(wanted)}",
            where=PNPM_LOCK,
            hint="take them out of allow-build, or lock with npm",
        )
    if wanted:
        node = workshop.program("node", _INSTALL_NODE)
        run_install_scripts(folder, wanted, program, node, workshop)
    left_out = sorted(with_scripts - set(wanted))
    if left_out:
        workshop.progress(
            f"installed without running their install scripts, which allow-build lets run in the sandbox:"
            f" {listed(left_out)}"
        )


def _write_manifests(folder: Path, needs: NodeNeeds) -> None:
    for path, manifest in needs.manifests.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(readable_json(manifest))


def _with_scripts(modules: Path) -> Iterator[str]:
    """The installed packages that would run code of theirs."""
    for manifest, document in _manifests(modules):
        scripts = document.get("scripts")
        builds = (manifest.parent / "binding.gyp").exists()
        if builds or (isinstance(scripts, dict) and any(scripts.get(name) for name in _SCRIPTS)):
            yield f"{document.get('name', manifest.parent.name)}"[:100]


def _installed(folder: Path, direct: Collection[str]) -> tuple[Package, ...]:
    kept = {
        (str(document.get("name", ""))[:214], str(document.get("version", ""))[:100])
        for _, document in _manifests(folder / "node_modules")
    }
    return tuple(
        Package("node", name, version, is_direct=name in direct) for name, version in sorted(kept) if name
    )


def _manifests(modules: Path) -> Iterator[tuple[Path, JsonObject]]:
    for pattern in ("*/package.json", "@*/*/package.json"):
        for nested in (f"**/node_modules/{pattern}", pattern):
            for manifest in sorted(modules.glob(nested)):
                try:
                    document = json.loads(read_bounded(manifest))
                except (FileProblem, ValueError, RecursionError):
                    continue
                if isinstance(document, dict):
                    yield manifest, document


def _environment(workshop: Workshop) -> dict[str, str]:
    # What a package asks to be taken from git is not: there is none.
    return node_environment(workshop.own) | {"npm_config_git": "/bin/false"}


def _problem(printed: Printed, declared: Declared, needs: NodeNeeds) -> WorkorderError:
    """What npm's words mean."""
    text, names = printed.text, sorted(needs.direct)
    if _OTHER_HASH.search(text):
        file = _TARBALL.search(text)
        named = file[1] if file else printed.brief(3)
        return MachineProblem(
            f"a file of npm's registry has another hash than the lock says: {named}",
            hint="the registry serves other files than were locked: find out why before you lock it anew",
        )
    refused = printed.refusal("a registry of npm", names, "correct what ~/.npmrc says of it")
    if refused is not None:
        return refused
    missing = _MISSING.search(text)
    if missing is not None:
        name = missing[1].replace("%2f", "/").replace("%2F", "/")
        own = next((workspace for workspace in needs.workspaces if workspace.name == name), None)
        if own is not None:
            return BadPackages(
                f"the workspace `{name}` is asked for in a version that it does not have",
                where=own.path,
                hint="let the others ask for `*`, or for its version",
            )
        return declared.error(
            f"the npm package {name[:214]} is not in the registry in a version that is asked for",
            name,
            "correct the name or the version, or configure the registry that has it in ~/.npmrc",
            MANIFEST,
        )
    if printed.is_unreachable:
        return MachineProblem(
            f"npm's registry does not answer, and these are not in the cache: {listed(names)}"
            f" ({printed.brief(4)})",
            hint="connect to the network once, or set the registry in ~/.npmrc",
        )
    if "git error" in text:
        return BadPackages(
            f"a package of npm asks for one from git: {printed.brief(3)}",
            where=MANIFEST,
            hint="take packages that come from a registry alone",
        )
    if "EUSAGE" in text and "in sync" in text:
        return BadPackages(
            f"does not fit {MANIFEST}: {printed.brief(4)}",
            where=LOCK,
            hint="run `npm install --package-lock-only`, and commit the lock",
        )
    if _CONFLICT.search(text):
        return BadPackages(f"the packages of npm don't fit together: {printed.brief()}", where=MANIFEST)
    return MachineProblem(
        f"npm failed: {printed.brief()}", hint="what it printed is in the directory `environment` of OUT"
    )
