"""Which values of an environment must not be shown, and how to take them out of a text.

Not for deciding what a child process may see: that is `factory.gates.environment`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

_SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
# Shorter values are words such as `none` or `yes`, which no key is and any text may hold.
_SHORTEST_SECRET: Final = 8


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables whose names say that they are secret, the longest first."""
    values = {value.strip() for name, value in environment.items() if _SECRET_NAME.search(name)}
    return tuple(
        sorted((value for value in values if len(value) >= _SHORTEST_SECRET), key=lambda v: (-len(v), v))
    )


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` with every occurrence of a secret replaced."""
    for secret in secrets:
        text = text.replace(secret, "[secret]")
    return text
