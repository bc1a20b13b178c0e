"""Where attempts happen: whatever repository it is, whatever commands do there, nothing else is touched."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from factory.checkout.pool import checkout
from factory.checkout.workspace import Checkout
from factory.contract.repo_path import RepoPath
from factory.repository.target import target
from factory.system.git.client import Git
from tests.support.answers import APP, a_proposal
from tests.support.repositories import (
    VERIFY_PASSES,
    Files,
    commit_files,
    files_of,
    git,
    make_repo,
    write_files,
)
from tests.support.runs import Scene, read_object

GOOD, BAD = "good\n", "bad\n"


def sh(script: str) -> str:
    """An acceptance command that runs a shell script."""
    return shlex.join(["sh", "-c", script])


def misbehaves_once(script: str, *, then: str = "true") -> str:
    """An acceptance command that runs `script` and fails in the attempt with the bad proposal only."""
    return sh(f"if grep -q bad src/app.py; then {script}; exit 1; fi; {then}")


def two_attempts(repo: Path, command: str) -> Scene:
    """A first proposal that is bad and a second that is good, judged by `command`."""
    answers = [a_proposal({"src/app.py": BAD}), a_proposal({"src/app.py": GOOD})]
    return Scene(repo, answers, acceptance_commands=[command])


def change(repo: Path, name: str, new: str) -> Scene:
    """A scene whose proposal changes one file that exists."""
    old = (repo / name).read_bytes()
    return Scene(repo, [a_proposal({name: new}, bases={name: old})], allowed_files=[name])


# Files


# What a file had, what was proposed, and what lands.
LINE_ENDINGS = {
    "crlf.txt": (b"a\r\nb\r\n", "a\nB\n", b"a\r\nB\r\n"),
    "crlf-proposed.txt": (b"a\r\nb\r\n", "a\r\nB\r\n", b"a\r\nB\r\n"),
    "lf.txt": (b"a\nb\n", "a\r\nB\r\n", b"a\nB\n"),
    "mixed.txt": (b"a\r\nb\nc\r\n", "a\r\nB\nc\r\n", b"a\r\nB\nc\r\n"),
    "none.txt": (b"no end", "no end either", b"no end either"),
}


def test_line_endings_are_kept(tmp_path: Path) -> None:
    before = {name: old for name, (old, _, _) in LINE_ENDINGS.items()}
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, **before})
    proposed = {name: new for name, (_, new, _) in LINE_ENDINGS.items()}
    answer = a_proposal(proposed, bases=before)

    assert Scene(repo, [answer], allowed_files=list(proposed)).run().ending.outcome == "landed"

    expected = {name: landed for name, (_, _, landed) in LINE_ENDINGS.items()}
    assert {name: (repo / name).read_bytes() for name in expected} == expected
    committed = {name: os.fsencode(git(repo, "cat-file", "blob", f"HEAD:{name}")) for name in expected}
    assert committed == {name: landed.removesuffix(b"\n") for name, landed in expected.items()}


def test_an_executable_stays_executable(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    write_files(repo, {"tool": "#!/bin/sh\nexit 1\n"})
    (repo / "tool").chmod(0o755)
    git(repo, "add", "tool")
    git(repo, "commit", "--quiet", "--message", "tool")
    scene = change(repo, "tool", "#!/bin/sh\nexit 0\n")

    assert scene.run().ending.outcome == "landed"

    assert git(repo, "ls-tree", "HEAD", "tool").startswith("100755")
    assert os.access(repo / "tool", os.X_OK)


def a_link_at_the_end(repo: Path) -> str:
    write_files(repo.parent, {"outside.py": "theirs\n"})
    (repo / "link.py").symlink_to("../outside.py")
    return "link.py"


def a_link_on_the_way(repo: Path) -> str:
    (repo / "src").symlink_to("scripts")
    return "src/app.py"


def a_link_to_the_outside(repo: Path) -> str:
    (repo.parent / "outside").mkdir()
    (repo / "src").symlink_to("../outside")
    return "src/app.py"


def a_directory(repo: Path) -> str:
    write_files(repo, {"src/app.py/inner.txt": "x\n"})
    return "src/app.py"


def a_file_on_the_way(repo: Path) -> str:
    write_files(repo, {"src": "a file\n"})
    return "src/app.py"


def bytes_that_are_no_text(repo: Path) -> str:
    write_files(repo, {"data.bin": b"\xff\xfe\x00"})
    return "data.bin"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (a_link_at_the_end, "link"),
        (a_link_on_the_way, "link"),
        (a_link_to_the_outside, "link"),
        (a_directory, "directory"),
        (a_file_on_the_way, "file"),
        (bytes_that_are_no_text, "is not UTF-8"),
    ],
)
def test_a_path_that_can_not_be_written_is_a_plan_defect_before_a_model_is_paid(
    tmp_path: Path, place: Callable[[Path], str], message: str
) -> None:
    # given
    repo = make_repo(tmp_path / "repo")
    path = place(repo)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "more")
    before = files_of(tmp_path / "repo")
    scene = Scene(repo, allowed_files=[path])
    # when
    finished = scene.run()
    # then
    assert finished.ending.exit_code == 4
    assert path in finished.ending.message
    assert message in finished.ending.message
    assert scene.asked == 0
    assert files_of(repo) == before


def test_a_context_file_must_be_text(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "data.bin": b"\xff"})
    scene = Scene(repo, context_files=["data.bin"])

    ending = scene.run().ending

    assert ending.exit_code == 4
    assert "`data.bin` is not UTF-8" in ending.message
    assert scene.asked == 0


@pytest.mark.parametrize("where", [".gitignore", ".git/info/exclude", "global"])
def test_an_ignored_target_file_is_a_plan_defect(
    tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    repo = make_repo(tmp_path / "repo")
    if where == "global":
        write_files(tmp_path, {"excludes": "*.log\nbuild/\n", "config": "[core]\nexcludesFile=../excludes\n"})
        (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {tmp_path / 'excludes'}\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    else:
        write_files(repo, {where: "*.log\nbuild/\n"})
        git(repo, "add", "--all")
        git(repo, "commit", "--quiet", "--allow-empty", "--message", "ignore")
    for path in ("notes.log", "build/out.py"):
        scene = Scene(repo, allowed_files=["src/app.py", path])
        # when
        ending = scene.run().ending
        # then
        assert ending.exit_code == 4
        assert f"`{path}` is ignored by git" in ending.message
        assert scene.asked == 0


def test_a_tracked_file_may_be_written_although_a_rule_would_ignore_it(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "a.log": "old\n"})
    commit_files(repo, {".gitignore": "*.log\n!keep.log\n"})

    assert change(repo, "a.log", "new\n").run().ending.outcome == "landed"
    assert (
        Scene(repo, [a_proposal({"keep.log": "x\n"})], allowed_files=["keep.log"]).run().ending.exit_code == 0
    )


def test_a_file_in_a_submodule_is_a_plan_defect(tmp_path: Path) -> None:
    inner = make_repo(tmp_path / "inner")
    repo = make_repo(tmp_path / "repo")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "libs/inner")
    git(repo, "commit", "--quiet", "--message", "submodule")
    scene = Scene(repo, allowed_files=["libs/inner/new.py"])

    ending = scene.run().ending

    assert ending.exit_code == 4
    assert "`libs/inner/new.py` lies in the submodule `libs/inner`" in ending.message
    assert scene.asked == 0
    # and beside it work goes on, whatever a command leaves in it
    command = misbehaves_once("touch libs/inner/left", then="test ! -e libs/inner/left")
    assert two_attempts(repo, command).run().ending.outcome == "landed"
    assert git(repo, "status", "--porcelain") == ""


# Kinds of repositories


def converting_line_endings(repo: Path) -> None:
    commit_files(repo, {".gitattributes": "*.sh eol=lf\n"})
    git(repo, "config", "core.autocrlf", "true")
    git(repo, "config", "core.safecrlf", "true")
    git(repo, "rm", "--quiet", "-r", "--cached", ".")
    git(repo, "reset", "--quiet", "--hard")


def with_attributes(repo: Path) -> None:
    commit_files(repo, {".gitattributes": "*.py text eol=crlf\n*.txt text\n"})


def with_a_filter(repo: Path) -> None:
    git(repo, "config", "filter.shout.clean", "tr a-z A-Z")
    git(repo, "config", "filter.shout.smudge", "tr A-Z a-z")
    git(repo, "config", "filter.shout.required", "true")
    commit_files(repo, {".gitattributes": "*.txt filter=shout\n", "a.txt": "text\n"})
    assert git(repo, "show", "HEAD:a.txt") == "TEXT"


def with_odd_names(repo: Path) -> None:
    names = [
        "with space",
        'quo"te',
        "new\nline",
        "ünï",
        os.fsdecode(b"\xff"),
        "-dash",
        ":colon",
        "*?[]",
        "\t",
    ]
    commit_files(repo, {f"odd/{name}": "x\n" for name in names})


def partly_checked_out(repo: Path) -> None:
    commit_files(repo, {"big/a.txt": "x\n", "src/old.py": "x\n"})
    git(repo, "sparse-checkout", "set", "src", "scripts")
    assert not (repo / "big").exists()


def with_a_split_index(repo: Path) -> None:
    git(repo, "config", "core.splitIndex", "true")
    git(repo, "update-index", "--split-index")


def with_no_modes(repo: Path) -> None:
    git(repo, "config", "core.fileMode", "false")
    (repo / "README.md").chmod(0o755)


def with_a_worktree_setting(repo: Path) -> None:
    git(repo, "config", "extensions.worktreeConfig", "true")
    git(repo, "config", "--worktree", "core.worktree", str(repo))


def with_odd_settings(repo: Path) -> None:
    for name, value in {
        "init.defaultBranch": "trunk",
        "core.fsmonitor": "/bin/false",
        "diff.external": "/bin/false",
        "diff.ignoreSubmodules": "all",
        "core.trustctime": "false",
        "core.checkStat": "minimal",
        "core.commentChar": "W",
        "core.hooksPath": "/nowhere",
        "core.attributesFile": "/nowhere",
        "submodule.recurse": "true",
        "index.skipHash": "true",
        "feature.manyFiles": "true",
    }.items():
        git(repo, "config", name, value)


def test_a_filter_of_the_user_takes_no_module_from_the_checkout(tmp_path: Path) -> None:
    # Given a filter such as `nbstripout --install` configures, and a command that plants a module of its name
    repo = make_repo(tmp_path / "repo")
    git(repo, "config", "filter.strip.clean", f"{sys.executable} -m stripping || cat")
    commit_files(repo, {".gitattributes": "*.txt filter=strip\n", "a.txt": "text\n"})
    planted = f"open({str(tmp_path / 'outside')!r}, 'w')\n"
    script = f'printf "%s" {shlex.quote(planted)} > stripping.py; touch a.txt; test -e src/app.py'

    finished = Scene(repo, acceptance_commands=[sh(script)]).run()

    assert finished.ending.outcome == "landed"
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    "kinds",
    [
        [converting_line_endings],
        [with_attributes],
        [with_a_filter],
        [partly_checked_out],
        [with_odd_names, with_no_modes, with_a_split_index, with_a_worktree_setting],
        [with_odd_settings],
    ],
)
def test_a_run_works_in_any_kind_of_repository(tmp_path: Path, kinds: list[Callable[[Path], None]]) -> None:
    # given
    repo = make_repo(tmp_path / "repo")
    for kind in kinds:
        kind(repo)
    files = {"src/app.py": GOOD, "README.md": "changed\n", "new.txt": "new\n"}
    answers = [
        a_proposal({**files, "src/app.py": BAD}, bases={"README.md": (repo / "README.md").read_bytes()}),
        a_proposal(files, bases={"README.md": (repo / "README.md").read_bytes()}),
    ]
    scene = Scene(
        repo,
        answers,
        allowed_files=list(files),
        acceptance_commands=[misbehaves_once("echo damage > README.md; touch left", then="test ! -e left")],
    )
    # when
    finished = scene.run()
    # then
    assert finished.ending.message.startswith("WO-01 landed")
    assert git(repo, "status", "--porcelain") == ""
    changed = git(repo, "diff", "--no-ext-diff", "--name-only", "HEAD~1", "HEAD").splitlines()
    assert changed == ["README.md", "new.txt", "src/app.py"]
    assert git(repo, "show", "HEAD:src/app.py") == "good"
    assert git(repo, "fsck", "--strict", "--no-dangling") == ""


def test_a_repository_with_sha256_objects(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", options=("--object-format=sha256",))

    for branch in ("new", None):
        scene = two_attempts(repo, misbehaves_once("rm README.md", then="git log -1"))
        assert scene.run(branch=branch).ending.outcome == "landed"

    assert [len(line) for line in git(repo, "rev-parse", "main", "new").splitlines()] == [64, 64]
    assert git(repo, "status", "--porcelain") == ""


def test_a_shallow_clone(tmp_path: Path) -> None:
    origin = make_repo(tmp_path / "origin")
    commit_files(origin, {"a.txt": "1\n"})
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", "repo")
    repo = tmp_path / "repo"
    git(repo, "config", "user.name", "Ada")
    git(repo, "config", "user.email", "ada@example.org")

    finished = Scene(repo, acceptance_commands=["git log", "git fsck"]).run()

    assert finished.ending.outcome == "landed"
    assert git(repo, "rev-list", "--count", "HEAD") == "2"


def test_commands_see_history_and_tags(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "tag", "--annotate", "v1.2", "--message", "release")
    commit_files(repo, {"a.txt": "1\n"})
    git(repo, "tag", "light")
    git(repo, "pack-refs", "--all")

    finished = Scene(
        repo, acceptance_commands=["git describe", "git describe --tags --exact-match HEAD"]
    ).run()

    assert finished.ending.outcome == "landed"
    assert finished.folder is not None
    described = (finished.folder / "attempt_1" / "acceptance_1.output.txt").read_text()
    assert described.startswith("v1.2-1-g")


def test_a_repository_that_borrows_objects_itself(tmp_path: Path) -> None:
    origin = make_repo(tmp_path / "origin")
    git(tmp_path, "clone", "--quiet", "--shared", str(origin), "line\nbreak")
    repo = tmp_path / "line\nbreak"
    git(repo, "config", "user.name", "Ada")
    git(repo, "config", "user.email", "ada@example.org")

    assert (
        Scene(repo, acceptance_commands=["git log", "git cat-file -t HEAD^{tree}"]).run().ending.exit_code
        == 0
    )


# What is the user's


def test_hooks_of_the_user_never_run_and_remain(tmp_path: Path) -> None:
    # given a hook for everything
    repo = make_repo(tmp_path / "repo")
    hooks = repo / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-checkout", "post-merge",
        "reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-auto-gc", "post-rewrite",
    ):  # fmt: skip
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {tmp_path / 'ran'}\nexit 1\n")
        (hooks / name).chmod(0o755)
    before = {path.name: (path.read_bytes(), path.stat().st_mode) for path in hooks.iterdir()}
    # when a run lands, makes a branch, fails and works in place
    ways: list[dict[str, object]] = [{}, {"branch": "new"}, {"in_place": True}]
    for number, settings in enumerate(ways):
        scene = Scene(repo, [a_proposal({f"{number}.txt": "x\n"})], allowed_files=[f"{number}.txt"])
        assert scene.run(**settings).ending.outcome == "landed"
    assert Scene(repo, acceptance_commands=["false"]).run(max_attempts=1).ending.exit_code == 1
    # then
    assert not (tmp_path / "ran").exists()
    assert {path.name: (path.read_bytes(), path.stat().st_mode) for path in hooks.iterdir()} == before


@pytest.mark.parametrize("command", ["true", "false", "no-such-program-at-all"])
def test_ignored_files_of_the_user_survive(tmp_path: Path, command: str) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitignore": ".env\n.venv/\ndata/\n"})
    ignored: Files = {
        ".env": "KEY=1\n",
        ".venv/lib/x.py": "x\n",
        "data/big.bin": b"\x00\xff",
        "data/.git/HEAD": "x",
    }
    write_files(repo, ignored)
    before = files_of(repo)

    Scene(repo, acceptance_commands=[command]).run(max_attempts=1)

    after = files_of(repo)
    after.pop("src/app.py", None)
    assert after == before
    assert (repo / "data" / ".git" / "HEAD").exists()


class Attempts:
    """One checkout for one attempt after the other, as a run and its commands see it."""

    def __init__(self, opened: Checkout) -> None:
        self.opened = opened

    def stage(self, content: str) -> str:
        """Write and stage a proposal; its tree."""
        write_files(self.opened.root, {"src/app.py": content})
        return self.opened.stage([RepoPath.parse("src/app.py")])

    def command(self, script: str) -> bool:
        """Run a command; whether it passed."""
        own = {"HOME": str(self.opened.home), "TMPDIR": str(self.opened.temporary)}
        env = {name: value for name, value in os.environ.items() if name != "GIT_CONFIG_GLOBAL"} | own
        done = subprocess.run(
            ["sh", "-c", script], cwd=self.opened.root, env=env, capture_output=True, check=False, timeout=60
        )
        return done.returncode == 0


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with an ignored file."""
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitignore": ".env\n"})
    write_files(repo, {".env": "KEY=1\n"})
    return repo


