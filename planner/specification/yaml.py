"""Reads the YAML that a specification needs, and refuses the rest of YAML.

Mappings, lists and texts only: a plain value is its text, so `on`, `1.0` and `~` mean what is written.
Refused are anchors, aliases and merge keys, tags, a key that stands twice, a second document, deep nesting.
Anchors and depth are refused while nodes are composed, so no document takes more memory than its own size.
"""

import re
from dataclasses import dataclass
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
    lines: dict[str, int] = {}
    try:
        node = _Loader(text, source).document()
        return YamlDocument(_value(node, "", lines, source) if node else None, lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
        raise BadYaml(f"not valid YAML: {_problem(error)}", where=place, hint=_PROSE) from error
    except yaml.reader.ReaderError as error:
        raise BadYaml(f"not valid YAML: {error.reason}", where=source) from error
    except (ValueError, RecursionError) as error:
        raise BadYaml(f"not valid YAML: {error}", where=source) from error


class _Loader(yaml.BaseLoader):
    """Composes one document, and refuses what a node may bear in YAML but not here."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text)
        self._source = source
        self._depth = 0

    def document(self) -> yaml.Node | None:
        node = self.get_node() if self.check_node() else None
        if self.check_node():
            self._refuse("a second document begins here", "keep one specification in a file")
        return node

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self._next()
        if isinstance(event, yaml.AliasEvent):
            self._refuse(f"the alias *{event.anchor} is refused", "write the text out")
        if event.anchor is not None:
            self._refuse(f"the anchor &{event.anchor} is refused", "write the text out where it is used")
        if getattr(event, "tag", None) not in (None, "!"):
            self._refuse("a tag is refused", "write the text without it")
        if self._depth == MAX_DEPTH and isinstance(event, yaml.CollectionStartEvent):
            self._refuse(f"nested deeper than {MAX_DEPTH} levels", "a specification needs three")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def _next(self) -> yaml.NodeEvent:
        event: yaml.NodeEvent = self.peek_event()  # type: ignore[no-untyped-call]
        return event

    def _refuse(self, message: str, hint: str) -> NoReturn:
        _refuse(self._source, self._next(), message, hint)


def _value(node: yaml.Node, pointer: str, lines: dict[str, int], source: str) -> JsonValue:
    # A field is where its key stands, not where its text begins.
    lines.setdefault(pointer, _line(node))
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [
            _value(item, _below(pointer, str(index)), lines, source) for index, item in enumerate(node.value)
        ]
    value: JsonObject = {}
    for key, item in node.value:
        if not isinstance(key, yaml.ScalarNode):
            _refuse(source, key, "a key must be a text", _PROSE)
        name = str(key.value)
        if name == "<<" and key.style is None:
            _refuse(source, key, "the merge key << is refused", "write the fields out")
        if name in value:
            _refuse(source, key, f"the key {name[:80]} stands twice", "keep one of the two")
        lines[_below(pointer, name)] = _line(key)
        value[name] = _value(item, _below(pointer, name), lines, source)
    return value


def _refuse(source: str, place: yaml.Event | yaml.Node, message: str, hint: str) -> NoReturn:
    column = place.start_mark.column + 1 if place.start_mark else 1
    raise BadYaml(message, where=f"{source}:{_line(place)}:{column}", hint=hint)


def _line(place: yaml.Event | yaml.Node) -> int:
    return place.start_mark.line + 1 if place.start_mark else 1


def _below(pointer: str, part: str) -> str:
    return f"{pointer}/{part.replace('~', '~0').replace('/', '~1')}"


def _problem(error: yaml.MarkedYAMLError) -> str:
    return re.sub(r"\s+", " ", str(error.problem or error.context or "it can't be read"))
