"""What a plan will do, for a person who decides whether it shall: pure, as sections of a page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from factory.contract.work_order import Plan, Requirement, WorkOrder, requirements_of
from factory.plans.diagnostics.render import counted, lines_named
from planner.report.page import Item, Part, Section
from planner.specification.lines import SpecLines

_COMMIT_CHARS: Final = 12


@dataclass(frozen=True)
class Shown:
    """A plan and what is known of it.

    Attributes:
        plan: the plan.
        dependencies: for each work order the ids of those that it depends on.
        spec: the specification that it was made for; None if it is not known.
        commits: what has landed, by the id of the work order; None if nobody looked.
        cost: what a build of it will cost, a line each.
    """

    plan: Plan
    dependencies: Sequence[Sequence[str]]
    spec: SpecLines | None
    commits: Mapping[str, str] | None = None
    cost: Sequence[str] = ()


def title_of(shown: Shown) -> str:
    """The plan in a line."""
    plan = shown.plan
    text = f"{counted(len(plan.work_orders), 'work order')}, {counted(len(plan.requirements), 'requirement')}"
    if shown.commits:
        text += f", {len(shown.commits)} landed"
    return text if plan.revision == 1 else f"{text}, revision {plan.revision}"


def sections(shown: Shown, only: str | None = None) -> tuple[Section, ...]:
    """The plan in the order in which it is carried out, and at the end what concerns all of it.

    Args:
        shown: the plan.
        only: the id of the work order that is asked for; None for all.
    """
    orders = [
        _section(shown, order, needed)
        for order, needed in zip(shown.plan.work_orders, shown.dependencies, strict=True)
        if only in (None, order.id)
    ]
    return tuple(orders) if only is not None else (_whole(shown), *orders, *_rest(shown))


def _whole(shown: Shown) -> Section:
    plan = shown.plan
    packages = [
        f"{package.ecosystem} {package.specifier} ({order.id})"
        for order in plan.work_orders
        for package in order.requires_packages
    ]
    verification = plan.verify_contract
    return Section(
        "The design",
        (
            Part("decided", tuple(map(Item, plan.system_overview))),
            Part("packages that come in", tuple(map(Item, packages))),
            Part("services", tuple(Item(service.called) for service in plan.services)),
            Part(
                "after each work order",
                (Item(str(verification.command), "code"),) if verification is not None else (),
            ),
            Part("what it costs", tuple(map(Item, shown.cost))),
        ),
    )


def _section(shown: Shown, order: WorkOrder, needed: Sequence[str]) -> Section:
    landed = (shown.commits or {}).get(order.id)
    state = f" [landed as {landed[:_COMMIT_CHARS]}]" if landed else ""
    return Section(
        f"{order.id}  {order.title}{state}",
        (
            Part("after", (Item(", ".join(needed)),) if needed else ()),
            Part("intent", (Item(order.intent),)),
            *(_requirement(shown, item) for item in requirements_of(order, shown.plan.requirements)),
            Part("may write", tuple(_files(order))),
            Part("leaves alone", tuple(map(Item, map(str, order.forbidden)))),
            Part("provides", tuple(map(Item, order.provides))),
            Part("uses", tuple(map(Item, order.consumes))),
            Part("is proved by", tuple(_commands(order))),
            Part("notes", (Item(order.notes),) if order.notes else ()),
            Part("difficulty", (Item(order.difficulty),) if order.difficulty else ()),
            Part(
                "keeps warnings", tuple(Item(kept.code, note=kept.reason) for kept in order.accepted_warnings)
            ),
        ),
    )


def _requirement(shown: Shown, requirement: Requirement) -> Part:
    numbers = (
        sorted({line for quote in requirement.quotes for line in shown.spec.lines(quote)})
        if shown.spec
        else []
    )
    place = f" ({lines_named(numbers)})" if numbers else ""
    return Part(
        f"{requirement.id}{place}: {requirement.text}",
        tuple(Item(_as_written(shown, quote), "quoted") for quote in requirement.quotes),
    )


def _as_written(shown: Shown, quote: str) -> str:
    """A quote with the spaces that the specification has within its lines, which examples may be about."""
    if shown.spec is None:
        return quote
    found = re.search(r"\s+".join(map(re.escape, quote.split())), shown.spec.text)
    return quote if found is None else re.sub(r"\s*\n\s*", " ", found[0])


def _files(order: WorkOrder) -> Iterator[Item]:
    new = _new_files(order)
    for path in map(str, order.allowed_files):
        yield Item(path, note="new" if path in new else "")


def _new_files(order: WorkOrder) -> frozenset[str]:
    """The files that must not be there before the work order; of others nobody knows without a repository."""
    absent = {str(condition.path) for condition in order.preconditions if condition.kind == "file_absent"}
    return frozenset(absent.intersection(map(str, order.allowed_files)))


def _commands(order: WorkOrder) -> Iterator[Item]:
    exempt = {str(entry.command): entry.reason for entry in order.red_exempt}
    new = sorted(_new_files(order))
    for command in map(str, order.acceptance_commands):
        if command in exempt:
            yield Item(command, "code", f"may pass before the work is done: {exempt[command]}")
            continue
        missing = [path for path in new if _names(command, path)]
        there = "is" if len(missing) == 1 else "are"
        why = f"; {', '.join(missing)} {there} not there yet" if missing else ""
        yield Item(command, "code", f"must fail before{why}")


def _names(command: str, path: str) -> bool:
    """Whether a command names a file, by its path or as a module of Python."""
    module = path.removesuffix(".py").removesuffix("/__init__").removesuffix("/__main__").replace("/", ".")
    names = {path, module} if path.endswith(".py") else {path}
    return any(re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", command) for name in names)


def _rest(shown: Shown) -> Iterator[Section]:
    plan = shown.plan
    taken = {name for order in plan.work_orders for name in order.requirements}
    alive = [requirement for requirement in plan.requirements if not requirement.withdrawn]
    lost = [Item(f"{item.id}: {item.text}") for item in alive if item.id not in taken]
    quotes = [quote for requirement in alive for quote in requirement.quotes]
    passages = shown.spec.uncovered(quotes) if shown.spec and plan.requirements else ()
    unquoted = [Item(passage.text, "quoted", f"line {passage.first}") for passage in passages]
    kept = [Item(entry.code, note=entry.reason) for entry in plan.accepted_warnings]
    if lost or unquoted or kept:
        yield Section(
            "What no work order covers, and what the plan keeps",
            (
                Part("requirements that no work order takes", tuple(lost)),
                Part("lines of the specification that no requirement quotes", tuple(unquoted)),
                Part("warnings about the plan", tuple(kept)),
            ),
        )
    if plan.remarks:
        parts = tuple(
            Part(
                f"{remark.kind}: {remark.text}",
                tuple(_placed(shown, quote) for quote in remark.quotes) or (Item("—"),),
            )
            for remark in plan.remarks
        )
        yield Section("What the planner noticed about the specification", parts)


def _placed(shown: Shown, quote: str) -> Item:
    numbers = shown.spec.lines(quote) if shown.spec else ()
    return Item(_as_written(shown, quote), "quoted", lines_named(numbers))
