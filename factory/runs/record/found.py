"""What the rules found before anything was paid, as it is recorded."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from factory.contract.work_order import MANIFEST_NAME
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.plans.diagnostics.places import Place, places
from factory.runs.record.model import Record
from factory.system.files.tree import FileProblem, read_bounded

_MAX_BYTES: Final = 100_000_000


class Found(Record):
    """A finding; see `Diagnostic`.

    Attributes:
        file: the file that it is in; empty if that is not known.
        line: the line there.
    """

    code: str
    name: str
    severity: Severity
    order: str
    pointer: str
    message: str
    hint: str
    accepted: str = ""
    file: str = ""
    line: int = 1

    @property
    def placed(self) -> tuple[Diagnostic, Place | None]:
        """The finding as a value, with its place."""
        diagnostic = Diagnostic(**self.model_dump(exclude={"file", "line"}))
        return diagnostic, Place(self.file, self.line) if self.file else None


class Findings(Record):
    """All that was found in a work order."""

    found: tuple[Found, ...]


def recorded(judged: Iterable[Diagnostic], files: Mapping[str, bytes]) -> tuple[Found, ...]:
    """Findings with their places.

    Args:
        judged: what was found.
        files: what was looked at, by the names under which findings are told.
    """
    listed = list(judged)
    where = places(files) if listed else (lambda _diagnostic: None)
    found = []
    for diagnostic in listed:
        place = where(diagnostic)
        fields = {name: _writable(getattr(diagnostic, name)) for name in Diagnostic.__dataclass_fields__}
        at = {} if place is None else {"file": _writable(place.file), "line": place.line}
        found.append(Found(**fields, **at))
    return tuple(found)


def _writable(value: object) -> object:
    """A text as JSON can hold it: a path may be of bytes that are no UTF-8."""
    return value.encode("utf-8", "backslashreplace").decode() if type(value) is str else value


def looked_at(read_from: Path, root: Path) -> dict[str, bytes]:
    """The files of a plan or of a work order, by the names under which findings in them are told.

    Args:
        read_from: the plan's directory, its manifest, or the work order's file.
        root: the root of the repository, from which files in it are named.
    """
    whole = read_from / MANIFEST_NAME
    if read_from.is_file():
        paths = [read_from]
    else:
        paths = [whole] if whole.is_file() else sorted(read_from.glob("WO-*.json"))
    contents = {}
    for path in paths:
        absolute = path.resolve()
        inside = absolute.is_relative_to(root.resolve())
        try:
            name = str(absolute.relative_to(root.resolve()) if inside else absolute)
            contents[name] = read_bounded(path, max_bytes=_MAX_BYTES)
        except FileProblem:
            continue
    return contents
