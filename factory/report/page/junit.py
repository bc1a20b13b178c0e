"""The report as JUnit's XML, which CI systems show: a suite for each work order, a case for each command.

There is no standard; the elements are those of the schema of the Jenkins plug-in, which GitLab and GitHub's
actions read as well. An attempt that failed before another one landed is told as skipped: it breaks nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree

from factory.report.page.story import Attempt, Order, Story
from factory.system.terminal.console import visible

_OVERTAKEN: Final = "this attempt failed, and a later one landed"


@dataclass(frozen=True)
class _Case:
    group: str
    name: str
    seconds: float = 0.0
    problem: str = ""
    output: str = ""


def write_junit(story: Story) -> str:
    """The document, with its declaration."""
    root = ElementTree.Element("testsuites", name=f"workorder {story.title.lower()}")
    for order in story.orders:
        _add_suite(root, order)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_suite(root: ElementTree.Element, order: Order) -> None:
    cases = list(_cases(order))
    failing = [] if order.is_done else [case for case in cases if case.problem]
    skipped = [case for case in cases if case.problem and order.is_done]
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=f"{order.id} {_plain(order.title)}",
        tests=str(max(1, len(cases))),
        failures=str(len(failing)),
        errors="0",
        skipped=str(len(skipped) if cases else 1),
        time=f"{sum(case.seconds for case in cases):.3f}",
    )
    for case in cases:
        element = ElementTree.SubElement(
            suite, "testcase", classname=case.group, name=_plain(case.name), time=f"{case.seconds:.3f}"
        )
        if case.problem and order.is_done:
            ElementTree.SubElement(element, "skipped", message=_OVERTAKEN)
        elif case.problem:
            failure = ElementTree.SubElement(element, "failure", message=_plain(case.problem))
            failure.text = _plain(case.output)
    if not cases:
        element = ElementTree.SubElement(
            suite, "testcase", classname=order.id, name=order.state, time="0.000"
        )
        ElementTree.SubElement(element, "skipped", message=f"nothing was tried: {order.state}")


def _cases(order: Order) -> Iterator[_Case]:
    for run in order.runs:
        for attempt in run.attempts:
            yield from _of_attempt(f"{order.id}.{attempt.title}", attempt)
        if not run.attempts and run.failure is not None:
            why = run.failure
            yield _Case(f"{order.id}.start", why.stage, problem=why.description, output=why.excerpt)


def _of_attempt(group: str, attempt: Attempt) -> Iterator[_Case]:
    told = False
    for check in attempt.checks:
        for command in check.commands:
            problem = "" if command.passed else f"{check.name}: {command.end}"
            told = told or bool(problem)
            yield _Case(group, f"{check.name}: {command.text}", command.seconds, problem, command.output)
    why = attempt.failure
    if why is not None and not told:
        yield _Case(group, why.stage, problem=why.description, output=why.excerpt)


def _plain(text: str) -> str:
    """A text that XML can hold: without control characters, surrogates and the two that are none."""
    return visible(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
