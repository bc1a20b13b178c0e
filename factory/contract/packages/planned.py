"""What a plan declares of packages. Pure."""

from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from factory.contract.packages.names import (
    MAX_PACKAGES,
    NodePackage,
    NodeRange,
    PythonRequirement,
    PythonVersion,
    require_one_table,
)

NODE_MANIFEST: Final = "package.json"
"""The file that declares packages of npm."""


class PlannedEnvironment(BaseModel):
    """The packages that a plan's work orders need, beside those that the repository declares.

    Attributes:
        python: Python packages, each as PEP 508 writes it, such as `fastapi>=0.120`.
        python_version: the version of Python, such as `3.12`; None for the repository's own, or the tool's.
        node: npm packages, with the versions that are wanted.
        node_dev: likewise those that are for development only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    python: Annotated[tuple[PythonRequirement, ...], Field(max_length=MAX_PACKAGES)] = ()
    python_version: PythonVersion | None = None
    node: Annotated[dict[NodePackage, NodeRange], Field(max_length=MAX_PACKAGES)] = {}
    # Left out without any, so that plans from before there were such keep their hash.
    node_dev: Annotated[
        dict[NodePackage, NodeRange], Field(max_length=MAX_PACKAGES, exclude_if=lambda value: not value)
    ] = {}

    @model_validator(mode="after")
    def _require_one_table(self) -> Self:
        require_one_table(self.node, self.node_dev)
        return self

    @property
    def made_files(self) -> tuple[str, ...]:
        """The files that there are before the first work order, where the repository has none of its own."""
        return (NODE_MANIFEST,) if self.node or self.node_dev else ()
