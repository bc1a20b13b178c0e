"""Whom a change of work orders may reach, and why: by dependency, or by files that both write. Pure."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SharedFile:
    """A file that a work order and others write.

    Attributes:
        file: its path.
        work_orders: the ids of those others, in the order of the plan.
    """

    file: str
    work_orders: tuple[str, ...]


@dataclass(frozen=True)
class Affected:
    """A work order that may be affected, and by whom: those that are nearer to what changed.

    Attributes:
        id: its id.
        depends_on: the ids of those that it directly depends on, in the order of the plan.
        shares: the files that it and they write, by path.
    """

    id: str
    depends_on: tuple[str, ...]
    shares: tuple[SharedFile, ...]


def affected(
    ids: Sequence[str],
    dependencies: Sequence[Collection[str]],
    writes: Sequence[Collection[str]],
    dirty: Collection[str],
) -> tuple[Affected, ...]:
    """The work orders that a change of the dirty ones may reach, at any distance, in the order of the plan.

    A step leads to whoever depends on a work order, and to whoever writes a file that it writes, earlier or
    later in the plan.

    Args:
        ids: the ids of all work orders, in order.
        dependencies: for each the ids of those it directly depends on.
        writes: for each the files that it writes; of nobody, if shared files shall not count.
        dirty: the ids of those that change.
    """
    dependents: defaultdict[str, list[int]] = defaultdict(list)
    writers: defaultdict[str, list[int]] = defaultdict(list)
    for index, (needed, files) in enumerate(zip(dependencies, writes, strict=True)):
        for name in set(needed):
            dependents[name].append(index)
        for file in set(files):
            writers[file].append(index)
    distance = {index: 0 for index, name in enumerate(ids) if name in dirty}
    seen: set[str] = set()
    front, step = list(distance), 0
    while front:
        step += 1
        fresh = {file for index in front for file in writes[index]} - seen
        seen |= fresh
        near = {neighbour for index in front for neighbour in dependents[ids[index]]}
        near.update(neighbour for file in fresh for neighbour in writers[file])
        front = sorted(near - distance.keys())
        distance.update(dict.fromkeys(front, step))

    def nearer(index: int, others: Collection[int]) -> tuple[str, ...]:
        return tuple(ids[other] for other in others if distance.get(other, step) < distance[index])

    places = {name: index for index, name in enumerate(ids)}
    return tuple(
        Affected(
            id=ids[index],
            depends_on=nearer(
                index, sorted({places[neighbour] for neighbour in dependencies[index] if neighbour in places})
            ),
            shares=tuple(
                SharedFile(file, others)
                for file in sorted(set(writes[index]))
                if (others := nearer(index, writers[file]))
            ),
        )
        for index in sorted(distance)
        if distance[index]
    )
