"""Why a plan is revised: the reasons that the options of `planner revise` give, as a job for a model."""

from argparse import Namespace

from factory.contract.errors import WorkorderError
from factory.contract.work_order import Plan
from factory.plans.diagnostics.diagnostic import quote
from factory.system.plan_files import read_spec_text
from factory.system.terminal.console import Console
from planner.commands.inputs import BadText, read_amending_template, read_old_spec, read_spec
from planner.commands.job import job_of
from planner.commands.options import refuse_lone_branch
from planner.commands.reasons.comparison import COMPARE, impact_of, is_made_for
from planner.commands.reasons.repair_request import RepairRequest, read_repair_request, require_of_plan
from planner.compile.amending import Revision, amending_message, read_changes
from planner.compile.job import Job
from planner.report.impact import ImpactFormat, counts, write_impact
from planner.repository.landed import NOTHING_LANDED, landed_plan
from planner.revision.amendment import Amendment
from planner.revision.impact import Impact


def revision_job(options: Namespace, before: Plan, console: Console) -> Job:
    """What the options ask for.

    Args:
        options: the options.
        before: the plan that they name.
        console: hears why the plan is revised.

    Raises:
        WorkorderError: an input can't be used, or there is nothing to revise.
    """
    standing = (
        None if options.repo is None else landed_plan(options.repo, before, options.branch, options.project)
    )
    start = NOTHING_LANDED if standing is None else standing
    landed = frozenset(start.commits)
    failure = None
    if options.failure is not None:
        failure = read_repair_request(options.failure)
        require_of_plan(failure, before, landed, str(options.failure))
    spec = None if options.spec is None else read_spec(options.spec)
    old_spec = None if spec is None else read_old_spec(options.old_spec, options.plan, before)
    touched = None if spec is None else impact_of(before, standing, spec, old_spec)
    has_other_reason = failure is not None or options.feedback is not None
    if spec is not None and touched is not None and touched.is_empty and not has_other_reason:
        is_compared = old_spec is not None or is_made_for(before, spec)
        raise WorkorderError(
            "the specification asks for nothing else than the plan's requirements quote",
            where=str(options.spec),
            hint="go on with the present plan, or say with --feedback what shall be otherwise"
            + ("" if is_compared else f"; {COMPARE}"),
        )
    amendment = Amendment(
        before,
        landed,
        touched,
        failing=None if failure is None else failure.work_order,
        within_impact=not has_other_reason,
        must_change=has_other_reason,
    )
    evidence = _evidence(amendment, failure, options.feedback)
    message = amending_message(read_amending_template(), amendment, evidence, options.feedback)
    reason = _in_words(failure, options.feedback, touched)
    text = read_spec_text(options.plan, before.spec_text_hash)
    question = Revision(amendment, message, reason, read_changes(options.plan), text, options.feedback)
    console.progress(f"{options.plan}: {reason}; {len(landed)} of {len(before.work_orders)} have landed")
    return job_of(options, spec, start.files, start.sources, question)


def refuse_impossible(options: Namespace) -> None:
    """Refuse options that give no reason, or that don't go together.

    Raises:
        WorkorderError: they are such.
    """
    if options.failure is None and options.spec is None and options.feedback is None:
        raise WorkorderError(
            "there is no reason to revise the plan",
            hint="give --failure FILE, --spec FILE or --feedback TEXT",
        )
    refuse_lone_branch(options)
    if options.old_spec is not None and options.spec is None:
        raise WorkorderError(
            "has a meaning only with --spec", where="--old-spec", hint="name the changed specification"
        )
    if options.feedback is not None and not options.feedback.strip():
        raise BadText("the feedback is empty", where="--feedback", hint="say what shall be otherwise")


def _evidence(amendment: Amendment, failure: RepairRequest | None, feedback: str | None) -> dict[str, str]:
    """What the model is shown, by the tag it stands in."""
    evidence: dict[str, str] = {}
    if failure is not None:
        evidence["failure"] = failure.text
    touched = amendment.impact
    if touched is not None and not touched.is_empty:
        evidence["impact"] = write_impact(touched, amendment.before, amendment.landed, ImpactFormat.TEXT)
    if feedback is not None:
        evidence["feedback"] = feedback
    return evidence


def _in_words(failure: RepairRequest | None, feedback: str | None, touched: Impact | None) -> str:
    reasons = []
    if failure is not None:
        reasons.append(f"{failure.work_order} failed at {quote(failure.stage)}: {quote(failure.message)}")
    if feedback is not None:
        reasons.append(f"feedback {quote(feedback)}")
    if touched is not None and not touched.is_empty:
        reasons.append(f"changed specification: {counts(touched)}")
    return "; ".join(reasons)