@pytest.fixture
def attempts(repo: Path) -> Iterator[Attempts]:
    with checkout(target(Git.open(repo), None), in_place=False) as opened:
        yield Attempts(opened)


MISBEHAVIOUR = [
    "git -c user.name=x -c user.email=x@example.org commit -qam x",
    "git switch -qc other",
    "git config core.editor evil",
    "git config --global user.name evil; git config core.fsmonitor evil",
    "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "git update-index --assume-unchanged README.md; echo x > README.md",
    "echo x > new.txt; git add new.txt",
    "echo x >> README.md",
    "rm README.md",
    "chmod +x README.md",
    "ln -sf {repo}/.env README.md",
    "rm -rf .git",
    "rm -rf .git; ln -s {repo}/.git .git",
    "rm .git/index; mkfifo .git/index",
    "rm .git/config; mkfifo .git/config",
    "rm README.md; mkfifo README.md",
    "echo x > README.md; rm -f .gitattributes; mkfifo .gitattributes",
    "echo x > README.md; GIT_INDEX_FILE=../index git add README.md",
    "rm ../index; mkfifo ../index",
    "cd ..; mv checkout away; ln -s {repo} checkout",
    "cd ..; mv checkout away; mkdir checkout",
    "cd ..; rm -rf *",
]

