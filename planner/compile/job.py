"""What is compiled, and how; what the summary and the plan say of it."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.work_order import VERIFY_SCRIPT
from factory.llm.port import Message, Model, Parameters
from factory.llm.spending.prices import Price
from factory.plans.states.sources import Sources
from planner.compile.emit import compile_hash
from planner.compile.question import NEW_PLAN, Question
from planner.compile.summary import Settings
from planner.prompt.context import NOTHING, Context
from planner.prompt.first_order import first_order_text
from planner.prompt.grain import ChosenGrain, Grain, grain_words
from planner.prompt.languages import languages_for
from planner.prompt.projects.message import projects_message
from planner.prompt.template import Template, first_messages
from planner.specification.spec import Spec


class Warnings(StrEnum):
    """What follows from a plan that has no error, but warnings.

    `REVISE` shows them to the model, which mends them or says why not, and shows those at which a build would
    stop again while there are attempts; `ACCEPT` takes the plan;
    `ERROR` demands that each is mended or accepted with a reason.
    """

    REVISE = "revise"
    ACCEPT = "accept"
    ERROR = "error"


@dataclass(frozen=True)
class Job:
    """What is compiled, and how.

    Attributes:
        spec: the specification; None only of a revision.
        template: the template of the first question.
        revision: the template of what follows a refused answer.
        repo_files: the tracked files that the plan starts from; empty for a new repository.
        outdir: where the plan goes.
        overwrite: whether a plan that is there may be replaced.
        max_attempts: how many answers are checked before giving up.
        parameters: the model's parameters at the start.
        price: what the user says that the model costs; None to look it up.
        sources: the repository as it is now; None if nobody looked.
        context: what the model is told beside the specification.
        question: what is asked: for a new plan, or for a revision.
        warnings: what follows from warnings.
        allowed_packages: the names of packages that a person allows.
        grain: how large work orders shall be, and why; None of a template that says it itself.
        review: the template of the question for a second opinion on the plan; None where none is asked for.
    """

    spec: Spec | None
    template: Template
    revision: Template
    repo_files: frozenset[str]
    outdir: Path
    overwrite: bool
    max_attempts: int
    parameters: Parameters
    price: Price | None = None
    sources: Sources | None = None
    context: Context = NOTHING
    question: Question = NEW_PLAN
    warnings: Warnings = Warnings.REVISE
    allowed_packages: tuple[str, ...] = ()
    grain: ChosenGrain | None = None
    review: Template | None = None

    def messages(self) -> tuple[Message, ...]:
        """What the model is asked first."""
        spec = None if self.spec is None else self.spec.text
        files = self._files_of_product
        has_script = VERIFY_SCRIPT in files
        first_order = first_order_text(self.question.given, has_script=has_script)
        languages = "\n\n".join(language.words for language in languages_for(spec, files))
        first = first_messages(
            self.template,
            spec,
            self.context.listing,
            first_order,
            languages,
            self._grain_words,
            None if self.spec is None else self.question.shown_lines(self.spec),
            () if self.spec is None else [entry.id for entry in self.spec.numbered],
        )
        return (*first, *self._further)

    @property
    def _grain_words(self) -> str:
        return grain_words(Grain.MEDIUM if self.grain is None else self.grain.grain)

    @property
    def _files_of_product(self) -> frozenset[str]:
        """The files that the plan starts from, of a product that is one directory those below it."""
        alone = self.sources.alone if self.sources is not None else None
        if alone is None:
            return self.repo_files
        return frozenset(path for path in self.repo_files if path.startswith(f"{alone}/"))

    @property
    def named_projects(self) -> tuple[str, ...]:
        """The projects one of which the model names for a work order; none where there is no choice."""
        return () if self.sources is None or self.sources.alone is not None else self.sources.projects

    def settings(self, model: Model) -> Settings:
        """What the summary says of it, with the model that is asked."""
        return Settings(
            adapter=model.adapter,
            model=model.name,
            reasoning_effort=self.parameters.reasoning_effort,
            max_output_tokens=self.parameters.max_output_tokens,
            max_attempts=self.max_attempts,
            overwrite=self.overwrite,
            spec_sha256=self.question.before_sha256 if self.spec is None else self.spec.sha256,
            template_sha256=sha256_hex(self.template.text.encode("utf-8")),
            repository_files=len(self.repo_files),
            grain=None if self.grain is None else self.grain.grain,
        )

    def compile_hash(self, model: str) -> str:
        """What the plan is compiled from, by the model of that name."""
        source = "" if self.spec is None else self.spec.text
        if self._further:
            source = canonical_json([source, *(message.content for message in self._further)]).decode("utf-8")
        return compile_hash(source, self.template.text, model, self.parameters.reasoning_effort)

    @property
    def _further(self) -> tuple[Message, ...]:
        """What follows the template: what is known beside the specification, and the revision."""
        projects = projects_message(self.sources) if self.sources is not None else None
        messages = (self.context.message, projects, self.question.message)
        return tuple(message for message in messages if message is not None)
