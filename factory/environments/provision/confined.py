"""A throw-away place in which code of packages may run: inside the sandbox, without a network."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import defpath
from pathlib import Path
from tempfile import mkdtemp

from factory.environments.needs.declared import BadPackages
from factory.environments.tools.workshop import Printed, Workshop
from factory.system.removal import remove_tree
from factory.system.sandbox.levels.choose import choose
from factory.system.sandbox.levels.ownership import hand_over
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.port import Confinement, Sandbox
from factory.system.sandbox.visible import needed


@dataclass(frozen=True)
class Confined:
    """A place for commands that trust nobody and are not trusted.

    Attributes:
        root: the directory that they may write to; what lies there afterwards is theirs.
        sandbox: what confines them.
        place: the directory around it, which they don't see.
        workshop: keeps what they print.
    """

    root: Path
    sandbox: Sandbox
    place: Path
    workshop: Workshop

    def run(
        self,
        name: str,
        argv: Sequence[str | Path],
        *,
        programs: Sequence[Path] = (),
        visible: Sequence[Path] = (),
        variables: Mapping[str, str] | None = None,
    ) -> Printed:
        """Run a command in the place.

        Args:
            name: what the file with its output is called.
            argv: the command.
            programs: the directories that come first on its PATH.
            visible: what it may read beside the system's own places.
            variables: further environment variables.

        Raises:
            MachineProblem: it can't be started.
        """
        home, temporary, shared = (self.place / part for part in ("home", "tmp", "shared"))
        environment = {
            "PATH": ":".join([*map(str, programs), defpath]),
            "HOME": str(home),
            "TMPDIR": str(temporary),
            "LC_ALL": "C.UTF-8",
            **(variables or {}),
        }
        shown = (*needed(environment, self.workshop.own), *visible)
        policy = Policy(self.root, home, temporary, shared, visible=shown)
        return self.workshop.run(
            name,
            argv,
            cwd=self.root,
            environment=environment,
            output=self.place / "output",
            confined=Confinement(self.sandbox, policy),
        )

    def left(self, *parts: str) -> Path:
        """A place below the root that a command has left, where no link is on the way.

        Raises:
            BadPackages: a link is.
        """
        path = self.root
        for part in parts:
            path /= part
            if path.is_symlink():
                raise BadPackages(f"a package that was built left a link: {part[:100]}")
        return path


@contextmanager
def confined_place(workshop: Workshop, contents: Mapping[str, Path]) -> Iterator[Confined]:
    """Within the block there is a place for commands that are not trusted.

    Args:
        workshop: keeps what they print.
        contents: the files and directories that are copied into the place before, by their names there.

    Raises:
        SandboxRefused: no sandbox works here.
    """
    sandbox = choose("auto", allow_unsandboxed=False, environment=workshop.own)
    place = Path(mkdtemp(prefix="workorder-")).resolve()
    try:
        # The user that root's commands become must be able to enter it.
        place.chmod(0o755)
        parts = [place / part for part in ("checkout", "home", "tmp", "shared")]
        for part in parts:
            part.mkdir()
        root = parts[0]
        for name, source in contents.items():
            if source.is_dir():
                shutil.copytree(source, root / name, symlinks=True)
            else:
                shutil.copyfile(source, root / name)
        owner = sandbox.owner_of(root)
        if owner is not None:
            hand_over(parts, owner)
        yield Confined(root, sandbox, place, workshop)
    finally:
        remove_tree(place)