IN_ORDER = "test -f README.md && test ! -x README.md && git rev-parse HEAD && git diff --exit-code"


def test_what_a_command_does_to_git_is_noticed_and_undone(repo: Path, attempts: Attempts) -> None:
    before = files_of(repo)
    config = (repo / ".git" / "config").read_bytes()
    wrong = []
    trees = set()
    for script in MISBEHAVIOUR:
        # given an attempt with a command that misbehaves
        attempts.stage(BAD)
        attempts.command(script.format(repo=repo))
        # when
        noticed = attempts.opened.changed_since_staging()
        attempts.opened.restore()
        # then it is told, and the next attempt finds everything in order
        trees.add(attempts.stage(GOOD))
        in_order = attempts.command(IN_ORDER) and attempts.opened.changed_since_staging() == ()
        untouched = files_of(repo) == before and (repo / ".git" / "config").read_bytes() == config
        if not noticed or not in_order or not untouched:
            wrong.append((script, noticed, in_order, untouched))
        attempts.opened.restore()
    # Where one was not undone, those after it may be wrong, too.
    assert wrong == []
    (tree,) = trees
    assert git(repo, "diff", "--name-only", "HEAD", tree) == "src/app.py"
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


@pytest.mark.parametrize("script", [MISBEHAVIOUR[0], "cd ..; rm -rf *"])
def test_an_attempt_whose_command_misbehaves_has_failed_and_the_next_lands(repo: Path, script: str) -> None:
    # given a command that misbehaves, and passes
    before = files_of(repo)
    scene = two_attempts(repo, sh(f"if grep -q bad src/app.py; then {script}; exit 0; fi; {IN_ORDER}"))
    # when
    finished = scene.run()
    # then the first attempt failed for it, and the second found everything in order
    assert finished.ending.outcome == "landed", finished.ending.message
    assert finished.folder is not None
    brief = read_object(finished.folder / "attempt_1" / "failure_brief.json")
    assert "changed what it must not" in str(brief["message"])
    assert scene.asked == 2
    assert files_of(repo) == {**before, "src/app.py": GOOD.encode()}
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


