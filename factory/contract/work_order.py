"""The documents a planner writes and a factory executes: `WorkOrder` and `Plan`.

Frozen and strict: unknown keys are refused, numbers are not taken for text. How the documents are read
from JSON with every problem named is in `documents`; their hashes are in `canonical`.
"""

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from factory.contract.limits import (
    MAX_COMMAND_CHARS,
    MAX_PROPOSAL_BYTES,
    MAX_WRITE_BYTES,
)
from factory.contract.packages.names import PackageName
from factory.contract.packages.planned import PlannedEnvironment
from factory.contract.packages.required import RequiredPackage
from factory.contract.repo_path import ForbiddenEntry, RepoPath
from factory.contract.services.declared import Service, clashes, is_address

MANIFEST_NAME: Final = "WORK_ORDERS_MANIFEST.json"
"""The file name of a plan in its directory."""

VERIFY_SCRIPT: Final = RepoPath.parse("scripts/verify.sh")
"""The repository's own verification, if it has one."""

SPEC_NAME: Final = "WORK_ORDERS_SPEC.txt"
"""The file name of the specification's text beside a plan."""

WORK_ORDER_ID: Final = re.compile(r"WO-(0[1-9]|[1-9][0-9]+)")

WARNING_CODE: Final = re.compile(r"W[0-9]{3}")

REQUIREMENT_ID: Final = re.compile(r"[A-Z][A-Z0-9]*(-[A-Z0-9]+)*")

COMPUTED_FIELDS: Final = frozenset({"verify_exempt", "depends_on", "provenance"})
"""Fields of a work order that the planner computes; a model's values for them are dropped."""

GIVEN_FIELDS: Final = frozenset({"fixed_files"})
"""Fields that bind, and that no model may fill: the planner does, or a person who writes a work order."""

NOT_BINDING_FIELDS: Final = COMPUTED_FIELDS | {"title", "notes", "accepted_warnings", "difficulty"}
"""Fields of a work order that may change after it has landed: what was done fulfils it all the same."""

COMPUTED_PLAN_FIELDS: Final = frozenset({"revision", "parent", "allowed_packages", "spec_text_hash"})
"""Likewise of a plan."""

COMPUTED_REQUIREMENT_FIELDS: Final = frozenset({"withdrawn"})
"""Likewise of a requirement."""


Difficulty = Literal["easy", "medium", "hard"]
"""How hard a work order is for a model."""


def work_order_id(number: int) -> str:
    """The id of the `number`-th work order, counted from 1: `WO-01`, `WO-02`, …, `WO-100`."""
    return f"WO-{number:02d}"


def number_of(name: str) -> int | None:
    """The number of an id such as `WO-07`; None of anything else."""
    # Nine digits are plenty, and keep the conversion cheap whatever is written.
    return int(name[3:]) if WORK_ORDER_ID.fullmatch(name) and len(name) <= 12 else None


def _require_text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _require_work_order_id(text: str) -> str:
    if not WORK_ORDER_ID.fullmatch(text):
        raise ValueError("must be WO- and a number of at least two digits, such as WO-01")
    return text


def _require_requirement_id(text: str) -> str:
    if not REQUIREMENT_ID.fullmatch(text):
        raise ValueError("must be capital letters, digits and hyphens, such as REQ-01")
    return text


def _require_warning_code(text: str) -> str:
    if not WARNING_CODE.fullmatch(text):
        raise ValueError("must be the code of a warning, such as W401")
    return text


def _require_write_size(text: str) -> str:
    size = len(text.encode("utf-8"))
    if size > MAX_WRITE_BYTES:
        raise ValueError(f"has {size:,} bytes; the limit for one file is {MAX_WRITE_BYTES:,}")
    return text


Text = Annotated[str, Field(strict=True), AfterValidator(_require_text)]
FileText = Annotated[str, Field(strict=True), AfterValidator(_require_write_size)]
"""The text of a file that may be written."""
Command = Annotated[str, Field(strict=True, max_length=MAX_COMMAND_CHARS), AfterValidator(_require_text)]
WorkOrderId = Annotated[str, Field(strict=True), AfterValidator(_require_work_order_id)]
RequirementId = Annotated[str, Field(strict=True, max_length=40), AfterValidator(_require_requirement_id)]
WarningCode = Annotated[str, Field(strict=True), AfterValidator(_require_warning_code)]


