"""Holds rules against a plan: every finding as a diagnostic, but of what has landed and can't be mended."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import islice
from typing import Final, Literal, assert_never

from factory.contract.canonical import dump
from factory.contract.work_order import Plan, VerifyContract, WorkOrder
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity, in_order
from factory.plans.rules.document import (
    e000_not_a_manifest,
    e001_broken_numbering,
    e004_glob_in_path,
    e005_schema,
)
from factory.plans.rules.files import (
    e104_unpromised_file,
    e105_verify_in_acceptance,
    e106_never_verified,
    w107_words_in_forbidden,
)
from factory.plans.rules.proof import w402_predicted_literal
from factory.plans.rules.rule import Rule, Subject, SubjectT
from factory.plans.rules.table import RULES
from factory.plans.states.sources import Sources

Warnings = Literal["auto", "accept", "error"]
"""What follows from warnings that a plan does not accept: of a plan with requirements nothing is executed and
others are told of them, all are told of them, or nothing is executed of any."""

MAX_FINDINGS: Final = 1_000
"""The most findings of one rule that are told."""

_OF_READING: Final = (
    e000_not_a_manifest.RULE,
    e001_broken_numbering.RULE,
    e004_glob_in_path.RULE,
    e005_schema.RULE,
)
"""What was read into a plan is past them; how its work orders are numbered is no reason not to execute it."""

_TOLD_BY_OTHERS: Final = (w107_words_in_forbidden.RULE,)
"""Before a run, words in `forbidden` are told together with what comes of them."""

_OF_NEW_PLANS: Final = (e104_unpromised_file.RULE,)
"""In plans from before there were requirements, what no postcondition names is what need not be written."""

_ADVICE: Final = (e105_verify_in_acceptance.RULE, e106_never_verified.RULE)
"""What makes a plan a good one and keeps no work order from being done: the older plans are only warned."""

_BY_SPECIFICATION: Final = frozenset({w402_predicted_literal.RULE.code})
"""Warnings that a specification could refute, which nobody knows where a plan is executed: they are told."""

_BEFORE_WORK: Final = tuple(rule for rule in RULES if rule not in (*_OF_READING, *_TOLD_BY_OTHERS))

_BEFORE_OLDER_WORK: Final = tuple(
    replace(rule, severity=Severity.WARNING) if rule in _ADVICE else rule
    for rule in _BEFORE_WORK
    if rule not in _OF_NEW_PLANS
)

_STOPPING: Final = frozenset(rule.code for rule in _BEFORE_WORK) - _BY_SPECIFICATION
"""The codes at which nothing is executed of a plan that could have accepted them."""

WAYS_OUT: Final = (
    "correct the plan, by hand or with `planner revise`; or give the code and the reason why it stays in"
    " `accepted_warnings` of the manifest, then `planner sync`; or build with `--warnings accept`"
)
"""What to do where warnings stop a plan."""


def judge(
    subject: SubjectT, rules: Iterable[Rule[SubjectT]], settled: Collection[str] = ()
) -> tuple[Diagnostic, ...]:
    """Hold rules against a subject.

    Args:
        subject: what they look at.
        rules: the rules.
        settled: the pointers of the work orders that are not judged, unless a rule judges those, too.

    Returns:
        Every finding, by position, then code.
    """
    return in_order(
        [
            rule.diagnostic(finding, subject.order_name(finding.pointer))
            for rule in rules
            for finding in islice(rule.find(subject), MAX_FINDINGS)
            if rule.judges_landed or "/".join(finding.pointer.split("/")[:3]) not in settled
        ]
    )


def with_reasons(diagnostics: Iterable[Diagnostic], plan: Plan) -> tuple[Diagnostic, ...]:
    """The diagnostics, each warning that the plan accepts with the reason."""
    reasons = {("", accepted.code): accepted.reason for accepted in plan.accepted_warnings}
    for order in plan.work_orders:
        reasons |= {(order.id, accepted.code): accepted.reason for accepted in order.accepted_warnings}
    return tuple(
        replace(diagnostic, accepted=reasons.get((diagnostic.order, diagnostic.code), ""))
        for diagnostic in diagnostics
    )


def judge_before_work(
    plan: Plan,
    repo_files: frozenset[str],
    sources: Sources,
    landed: Collection[str] = (),
) -> tuple[Diagnostic, ...]:
    """Hold a plan against the files that it is about to be executed on, whatever its origin.

    Args:
        plan: the plan; of a work order given by hand, a plan with that one.
        repo_files: the tracked files that the plan starts from.
        sources: the repository as it is now, with what has landed.
        landed: the ids of the work orders that have landed; nothing is told of them.

    Returns:
        What was found, without the warnings that the plan accepts.
    """
    subject = Subject(
        document=dump(plan),
        repo_files=repo_files,
        sources=sources,
        landed=landed,
        judges_shell_texts=False,
    )
    done = {f"/work_orders/{index}" for index, order in enumerate(plan.work_orders) if order.id in landed}
    judged = judge(subject, _BEFORE_WORK if _has_requirements(plan) else _BEFORE_OLDER_WORK, done)
    return tuple(diagnostic for diagnostic in with_reasons(judged, plan) if not diagnostic.accepted)


def judge_work_order(
    order: WorkOrder, contract: VerifyContract | None, sources: Sources
) -> tuple[Diagnostic, ...]:
    """Hold one work order against the files that it starts from; the pointers lead into the work order.

    Args:
        order: the work order.
        contract: the verify contract of its plan, which may be satisfied later; None if there is none.
        sources: the files.
    """
    plan = Plan(verify_contract=contract, work_orders=(order,))
    return tuple(
        replace(diagnostic, pointer=diagnostic.pointer.removeprefix("/work_orders/0"))
        for diagnostic in judge_before_work(plan, sources.files, sources)
        if diagnostic.pointer.startswith("/work_orders/0")
    )


def stopping(judged: Iterable[Diagnostic], plan: Plan, warnings: Warnings) -> tuple[Diagnostic, ...]:
    """Those of the findings at which nothing is executed.

    Who wrote a plan with requirements was told of warnings, and could say why one stays. Who wrote an older
    one could not.

    Args:
        judged: what was found.
        plan: the plan.
        warnings: what the user wants to follow from warnings.

    Returns:
        The errors, and the warnings that count as much and that the plan does not accept.
    """
    return tuple(
        diagnostic
        for diagnostic in judged
        if diagnostic.severity is Severity.ERROR
        or (not diagnostic.accepted and _stops(diagnostic, plan, warnings))
    )


def _stops(warning: Diagnostic, plan: Plan, warnings: Warnings) -> bool:
    match warnings:
        case "auto":
            return _has_requirements(plan) and warning.code in _STOPPING
        case "accept":
            return False
        case "error":
            return True
        case _ as never:
            assert_never(never)


def _has_requirements(plan: Plan) -> bool:
    return bool(plan.requirements) or any(order.requirements for order in plan.work_orders)