ALLOWED = [
    "touch README.md src/app.py",
    "git status; git diff --exit-code; git log; git stash list",
    "git gc --quiet",
    "git tag mine; git branch mine",
    "echo x > build.log; mkdir -p dist .cache; mkfifo pipe",
    "cp README.md copy; mv README.md moved; mv moved README.md",
]


def test_what_a_command_may_do(repo: Path, attempts: Attempts) -> None:
    refused = []
    for script in ALLOWED:
        attempts.stage(GOOD)
        passed = attempts.command(script) and attempts.command("git status")
        changed = attempts.opened.changed_since_staging()
        if changed or not passed:
            refused.append((script, passed, changed))
        attempts.opened.restore()

    assert refused == []
    assert git(repo, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_what_a_command_makes_beside_the_proposal_does_not_land(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    commands = [
        sh("git tag mine; git branch mine"),
        sh("echo x > build.log; mkdir -p dist .cache; mkfifo pipe"),
    ]

    finished = Scene(repo, acceptance_commands=[*commands, "git status"]).run()

    assert finished.ending.outcome == "landed", finished.ending.message
    assert set(files_of(repo)) == {"README.md", "scripts/verify.sh", "src/app.py"}
    assert git(repo, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


LITTER = [
    "mkdir -p deep/er; echo x > deep/er/left; echo x > .hidden",
    "mkdir nested; cd nested; git init -q; echo x > left",
    "mkdir -p nested/.git; mkfifo nested/.git/HEAD",
    "mkfifo pipe .gitignore",
    "mkdir closed; echo x > closed/left; chmod 000 closed",
    "for i in $(seq 400); do mkdir a-directory-deeper && cd a-directory-deeper; done",
    "echo x > $HOME/left; echo x > $TMPDIR/left; ln -s $PWD/scripts $TMPDIR/root",
    "git tag evil; git branch evil; git stash list",
]

PRISTINE = (
    'test "$(ls -A | sort | tr "\\n" " ")" = ".git README.md scripts src "'
    ' && test -z "$(ls -A $HOME)$(ls -A $TMPDIR)" && test -z "$(git tag)$(git branch --list evil)"'
)


def test_what_a_failed_attempt_leaves_is_gone_in_the_next(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    left = []
    with checkout(target(Git.open(repo), None), in_place=False) as opened:
        attempts = Attempts(opened)
        for script in LITTER:
            attempts.stage(BAD)
            attempts.command(script)
            opened.restore()
            attempts.stage(GOOD)
            if not attempts.command(PRISTINE):
                left.append(script)
    assert left == []


def test_a_second_attempt_of_a_run_finds_nothing_of_the_first(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    litter = "; ".join((LITTER[0], LITTER[4], LITTER[6], LITTER[7]))

    finished = two_attempts(repo, misbehaves_once(litter, then=PRISTINE)).run()

    assert finished.ending.outcome == "landed", finished.ending
    assert files_of(repo)["src/app.py"] == GOOD.encode()


def test_nothing_is_left_of_an_attempt(tmp_path: Path, temporary_files: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    for command in ("true", "false", sh("chmod 000 src"), sh("cd ..; rm -rf *")):
        Scene(repo, acceptance_commands=[command]).run(max_attempts=1)
        git(repo, "reset", "--quiet", "--hard", git(repo, "rev-list", "--max-parents=0", "HEAD"))

    assert list(temporary_files.iterdir()) == []
    assert sorted(path.name for path in (repo / ".git" / "workorder").iterdir()) == ["lock"]
    assert git(repo, "worktree", "list", "--porcelain").count("worktree ") == 1


def test_a_checkout_has_the_baselines_files_although_the_users_has_others(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "src/app.py": APP, "dir/a": "1\n"})
    expected = files_of(repo)
    goal = target(Git.open(repo), None)
    (repo / "src/app.py").unlink()

    with checkout(goal, in_place=False) as opened:
        assert files_of(opened.root) == expected
        write_files(opened.root, {"src/app.py": "x\n", "left": "x\n"})
        (opened.root / "dir" / "a").unlink()
        opened.restore()
        assert files_of(opened.root) == expected

    assert not opened.root.exists()


def test_a_checkout_that_a_command_closed_is_opened_again(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    mode = repo.stat().st_mode

    with checkout(target(Git.open(repo), None), in_place=True) as opened:
        opened.stage([])
        repo.chmod(0)
        assert opened.changed_since_staging() == ()
        assert repo.stat().st_mode == mode
        repo.chmod(0)

    assert repo.stat().st_mode == mode
