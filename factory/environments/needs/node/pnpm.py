"""The lock of pnpm, and what pnpm gets of its settings."""

import json
from typing import Final

import yaml

from factory.contract.strict_json import JsonObject, JsonValue
from factory.environments.needs.declared import BadPackages
from factory.environments.needs.node.documents import as_object, yaml_value
from factory.environments.needs.node.manifest import ELSEWHERE

PNPM_LOCK: Final = "pnpm-lock.yaml"
PNPM_SETTINGS: Final = "pnpm-workspace.yaml"

_MAX_SETTINGS_CHARS: Final = 100_000
_HANDED_ON: Final = (
    "overrides", "packageExtensions", "ignoredOptionalDependencies", "autoInstallPeers",
    "excludeLinksFromLockfile", "nodeLinker", "hoist", "hoistPattern", "publicHoistPattern",
    "shamefullyHoist",
)  # fmt: skip
"""Settings that pnpm holds its lock against, and that say how packages lie; none that says where from."""


def checked_pnpm_lock(text: str) -> str:
    """A lock of pnpm in which every package is a registry's, by its hash.

    Raises:
        BadPackages: it holds something else.
    """
    document = yaml_value(text, PNPM_LOCK)
    packages = document.get("packages") or {} if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(packages, dict):
        raise BadPackages("is not a lock as its format has it", where=PNPM_LOCK)
    for name, entry in packages.items():
        resolution = entry.get("resolution") if isinstance(entry, dict) else None
        if not isinstance(resolution, dict) or set(resolution) != {"integrity"}:
            raise BadPackages(
                f"{str(name)[:100]} does not come from a registry", where=PNPM_LOCK, hint=ELSEWHERE
            )
    if document.get("patchedDependencies"):
        raise BadPackages("patches packages, which is not supported", where=PNPM_LOCK, hint=ELSEWHERE)
    return text


def names_workspaces(settings: str) -> bool:
    """Whether the text of `pnpm-workspace.yaml` names workspaces beside the root.

    Raises:
        BadPackages: it can't be read.
    """
    value = yaml_value(settings, PNPM_SETTINGS, _MAX_SETTINGS_CHARS)
    packages = value.get("packages") if isinstance(value, dict) else None
    return bool(packages) and packages != ["."]


def pnpm_settings(text: str) -> JsonObject:
    """What pnpm gets of the text of `pnpm-workspace.yaml`.

    Raises:
        BadPackages: it can't be read, or holds what is no setting.
    """
    settings = yaml_value(text, PNPM_SETTINGS, _MAX_SETTINGS_CHARS)
    # Of what is said twice by a reference, a short text may write out more than any memory holds.
    if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
        raise BadPackages("holds references, which are not read", where=PNPM_SETTINGS)
    try:
        # Without dates and the like, which YAML has and what the settings are written as has not.
        plain = json.loads(json.dumps(of_pnpm(settings), allow_nan=False)) if settings else {}
    except (TypeError, ValueError, RecursionError) as error:
        raise BadPackages("holds what is no setting of pnpm", where=PNPM_SETTINGS) from error
    return as_object(plain, PNPM_SETTINGS)


def of_pnpm(settings: JsonValue) -> JsonObject:
    """Those of pnpm's settings that it gets."""
    known = settings if isinstance(settings, dict) else {}
    return {key: known[key] for key in _HANDED_ON if key in known}