class Document(BaseModel):
    """The base of every contract document."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Condition(Document):
    """Something that is true of the repository's files at one point."""

    kind: Literal["file_exists", "file_absent"]
    path: RepoPath

    def holds(self, exists: bool) -> bool:
        """Whether it is true of a file that exists, or of one that doesn't."""
        return exists == (self.kind == "file_exists")


class Postcondition(Document):
    """Something that a work order makes true; only existence can be promised."""

    kind: Literal["file_exists"]
    path: RepoPath


class Provenance(Document):
    """Where a work order came from.

    Attributes:
        compile_hash: first 16 hex digits of SHA-256 over spec, template, model and reasoning effort.
        plan_hash: SHA-256 of the plan's canonical JSON without computed fields.
        spec_hash: SHA-256 of the specification's bytes; None in plans that don't tell.
    """

    compile_hash: str
    plan_hash: str
    spec_hash: str | None = None


class Requirement(Document):
    """Something that the specification asks for.

    Attributes:
        id: its name, unique in the plan; that of the specification if it gives one.
        text: what is asked for, in the planner's words.
        quotes: the pieces of the specification that say so, word for word.
        withdrawn: whether the specification asks for it no more; then it is only kept because work orders
            that have landed name it, and its quotes are those of the specification before.
    """

    id: RequirementId
    text: Text
    quotes: Annotated[tuple[Text, ...], Field(min_length=1)]

    withdrawn: bool = False


class RedExempt(Document):
    """An acceptance command that may pass before the work is done, and why."""

    command: Command
    reason: Text


class AcceptedWarning(Document):
    """A warning that the plan keeps, and why."""

    code: WarningCode
    reason: Text


class FixedFile(Document):
    """A file whose whole text the plan gives, so that no model is asked for it."""

    path: RepoPath
    text: FileText


class WorkOrder(Document):
    """One contract: what must be true before, what may be written, and which commands prove it.

    Attributes:
        forbidden: the files and directories that must stay as they are, or what people say of them in words.
        requirements: the ids of the requirements that it takes.
        provides: the Python symbols that exist after it, as `symbols.symbol` writes them.
        consumes: those of others that it uses.
        red_exempt: acceptance commands that may pass before the work is done.
        accepted_warnings: what the planner's checks warned of here and the plan keeps.
        requires_packages: the packages that it needs and that were not there before.
        fixed_files: the texts of all its allowed files, if no model is to be asked for them.
        project: the directory of the project in which its commands run; None for the repository's root.
        difficulty: how hard it is, which says who of several models tries it first; None says nothing.
    """

    id: WorkOrderId
    title: Text
    intent: Text
    preconditions: tuple[Condition, ...] = ()
    postconditions: tuple[Postcondition, ...] = ()
    allowed_files: Annotated[tuple[RepoPath, ...], Field(min_length=1)]
    forbidden: tuple[ForbiddenEntry, ...] = ()
    acceptance_commands: Annotated[tuple[Command, ...], Field(min_length=1)]
    context_files: tuple[RepoPath, ...] = ()
    notes: Annotated[str, Field(strict=True)] | None = None
    requirements: tuple[RequirementId, ...] = ()
    provides: tuple[Text, ...] = ()
    consumes: tuple[Text, ...] = ()
    red_exempt: tuple[RedExempt, ...] = ()
    accepted_warnings: tuple[AcceptedWarning, ...] = ()
    requires_packages: Annotated[
        tuple[RequiredPackage, ...], Field(exclude_if=lambda value: not value, max_length=50)
    ] = ()
    fixed_files: Annotated[tuple[FixedFile, ...], Field(exclude_if=lambda value: not value)] = ()
    project: Annotated[RepoPath | None, Field(exclude_if=lambda value: value is None)] = None
    difficulty: Annotated[Difficulty | None, Field(exclude_if=lambda value: value is None)] = None

    verify_exempt: bool = False
    depends_on: tuple[WorkOrderId, ...] | None = None
    provenance: Provenance | None = None

    @model_validator(mode="after")
    def _require_all_texts(self) -> Self:
        if not self.fixed_files:
            return self
        if sorted(file.path for file in self.fixed_files) != sorted(self.allowed_files):
            raise ValueError("fixed_files must give the text of each allowed file, once")
        size = sum(len(file.text.encode("utf-8")) for file in self.fixed_files)
        if size > MAX_PROPOSAL_BYTES:
            raise ValueError(
                f"the fixed files have {size:,} bytes together; the limit is {MAX_PROPOSAL_BYTES:,}"
            )
        return self

    def in_project(self, project: RepoPath | None) -> Self:
        """The same in a project, if it names none; for None as it is."""
        if project is None or self.project is not None:
            return self
        return self.model_copy(update={"project": project})

    @property
    def declares_conditions(self) -> bool:
        """Whether the work order says anything about the files before or after it."""
        return bool(self.preconditions or self.postconditions)


