"""Checks a plan: all rules over one document. Whatever comes in, the result is diagnostics.

Imports no model SDK and no graph library, so that checking is as quick as starting Python. Plans on disk are
for `on_disk`.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from factory.contract.documents import schema_problems
from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import BadJson, JsonObject, JsonValue
from factory.contract.work_order import Plan, WorkOrder
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.plans.rules.judgement import judge, with_reasons
from factory.plans.states.sources import Sources
from planner.check.fixed_parts import with_copies, with_fixed_parts
from planner.check.parse import parse_reply, refused_file
from planner.check.remarks import with_remarks, without_outdated
from planner.check.requirements import with_requirements
from planner.check.services import with_services
from planner.plan.bootstrap import with_given
from planner.plan.objections import Objection
from planner.revision.amendment import Amendment
from planner.revision.references import SAME_AS, corrected, each_alone, is_bare
from planner.rules.requirements import w220_second_opinion
from planner.rules.subject import Subject
from planner.rules.table import RULES
from planner.specification.spec import Spec


@dataclass(frozen=True)
class Checked:
    """What checking found.

    Attributes:
        plan: the plan, if the document matches the schema; it may still break rules.
        document: the JSON document, if there is one.
        diagnostics: every finding, by position, then code.
        is_json: whether what was checked was JSON at all.
        answered: the answer with what it took over from the one that it corrects; None if it is no answer.
    """

    plan: Plan | None
    document: JsonValue
    diagnostics: tuple[Diagnostic, ...]
    is_json: bool
    answered: JsonValue = None

    @property
    def ok(self) -> bool:
        """Whether the plan may be used: no finding is an error."""
        return not self.errors

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)

    @property
    def warnings(self) -> int:
        """How many are warnings that the plan gives no reason to keep."""
        return sum(
            diagnostic.severity is Severity.WARNING and not diagnostic.accepted
            for diagnostic in self.diagnostics
        )


def check_reply(
    text: str,
    repo_files: frozenset[str],
    spec: Spec | None = None,
    *,
    sources: Sources | None = None,
    amendment: Amendment | None = None,
    given: WorkOrder | None = None,
    allowed_packages: Collection[str] = (),
    before: JsonValue = None,
) -> Checked:
    """Check a model's reply, a new plan: it must have requirements.

    A revision of a plan without any needs none either, unless its specification is known.

    Args:
        text: the reply; a Markdown fence around the document is understood.
        repo_files: the tracked files that the plan starts from.
        spec: the specification that the plan is for, if it is known.
        sources: the repository as it is now; None if nobody looked.
        amendment: what the plan amends; None of a plan of its own.
        given: the work order that a new plan begins with, which the reply names; None for none.
        allowed_packages: the names of packages that a person allows.
        before: the answer that this one corrects, as `Checked.answered` has it; None for a first answer.
    """
    parsed = parse_reply(text)
    if parsed.diagnostics:
        return Checked(None, None, parsed.diagnostics, parsed.is_json)
    first = None if amendment is not None else 1 if given is None else 2
    answered = corrected(parsed.document, before, first)
    if amendment is not None:
        answered = each_alone(answered, amendment.before)
    checked = _check_answer(answered, repo_files, spec, sources, amendment, given, allowed_packages)
    return replace(checked, answered=answered)


def _check_answer(
    answered: JsonValue,
    repo_files: frozenset[str],
    spec: Spec | None,
    sources: Sources | None,
    amendment: Amendment | None,
    given: WorkOrder | None,
    allowed_packages: Collection[str],
) -> Checked:
    answer = with_remarks(with_services(answered), spec)
    if spec is not None:
        answer = with_requirements(answer, spec)
    alone = sources.alone if sources is not None else None
    if amendment is None:
        document = answer if given is None else with_given(answer, given)
        return check_document(
            with_fixed_parts(in_project(document, alone), repo_files),
            repo_files,
            spec,
            is_new=True,
            sources=sources,
            allowed_packages=allowed_packages,
        )
    document = amendment.completed(answer)
    if spec is not None:
        if isinstance(answer, dict) and "remarks" not in answer:
            document = without_outdated(document, spec)
        document = with_requirements(document, spec, _references(answer, "requirements").values())
    document, copies = with_copies(document, amendment.before)
    taken = copies | _references(answer, "work_orders").keys()
    return check_document(
        with_fixed_parts(
            in_project(document, alone), repo_files | amendment.made(sources), taken, is_revision=True
        ),
        repo_files,
        spec,
        is_new=spec is not None or bool(amendment.before.requirements),
        sources=sources,
        amendment=amendment,
        allowed_packages=allowed_packages,
    )


def _references(answer: JsonValue, name: str) -> dict[int, str]:
    """The ids of the elements of a list that an answer takes over from the plan before, by their places."""
    listed = answer.get(name) if isinstance(answer, dict) else None
    return {
        index: taken
        for index, element in enumerate(listed if isinstance(listed, list) else ())
        if is_bare(element) and isinstance(taken := element[SAME_AS], str)
    }


def check_broken_file(error: BadJson) -> Checked:
    """The result for a file that strict reading of JSON refuses."""
    parsed = refused_file(error)
    return Checked(None, None, parsed.diagnostics, parsed.is_json)


def check_document(
    document: JsonValue,
    repo_files: frozenset[str],
    spec: Spec | None = None,
    *,
    is_new: bool = False,
    sources: Sources | None = None,
    amendment: Amendment | None = None,
    landed: Collection[str] = (),
    allowed_packages: Collection[str] = (),
) -> Checked:
    """Check a JSON document.

    Of work orders that have landed nothing is told, but of an amendment whether they are as they were.

    Args:
        document: the manifest as it was read.
        repo_files: the tracked files that the plan starts from.
        spec: the specification that the plan is for; without one, nothing is compared with it.
        is_new: whether it must have requirements; older plans have none.
        sources: the repository as it is now; None if nobody looked.
        amendment: what the plan amends; None of a plan of its own.
        landed: the ids of the work orders that have landed; those of an amendment it tells itself.
        allowed_packages: the names of packages that a person allows beside those that the plan remembers.
    """
    subject = Subject(
        document=document,
        repo_files=repo_files,
        spec=spec,
        is_new=is_new,
        sources=sources,
        amendment=amendment,
        landed=landed if amendment is None else amendment.landed,
        allowed_packages=allowed_packages,
    )
    plan = _plan(subject)
    diagnostics = judge(subject, RULES, _settled(subject))
    if plan is not None:
        diagnostics = with_reasons(diagnostics, plan)
    return Checked(plan, document, diagnostics, is_json=True)


def _settled(subject: Subject) -> frozenset[str]:
    """The pointers of what has landed, by numbers: an amendment may have dropped some before them."""
    return frozenset(
        f"/work_orders/{index}" for index, raw in subject.raw_orders if _has_landed(raw, subject)
    )


def _has_landed(raw: JsonObject, subject: Subject) -> bool:
    name = raw.get("id")
    return isinstance(name, str) and name in subject.landed


def objected(
    document: JsonValue,
    spec: Spec | None,
    objections: tuple[Objection, ...],
    landed: Collection[str] = (),
) -> tuple[Diagnostic, ...]:
    """What a second opinion objects to in a plan, as far as it has evidence.

    Args:
        document: the plan.
        spec: the specification that it is for, if it is known.
        objections: what the second opinion says.
        landed: the ids of the work orders that have landed; nothing is told of them.
    """
    subject = Subject(
        document=document, repo_files=frozenset(), spec=spec, landed=landed, objections=objections
    )
    found = judge(subject, (w220_second_opinion.RULE,), _settled(subject))
    plan = _plan(subject)
    return found if plan is None else with_reasons(found, plan)


def in_project(document: JsonValue, project: RepoPath | None) -> JsonValue:
    """A document with each work order that names no project in that one; for None as it is."""
    orders = document.get("work_orders") if isinstance(document, dict) else None
    if project is None or not isinstance(document, dict) or not isinstance(orders, list):
        return document
    placed: list[JsonValue] = [
        {**order, "project": project} if isinstance(order, dict) and order.get("project") is None else order
        for order in orders
    ]
    return {**document, "work_orders": placed}


def plan_of(document: JsonValue) -> Plan | None:
    """The plan that a document is, whatever rules it breaks; None if it does not match the schema."""
    return _plan(Subject(document=document, repo_files=frozenset()))


def _plan(subject: Subject) -> Plan | None:
    if subject.plan is None or schema_problems(Plan, subject.document):
        return None
    return Plan.model_validate(subject.document)
