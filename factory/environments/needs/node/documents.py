"""Documents in JSON and YAML, parsed; what one of them says is for who reads it."""

import json
from typing import Final

import yaml

from factory.contract.strict_json import JsonObject, JsonValue
from factory.environments.needs.declared import BadPackages

_MAX_YAML_CHARS: Final = 3_000_000


def json_object(text: str, where: str) -> JsonObject:
    """The object that a text in JSON holds.

    Args:
        text: the text.
        where: the file that it is of.

    Raises:
        BadPackages: it is not JSON, or no object.
    """
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadPackages("is not valid JSON", where=where) from error
    return as_object(value, where)


def as_object(value: JsonValue, where: str) -> JsonObject:
    """A value that must be an object.

    Raises:
        BadPackages: it is none.
    """
    if not isinstance(value, dict):
        raise BadPackages("is not an object", where=where)
    return value


def yaml_value(text: str, where: str, most: int = _MAX_YAML_CHARS) -> JsonValue:
    """What a text in YAML holds.

    Args:
        text: the text.
        where: the file that it is of.
        most: how many characters are read.

    Raises:
        BadPackages: it is not YAML, or longer.
    """
    if len(text) > most:
        raise BadPackages(f"has more than {most:,} characters", where=where)
    try:
        value: JsonValue = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadPackages("is not valid YAML", where=where) from error
    return value
