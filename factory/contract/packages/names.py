"""Names and ranges of packages of a registry, as people and plans write them, and no word that means more.

What is declared ends as an argument or a line of a file that `uv` or `npm` reads. So an option, a URL, a path
and a reference to git are refused here, by what they are. Pure.
"""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator, Field

if TYPE_CHECKING:
    from packaging.requirements import Requirement

MAX_PACKAGES: Final = 500
"""The most packages that one place declares."""

LOCK_NAMES: Final = frozenset(
    {"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml", "requirements.lock"}
    | {"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"}
    | {"go.sum", "go.work.sum", "Cargo.lock"}
)
"""The names of the files that pin packages, and that only tools write."""

_MAX_CHARS: Final = 300
_PYTHON_VERSION: Final = re.compile(r"3\.[0-9]{1,2}")
_PACKAGE: Final = re.compile(r"(?:@[a-z0-9][a-z0-9._~-]*/)?[a-z0-9][a-z0-9._~-]*")
_NUMBER: Final = r"[v=]?(?:[0-9]+|[xX*])(?:\.(?:[0-9]+|[xX*])){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?"
_COMPARATOR: Final = rf"(?:[<>]=?|[=~^])?\s*{_NUMBER}"
_RANGE: Final = re.compile(
    rf"(?:{_NUMBER}\s+-\s+{_NUMBER}|{_COMPARATOR}(?:\s+{_COMPARATOR})*)"
    rf"(?:\s*\|\|\s*(?:{_NUMBER}\s+-\s+{_NUMBER}|{_COMPARATOR}(?:\s+{_COMPARATOR})*))*"
)
_TAG: Final = re.compile(r"[a-z][a-z0-9-]*")
_DISTRIBUTION: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def parse_requirement(text: str) -> "Requirement":
    """A Python package as PEP 508 writes it, such as `fastapi>=0.120`, of the index alone.

    Raises:
        ValueError: it is no such requirement, or names a place.
    """
    # Most plans name no package, and most commands read none.
    from packaging.requirements import InvalidRequirement, Requirement

    if len(text) > _MAX_CHARS or not text.isprintable():
        raise ValueError(f"must be one line of at most {_MAX_CHARS} characters")
    try:
        requirement = Requirement(text)
    except (InvalidRequirement, RecursionError) as error:
        raise ValueError(
            "must be a package's name, with a version if you want, such as `fastapi>=0.120`"
        ) from error
    if requirement.url is not None:
        raise ValueError("names a place: only packages of the index can be declared")
    if any(specifier.operator == "===" for specifier in requirement.specifier):
        raise ValueError("must not compare versions by `===`")
    return requirement


def normalised_name(name: str) -> str:
    """A Python package's name as all of its spellings are compared."""
    from packaging.utils import canonicalize_name

    return str(canonicalize_name(name))


def is_node_package(name: str) -> bool:
    """Whether a text is the name of a package of the npm registry."""
    return len(name) <= 214 and _PACKAGE.fullmatch(name) is not None


def is_node_range(text: str) -> bool:
    """Whether a text says which versions of an npm package are wanted, and not where else it comes from."""
    if len(text) > _MAX_CHARS or not text.isprintable():
        return False
    return not text or _RANGE.fullmatch(text.strip()) is not None or _TAG.fullmatch(text) is not None


def require_one_table(node: Collection[str], node_dev: Collection[str]) -> None:
    """Refuse packages of npm that are declared twice, to run the product and for development.

    Raises:
        ValueError: one is.
    """
    both = sorted({*node} & {*node_dev})
    if both:
        raise ValueError(f"`{both[0]}` is declared twice: to run the product, and for development only")


def _require_requirement(text: str) -> str:
    parse_requirement(text)
    return text


def _require_python_version(text: str) -> str:
    if not _PYTHON_VERSION.fullmatch(text):
        raise ValueError('must be a version of Python 3 without its last part, such as "3.12"')
    return text


def _require_node_package(text: str) -> str:
    if not is_node_package(text):
        raise ValueError("must be the name of a package of the npm registry, such as `zod` or `@types/node`")
    return text


def _require_node_range(text: str) -> str:
    if not text or not is_node_range(text):
        raise ValueError("must say which versions, such as `^4`, and no place: no URL, no path, no git")
    return text


def _require_name(text: str) -> str:
    if len(text) > _MAX_CHARS or not (_DISTRIBUTION.fullmatch(text) or is_node_package(text)):
        raise ValueError("must be the name of a package")
    return text


PythonRequirement = Annotated[str, Field(strict=True), AfterValidator(_require_requirement)]
PythonVersion = Annotated[str, Field(strict=True), AfterValidator(_require_python_version)]
NodePackage = Annotated[str, Field(strict=True), AfterValidator(_require_node_package)]
NodeRange = Annotated[str, Field(strict=True), AfterValidator(_require_node_range)]
PackageName = Annotated[str, Field(strict=True), AfterValidator(_require_name)]
