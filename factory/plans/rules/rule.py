"""What a rule is, what it looks at and what it finds. The rules themselves are in the rooms beside."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_COMMAND_CHARS
from factory.plans.commands.programs import Reading
from factory.plans.commands.strength import only_looks
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.plans.rules.manifest import Manifest
from factory.plans.rules.placed import PlacedCommand
from factory.plans.states.file_state import FileStates
from factory.plans.states.place import Place
from factory.plans.states.product import Product
from factory.plans.states.sources import Sources
from factory.plans.states.symbols import Interfaces
from factory.plans.states.writers import Writers


@dataclass(frozen=True, kw_only=True)
class Subject(Manifest):
    """A manifest under examination, and what it is held against; of a specification it knows nothing.

    Attributes:
        repo_files: the tracked files that the plan starts from.
        is_new: whether the plan is a model's answer; plans from before there were requirements are not.
        sources: the repository as it is now; None if nobody looked.
        landed: the ids of the work orders that have landed.
        judges_shell_texts: whether a text that a command hands to a shell must be free of shell syntax, too;
            where a plan is executed, that shell reads it as it was meant.
    """

    repo_files: frozenset[str]
    is_new: bool = False
    sources: Sources | None = None
    landed: Collection[str] = ()
    judges_shell_texts: bool = True

    @property
    def schema_exceptions(self) -> frozenset[str]:
        """The pointers of elements that match no schema on purpose; another rule tells of them."""
        return frozenset()

    @cached_property
    def files(self) -> FileStates | None:
        """The files at each point of the plan; None without a whole plan."""
        if self.plan is None:
            return None
        if self.sources is None:
            return FileStates(self.plan, self.repo_files)
        return FileStates(self.plan, self.repo_files, self.landed, self.sources.files)

    @cached_property
    def interfaces(self) -> Interfaces | None:
        """The symbols that the work orders declare; None without a whole plan."""
        if self.plan is None:
            return None
        orders = [(placed.index, placed.order) for placed in self.orders]
        return Interfaces(orders, self.sources or Sources(self.repo_files, _unread))

    @cached_property
    def product(self) -> Product | None:
        """The product's modules at each point of the plan; None without a whole plan."""
        if self.interfaces is None or self.writers is None:
            return None
        return Product(self.interfaces, self.writers, self.sources)

    @cached_property
    def writers(self) -> Writers | None:
        """Who may write which file; None without a whole plan."""
        return None if self.plan is None else Writers(self.plan, self.repo_files)

    @cached_property
    def places(self) -> dict[int, Place]:
        """What the commands of each work order find, by its index; empty without a whole plan."""
        if self.files is None:
            return {}
        # Where no work order promises anything, what may be written is all there is to go by.
        accepts_possible = not any(placed.order.declares_conditions for placed in self.orders)
        return {
            placed.index: Place(self.files, placed.index, placed.order, accepts_possible=accepts_possible)
            for placed in self.orders
        }

    @cached_property
    def commands(self) -> tuple[PlacedCommand, ...]:
        """The commands, those of work orders that break the schema elsewhere included."""
        return tuple(
            PlacedCommand.read(*place) for place in self._raw_commands() if len(place[2]) <= MAX_COMMAND_CHARS
        )

    @property
    def acceptance_commands(self) -> Iterator[tuple[int, PlacedCommand, Reading]]:
        """The acceptance commands that can be read, with the index of their work order."""
        for command in self.commands:
            if command.index is not None and command.reading is not None:
                yield command.index, command, command.reading

    @cached_property
    def proving_orders(self) -> frozenset[int]:
        """The indices of the work orders with an acceptance command that shows more than existence.

        A command that can't be read counts as one that does; other rules tell of it.
        """
        return frozenset(
            command.index
            for command in self.commands
            if command.index is not None and (command.reading is None or not only_looks(command.reading))
        )

    def may_say(self, prose: str) -> bool:
        """Whether these words may stand in `forbidden`, where a path is asked for.

        In plans that people have they may; a model has to name paths.
        """
        return not self.is_new

    def is_said(self, value: str) -> bool:
        """Whether a specification, if one is known, says this word for word."""
        return False

    def may_lack_conditions(self, order_id: str) -> bool:
        """Whether a work order may be without conditions, as in plans that people have."""
        return not self.is_new

    def is_proven(self, requirement: str) -> bool:
        """Whether one of the work orders that take a requirement is among the proving ones."""
        return any(index in self.proving_orders for index in self.taken.get(requirement, ()))

    def _raw_commands(self) -> Iterator[tuple[str, int | None, str, str]]:
        contract = self.manifest.get("verify_contract")
        if isinstance(contract, dict) and isinstance(command := contract.get("command"), str):
            yield "/verify_contract/command", None, command, ""
        for index, raw in self.raw_orders:
            commands, project = raw.get("acceptance_commands"), raw.get("project")
            directory = project if isinstance(project, str) else ""
            for position, text in enumerate(commands if isinstance(commands, list) else ()):
                if isinstance(text, str):
                    yield f"/work_orders/{index}/acceptance_commands/{position}", index, text, directory


@dataclass(frozen=True)
class Finding:
    """One place that breaks a rule."""

    pointer: str
    message: str
    hint: str


SubjectT = TypeVar("SubjectT", bound=Subject, contravariant=True)


@dataclass(frozen=True)
class Rule(Generic[SubjectT]):
    """One diagnostic code, which looks at a subject or at more than that.

    Attributes:
        code: `E` or `W` and three digits; never used for anything else.
        name: the code in words.
        severity: whether a plan that breaks the rule may be used.
        explanation: the documentation page.
        find: the check.
        judges_landed: whether work orders that have landed are judged, too, although nobody can mend them.
    """

    code: str
    name: str
    severity: Severity
    explanation: str
    find: Callable[[SubjectT], Iterator[Finding]]
    judges_landed: bool = False

    def diagnostic(self, finding: Finding, order: str = "") -> Diagnostic:
        """A finding of this rule, told."""
        return Diagnostic(
            code=self.code,
            name=self.name,
            severity=self.severity,
            order=order,
            pointer=finding.pointer,
            message=finding.message,
            hint=finding.hint,
        )


def _unread(path: str) -> bytes | None:
    """Gives no file; what a repository's sources define is then open."""
    raise WorkorderError("was not read", where=path)
