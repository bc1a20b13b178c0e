"""What a person did, taken from their worktree or from a revision: texts for the files of a work order.

Nothing that stands in a worktree is believed: its `.git` is not used, no link is followed, no hook runs.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.identity import contract_hash
from factory.contract.limits import MAX_PROPOSAL_BYTES, MAX_WRITE_BYTES
from factory.contract.repo_path import RepoPath, UnsafePath, forbids
from factory.contract.text import decoded
from factory.contract.work_order import WorkOrder
from factory.llm.secrets import redact
from factory.people.adoptions import Adoption
from factory.repository.target import Refused, Target
from factory.system.git.changes import Change, Changes, changes
from factory.system.git.client import Git
from factory.system.terminal.console import one_line, visible

ALLOW: Final = "--allow"
_FILE_MODES: Final = ("100644", "100755")
_NAMED: Final = 20
_OFFERED: Final = 5
_CACHES: Final = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "node_modules"})
_SUMMARY_CHARS: Final = 4_000
_NO_WORDS: Final = "A person wrote this."


@dataclass(frozen=True)
class Taking:
    """Whose work is taken, from where.

    Attributes:
        work_order: the id of the work order that it is to fulfil.
        plan: the plan's directory or manifest; None where the work order has a file of its own.
        source: a worktree of the repository, or the name of a revision.
        allowed: files that may be written although the work order does not list them.
        summary: what the person says of it; empty to take what their commits say.
        author: who they are.
        said: when.
        secrets: the values of keys, which no file may hold.
    """

    work_order: str
    plan: Path | None
    source: Path | str
    allowed: tuple[RepoPath, ...]
    summary: str
    author: str
    said: str
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """What a person did.

    Attributes:
        order: the work order, as the plan has it.
        texts: the files, whole, by their paths.
        summary: what they say of it.
        adoption: for the record.
    """

    order: WorkOrder
    texts: Mapping[RepoPath, str]
    summary: str
    adoption: Adoption

    @property
    def widened(self) -> WorkOrder:
        """The work order, which may also write what the person was allowed; its contract stays."""
        allowed = (*self.order.allowed_files, *self.adoption.widened)
        return self.order.model_copy(update={"allowed_files": allowed})

    @cached_property
    def name(self) -> str:
        """A hash of the files, so that other work has a run of its own."""
        return sha256_hex(canonical_json({str(path): text for path, text in self.texts.items()}))


def take(goal: Target, order: WorkOrder, taking: Taking) -> Work:
    """What a person did for a work order since they left the branch.

    Args:
        goal: the branch.
        order: the work order.
        taking: whose work, from where.

    Raises:
        Refused: there is none, or something of it can't be part of the work order; each file is named.
        GitError: git failed.
    """
    git = goal.git
    head, tree = _found(git, taking.source)
    where = one_line(str(taking.source))
    done = git.call("merge-base", head, goal.baseline)
    if not done.ok:
        raise Refused(f"has no commit in common with {goal.branch}", where=where)
    base = done.stdout.decode("ascii").strip()
    moved = changes(git, base, goal.baseline)
    # What the branch has, too, is no work of theirs.
    changed = {
        path: change
        for path, change in changes(git, base, tree).items()
        if (path not in moved or moved[path].after != change.after) and not _is_cache(order, path, change)
    }
    if not changed:
        raise Refused(
            f"holds no change since it left {goal.branch}",
            where=where,
            hint="do the work there, or name with --from where it was done",
        )
    widened = tuple(path for path in sorted(set(taking.allowed)) if path not in order.allowed_files)
    _refuse(_Judge(git, order, taking, moved, goal.branch), changed, widened, where)
    texts = {RepoPath.parse(path): _text(git, change) for path, change in changed.items()}
    return Work(
        order=order,
        texts=texts,
        summary=taking.summary or _words(git, base, head),
        adoption=Adoption(
            work_order=order.id,
            contract=contract_hash(order),
            author=visible(taking.author),
            said=taking.said,
            source=where,
            base=base,
            widened=widened,
        ),
    )


def _is_cache(order: WorkOrder, path: str, change: Change) -> bool:
    """Whether it is what tools leave behind where they run, and nothing that anybody asked for."""
    return (
        change.before is None and path not in order.allowed_files and not _CACHES.isdisjoint(path.split("/"))
    )


def _refuse(judge: "_Judge", changed: Changes, widened: tuple[RepoPath, ...], where: str) -> None:
    problems = {path: why for path, change in changed.items() if (why := judge.problem(path, change))}
    for path in widened:
        if path not in changed:
            problems[path] = f"is named by {ALLOW}, and was not changed: leave that out"
    size = sum(judge.size(change) for path, change in changed.items() if path not in problems)
    if not problems and size > MAX_PROPOSAL_BYTES:
        raise Refused(
            f"the files have {size:,} bytes together; {MAX_PROPOSAL_BYTES:,} are the most", where=where
        )
    if not problems:
        return
    lines = [f"\n  `{one_line(path)}` {why}" for path, why in problems.items()]
    more = f"\n  and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    raise Refused(
        f"not all of this can be taken as {judge.order.id}:{''.join(lines[:_NAMED])}{more}",
        where=where,
        hint=judge.hint(problems),
    )


class _Judge:
    """Tells what of a person's changes can be part of a work order.

    Args:
        git: the repository.
        order: the work order.
        taking: whose work it is.
        moved: what the branch changed since.
        branch: its name.
    """

    def __init__(self, git: Git, order: WorkOrder, taking: Taking, moved: Changes, branch: str) -> None:
        self.order = order
        self._git = git
        self._taking = taking
        self._moved = moved
        self._branch = branch

    def problem(self, path: str, change: Change) -> str:
        """Why a change can't be taken; empty if it can."""
        return next(self._problems(path, change), "")

    def _problems(self, path: str, change: Change) -> Iterator[str]:
        try:
            parsed = RepoPath.parse(path)
        except UnsafePath as error:
            yield error.message
            return
        forbidden = next((entry for entry in self.order.forbidden if forbids(entry, parsed)), None)
        if forbidden is not None:
            yield f"is forbidden by the work order (`{one_line(str(forbidden))}`)"
        if parsed not in self.order.allowed_files and parsed not in self._taking.allowed:
            yield "is not one of the work order's allowed files"
        if change.after is None:
            yield "was deleted or renamed: a work order only writes files"
            return
        if change.after.mode not in _FILE_MODES:
            yield "is a link or another repository: a work order only writes files"
            return
        before = change.before.mode if change.before is not None else _FILE_MODES[0]
        if before not in _FILE_MODES:
            yield "takes the place of a link or another repository"
            return
        if change.after.mode != before:
            yield "is executable, or no longer: a work order leaves modes, and new files can't be executable"
        if self.size(change) > MAX_WRITE_BYTES:
            yield f"is larger than {MAX_WRITE_BYTES:,} bytes"
            return
        if path in self._moved:
            yield f"was changed on {visible(self._branch)}, too"
        text, no_text = decoded(_bytes(self._git, change))
        if no_text:
            yield f"{no_text}: a work order only writes text"
        elif redact(text, self._taking.secrets) != text:
            yield "holds the value of a key"

    def size(self, change: Change) -> int:
        """The bytes of a file."""
        if change.after is None or change.after.mode not in _FILE_MODES:
            return 0
        return int(self._git.text("cat-file", "-s", change.after.blob))

    def hint(self, problems: Mapping[str, str]) -> str:
        """What to do next."""
        outside = [path for path, why in problems.items() if why.startswith("is not one of")]
        hints = []
        if outside:
            options = " ".join(f"{ALLOW} {shlex.quote(one_line(path))}" for path in outside[:_OFFERED])
            more = " …" if len(outside) > _OFFERED else ""
            hints.append(f"put them back, or let them in, which the commit then says: {options}{more}")
        if any(why.startswith("was changed on") for why in problems.values()):
            hints.append(f"commit, and `git rebase {visible(self._branch)}` there")
        return "; ".join(hints) or "put these files back as they were"


