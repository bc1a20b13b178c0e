"""Fills a prompt template in one pass, so that a value which holds `{{…}}` stays text."""

import re
from collections.abc import Mapping
from typing import Final

from factory.contract.errors import WorkorderError

PLACEHOLDER: Final = re.compile(r"\{\{([A-Z][A-Z0-9_]*)\}\}")


def fill(template: str, values: Mapping[str, str], *, source: str) -> str:
    """Replace each `{{NAME}}` of the template with its value.

    Args:
        template: the text with placeholders.
        values: what stands for each name; values without a placeholder are not used.
        source: what to call the template in an error.

    Raises:
        WorkorderError: the template has a placeholder that has no value.
    """

    def value_of(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in values:
            known = ", ".join(sorted(values))
            raise WorkorderError(
                f"the template has an unknown placeholder {{{{{name}}}}}",
                where=source,
                hint=f"known are {known}",
            )
        return values[name]

    return PLACEHOLDER.sub(value_of, template)
