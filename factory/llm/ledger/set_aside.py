"""Files of a ledger that were set aside: they are not found by their key again, and still count as paid.

Those of one call are numbered from 1, and keep their names for good.
"""

import re
from pathlib import Path
from typing import Final

from factory.system.files.tree import sync_directory

_NAME: Final = re.compile(r"([0-9a-f]{64})\.([1-9][0-9]*)\.json")


class SetAside:
    """One directory of such files: `KEY.NUMBER.json` each.

    Args:
        directory: the directory, inside the ledger's; made when it is needed.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def numbers(self) -> dict[str, list[int]]:
        """The numbers of the files, by key, each ascending."""
        by_key: dict[str, list[int]] = {}
        if self._directory.is_dir():
            for path in self._directory.iterdir():
                name = _NAME.fullmatch(path.name)
                if name:
                    by_key.setdefault(name[1], []).append(int(name[2]))
        return {key: sorted(numbers) for key, numbers in by_key.items()}

    def path(self, key: str, number: int) -> Path:
        """The file of a call with that number."""
        return self._directory / f"{key}.{number}.json"

    def take(self, source: Path, key: str) -> str | None:
        """Move a file of the ledger here in one step: a crash leaves it here or there. One caller at a time.

        Returns:
            The name that it has now; None if there was none.
        """
        if not source.exists():
            return None
        self._directory.mkdir(parents=True, exist_ok=True)
        path = self.path(key, max(self.numbers().get(key, []), default=0) + 1)
        try:
            source.rename(path)
        except FileNotFoundError:
            return None
        # The new place first: after a power loss the file is in both rather than in none.
        sync_directory(self._directory)
        sync_directory(source.parent)
        return path.stem