def _text(git: Git, change: Change) -> str:
    return decoded(_bytes(git, change))[0]


def _bytes(git: Git, change: Change) -> bytes:
    assert change.after is not None
    return git.output("cat-file", "blob", change.after.blob)


def _words(git: Git, base: str, head: str) -> str:
    """What their commits say, the oldest first."""
    said = git.output("log", "--reverse", "--format=%B", f"{base}..{head}", "--").decode("utf-8", "replace")
    return said.strip()[:_SUMMARY_CHARS] or _NO_WORDS


def _found(git: Git, source: Path | str) -> tuple[str, str]:
    """The commit that somebody's work began at or ended with, and the tree that holds it."""
    if isinstance(source, str):
        commit = git.commit_id(source)
        if commit is None:
            raise Refused(
                "is no directory and no revision of the repository", where=f"--from {one_line(source)}"
            )
        return commit, git.text("rev-parse", "--verify", f"{commit}^{{tree}}")
    place = Git.open(source)
    # Only what lies in the user's own git directory is asked for the commit.
    if not place.git_dir.resolve().is_relative_to(git.common_dir.resolve()):
        raise Refused(
            f"is no worktree of {one_line(str(git.work_tree))}",
            where=one_line(str(source)),
            hint="name one, or commit there and fetch that, and name the revision",
        )
    head, _ = place.head()
    if head is None:
        raise Refused("has no commit", where=one_line(str(source)))
    with TemporaryDirectory(prefix="workorder-") as folder:
        seen = git.with_work_tree(place.work_tree, Path(folder) / "index")
        seen.output("read-tree", head)
        seen.output("add", "--all", "--", os.curdir)
        return head, seen.text("write-tree")
