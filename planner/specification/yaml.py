"""Reads the YAML that a specification needs, and refuses the rest of YAML.

Mappings, lists and texts only: a plain value is its text, so `on`, `1.0` and `~` mean what is written.
Refused are anchors, aliases and merge keys, tags, a key that stands twice, a second document, deep nesting.
Values are built while the events are read, so no document takes more memory than its own size.
"""

import re
from dataclasses import dataclass, field
from typing import Final, NoReturn

import yaml

from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject, JsonValue

MAX_DEPTH: Final = 20
"""The deepest nesting of lists and mappings."""

_PROSE: Final = (
    "put a text with a colon in it, or a sign before it, into quotes, or on lines of its own below `>-`"
)


class BadYaml(WorkorderError):
    """A document that is not YAML, or YAML of a kind that is refused; `where` holds the file and the line."""


@dataclass(frozen=True)
class YamlDocument:
    """A document, read.

    Attributes:
        value: mappings, lists and texts.
        lines: the line of each value, counted from 1, by its JSON pointer.
    """

    value: JsonValue
    lines: dict[str, int]


def read_yaml(text: str, source: str) -> YamlDocument:
    """Parse one YAML document.

    Args:
        text: the document.
        source: what to call it in an error.

    Raises:
        BadYaml: it is not valid, or holds something that is refused.
    """
    builder = _Builder(source)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
        raise BadYaml(f"not valid YAML: {_problem(error)}", where=place, hint=_PROSE) from error
    except yaml.reader.ReaderError as error:
        raise BadYaml(f"not valid YAML: {error.reason}", where=source) from error
    except (ValueError, RecursionError) as error:
        raise BadYaml(f"not valid YAML: {error}", where=source) from error
    return YamlDocument(builder.value, builder.lines)


@dataclass
class _Frame:
    """A mapping or list that is being read; `key` is the mapping's key that waits for its value."""

    value: JsonObject | list[JsonValue]
    pointer: str
    key: str | None = None


@dataclass
class _Builder:
    source: str
    value: JsonValue = None
    lines: dict[str, int] = field(default_factory=dict)
    frames: list[_Frame] = field(default_factory=list)
    documents: int = 0

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    self._refuse(event, "a second document begins here", "keep one specification in a file")
            case yaml.AliasEvent():
                self._refuse(event, f"the alias *{event.anchor} is refused", "write the text out")
            case yaml.NodeEvent():
                self._node(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.frames.pop()

    def _node(self, event: yaml.NodeEvent) -> None:
        if event.anchor is not None:
            self._refuse(
                event, f"the anchor &{event.anchor} is refused", "write the text out where it is used"
            )
        if getattr(event, "tag", None) not in (None, "!"):
            self._refuse(event, "a tag is refused", "write the text without it")
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent():
                self._open(event, {})
            case yaml.SequenceStartEvent():
                self._open(event, [])

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        frame = self.frames[-1] if self.frames else None
        if frame is None or frame.key is not None or isinstance(frame.value, list):
            self._put(event, str(event.value))
            return
        key = str(event.value)
        if key == "<<" and event.implicit[0]:
            self._refuse(event, "the merge key << is refused", "write the fields out")
        if key in frame.value:
            self._refuse(event, f"the key {key[:80]} stands twice", "keep one of the two")
        frame.key = key
        self.lines[_below(frame.pointer, key)] = _line(event)

    def _open(self, event: yaml.NodeEvent, value: JsonObject | list[JsonValue]) -> None:
        if len(self.frames) == MAX_DEPTH:
            self._refuse(event, f"nested deeper than {MAX_DEPTH} levels", "a specification needs three")
        frame = self.frames[-1] if self.frames else None
        if frame is not None and frame.key is None and isinstance(frame.value, dict):
            self._refuse(event, "a key must be a text", _PROSE)
        self.frames.append(_Frame(value, self._put(event, value)))

    def _put(self, event: yaml.NodeEvent, value: JsonValue) -> str:
        """Put a value where it belongs; its JSON pointer."""
        if not self.frames:
            self.value, pointer = value, ""
        else:
            frame = self.frames[-1]
            if isinstance(frame.value, list):
                pointer = _below(frame.pointer, str(len(frame.value)))
                frame.value.append(value)
            else:
                assert frame.key is not None
                pointer = _below(frame.pointer, frame.key)
                frame.value[frame.key] = value
                frame.key = None
        # A field is where its key stands, not where its text begins.
        self.lines.setdefault(pointer, _line(event))
        return pointer

    def _refuse(self, event: yaml.Event, message: str, hint: str) -> NoReturn:
        mark = event.start_mark
        column = mark.column + 1 if mark else 1
        raise BadYaml(message, where=f"{self.source}:{_line(event)}:{column}", hint=hint)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _below(pointer: str, part: str) -> str:
    return f"{pointer}/{part.replace('~', '~0').replace('/', '~1')}"


def _problem(error: yaml.MarkedYAMLError) -> str:
    return re.sub(r"\s+", " ", str(error.problem or error.context or "it can't be read"))
