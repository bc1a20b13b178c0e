"""A throw-away checkout is the baseline again after whatever commands did to it, without being made anew."""

import os
import shlex
import stat
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factory.checkout.pool import Checkouts
from factory.checkout.state.stamps import stamp, wait_for_tick
from factory.checkout.throw_away import ThrowAwayCheckout
from factory.contract.repo_path import RepoPath
from factory.system.git.client import Git, GitError
from factory.system.sandbox.levels.ownership import hand_over
from tests.support.repositories import commit_files, files_of, git, make_repo, write_files

FILES = {
    "README.md": "a product\n",
    "data/deep/table.csv": "1,2\n",
    "data/other.csv": "3,4\n",
    "src/main.py": "x = 1\n",
    "src-more/main.py": "y = 1\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a link, an executable and a submodule."""
    repo = make_repo(tmp_path / "repo", FILES)
    (repo / "link").symlink_to("data")
    write_files(repo, {"tool": "#!/bin/sh\n"})
    (repo / "tool").chmod(0o755)
    git(repo, "add", "--all")
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{git(repo, 'rev-parse', 'HEAD')},libs/inner")
    git(repo, "commit", "--quiet", "--message", "more")
    (repo / "libs" / "inner").mkdir(parents=True)
    return repo


@pytest.fixture
def opened(repo: Path, tmp_path: Path) -> Iterator[ThrowAwayCheckout]:
    (tmp_path / "outside").mkdir()
    with Checkouts(Git.open(repo)) as checkouts, checkouts.at(git(repo, "rev-parse", "HEAD")) as opened:
        yield opened


def everything(root: Path) -> dict[str, tuple[object, ...]]:
    """All that is below a directory: kinds, permissions, bytes, links and attributes."""
    entries: dict[str, tuple[object, ...]] = {}
    for folder, folders, files in os.walk(root):
        if ".git" in folders and Path(folder) == root:
            folders.remove(".git")
        for path in (Path(folder, name) for name in (*folders, *files)):
            mode = path.lstat().st_mode
            data = path.readlink() if stat.S_ISLNK(mode) else path.read_bytes() if stat.S_ISREG(mode) else b""
            entries[str(path.relative_to(root))] = (stat.filemode(mode), data, attributes_of(path))
    return {**entries, ".": (stat.filemode(root.stat().st_mode), attributes_of(root))}


def attributes_of(path: Path) -> dict[str, bytes]:
    return {
        name: os.getxattr(path, name, follow_symlinks=False)
        for name in os.listxattr(path, follow_symlinks=False)
    }


def written(path: Path) -> tuple[int, int]:
    """What differs once a file was written anew, also where its number is given out again."""
    return path.stat().st_ino, path.stat().st_ctime_ns


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def attempt(opened: ThrowAwayCheckout, script: str, outside: Path) -> tuple[str, ...]:
    """Stage a proposal and run a command; what it changed that it must not."""
    path = RepoPath.parse("src/new/app.py")
    write_files(opened.root, {path: "new\n"})
    opened.stage([path])
    run(opened, script, outside)
    return opened.changed_since_staging()


def run(opened: ThrowAwayCheckout, script: str, outside: Path) -> None:
    subprocess.run(["sh", "-c", script], cwd=opened.root, env={**os.environ, "OUT": str(outside)}, check=True)


def python(source: str) -> str:
    return shlex.join([sys.executable, "-c", source])


SOCKET = "import os, socket, sys; socket.socket(socket.AF_UNIX).bind({name!r})"
DEEP = "import os; os.chdir('data/deep')\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')"
XATTRS = """
import errno, os
def give(place, name, value):
    try: os.setxattr(place, name, value)
    except OSError as error: assert error.errno == errno.EOPNOTSUPP
for place in (".", "data", "..", "src/main.py"):
    give(place, "user.left", b"for the next attempt")
"""
# Everybody may do everything with what is made there from now on, and with what is there.
SHARE = """
access = (2).to_bytes(4, "little") + bytes.fromhex("01000700ffffffff04000700ffffffff20000700ffffffff")
for place in (".", "data", ".."):
    give(place, "system.posix_acl_default", access)
    give(place, "system.posix_acl_access", access)
open("data/other.csv", "a").close()
"""

TAMPERING = {
    "a pipe for a file": ("rm README.md; mkfifo README.md", "README.md"),
    "a socket for a file": ("rm README.md; " + python(SOCKET.format(name="README.md")), "README.md"),
    "a directory for a file": ("rm README.md; mkdir -p README.md/x; mkfifo README.md/x/p", "README.md"),
    "a link for a file": ('echo theirs > "$OUT/f"; ln -sf "$OUT/f" README.md', "README.md"),
    "a file for a directory": ("rm -rf data; touch data", "data/other.csv"),
    "a pipe for a directory": ("rm -rf data; mkfifo data", "data/other.csv"),
    "a link for a directory": ("mv data away; ln -s away data", "data/deep/table.csv"),
    "a link to the outside": ('mkdir "$OUT/deep"; rm -rf data; ln -s "$OUT" data', "data/deep/table.csv"),
    "another directory": ("mv data away; mv src data", "data/deep/table.csv"),
    "directories in each other's place": ("mv data x; mv src data; mv x src", "src/main.py"),
    "a directory moved into itself": ("mkdir x; mv data x; mv x data", "data/deep/table.csv"),
    "another link": ("ln -sfn src link", "link"),
    "a file for a link": ("rm link; touch link", "link"),
    "no permissions to write": ("chmod 555 tool data; rm README.md; chmod 500 .", "README.md"),
    "not executable any more": ("chmod -x tool", "tool"),
    "a hard link from outside": ('ln README.md "$OUT/r"; echo theirs > "$OUT/r"', "README.md"),
    "a tracked file that ends in a pipe": ("echo x > README.md; mkfifo data/.gitattributes", "README.md"),
    "packages for later commands": ("mkdir ../node_modules", "../node_modules"),
    "git's own files": ("rm -rf .git; mkfifo .git", ".git"),
}
HARMLESS = {
    "nothing": "true",
    "pipes and sockets": "mkfifo p data/deep/p; " + python(SOCKET.format(name="data/deep/s")),
    "a pipe that git reads": "touch README.md data/other.csv; mkfifo .gitattributes data/.gitattributes",
    "a link to a pipe that git reads": 'touch README.md; mkfifo "$OUT/p"; ln -s "$OUT/p" .gitattributes',
    "a directory put back": "mv data x; mv x data; mv src/main.py y; mv y src/main.py",
    "a deep nest": python(DEEP),
    "closed directories": "mkdir -p data/a/b; mkfifo data/a/b/p; chmod 000 data/a/b; chmod 000 data/a",
    "a tracked directory with other permissions": "chmod 777 data; chmod 700 src; touch data/x",
    "a directory that can't be written": "touch data/deep/x; chmod 555 data/deep data",
    "a full submodule": "mkdir libs/inner/.git; mkfifo libs/inner/.git/HEAD; touch libs/inner/x",
    "no submodule": "rmdir libs/inner",
    "a link for a submodule": 'rmdir libs/inner; mkdir "$OUT/d"; touch "$OUT/d/x"; ln -s "$OUT/d" libs/inner',
    "a repository": "mkdir data/.git; mkfifo data/.git/HEAD; git init -q n",
    "leftovers everywhere": "for d in . data data/deep; do mkdir $d/cache; touch $d/cache/x; done",
    "new times": "find . -path ./.git -prune -o -exec touch -h -d 2001-01-01 {} +",
    "hard links": 'ln README.md data/hard; ln README.md "$OUT/r"',
    "names that are no text": python("import os; os.mkdir(b'data/\\xff'); open(b'data/\\xff/\\n', 'w')"),
    "names in other letters": "touch data/OTHER.csv README.MD .GIT",
    "litter beside the checkout": "mkdir ../x; mkfifo ../x/p ../index.lock; chmod 000 ../x; chmod 555 ..",
    "attributes": python(XATTRS + SHARE),
    "attributes of a closed directory": python(XATTRS + "os.chmod('data', 0)"),
    "a home": 'touch ../home/x; mkfifo ../tmp/p; rm -rf ../tmp; ln -s "$OUT" ../tmp',
    "git's own objects": "git status; git add -A -n .; git hash-object -w README.md; git tag evil",
}


OF_WORKSPACES = {
    "another link": "ln -sfn /etc ../node_modules/zod",
    "another workspace": "ln -sfn /etc ../node_modules/@shop/words",
    "one link less": "rm ../node_modules/zod",
    "one package more": "mkdir -p ../node_modules/evil/deep/nest",
    "one file more": "touch ../node_modules/@shop/x",
    "a file for a directory": "rm -r ../node_modules/@shop; touch ../node_modules/@shop",
    "no packages": "rm -r ../node_modules",
    "a link for all": "rm -r ../node_modules; ln -s /etc ../node_modules",
}


IN_ORDER = "git diff --exit-code && test -z $(git tag)"


def one_after_the_other(
    opened: ThrowAwayCheckout, tmp_path: Path, scripts: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Attempts in one checkout, each put back: the name of each, and what its command changed."""
    before, place = everything(opened.root), opened.root.stat().st_ino
    for number, (name, script) in enumerate(scripts.items()):
        untouched = written(opened.root / "src-more" / "main.py")
        outside = tmp_path / f"outside-{number}"
        outside.mkdir()
        # given an attempt that finds everything in order
        assert attempt(opened, IN_ORDER, outside) == (), f"before {name}"
        # when
        run(opened, script, outside)
        changed, theirs = opened.changed_since_staging(), everything(outside)
        opened.restore()
        # then
        assert everything(outside) == theirs, name
        assert everything(opened.root) == before, name
        assert opened.root.stat().st_ino == place, name
        # A file whose time was changed git writes anew.
        if name != "new times":
            assert written(opened.root / "src-more" / "main.py") == untouched, name
        yield name, changed
    assert attempt(opened, IN_ORDER, tmp_path / "outside") == ()


def test_tampering_is_noticed_and_undone_in_place(opened: ThrowAwayCheckout, tmp_path: Path) -> None:
    scripts = {name: script for name, (script, _) in TAMPERING.items()}

    changed = dict(one_after_the_other(opened, tmp_path, scripts))

    missed = [(name, changed[name]) for name, (_, named) in TAMPERING.items() if named not in changed[name]]
    assert missed == []


def test_what_a_command_may_leave_is_gone_after_the_attempt(
    opened: ThrowAwayCheckout, tmp_path: Path
) -> None:
    told = []
    for name, changed in one_after_the_other(opened, tmp_path, HARMLESS):
        beside = names_in(opened.home.parent)
        assert beside == ["checkout", "home", "index", "services", "shared", "tmp"], name
        assert names_in(opened.home) == names_in(opened.temporary) == [], name
        if changed != ():
            told.append((name, changed))
    assert told == []


def test_packages_of_the_checkout_lie_beside_the_installed_ones(
    opened: ThrowAwayCheckout, tmp_path: Path
) -> None:
    installed = tmp_path / "installed"
    write_files(installed, {"zod/a": "", "@shop/cart/a": "", "@other/a/a": "", ".bin/tsc": ""})
    (installed / "@shop" / "words").symlink_to("../../packages/words")
    opened.offer(installed, {"@shop/words": RepoPath("data/deep"), "plain": RepoPath("src")})
    laid = {name: place for name, (_, place, *_) in everything(opened.node_modules).items() if place}

    assert laid == {
        ".bin": installed / ".bin",
        "@other": installed / "@other",
        "@shop/cart": installed / "@shop" / "cart",
        "@shop/words": Path("../../checkout/data/deep"),
        "plain": Path("../checkout/src"),
        "zod": installed / "zod",
    }
    assert (opened.node_modules / "@shop/words").resolve() == opened.root / "data" / "deep"
    for name, script in OF_WORKSPACES.items():
        assert attempt(opened, "test -e ../node_modules/@shop/words/table.csv", tmp_path) == (), name
        run(opened, script, tmp_path)
        assert opened.changed_since_staging() == ("../node_modules",), name
        opened.restore()
    opened.offer(installed)
    assert opened.node_modules.readlink() == installed
    opened.offer(None)
    assert not opened.node_modules.exists()


@pytest.mark.parametrize(
    "script",
    [
        "mv ../checkout ../away; mkdir ../checkout",
        'mv ../checkout ../away; ln -s "$OUT" ../checkout',
        'cd ../..; mv "$(basename "$(dirname "$OLDPWD")")" moved; ln -s "$OUT" "$(dirname "$OLDPWD")"',
        "rm -rf ../*",
        "rm ../index; mkfifo ../index",
        "printf x >> ../index",
        "GIT_INDEX_FILE=../index git rm -q --cached README.md",
    ],
)
def test_it_is_made_anew_where_nothing_can_be_put_back(
    opened: ThrowAwayCheckout, tmp_path: Path, temporary_files: Path, script: str
) -> None:
    before = everything(opened.root)
    outside = tmp_path / "outside"
    write_files(outside, {"checkout/README.md": "theirs\n", "home/x": "theirs\n"})

    changed = attempt(opened, script, outside)
    opened.restore()

    assert changed in [("the checkout itself",), (".git/index",)]
    assert everything(opened.root) == before
    assert files_of(outside) == {"checkout/README.md": b"theirs\n", "home/x": b"theirs\n"}
    assert attempt(opened, "git diff --exit-code", outside) == ()


@pytest.mark.parametrize(
    "script",
    [
        'ln -sf "$OUT/kept" .git/index',
        'rm .git/index; mkdir .git/index; ln -s "$OUT/kept" .git/index/x',
        'rm -rf .git; ln -s "$OUT" .git',
        'rm -rf .git; ln -s "$OUT/kept" .git',
        "rm -rf .git; touch .git",
    ],
)
def test_the_next_staging_writes_through_no_link_of_a_command(
    opened: ThrowAwayCheckout, tmp_path: Path, script: str
) -> None:
    # As between two mutants, after which nothing is put back.
    outside = tmp_path / "outside"
    write_files(outside, {"kept": "theirs\n", "index": "theirs\n"})

    opened.stage([])
    run(opened, script, outside)
    opened.stage([])

    assert files_of(outside) == {"kept": b"theirs\n", "index": b"theirs\n"}
    assert opened.changed_since_staging() == ()
    assert attempt(opened, "git diff --exit-code HEAD -- README.md", outside) == ()


def test_an_index_with_many_long_names_takes_no_memory_of_ours(
    opened: ThrowAwayCheckout, tmp_path: Path
) -> None:
    empty = git(opened.root, "hash-object", "-t", "blob", "-w", "--stdin")
    entries = "".join(f"100644 {empty}\t{'d/' * 1_900}{number:05}\n" for number in range(10_000))
    (tmp_path / "entries").write_text(entries)
    names = shlex.quote(str(tmp_path / "entries"))

    opened.stage([])
    run(opened, f"git update-index --index-version 4 --index-info < {names}", tmp_path)
    assert (opened.root / ".git/index").stat().st_size < 1_000_000
    tracemalloc.start()
    try:
        changed = opened.changed_since_staging()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert changed == (".git/index",)
    assert most < len(entries) / 2


def test_a_pipe_behind_a_link_is_left_alone(opened: ThrowAwayCheckout, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    os.mkfifo(outside / ".gitattributes")

    changed = attempt(opened, 'mv data away; ln -s "$OUT" data; touch README.md', outside)
    opened.restore()

    assert changed == ("data/deep/table.csv", "data/other.csv")
    assert names_in(outside) == [".gitattributes"]


def test_a_time_that_a_command_has_set_is_not_believed(opened: ThrowAwayCheckout, tmp_path: Path) -> None:
    # given a file whose time was set back, which is no change
    assert attempt(opened, "touch -d 2001-01-01 README.md", tmp_path) == ()
    # when its bytes change, its size and that time do not
    run(opened, "printf 'A product\\n' > README.md; touch -d 2001-01-01 README.md", tmp_path)
    # then
    assert opened.changed_since_staging() == ("README.md",)


@pytest.mark.parametrize(
    "setting", ["core.ignoreStat=true", "core.trustctime=false", "diff.orderFile=order", "index.version=4"]
)
def test_no_setting_of_the_user_hides_a_change(repo: Path, tmp_path: Path, setting: str) -> None:
    # given
    git(repo, "config", *setting.split("="))
    (tmp_path / "scratch").mkdir()
    opened = ThrowAwayCheckout(Git.open(repo), tmp_path / "scratch", git(repo, "rev-parse", "HEAD"))
    path = RepoPath.parse("README.md")
    # when
    write_files(opened.root, {path: "proposed\n"})
    tree = opened.stage([path])
    run(opened, "echo x > src/main.py", tmp_path)
    # then
    assert git(repo, "show", f"{tree}:{path}") == "proposed"
    assert opened.changed_since_staging() == ("src/main.py",)


def test_leftovers_of_a_command_are_there_for_the_next(opened: ThrowAwayCheckout, tmp_path: Path) -> None:
    attempt(opened, "mkdir -p build; mkfifo build/p; touch src/x; touch ../tmp/x", tmp_path)

    run(opened, "test -p build/p && test -e src/x && test -e ../tmp/x", tmp_path)


def test_it_moves_to_another_commit_and_touches_only_what_differs(
    opened: ThrowAwayCheckout, repo: Path, tmp_path: Path
) -> None:
    # given a commit in which files became directories, directories files, and others came and went
    first, same = opened.baseline, (opened.root / "tool").stat().st_ino
    before = everything(opened.root)
    git(repo, "rm", "--quiet", "-r", "data/deep", "src", "link", "libs/inner")
    git(repo, "mv", "README.md", "moved")
    second = commit_files(
        repo, {"README.md/inner": "x\n", "src": "x\n", "data/new/a": "a\n", "libs/inner/x": ""}
    )
    git(repo, "tag", "v1")
    litter = "mkfifo data/deep/p src/p libs/inner/p p; mkdir -p data/new/b; chmod 000 data/deep data/new"
    # when
    attempt(opened, litter, tmp_path)
    opened.move_to(second)
    # then
    assert files_of(opened.root) == files_of(repo)
    assert everything(opened.root) == everything(repo)
    assert (opened.root / "tool").stat().st_ino == same
    assert opened.baseline == second
    assert git(opened.root, "rev-parse", "HEAD", "v1") == f"{second}\n{second}"
    assert git(opened.root, "status", "--porcelain") == ""
    # and back
    (opened.root / "data" / "left").touch()
    opened.move_to(first)
    assert everything(opened.root) == before
    assert git(opened.root, "rev-parse", "HEAD") == first


def test_commands_may_run_on_the_baseline(opened: ThrowAwayCheckout, repo: Path, tmp_path: Path) -> None:
    assert opened.stage([]) == git(repo, "rev-parse", "HEAD^{tree}")
    assert opened.changed_since_staging() == ()

    run(opened, "echo x > README.md", tmp_path)

    assert opened.changed_since_staging() == ("README.md",)


def test_packages_above_the_checkout_are_found_and_put_back(
    opened: ThrowAwayCheckout, tmp_path: Path
) -> None:
    packages = tmp_path / "kept" / "node_modules"
    write_files(packages, {"zod/package.json": "{}"})
    above = opened.root.parent / "node_modules"

    opened.offer(packages)
    opened.offer(packages)
    assert attempt(opened, "test -f ../node_modules/zod/package.json && touch new", tmp_path) == ()
    for script in (
        "rm ../node_modules; mkdir ../node_modules",
        'ln -sfn "$OUT" ../node_modules',
        "rm -rf ../*",
    ):
        assert attempt(opened, script, tmp_path) != ()
        opened.restore()
        assert above.readlink() == packages
    assert (packages / "zod/package.json").is_file()
    assert not (opened.root / "node_modules").exists()


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    scripts=st.lists(
        st.sampled_from([*(script for script, _ in TAMPERING.values()), *HARMLESS.values()]),
        min_size=1,
        max_size=3,
    )
)
def test_whatever_was_done_together_is_undone(
    opened: ThrowAwayCheckout, tmp_path: Path, scripts: list[str]
) -> None:
    before = everything(opened.root)
    # Later ones may fail, because of the earlier; who writes to a pipe that one of these made waits for ever.
    pipes = [script for script in scripts if "mkfifo" in script]
    together = [*(script for script in scripts if script not in pipes), *pipes[:1]]
    outside = tmp_path / "outside"
    outside.mkdir(exist_ok=True)
    attempt(opened, "; ".join(f"({script})" for script in together) + "; true", outside)
    theirs = everything(outside)

    opened.restore()

    assert everything(opened.root) == before
    assert everything(outside) == theirs
    assert opened.changed_since_staging() == ()


def test_a_change_after_a_tick_always_shows(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for number in range(50):
        path.write_text(f"{number:02d}")
        os.utime(path, (0, 0))
        before = stamp(path)
        wait_for_tick(tmp_path)
        path.write_text(f"{number:02d}")
        os.utime(path, (0, 0))
        assert stamp(path) != before


OTHER = 1_900_000_000
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


@pytest.fixture
def given_away(repo: Path, tmp_path: Path) -> ThrowAwayCheckout:
    """A checkout whose files belong to the user that commands run as."""
    (tmp_path / "scratch").mkdir()
    return ThrowAwayCheckout(
        Git.open(repo), tmp_path / "scratch", git(repo, "rev-parse", "HEAD"), lambda _root: OTHER
    )


def owners(root: Path) -> dict[str, int]:
    """Who owns what is below a directory, and its git directory, but not what is in that."""
    inside = [path for path in root.rglob("*") if root / ".git" not in path.parents]
    return {str(path.relative_to(root)): path.lstat().st_uid for path in inside}


@needs_root
def test_only_what_was_written_is_looked_at_to_give_it_to_the_user_of_commands(
    given_away: ThrowAwayCheckout, repo: Path, tmp_path: Path
) -> None:
    # given a file that is root's own, far from those that attempts write
    root, far = given_away.root, given_away.root / "src-more" / "main.py"
    assert set(owners(root).values()) == {OTHER}
    os.chown(far, 0, 0)
    second = commit_files(repo, {"data/new/a": "a\n", "README.md": "another\n"})
    # when
    attempt(given_away, "chmod 700 data; echo x > data/other.csv", tmp_path)
    staged = owners(root)
    given_away.restore()
    restored = owners(root)
    given_away.move_to(second)
    # then
    assert {path: owner for path, owner in staged.items() if owner != OTHER} == {"src-more/main.py": 0}
    # To git a file with another owner is another file, and so is made anew.
    assert set(restored.values()) == set(owners(root).values()) == {OTHER}
    assert {"src/new", "src/new/app.py"} < staged.keys()
    assert {"data/new", "data/new/a"} < owners(root).keys()
    assert far.read_text() == "y = 1\n"
    assert given_away.changed_since_staging() == ()


@needs_root
def test_nothing_outside_is_given_away(given_away: ThrowAwayCheckout, tmp_path: Path) -> None:
    # given a command that puts links where a proposal's file and its directory stood
    outside = tmp_path / "outside"
    write_files(outside, {"app.py": "root's\n", "main.py": "root's\n"})
    app, main = RepoPath.parse("src/new/app.py"), RepoPath.parse("src/main.py")
    (given_away.root / "src" / "new").symlink_to(outside)
    (given_away.root / "src" / "main.py").unlink()
    (given_away.root / "src" / "main.py").hardlink_to(outside / "main.py")
    # when
    with pytest.raises(GitError, match="beyond a symbolic link"):
        given_away.stage([main, app])
    # then
    assert set(owners(outside).values()) == {0}
    given_away.restore()
    assert set(owners(outside).values()) == {0}
    assert set(owners(given_away.root).values()) == {OTHER}


@needs_root
def test_nothing_with_another_name_is_given_away_with_a_directory(tmp_path: Path) -> None:
    write_files(tmp_path, {"outside": "root's\n", "place/new": "of a command\n"})
    (tmp_path / "place" / "linked").hardlink_to(tmp_path / "outside")
    (tmp_path / "place" / "link").symlink_to(tmp_path)

    hand_over([tmp_path / "place"], OTHER)

    assert owners(tmp_path) == {
        "outside": 0,
        "place": OTHER,
        "place/link": OTHER,
        "place/linked": 0,
        "place/new": OTHER,
    }
