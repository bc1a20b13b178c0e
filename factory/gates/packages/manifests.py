"""Which packages a manifest declares: `package.json`, `go.mod`, `Cargo.toml`, `pyproject.toml`, requirements.

Pure. What is read is hostile; what can't be read declares nothing, for its own tool refuses it.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from factory.contract.packages.names import normalised_name
from factory.environments.environment import Ecosystem

MAX_MANIFEST_BYTES: Final = 1_000_000
"""The largest manifest that is looked into."""

_REQUIREMENTS: Final = re.compile(r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)")
_OF_NODE: Final = (
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "overrides",
    "resolutions",
)
_OF_RUST: Final = ("dependencies", "dev-dependencies", "build-dependencies")
_GO_REQUIRE: Final = re.compile(
    r"^[ \t]*(?:require[ \t]+)?(?P<path>[^\s()]+\.[^\s()]+)[ \t]+(?P<version>v\S+)", re.MULTILINE
)
_GO_REPLACE: Final = re.compile(
    r"^[ \t]*(?:replace[ \t]+)?(?P<old>[^\s()]+)(?:[ \t]+v\S+)?[ \t]+=>[ \t]+(?P<new>.+?)[ \t]*$",
    re.MULTILINE,
)
_GO_MODULE: Final = re.compile(r'^[ \t]*module[ \t]+"?(?P<path>[^\s"]+)', re.MULTILINE)
_BACKENDS: Final = frozenset(
    {"flit-core", "hatch-vcs", "hatchling", "maturin", "meson-python", "pdm-backend", "poetry-core"}
    | {"scikit-build-core", "setuptools", "setuptools-scm", "uv-build", "wheel"}
)
"""What builds packages, and is needed only where one is built."""

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def ecosystem_of(path: str) -> Ecosystem | None:
    """The ecosystem of a manifest, by its name; None if it is none that is looked into."""
    name = path.rpartition("/")[2]
    match name:
        case "pyproject.toml" | "Pipfile":
            return "python"
        case "package.json":
            return "node"
        case "go.mod" | "go.work":
            return "go"
        case "Cargo.toml":
            return "rust"
    return "python" if _REQUIREMENTS.fullmatch(name) else None


def declared(path: str, text: str) -> Mapping[str, frozenset[str]]:
    """What a manifest declares, by the names of packages: everything that it says of each.

    Args:
        path: the manifest's path.
        text: its text.
    """
    found: dict[str, set[str]] = {}
    for name, words in _declared(path.rpartition("/")[2], text):
        found.setdefault(name, set()).add(words)
    return {name: frozenset(words) for name, words in sorted(found.items())}


def own_name(path: str, text: str) -> str:
    """What a manifest calls the package that it describes; empty if it does not say."""
    match path.rpartition("/")[2]:
        case "package.json":
            name = _object(_json(text)).get("name")
        case "Cargo.toml":
            document = _toml(text)
            name = _object(document.get("lib")).get("name") or _object(document.get("package")).get("name")
        case "go.mod":
            module = _GO_MODULE.search(text)
            name = module["path"] if module else ""
        case _:
            name = ""
    return name if isinstance(name, str) else ""


def _declared(name: str, text: str) -> Iterator[tuple[str, str]]:
    match name:
        case "package.json":
            document = _object(_json(text))
            for part in _OF_NODE:
                for package, wanted in _object(document.get(part)).items():
                    yield package, f"{part} {json.dumps(wanted, sort_keys=True)}"
        case "go.mod" | "go.work":
            for match in _GO_REQUIRE.finditer(text):
                yield match["path"], match["version"]
            for match in _GO_REPLACE.finditer(text):
                yield match["old"], f"replace {match['new']}"
        case "Cargo.toml":
            yield from _of_cargo(_toml(text))
        case "pyproject.toml":
            yield from _of_pyproject(_toml(text))
        case "Pipfile":
            document = _toml(text)
            for part in ("packages", "dev-packages"):
                for package, wanted in _object(document.get(part)).items():
                    yield normalised_name(package), str(wanted)
        case _:
            for line in text.replace("\\\n", " ").splitlines():
                words = line.partition(" #")[0].strip()
                if words and not words.startswith("#"):
                    yield _of_requirement(words)


def _of_cargo(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    tables = [document, _object(document.get("workspace")), *_object(document.get("target")).values()]
    for table in tables:
        for part in _OF_RUST:
            for name, wanted in _object(_object(table).get(part)).items():
                yield name, json.dumps(wanted, sort_keys=True, default=str)
    for source, packages in _object(document.get("patch")).items():
        for name, wanted in _object(packages).items():
            yield name, f"patch {source} {json.dumps(wanted, sort_keys=True, default=str)}"


def _of_pyproject(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    project = _object(document.get("project"))
    lists = [
        project.get("dependencies"),
        *_object(project.get("optional-dependencies")).values(),
        *_object(document.get("dependency-groups")).values(),
    ]
    backends = _object(document.get("build-system")).get("requires")
    for words in backends if isinstance(backends, list) else ():
        if isinstance(words, str) and _of_requirement(words)[0] not in _BACKENDS:
            yield _of_requirement(words)
    for texts in lists:
        for words in texts if isinstance(texts, list) else ():
            if isinstance(words, str):
                yield _of_requirement(words)
    tool = _object(document.get("tool"))
    poetry = _object(tool.get("poetry"))
    groups = [_object(group) for group in _object(poetry.get("group")).values()]
    for table in (poetry, *groups):
        for part in ("dependencies", "dev-dependencies"):
            for name, wanted in _object(table.get(part)).items():
                if name != "python":
                    yield normalised_name(name), str(wanted)
    for name, wanted in _object(_object(tool.get("uv")).get("sources")).items():
        yield normalised_name(name), f"source {wanted}"


def _of_requirement(words: str) -> tuple[str, str]:
    """A line of requirements; an option or a place has no name that a package could have."""
    match = _NAME.match(words)
    if match is None or "://" in words or words[match.end() :].lstrip().startswith(("/", "@")):
        return words, words
    return normalised_name(match[0]), words.replace(" ", "")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
