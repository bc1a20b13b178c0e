"""What an agent changed in its checkout: a look before, a look after, and the difference as an answer.

Everything there may be hostile: no link is followed, nothing special is opened, no file is read that is
larger than it was or than a proposal may hold. Git's own directory at the top is not looked at, because it is
put back in any case, and nothing of ours reads it.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Final

from factory.contract.canonical import EMPTY_SHA256
from factory.contract.limits import MAX_PROPOSAL_BYTES, MAX_WRITE_BYTES
from factory.contract.proposal import Write
from factory.contract.repo_path import RepoPath, UnsafePath
from factory.contract.text import decoded
from factory.llm.agents.answer import Refused
from factory.llm.agents.workplace import Workplace
from factory.system.files.tree import FileProblem, Tree
from factory.system.terminal.console import visible

_MOST_ENTRIES: Final = 200_000
_MOST_REFUSED: Final = 100
_DIFF_CHARS: Final = 20_000
_DIFF_OF_FILE_BYTES: Final = 50_000
_CHUNK: Final = 1 << 20

_SPECIAL: Final = "is neither a file nor a directory"


@dataclass(frozen=True)
class Entry:
    """A file, or what stands in the place of one.

    Attributes:
        kind: `file`, `link` or `special`; `closed` of a directory that can't be read.
        executable: whether its owner may execute it.
        size: its bytes.
        content: the hash of its bytes, or where a link leads; empty where it was not read.
    """

    kind: str
    executable: bool = False
    size: int = 0
    content: str = ""


Look = Mapping[str, Entry]


def look(root: Path, before: Look | None = None) -> Look:
    """What is in a checkout, by path.

    Args:
        root: the directory.
        before: an earlier look; what was not there then, or had another size, is not read.
    """
    entries: dict[str, Entry] = {}
    for path, found in _walk(root):
        entries[path] = _entry(found, before.get(path) if before is not None else None, before is None)
        if len(entries) > _MOST_ENTRIES and before is not None and len(entries) > 2 * len(before):
            entries["…"] = Entry("closed")
            break
    return entries


def _walk(root: Path) -> Iterator[tuple[str, "os.DirEntry[str] | None"]]:
    """Everything but directories below `root`, with its path; None for a directory that can't be read."""
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(root / folder) as opened:
                entries = list(opened)
        except OSError:
            yield folder.removesuffix("/"), None
            continue
        for entry in entries:
            path = folder + entry.name
            if path == ".git":
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(f"{path}/")
            else:
                yield path, entry


def _entry(found: "os.DirEntry[str] | None", before: Entry | None, always: bool) -> Entry:
    if found is None:
        return Entry("closed")
    try:
        status = found.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            return Entry("link", content=visible(str(Path(found.path).readlink())))
        if not stat.S_ISREG(status.st_mode):
            return Entry("special")
        same = before is not None and before.kind == "file" and before.size == status.st_size
        content = _hash(found.path, status.st_size) if always or same else ""
        return Entry("file", bool(status.st_mode & stat.S_IXUSR), status.st_size, content)
    except OSError:
        return Entry("closed")


def _hash(path: str, size: int) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    digest = hashlib.sha256()
    with open(descriptor, "rb") as file:
        while size > 0 and (chunk := file.read(min(_CHUNK, size))):
            digest.update(chunk)
            size -= len(chunk)
    return digest.hexdigest()


@dataclass(frozen=True)
class Changes:
    """What became of the files.

    Attributes:
        writes: the allowed files that were changed, whole.
        refused: the other changes.
        diff: of those.
    """

    writes: tuple[Write, ...]
    refused: tuple[Refused, ...]
    diff: str


