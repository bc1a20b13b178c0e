"""Answers that were set aside so that the model is asked anew: they are not found again, and stay paid.

The answers to one call are numbered from 1. The stored one has the number after the retired ones, and keeps
it when it is retired; so whoever adds up what was paid can tell answers apart, whatever moves meanwhile.
"""

import re
from pathlib import Path
from typing import Final

from factory.system.files import sync_directory

_NAME: Final = re.compile(r"([0-9a-f]{64})\.([1-9][0-9]*)\.json")


class RetiredAnswers:
    """The directory `retired` of one ledger: `KEY.NUMBER.json` each.

    Args:
        directory: the ledger's directory.
    """

    def __init__(self, directory: Path) -> None:
        self._ledger = directory
        self._directory = directory / "retired"

    def numbers(self) -> dict[str, list[int]]:
        """The numbers of the retired answers, by key, each ascending."""
        found: dict[str, list[int]] = {}
        if self._directory.is_dir():
            for path in self._directory.iterdir():
                name = _NAME.fullmatch(path.name)
                if name:
                    found.setdefault(name[1], []).append(int(name[2]))
        return {key: sorted(numbers) for key, numbers in found.items()}

    def path(self, key: str, number: int) -> Path:
        """The file of a retired answer."""
        return self._directory / f"{key}.{number}.json"

    def retire(self, key: str) -> str | None:
        """Set the stored answer aside, in one step: a crash leaves it here or there. One caller at a time.

        Returns:
            The name that it has now; None if there was none.
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        path = self.path(key, max(self.numbers().get(key, []), default=0) + 1)
        try:
            (self._ledger / f"{key}.json").rename(path)
        except FileNotFoundError:
            return None
        # The new place first: after a power loss the answer is in both rather than in none.
        sync_directory(self._directory)
        sync_directory(self._ledger)
        return path.stem
