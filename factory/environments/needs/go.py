"""What a Go module asks for: `go.mod` at the root of a repository, and the hashes in `go.sum`."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from factory.environments.environment import Package
from factory.environments.needs.declared import BadPackages, CommitFiles

MANIFEST: Final = "go.mod"
LOCK: Final = "go.sum"
FILES: Final = (MANIFEST, LOCK)
"""What is read at the root."""

_VENDORED: Final = "vendor/modules.txt"
_MODULE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~/-]*")
_VERSION: Final = re.compile(r"v[0-9][A-Za-z0-9.+-]*")
_MAX_MANIFESTS: Final = 200


@dataclass(frozen=True)
class GoNeeds:
    """What is asked for.

    Attributes:
        texts: the files that `go` gets: every `go.mod`, and the root's `go.sum`.
        packages: the required modules.
        is_locked: whether there is a `go.sum`.
        is_vendored: whether the repository holds its modules itself.
    """

    texts: Mapping[str, str]
    packages: tuple[Package, ...]
    is_locked: bool
    is_vendored: bool

    @property
    def is_open(self) -> bool:
        """Whether it is yet to be locked."""
        return bool(self.packages) and not self.is_locked and not self.is_vendored


def go_needs(files: CommitFiles) -> GoNeeds | None:
    """What the files of a commit ask for; None if they are no Go module.

    Raises:
        BadPackages: a file can't be read, leads outside of the repository, or the lock does not fit.
    """
    text = files.text(MANIFEST)
    if text is None:
        return None
    manifests = sorted(name for name in files.names if posixpath.basename(name) == MANIFEST)
    if len(manifests) > _MAX_MANIFESTS:
        raise BadPackages(f"is one of more than {_MAX_MANIFESTS} modules", where=MANIFEST)
    texts = {name: files.text(name) or "" for name in manifests}
    required = dict(_required(text))
    elsewhere = dict(_replaced(text))
    lock = files.text(LOCK)
    if lock is not None:
        texts[LOCK] = lock
        for module, (version, _) in sorted(required.items()):
            if module not in elsewhere and f"{module} {version} h1:" not in lock:
                raise BadPackages(
                    f"does not fit {MANIFEST}: {module} {version} is not in it",
                    where=LOCK,
                    hint="run `go mod tidy`, and commit both files",
                )
    packages = tuple(
        Package("go", module, version, is_direct) for module, (version, is_direct) in sorted(required.items())
    )
    return GoNeeds(texts, packages, lock is not None, _VENDORED in files.names)


def _required(text: str) -> Iterator[tuple[str, tuple[str, bool]]]:
    for words, comment in _statements(text, "require"):
        if len(words) != 2 or not _MODULE.fullmatch(words[0]) or not _VERSION.fullmatch(words[1]):
            raise BadPackages(f"requires what is no module: {' '.join(words)[:100]}", where=MANIFEST)
        yield words[0], (words[1], "indirect" not in comment)


def _replaced(text: str) -> Iterator[tuple[str, str]]:
    for words, _ in _statements(text, "replace"):
        if "=>" not in words[1:-1]:
            raise BadPackages(f"replaces what is no module: {' '.join(words)[:100]}", where=MANIFEST)
        target = words[words.index("=>") + 1]
        if target.startswith((".", "/")):
            place = posixpath.normpath(target)
            if target.startswith("/") or place.startswith(".."):
                raise BadPackages(
                    f"replaces {words[0]} by what is outside of the repository: {target[:100]}",
                    where=MANIFEST,
                    hint="take it out, or bring the module into the repository",
                )
        elif not _MODULE.fullmatch(target):
            raise BadPackages(f"replaces what is no module: {' '.join(words)[:100]}", where=MANIFEST)
        yield words[0], target


def _statements(text: str, keyword: str) -> Iterator[tuple[list[str], str]]:
    """The words of each statement with this keyword, and the comment behind it."""
    block = ""
    for line in text.splitlines():
        code, _, comment = line.partition("//")
        words = code.replace("(", " ( ").replace(")", " ) ").split()
        if block and words[:1] == [")"]:
            block = ""
        elif block:
            if block == keyword and words:
                yield words, comment
        elif words[1:2] == ["("]:
            block = words[0]
        elif words[:1] == [keyword]:
            yield words[1:], comment
