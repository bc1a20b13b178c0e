"""Carries out one trial in a checkout: the same code wherever that is."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, assert_never

from factory.checkout.workspace import Checkout
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.before.baseline import run_verification
from factory.gates.before.red_probe import probe
from factory.gates.bench import Bench
from factory.gates.check import CheckContext
from factory.gates.differences import DIFFERENCES, OTHER_USER, changed_environment
from factory.gates.trial import PartResult, Trial, TrialResult, try_out
from factory.languages.table import language_of
from factory.system.files.tree import FoundFile
from factory.trials.conditions import Conditions
from factory.trials.lasting import ended_by_itself, last, probes_last
from factory.trials.port import ignore_beginning, ignore_end
from factory.trials.request import (
    Examine,
    Mutate,
    Probe,
    Repeat,
    Trace,
    TrialAnswer,
    TrialRequest,
    VerifyBase,
    Written,
)

_NAMED: Final = {difference.name: difference for difference in (*DIFFERENCES, OTHER_USER)}


def conduct(
    request: TrialRequest,
    conditions: Conditions,
    folder: Path,
    begins: Callable[[str], None] = ignore_beginning,
    ended: Callable[[PartResult], None] = ignore_end,
) -> TrialAnswer:
    """Carry out a trial; arguments and errors as for `Trials.ask`."""
    folder.mkdir(parents=True, exist_ok=True)
    match request.question:
        case VerifyBase(exempt=exempt):
            return TrialAnswer(
                baseline=run_verification(conditions.bench, folder, conditions.checks, exempt=exempt)
            )
        case Probe():
            return _probe(_order(request), conditions.bench, folder)
        case Examine() | Repeat() | Mutate() | Trace():
            return _Attempted(request, conditions, folder).answer(begins, ended)
        case _ as never:
            assert_never(never)


def put(files: Mapping[RepoPath, FoundFile], checkout: Checkout) -> str:
    """Make the checkout hold the baseline with these files and nothing else; git's id of that tree.

    What commands left would decide the next result: their own files, and compiled modules, which Python takes
    for those of a source with the same size and second.
    """
    checkout.restore()
    return _laid(files, checkout)


def put_first(request: TrialRequest, conditions: Conditions) -> str:
    """Put what a trial judges into a checkout of its base that nobody has used; the tree that it makes."""
    return _laid(found(request.files), conditions.bench.checkout)


def _laid(files: Mapping[RepoPath, FoundFile], checkout: Checkout) -> str:
    for path, file in files.items():
        checkout.tree.write(path, file.data, mode=file.mode)
    return checkout.stage(sorted(files))


def found(files: Sequence[Written]) -> dict[RepoPath, FoundFile]:
    """Files as they are written to a checkout."""
    return {written.path: written.file for written in files}


def _order(request: TrialRequest) -> WorkOrder:
    assert request.order is not None
    return request.order


def _probe(order: WorkOrder, bench: Bench, folder: Path) -> TrialAnswer:
    # From here on everything that differs is what a command changed.
    tree = bench.checkout.stage([])
    context = bench.context(order, tree, folder).of_order
    assert context.order is not None
    probed = probe(context.order, context, bench.checkout.restore)
    return TrialAnswer(probed=probed, is_lasting=probes_last(probed))


class _Attempted:
    """A trial of what an attempt wrote."""

    def __init__(self, request: TrialRequest, conditions: Conditions, folder: Path) -> None:
        self._request = request
        self._order = _order(request)
        self._conditions = conditions
        self._bench = conditions.bench
        self._folder = folder
        self._files = found(request.files)

    def answer(self, begins: Callable[[str], None], ended: Callable[[PartResult], None]) -> TrialAnswer:
        match self._request.question:
            case Examine(parts=parts):
                tree = self._request.tree
                assert tree is not None
                result = self._try_out(parts, self._context(self._bench, tree), tree, begins, ended)
                return TrialAnswer(
                    results=(result,), failing_tests=result.failing_tests, is_lasting=last([result])
                )
            case Repeat() as question:
                return self._repeat(question)
            case Mutate() as question:
                return self._mutate(question)
            case Trace() as question:
                return self._trace(question)
            case _:
                raise AssertionError("not of an attempt")

    def _repeat(self, question: Repeat) -> TrialAnswer:
        checkout, bench = self._bench.checkout, self._bench
        differences = [_NAMED[name] for name in question.differences]
        first = checkout.other_user
        checkout.other_user = first != any(difference.is_user for difference in differences)
        try:
            tree = put(self._files, checkout)
            if question.before:
                prepared = self._try_out(question.before, self._context(bench, tree), tree)
                if prepared.failure is not None:
                    return TrialAnswer(results=(prepared,), is_lasting=last([prepared]))
            temporary = checkout.temporary / "elsewhere"
            temporary.mkdir(exist_ok=True)
            other = bench.with_variables(
                lambda variables: changed_environment(variables, differences, temporary)
            )
            result = self._try_out(question.parts, self._context(other, tree), tree)
            return TrialAnswer(results=(result,), is_lasting=last([result]))
        finally:
            checkout.other_user = first

    def _mutate(self, question: Mutate) -> TrialAnswer:
        bench = _hurried(self._bench, question.limit_seconds)
        is_lasting = True
        if question.compiler:
            tree = self._put(question.sources)
            context = self._context(bench, tree).of_order
            compiled = context.execute("compile", " ".join(question.compiler), question.compiler)
            is_lasting = ended_by_itself(compiled)
            if compiled.exit_code not in (0, None):
                return TrialAnswer(compiles=False, is_lasting=is_lasting)
        results = self._each(question.parts, question.sources, bench)
        return TrialAnswer(results=results, is_lasting=is_lasting and last(results))

    def _trace(self, question: Trace) -> TrialAnswer:
        bench = _hurried(self._bench, question.limit_seconds)
        temporary = bench.checkout.temporary
        asked = [(path, line) for path, lines in sorted(question.lines.items()) for line in lines]
        marks = {place: str(temporary / f".workorder-line-{index}") for index, place in enumerate(asked)}
        # What can't be marked tells nothing.
        marked = {
            path: text
            for path, lines in question.lines.items()
            if (text := self._marked(path, {line: marks[path, line] for line in lines})) is not None
        }
        results = self._each(question.parts, marked, bench)
        executed = {
            path: tuple(line for line in question.lines[path] if os.path.lexists(marks[path, line]))
            for path in sorted(marked)
        }
        return TrialAnswer(executed=executed, is_lasting=last(results))

    def _marked(self, path: RepoPath, marks: Mapping[int, str]) -> str | None:
        language = language_of(path)
        with suppress(UnicodeDecodeError):
            return language.marked(path, self._files[path].data.decode(), marks) if language else None
        return None

    def _each(
        self, parts: tuple[str, ...], sources: Mapping[RepoPath, str], bench: Bench
    ) -> tuple[TrialResult, ...]:
        """What each part says, whatever the others say."""
        if not parts:
            return ()
        tree = self._put(sources)
        context = self._context(bench, tree)
        names = [group.name for group in self._conditions.groups(parts)]
        return tuple(self._try_out((name,), context, tree) for name in names)

    def _put(self, sources: Mapping[RepoPath, str]) -> str:
        changed = {
            path: replace(self._files[path], data=source.encode("utf-8")) for path, source in sources.items()
        }
        return put({**self._files, **changed}, self._bench.checkout)

    def _context(self, bench: Bench, tree: str) -> CheckContext:
        return bench.context(self._order, tree, self._folder)

    def _try_out(
        self,
        parts: tuple[str, ...],
        context: CheckContext,
        tree: str,
        begins: Callable[[str], None] = ignore_beginning,
        ended: Callable[[PartResult], None] = ignore_end,
    ) -> TrialResult:
        trial = Trial(self._order, tree, self._conditions.groups(parts))
        return try_out(trial, context, begins, ended)


def _hurried(bench: Bench, limit_seconds: float | None) -> Bench:
    if limit_seconds is None:
        return bench
    return replace(bench, timeout_seconds=min(bench.timeout_seconds, limit_seconds))
