"""Which work orders depend on which earlier ones.

A depends on an earlier B when A reads (context files, preconditions), writes or runs something that B
writes, or consumes a symbol that B provides. The files of the verify contract count as read by every later
work order. Where a command names a whole directory or all tests, A depends on all who write there, unless A
brings such files itself. What has landed may have a later number: A that has not landed depends on it, too,
where A names a file that it writes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from factory.contract.work_order import Plan, WorkOrder
from factory.plans.commands.needs import Needs, command_needs, is_test_file
from factory.plans.commands.programs import read_command
from factory.plans.commands.words import UnsplittableCommand
from factory.plans.states.sources import NO_SOURCES, Sources
from factory.plans.states.symbols import Interfaces


def depends_on(
    plan: Plan, repo_files: frozenset[str], sources: Sources = NO_SOURCES, landed: Collection[str] = ()
) -> tuple[tuple[str, ...], ...]:
    """For each work order the ids of those it directly depends on, in the order of the plan.

    What has landed depends on nothing that has not.

    Args:
        plan: the plan.
        repo_files: the target repository's tracked files; a directory that they make needs nobody else.
        sources: the repository as it is now, which tells where it imports a symbol from.
        landed: the ids of the work orders that have landed.
    """
    existing = frozenset(parent for path in repo_files for parent in _parents(path))
    writers, done = _Writers(), _Writers()
    for index, order in enumerate(plan.work_orders):
        if order.id in landed:
            done.add(index, order)
    verification = _verification_files(plan)
    interfaces = Interfaces(tuple(enumerate(plan.work_orders)), sources)
    result: list[tuple[str, ...]] = []
    for index, order in enumerate(plan.work_orders):
        dependencies = set(writers.of(verification))
        dependencies.update(writers.of(condition.path for condition in order.preconditions))
        dependencies.update(writers.of(order.context_files))
        dependencies.update(writers.of(order.allowed_files))
        dependencies.update(interfaces.needed(index))
        for command in order.acceptance_commands:
            needs = needs_of(command, order.project or "")
            if needs is not None:
                dependencies.update(_needed(needs, order, writers, existing))
        if order.id not in landed:
            dependencies.update(done.of_files(_named(order)))
        ids = [plan.work_orders[other].id for other in sorted(dependencies)]
        result.append(tuple(name for name in ids if name in landed or order.id not in landed))
        writers.add(index, order)
    return tuple(result)


def needs_of(command: str, directory: str = "") -> Needs | None:
    """What a command that runs in a directory needs; None if it can't be split into words."""
    try:
        return command_needs(read_command(command, directory))
    except UnsplittableCommand:
        return None


class _Writers:
    """Who wrote a file, something below a directory, or a test below one, so far."""

    def __init__(self) -> None:
        self._files: defaultdict[str, list[int]] = defaultdict(list)
        self._below: defaultdict[str, list[int]] = defaultdict(list)
        self._tests_below: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, index: int, order: WorkOrder) -> None:
        for path in set(order.allowed_files):
            self._files[path].append(index)
        for parent in _parents_of_all(order.allowed_files):
            self._below[parent].append(index)
        for parent in _parents_of_all(path for path in order.allowed_files if is_test_file(path)):
            self._tests_below[parent].append(index)

    def of(self, paths: Iterable[str]) -> Iterator[int]:
        """Those who wrote one of `paths`, or something below it."""
        for path in paths:
            yield from self._files.get(path, ())
            yield from self._below.get(path, ())

    def of_files(self, paths: Iterable[str]) -> Iterator[int]:
        """Those who wrote one of `paths`."""
        for path in paths:
            yield from self._files.get(path, ())

    def of_tests(self, directory: str) -> Iterator[int]:
        """Those who wrote a test below `directory`."""
        yield from self._tests_below.get(directory, ())


def _named(order: WorkOrder) -> Iterator[str]:
    """The files that a work order reads or writes by its own words."""
    yield from (*order.allowed_files, *order.context_files)
    yield from (condition.path for condition in order.preconditions if condition.kind == "file_exists")


def _needed(needs: Needs, order: WorkOrder, writers: _Writers, existing: frozenset[str]) -> Iterator[int]:
    own = _parents_of_all(order.allowed_files)
    own_tests = _parents_of_all(path for path in order.allowed_files if is_test_file(path))
    yield from writers.of(needs.scripts)
    for module in (*needs.modules, *needs.loose_modules):
        yield from writers.of_files(module.files())
        yield from writers.of_files(module.packages())
    for path in needs.mentions:
        yield from writers.of_files((path,)) if path in own or path in existing else writers.of((path,))
    for directory in needs.suites:
        if directory not in own_tests:
            yield from writers.of_tests(directory)


def _verification_files(plan: Plan) -> tuple[str, ...]:
    contract = plan.verify_contract
    if contract is None:
        return ()
    paths: list[str] = [condition.path for condition in contract.requires]
    needs = needs_of(contract.command)
    if needs is not None:
        paths.extend(needs.scripts)
        for module in needs.modules:
            paths.extend(path for path in module.files() if path.endswith(".py"))
    return tuple(dict.fromkeys(paths))


def _parents_of_all(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(parent for path in paths for parent in _parents(path))


def _parents(path: str) -> Iterator[str]:
    """The directories above `path`, the repository's root as the empty text."""
    while (cut := path.rfind("/")) > 0:
        path = path[:cut]
        yield path
    yield ""
