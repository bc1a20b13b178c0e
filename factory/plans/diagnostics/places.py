"""Where in its file a finding is: the line of a JSON pointer. Pure.

JSON is read as YAML, whose parser keeps the lines; a file that is not quite both has no lines to tell.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from factory.plans.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from yaml import Node


@dataclass(frozen=True)
class Place:
    """A place in a file.

    Attributes:
        file: the file's path, as it was named.
        line: the line, from 1.
    """

    file: str
    line: int


class Lines:
    """The lines of a file's values.

    Args:
        data: the file.
    """

    def __init__(self, data: bytes) -> None:
        # Here and not above: it takes a while, and most formats name no line.
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            self._root = yaml.compose(data.decode("utf-8"), Loader=loader)
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
            self._root = None

    def line(self, pointer: str) -> int:
        """The line of a JSON pointer, or of as much of it as there is; 1 if nothing is known."""
        node, line = self._root, 1
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            entry = _entry(node, key)
            if entry is None:
                break
            line, node = entry
        return line


def _entry(node: "Node | None", key: str) -> "tuple[int, Node] | None":
    """The line of an entry, and what it holds."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == key:
                return name.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and key.isascii() and key.isdecimal():
        number = int(key) if len(key) < 10 else len(node.value)
        if number < len(node.value):
            value = node.value[number]
            return value.start_mark.line + 1, value
    return None


def places(files: Mapping[str, bytes]) -> Callable[[Diagnostic], Place | None]:
    """What tells where a finding is; each file is read once.

    Args:
        files: what was checked, by path: one manifest, or the files of work orders by their ids.
    """
    lines = {file: Lines(data) for file, data in files.items()}

    def place(diagnostic: Diagnostic) -> Place | None:
        if len(lines) == 1:
            ((file, whole),) = lines.items()
            return Place(file, whole.line(diagnostic.pointer))
        named = next((file for file in lines if file.rpartition("/")[2] == f"{diagnostic.order}.json"), None)
        if named is None:
            return None
        # Without the manifest around it, the document is the work order itself.
        inside = "/".join(("", *diagnostic.pointer.split("/")[3:]))
        return Place(named, lines[named].line(inside))

    return place
