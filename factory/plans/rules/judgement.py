"""Holds rules against a plan: every finding as a diagnostic, but of what has landed and can't be mended."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import islice
from typing import Final

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
from factory.plans.rules.rule import Rule, Subject, SubjectT
from factory.plans.rules.table import RULES
from factory.plans.states.sources import Sources

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

_BEFORE_WORK: Final = tuple(rule for rule in RULES if rule not in (*_OF_READING, *_TOLD_BY_OTHERS))

_BEFORE_OLDER_WORK: Final = tuple(
    replace(rule, severity=Severity.WARNING) if rule in _ADVICE else rule
    for rule in _BEFORE_WORK
    if rule not in _OF_NEW_PLANS
)


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
    *,
    strict: bool = False,
) -> tuple[Diagnostic, ...]:
    """Hold a plan against the files that it is about to be executed on, whatever its origin.

    Args:
        plan: the plan; of a work order given by hand, a plan with that one.
        repo_files: the tracked files that the plan starts from.
        sources: the repository as it is now, with what has landed.
        landed: the ids of the work orders that have landed; nothing is told of them.
        strict: whether warnings stop it, too.

    Returns:
        What was found, without the warnings that the plan accepts; errors all, if it is strict.
    """
    has_requirements = bool(plan.requirements) or any(order.requirements for order in plan.work_orders)
    subject = Subject(
        document=dump(plan),
        repo_files=repo_files,
        sources=sources,
        landed=landed,
        judges_shell_texts=False,
    )
    done = {f"/work_orders/{index}" for index, order in enumerate(plan.work_orders) if order.id in landed}
    judged = judge(subject, _BEFORE_WORK if has_requirements else _BEFORE_OLDER_WORK, done)
    left = tuple(diagnostic for diagnostic in with_reasons(judged, plan) if not diagnostic.accepted)
    return tuple(replace(diagnostic, severity=Severity.ERROR) for diagnostic in left) if strict else left


def judge_work_order(
    order: WorkOrder, contract: VerifyContract | None, sources: Sources, *, strict: bool = False
) -> tuple[Diagnostic, ...]:
    """Hold one work order against the files that it starts from; the pointers lead into the work order.

    Args:
        order: the work order.
        contract: the verify contract of its plan, which may be satisfied later; None if there is none.
        sources: the files.
        strict: whether warnings stop it, too.
    """
    plan = Plan(verify_contract=contract, work_orders=(order,))
    return tuple(
        replace(diagnostic, pointer=diagnostic.pointer.removeprefix("/work_orders/0"))
        for diagnostic in judge_before_work(plan, sources.files, sources, strict=strict)
        if diagnostic.pointer.startswith("/work_orders/0")
    )
