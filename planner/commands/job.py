"""The job that the options of `compile` and `revise` name.

Everything that can be refused is refused here, before a model is asked.
"""

from argparse import Namespace
from dataclasses import replace

from factory.contract.errors import WorkorderError
from factory.contract.work_order import WorkOrder
from factory.languages.table import default_verification
from factory.llm.port import Parameters
from factory.llm.spending.prices import Price
from factory.plans.states.packages import NamedPackages
from factory.plans.states.projects import configured
from factory.plans.states.sources import Sources
from factory.system.notes import read_notes
from planner.commands.choices import chosen_grain, is_reviewed
from planner.commands.inputs import read_review_template, read_revision_template, read_template
from planner.commands.options import PROVIDER_DEFAULT
from planner.compile.emit import refuse_unusable
from planner.compile.job import Job, Warnings
from planner.compile.question import NEW_PLAN, NewPlan, Question
from planner.plan.bootstrap import bootstrap
from planner.prompt.gather import gather
from planner.prompt.languages import languages_for
from planner.prompt.template import FIRST_WORK_ORDER, GRAIN, Template
from planner.prompt.units import AGENTS
from planner.rules.requirements.e216_unnamed_service import names_a_service
from planner.specification.spec import Spec


def job_of(
    options: Namespace,
    spec: Spec | None,
    repo_files: frozenset[str],
    sources: Sources,
    question: Question = NEW_PLAN,
) -> Job:
    """What the options ask for; refused if the plan could not be written.

    Args:
        options: the options.
        spec: the specification, if there is one.
        repo_files: the files that the plan starts from.
        sources: the repository as it is now.
        question: what is asked: for a new plan, or for a revision.

    Raises:
        WorkorderError: the template, the notes or the place of the plan can't be used.
    """
    text = None if spec is None else spec.text
    template = read_template(
        options.template,
        with_example=isinstance(question, NewPlan),
        with_services=_may_need_services(text, sources, question),
    )
    refuse_unusable(options.outdir, overwrite=options.overwrite)
    notes = read_notes(options.knowledge)
    if options.grain is not None:
        _require_grain(template)
    grain = chosen_grain(options.grain, options.llm, text, sources)
    # Of several projects each is verified in its directory, without a script of the whole repository.
    if isinstance(question, NewPlan) and not sources.projects and template.asks(FIRST_WORK_ORDER):
        question = replace(question, given=_first_order(text, sources))
    before = None if question.amendment is None else question.amendment.before
    effort = options.reasoning_effort
    return Job(
        spec=spec,
        template=template,
        revision=read_revision_template(),
        repo_files=repo_files,
        outdir=options.outdir,
        overwrite=options.overwrite,
        max_attempts=options.max_attempts,
        parameters=Parameters(
            max_output_tokens=options.max_output_tokens,
            reasoning_effort=None if effort == PROVIDER_DEFAULT else effort,
        ),
        price=Price(*options.price) if options.price else None,
        sources=sources,
        context=gather(shown_sources(sources), notes, text, options.context_tokens, before=before),
        question=question,
        warnings=Warnings(options.warnings),
        allowed_packages=tuple(
            sorted({*options.allow_packages, *(before.allowed_packages if before else ())})
        ),
        grain=grain if template.asks(GRAIN) else None,
        review=read_review_template() if is_reviewed(options.review, options.llm, sources) else None,
    )


def _require_grain(template: Template) -> None:
    if not template.asks(GRAIN):
        raise WorkorderError(
            "the template does not say where the size of work orders stands",
            where="--grain",
            hint=f"write {{{{{GRAIN}}}}} into {template.source}, or leave --grain out",
        )


def _may_need_services(spec: str | None, sources: Sources, question: Question) -> bool:
    """Whether a plan may declare a service, or finds one: a rule refuses those that nobody has named."""
    return (
        spec is None
        or (question.amendment is not None and bool(question.amendment.before.services))
        or names_a_service(NamedPackages(spec, sources).words)
        or _declares_services(sources)
    )


def _declares_services(sources: Sources) -> bool:
    try:
        return bool(configured(sources.files, sources.read, "services"))
    except ValueError:
        # What can't be read is told elsewhere.
        return True


def _first_order(spec: str | None, sources: Sources) -> WorkOrder | None:
    verification = default_verification(sources.files, sources.read)
    return bootstrap(sources.files, languages_for(spec, sources.files), verification)


def shown_sources(sources: Sources) -> Sources:
    """What of a repository is shown: of one whose product is a directory that, and what is asked of all."""
    alone = sources.alone
    if alone is None:
        return sources
    above = {f"{'/'.join(alone.segments[:depth])}/".lstrip("/") for depth in range(len(alone.segments))}
    files = frozenset(
        path
        for path in sources.files
        if path.startswith(f"{alone}/") or path in {f"{folder}{AGENTS}" for folder in above}
    )
    return replace(sources, files=files)