def changes(place: Workplace, before: Look, after: Look, is_secret: Callable[[str], bool]) -> Changes:
    """The difference of two looks.

    Args:
        place: where the agent worked; nothing of it runs any more.
        before: the look at the baseline.
        after: the look at what it left.
        is_secret: whether a text holds what must not land.
    """
    changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    changed = _without_ignored(place, changed, before, after)
    writes: list[Write] = []
    refused: list[Refused] = []
    size = 0
    for path in changed:
        outcome = _judged(place, path, before.get(path), after.get(path))
        if isinstance(outcome, Write):
            size += len(outcome.content.encode("utf-8"))
            if is_secret(outcome.content):
                outcome = _refusal(path, "holds the agent's key", "no key may be part of a file")
            elif size > MAX_PROPOSAL_BYTES:
                outcome = _refusal(
                    path, f"makes the proposal larger than {MAX_PROPOSAL_BYTES:,} bytes", "write less"
                )
        if isinstance(outcome, Write):
            writes.append(outcome)
        elif len(refused) < _MOST_REFUSED:
            refused.append(outcome)
    shown = [path for path in changed if path not in {write.path for write in writes}]
    return Changes(tuple(writes), tuple(refused), _diff(place, shown[:_MOST_REFUSED]))


def _without_ignored(place: Workplace, changed: Sequence[str], before: Look, after: Look) -> list[str]:
    """The changes without new files that git does not look at, such as caches."""
    # Git would wait for a pipe with the name of a file that it reads by itself.
    new = [path for path in changed if path not in before]
    for path in changed:
        if after.get(path) == Entry("special") and path.rpartition("/")[2] in (
            ".gitignore",
            ".gitattributes",
        ):
            return list(changed)
    plain = [path for path in new if path not in place.may_write and after[path].kind in ("file", "link")]
    ignored = place.ignored(plain)
    return [path for path in changed if path not in ignored]


def _judged(place: Workplace, path: str, before: Entry | None, after: Entry | None) -> Write | Refused:
    """A change as part of a proposal, or why it can't be."""
    if path not in place.may_write:
        did = "was deleted" if after is None else "was written" if before is None else "was changed"
        return _refusal(
            path, f"{did}, and is not one of the work order's allowed files", "leave it as it was"
        )
    if after is None:
        return _refusal(path, "was deleted or renamed; a proposal only writes files", "keep it")
    if after.kind == "link":
        return _refusal(path, "is a symbolic link now; a proposal only writes files", "write the file itself")
    if after.kind != "file":
        return _refusal(path, f"{_SPECIAL} that can be read", "write a file")
    if after.executable != (before.executable if before is not None else False):
        hint = "leave its mode as it was; new files can't be executable"
        return _refusal(path, f"is {'' if after.executable else 'no longer '}executable", hint)
    try:
        allowed = RepoPath.parse(path)
        file = Tree(place.root).read(allowed, max_bytes=MAX_WRITE_BYTES)
    except (FileProblem, UnsafePath) as error:
        return _refusal(path, error.message, "write another file")
    assert file is not None
    text, problem = decoded(file.data)
    if problem:
        return _refusal(path, f"{problem}, and a proposal is text", "write text in UTF-8")
    # Of the file itself, which is what it is compared with when the proposal is written.
    old = before.content if before is not None else EMPTY_SHA256
    return Write(path=allowed, base_sha256=old, content=text)


def _refusal(path: str, why: str, hint: str) -> Refused:
    return Refused(path=visible(path), why=why, hint=hint)


def _diff(place: Workplace, paths: Iterable[str]) -> str:
    """The changes of some files as a diff, shortened; of what is no text, only that it is none."""
    parts: list[str] = []
    room = _DIFF_CHARS
    for path in paths:
        text = _diff_of(place, path)
        parts.append(text[:room])
        room -= len(text)
        if room <= 0:
            parts.append("\n[... the rest is left out ...]\n")
            break
    return "".join(parts)


def _diff_of(place: Workplace, path: str) -> str:
    name = visible(path)
    try:
        parsed = RepoPath.parse(path)
        found = Tree(place.root).read(parsed, max_bytes=_DIFF_OF_FILE_BYTES)
        before = place.before(parsed)
    except (FileProblem, UnsafePath) as error:
        return f"--- {name}: {error.message}\n"
    old, new = decoded(before or b""), decoded(found.data if found else b"")
    if old[1] or new[1] or len(old[0]) > _DIFF_OF_FILE_BYTES:
        return f"--- {name}: no text, or too large to be shown\n"
    names = (f"a/{name}" if before is not None else "/dev/null", f"b/{name}" if found else "/dev/null")
    lines = unified_diff(old[0].splitlines(), new[0].splitlines(), *names, lineterm="")
    return "".join(f"{line}\n" for line in lines)
