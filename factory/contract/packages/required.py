"""A package that a work order needs, as a plan writes it. Pure."""

from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from factory.contract.packages.names import (
    is_node_package,
    is_node_range,
    normalised_name,
    parse_requirement,
)
from factory.contract.packages.planned import PlannedEnvironment

_DEVELOPMENT: Final = "dev:"
"""How the specifier of a package of npm begins that is for development only."""


class RequiredPackage(BaseModel):
    """A package that is not there before the work order.

    Attributes:
        ecosystem: whose it is; packages of Go and Rust are declared by their own files.
        specifier: the package with the versions that are wanted: `fastapi>=0.120`, `zod@^4`; `dev:zod@^4` if
            it is for development only, which is said of packages of npm alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ecosystem: Literal["python", "node"]
    specifier: str = Field(strict=True)

    @model_validator(mode="after")
    def _require_package(self) -> Self:
        if self.ecosystem == "python":
            parse_requirement(self.specifier)
            return self
        name, wanted = self._node
        if not is_node_package(name) or not is_node_range(wanted):
            raise ValueError("must be a package of npm with the versions that are wanted, such as `zod@^4`")
        return self

    @property
    def name(self) -> str:
        """The package's name, normalised."""
        if self.ecosystem == "python":
            return normalised_name(parse_requirement(self.specifier).name)
        return self._node[0]

    @property
    def _node(self) -> tuple[str, str]:
        specifier = self.specifier.removeprefix(_DEVELOPMENT)
        # The first sign may be that of a scope.
        name, at, wanted = specifier[1:].partition("@")
        return specifier[:1] + name, wanted if at else "*"

    def added_to(self, environment: PlannedEnvironment) -> PlannedEnvironment:
        """An environment with this package, too; the versions that it wants already of an npm package stay.

        What anything needs to run is not for development only.
        """
        if self.ecosystem == "python":
            python = tuple(dict.fromkeys((*environment.python, self.specifier)))
            return environment.model_copy(update={"python": python})
        name, wanted = self._node
        runs, develops = environment.node, environment.node_dev
        if self.specifier.startswith(_DEVELOPMENT):
            more = {} if name in runs else {name: wanted}
            return environment.model_copy(update={"node_dev": {**more, **develops}})
        wanted = develops.get(name, wanted)
        rest = {other: versions for other, versions in develops.items() if other != name}
        return environment.model_copy(update={"node": {name: wanted, **runs}, "node_dev": rest})
