"""A repository gets to a worker as packs: its history once, then what is new."""

import random
from pathlib import Path

import pytest

from factory.contract.canonical import sha256_hex
from factory.contract.errors import WorkorderError
from factory.engines.message import Fetch, Garbage, Supplies
from factory.engines.mirror import Mirror
from factory.engines.parcels import Parcels
from factory.system.git.client import Git
from factory.trials.conditions import Setting
from tests.support.repositories import commit_files, git, make_repo


class Sent:
    """A repository, and the copy of it that a worker has."""

    def __init__(self, folder: Path) -> None:
        self.repo = make_repo(folder / "repo", {"large.txt": "".join(f"{n}\n" for n in range(20_000))})
        git(self.repo, "tag", "v1")
        self.parcels = Parcels(Git.open(self.repo))
        self.name = self.parcels.repository("HEAD")
        self.mirror = Mirror(folder / "place", self.name)

    def head(self) -> str:
        return git(self.repo, "rev-parse", "HEAD")

    def fetch(self, root: str, remote: str) -> None:
        self.mirror.fetch(
            Fetch(version="v", repository=self.name, root=root, object_format="sha1", remote=remote)
        )

    def send(
        self, root: str, piece: int = 1_000, *, spoil: bool = False, has: tuple[str, ...] | None = None
    ) -> int:
        pack, tags = self.parcels.history(root, self.mirror.roots() if has is None else has)
        supplies = Supplies(
            version="v",
            repository=self.name,
            root=root,
            object_format=self.parcels.object_format,
            pack="0" * 64 if spoil else sha256_hex(pack),
            offset=0,
            total=len(pack),
            tags=tags,
            setting=Setting(root=root, timeout_seconds=1.0),
        )
        for offset in range(0, len(pack), piece):
            part = supplies.model_copy(update={"offset": offset})
            done = self.mirror.receive(part, pack[offset : offset + piece])
            assert done is (offset + piece >= len(pack))
        return len(pack)


def test_the_first_root_is_whole_and_a_later_one_is_what_is_new(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    first = sent.head()
    whole = sent.send(first)
    commit_files(sent.repo, {"small.txt": "x\n"})
    second = sent.head()

    assert sent.send(second) < whole / 10

    assert set(sent.mirror.roots()) == {first, second}
    assert sent.mirror.git.text("rev-parse", f"{second}^{{tree}}") == git(
        sent.repo, "rev-parse", "HEAD^{tree}"
    )
    assert sent.mirror.git.text("rev-parse", "refs/tags/v1") == first
    sent.mirror.git.output("fsck", "--full")


def test_a_history_is_taken_from_a_remote_and_what_that_lacks_is_sent(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    first = sent.head()
    git(tmp_path, "clone", "--quiet", "--bare", str(sent.repo), "bare.git")
    remote = f"file://{tmp_path}/bare.git"
    commit_files(sent.repo, {"small.txt": "x\n"})
    git(sent.repo, "tag", "-a", "-m", "later", "v2", first)

    sent.fetch(first, remote)

    # Only with its tags and its setting is it one to begin from.
    assert sent.mirror.roots() == ()
    assert sent.send(first, has=(first,)) < 1_000
    assert sent.mirror.roots() == (first,)
    assert sent.mirror.git.text("rev-parse", "v2^{commit}") == first
    for place in (remote, f"file://{tmp_path}/none.git", "ext::sh -c true", f"{tmp_path}/bare.git"):
        with pytest.raises(WorkorderError):
            sent.fetch(sent.head(), place)
    with pytest.raises(Garbage):
        sent.fetch("HEAD", remote)
    sent.send(sent.head())
    sent.mirror.git.output("fsck", "--full")


def test_a_base_brings_what_its_root_lacks(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    root = sent.head()
    sent.send(root)
    (sent.repo / "large.txt").open("a").write("one more line\n")
    git(sent.repo, "commit", "-qam", "more")
    base = sent.head()
    since, pack = sent.parcels.addition(base, root)

    sent.mirror.add(base, pack)
    sent.mirror.add(base, pack)

    assert since == root
    assert len(pack) < 2_000
    assert sent.parcels.addition(root, root) == (root, b"")
    assert sent.mirror.git.text("rev-parse", f"{base}:large.txt") == git(
        sent.repo, "rev-parse", "HEAD:large.txt"
    )


def test_what_comes_with_each_base_does_not_grow_with_what_has_landed(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    root, generator = sent.head(), random.Random(0)
    sent.send(root)
    had, sizes = root, []
    for number in range(8):
        (sent.repo / f"{number}.bin").write_bytes(generator.randbytes(50_000))
        git(sent.repo, "add", "-A")
        git(sent.repo, "commit", "-qm", "more")
        since, pack = sent.parcels.addition(sent.head(), root)
        if since != had:
            assert sent.send(since) < 110_000
            had = since
        sent.mirror.add(sent.head(), pack)
        sent.mirror.git.output("rev-list", "--objects", sent.head())
        sizes.append(len(pack))

    assert max(sizes) < 110_000
    assert root in sent.mirror.git.text("rev-list", since).split()


def test_a_history_that_is_another_or_has_gaps_is_not_taken(tmp_path: Path) -> None:
    sent = Sent(tmp_path)
    with pytest.raises(Garbage):
        sent.send(sent.head(), spoil=True)
    assert sent.mirror.roots() == ()
    supplies = Supplies(
        version="v", repository=sent.name, root=sent.head(), object_format="sha1", pack="1" * 64,
        offset=7, total=9, tags="", setting=Setting(root="r", timeout_seconds=1.0),
    )  # fmt: skip
    with pytest.raises((Garbage, WorkorderError, OSError)):
        sent.mirror.receive(supplies, b"xx")
    with pytest.raises(Garbage):
        Mirror(tmp_path, "../elsewhere")