def requirements_of(order: WorkOrder, requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Those of a plan's requirements that a work order takes."""
    return tuple(requirement for requirement in requirements if requirement.id in order.requirements)


class VerifyContract(Document):
    """The command that verifies the whole repository, and the files it needs to be able to run."""

    command: Command
    requires: tuple[Condition, ...]

    def can_run(self, exists: Callable[[RepoPath], bool]) -> bool:
        """Whether all that it needs is there, as `exists` tells of each path."""
        return all(condition.holds(exists(condition.path)) for condition in self.requires)


def _planned_services(services: tuple[Service, ...]) -> tuple[Service, ...]:
    for number, problem in clashes(services):
        raise ValueError(f"services[{number}]: {problem}")
    for number, service in enumerate(services):
        for variable in service.set:
            if not is_address(variable):
                raise ValueError(
                    f"services[{number}]: `{variable}` does not say where something is reached, as names"
                    " that end in _URL, _HOST, _PORT, _USER and the like; a plan's service sets nothing else"
                )
    return services


class SpecRemark(Document):
    """What the planner noticed about the specification, for the person whose it is.

    Attributes:
        kind: passages that contradict each other, something that it doesn't say, or what was taken for meant.
        text: what it is, and what the plan does about it.
        quotes: the passages that it is about.
    """

    kind: Literal["contradiction", "gap", "guess"]
    text: Text
    quotes: tuple[Text, ...] = ()


class Plan(Document):
    """A manifest: what the planner decided, in the order of execution.

    Attributes:
        remarks: what the planner noticed about the specification.
        services: what every command of the plan finds beside it, with what the repository configures.
        accepted_warnings: what the planner's checks warned of beside the work orders and the plan keeps.
        environment: the packages that its work orders need beside those of the repository; None for none.
        allowed_packages: the names of packages that a person allowed although no specification names them.
        revision: how many plans there have been, this one included.
        parent: the hash of the plan that this one revises; None of the first.
        spec_text_hash: SHA-256 of the specification's text, which lies beside the plan; None without it.
    """

    system_overview: tuple[Text, ...] = ()
    verify_contract: VerifyContract | None = None
    requirements: tuple[Requirement, ...] = ()
    remarks: Annotated[tuple[SpecRemark, ...], Field(exclude_if=lambda value: not value)] = ()
    services: Annotated[tuple[Service, ...], AfterValidator(_planned_services)] = Field(
        default=(), exclude_if=lambda value: not value
    )
    work_orders: Annotated[tuple[WorkOrder, ...], Field(min_length=1)]
    accepted_warnings: tuple[AcceptedWarning, ...] = ()
    environment: PlannedEnvironment | None = None

    revision: Annotated[int, Field(strict=True, ge=1)] = 1
    parent: str | None = None
    allowed_packages: Annotated[tuple[PackageName, ...], Field(exclude_if=lambda value: not value)] = ()
    spec_text_hash: Annotated[
        str | None, Field(strict=True, pattern="^[0-9a-f]{64}$", exclude_if=lambda value: value is None)
    ] = None

    def in_project(self, project: RepoPath | None) -> Self:
        """The same with each work order that names no project in that one; for None as it is."""
        orders = tuple(order.in_project(project) for order in self.work_orders)
        return self.model_copy(update={"work_orders": orders})

    def wanted_environment(self, project: RepoPath | None = None) -> PlannedEnvironment | None:
        """What the plan declares for a project; None for nothing.

        Args:
            project: its directory: what its work orders require. None for the root, which gets `environment`
                and what work orders that name no project require.
        """
        wanted = self.environment if project is None else None
        for order in self.work_orders:
            for package in order.requires_packages if order.project == project else ():
                wanted = package.added_to(wanted or PlannedEnvironment())
        return wanted
