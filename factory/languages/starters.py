"""The files that a new project begins with: one verification, which runs that of each of its languages."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from factory.contract.work_order import VERIFY_SCRIPT
from factory.languages.port import Language

_SHEBANG: Final = "#!/usr/bin/env bash\n"
_HEAD: Final = f"""\
{_SHEBANG}# Verifies the whole repository, one language after the other.
set -euo pipefail
"""


def starter(languages: Sequence[Language], files: Collection[str]) -> Mapping[str, str]:
    """The texts of the files that a project begins with, by their paths.

    Args:
        languages: the languages that it is to be written in, at least one.
        files: what is there already; no text is given of those.
    """
    by_path: dict[str, dict[str, str]] = {}
    for language in languages:
        for path, text in language.starter(files).items():
            if path not in files:
                by_path.setdefault(path, {})[language.name] = text
    return {path: _joined(path, texts) for path, texts in sorted(by_path.items())}


def _joined(path: str, texts: Mapping[str, str]) -> str:
    """One text of those of several languages."""
    if len(texts) == 1:
        return next(iter(texts.values()))
    if path != VERIFY_SCRIPT:
        # Lists, such as `.gitignore`.
        return "".join(dict.fromkeys(line for text in texts.values() for line in text.splitlines(True)))
    # Each in a shell of its own, so that none moves or ends the others.
    return _HEAD + "".join(
        f"\n# {name}\n(\n{text.removeprefix(_SHEBANG).rstrip()}\n)\n" for name, text in texts.items()
    )
