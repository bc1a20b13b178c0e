"""Runs the install scripts of npm packages that may run them: inside the sandbox, without a network."""

import shutil
from collections.abc import Sequence
from os import walk
from pathlib import Path
from typing import Final

from factory.environments.needs.declared import BadPackages
from factory.environments.provision.confined import confined_place
from factory.environments.tools.workshop import Workshop

_MODULES: Final = "node_modules"


def run_install_scripts(
    folder: Path, names: Sequence[str], npm: Path, node: Path, workshop: Workshop
) -> None:
    """Have npm rebuild packages in a copy of an installation, and take what that leaves.

    Args:
        folder: the installation: a manifest, a lock and `node_modules`.
        names: the packages.
        npm: the program.
        node: the interpreter.
        workshop: keeps what is printed.

    Raises:
        BadPackages: a script fails, or leaves what can't be kept.
        SandboxRefused: no sandbox works here.
    """
    workshop.progress(f"running install scripts in the sandbox: {', '.join(names)}")
    contents = {path.name: path for path in sorted(folder.iterdir())}
    prefix = node.resolve().parent.parent
    with confined_place(workshop, contents) as place:
        variables = {"npm_config_offline": "true", "npm_config_cache": str(place.place / "home" / ".npm")}
        if (prefix / "include" / "node" / "node.h").is_file():
            # Where a package is compiled: headers that are there need not be fetched.
            variables["npm_config_nodedir"] = str(prefix)
        command: tuple[str | Path, ...] = (
            npm,
            "rebuild",
            *names,
            "--foreground-scripts",
            "--no-audit",
            "--no-update-notifier",
        )
        programs = (npm.parent, node.parent)
        printed = place.run("node-build", command, programs=programs, variables=variables)
        if not printed.is_done:
            raise BadPackages(
                f"install scripts fail in the sandbox ({', '.join(names)}): {printed.brief(6)}",
                hint="see node-build.txt in the directory `environment` of OUT; there is no network, and"
                " programs such as compilers must be on the machine",
            )
        built = place.left(_MODULES)
        _refuse_leading_out(built, folder / _MODULES)
        shutil.rmtree(folder / _MODULES)
        try:
            shutil.copytree(built, folder / _MODULES, symlinks=True)
        except shutil.Error as error:
            raise BadPackages("an install script left what is neither a file nor a directory") from error


def _refuse_leading_out(modules: Path, before: Path) -> None:
    root = modules.resolve()
    for at, folders, files in walk(modules):
        for path in (Path(at, name) for name in (*folders, *files)):
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                # Npm's own links to workspaces lead out, too.
                known = before / path.relative_to(modules)
                if known.is_symlink() and known.readlink() == path.readlink():
                    continue
                raise BadPackages(f"an install script left a link to another place: {path.name[:100]}")
