"""The nodes of a run's graph, each bound to what it touches."""

from collections.abc import Callable
from functools import partial

from factory.attempt.agents.prompt import AGENT_TEMPLATE
from factory.attempt.failure import Failure
from factory.attempt.prompt import JSON_NAME, TEMPLATE_NAME, with_form
from factory.attempt.routing import Nodes
from factory.attempt.state import RunState
from factory.gates.bench import Bench
from factory.llm.port import Model
from factory.runs.agents.se import propose_by_agent
from factory.runs.inputs import Run
from factory.runs.nodes.finalize import finalize, land_attempt
from factory.runs.nodes.given import give
from factory.runs.nodes.po import examine_written
from factory.runs.nodes.proof import prove
from factory.runs.nodes.se import propose
from factory.runs.nodes.second_pass import repeat
from factory.runs.nodes.tr import apply
from factory.runs.oracle import Oracle
from factory.runs.people.se import propose_by_person
from factory.runs.settings import AttemptSettings
from factory.system.templates import template_path


def bound_nodes(run: Run, bench: Bench, model: Model | None, oracle: Oracle | None) -> Nodes:
    """The nodes of a run's graph, each bound to what it touches; without a model the plan gives the texts."""
    order, settings = run.order, run.settings
    conditions, trials = run.conditions(bench), run.ports.trials
    checkout, folder, progress = bench.checkout, run.folder, run.ports.progress
    return {
        "se": _engineer(run, bench, model),
        "tr": partial(
            apply, order=order, guard=run.guard, checkout=checkout, folder=folder, progress=progress
        ),
        "po": partial(
            _examine,
            oracle=oracle,
            examine=partial(
                examine_written,
                order=order,
                conditions=conditions,
                trials=trials,
                folder=folder,
                progress=progress,
            ),
        ),
        "second_pass": partial(
            repeat,
            order=order,
            settings=settings,
            conditions=conditions,
            trials=trials,
            folder=folder,
            progress=progress,
        ),
        "proof": partial(
            prove,
            order=order,
            settings=settings,
            conditions=conditions,
            trials=trials,
            folder=folder,
            progress=progress,
        ),
        "finalize": partial(
            finalize,
            land=_landing(run, bench) if run.lands else None,
            max_attempts=settings.max_attempts,
            is_given=model is None and run.work is None,
            checkout=checkout,
            folder=folder,
            progress=progress,
        ),
    }


def _engineer(run: Run, bench: Bench, model: Model | None) -> Callable[[RunState], RunState]:
    """Who proposes: a person, the plan itself, an agent, or a model."""
    order, checkout, folder = run.order, bench.checkout, run.folder
    if run.work is not None:
        return partial(propose_by_person, order=order, work=run.work, checkout=checkout, folder=folder)
    if model is None:
        return partial(give, order=order, checkout=checkout, folder=folder)
    asked = partial(propose, plan=run.plan, template=_template(run.settings))
    if run.ports.agent is not None:
        asked = partial(propose_by_agent, template=template_path(AGENT_TEMPLATE).read_text("utf-8"))
    return partial(
        asked,
        order=order,
        settings=run.settings,
        model=model,
        checks=run.checks,
        checkout=checkout,
        passages=run.passages,
        packages=bench.environment_of(order).packages,
        folder=folder,
        progress=run.ports.progress,
        begins=run.begins,
    )


def _examine(state: RunState, *, oracle: Oracle | None, examine: Callable[[RunState], RunState]) -> RunState:
    """PO; what it blames on the code may be the plan's defect after all."""
    update = examine(state)
    failure = update.get("failure")
    if oracle is None or failure is None:
        return update
    return {**update, "failure": oracle.review(failure)}


def _landing(run: Run, bench: Bench) -> Callable[[RunState], str | Failure]:
    """What lands an attempt that passed."""
    return partial(
        land_attempt,
        order=run.planned,
        run_id=run.run_id,
        target=run.target,
        environment=bench.environment_of(run.order).hash,
        checkout=bench.checkout,
        accepted=run.accepted,
        authorship=run.authorship,
        folder=run.folder,
        progress=run.ports.progress,
    )


def _template(settings: AttemptSettings) -> str:
    template = template_path(TEMPLATE_NAME).read_text("utf-8")
    if settings.answer_format == "blocks":
        return template
    return with_form(template, template_path(JSON_NAME).read_text("utf-8"))
