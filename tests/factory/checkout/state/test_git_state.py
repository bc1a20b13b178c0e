"""Working in place: what commands do to the user's own checkout and git directory is noticed and undone."""

import json
import os
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from factory.checkout.pool import checkout
from factory.checkout.state.git_state import UserRepository
from factory.checkout.state.watched_files import put_back, watched
from factory.contract.repo_path import RepoPath
from factory.repository.landing import land
from factory.repository.target import target
from factory.system.git.client import Git
from factory.system.process.signals import Interrupted, interruptible, shielded
from factory.system.removal import remove_tree
from tests.support.answers import APP, a_proposal
from tests.support.repositories import (
    VERIFY_PASSES,
    commit_files,
    files_of,
    git,
    make_repo,
    write_files,
)
from tests.support.runs import Scene, read_object


def sh(script: str) -> str:
    return shlex.join(["sh", "-c", script])


def state_of(repo: Path) -> tuple[object, ...]:
    """All that must be as before: files, index, refs, HEAD, and what steers git."""
    folder = repo / ".git"
    return (
        files_of(repo),
        git(repo, "status", "--porcelain", "--ignored"),
        git(repo, "ls-files", "-s", "-v"),
        git(repo, "for-each-ref", "--format=%(refname) %(objectname) %(symref)"),
        watched(folder, folder),
    )


def a_busy_repo(path: Path) -> Path:
    """A repository with a remote branch, a tag, a hook and an exclude rule."""
    repo = make_repo(path, {**VERIFY_PASSES, "a.txt": "1\n"})
    git(repo, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    git(repo, "tag", "v1")
    git(repo, "branch", "other")
    write_files(repo, {".git/info/exclude": "*.tmp\n", ".git/hooks/post-commit": "#!/bin/sh\n"})
    (repo / ".git" / "hooks" / "post-commit").chmod(0o755)
    return repo


def test_a_pass_in_place_lands(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")

    finished = Scene(repo).run(in_place=True)

    assert finished.ending.outcome == "landed"
    assert git(repo, "rev-parse", "HEAD") == finished.ending.commit
    assert git(repo, "status", "--porcelain") == ""
    assert (repo / "src/app.py").read_text() == APP
    assert sorted(path.name for path in (repo / ".git" / "workorder").iterdir()) == ["lock"]


def test_a_failure_in_place_restores(tmp_path: Path, temporary_files: Path) -> None:
    repo = a_busy_repo(tmp_path / "repo")
    before = state_of(repo)
    command = sh("echo x > left.txt; echo x > left.tmp; rm README.md; mkdir -p d/e; exit 1")
    scene = Scene(repo, [a_proposal(), a_proposal()], acceptance_commands=[command])

    finished = scene.run(in_place=True)

    assert finished.ending.exit_code == 1
    assert state_of(repo) == before
    assert not (repo / "d").exists()
    assert list(temporary_files.iterdir()) == []


def test_ignored_files_are_only_deleted_if_the_user_says_so(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitignore": ".env\ndata/\n"})
    write_files(repo, {".env": "KEY=1\n", "data/big": "x\n"})
    scene = Scene(repo)

    finished = scene.run(in_place=True)

    assert finished.ending.exit_code == 2
    assert "working in place would delete ignored files: .env, data/" in finished.ending.message
    assert "--delete-ignored" in finished.ending.hint
    assert scene.asked == 0
    assert files_of(repo)[".env"] == b"KEY=1\n"

    assert scene.run(in_place=True, delete_ignored=True).ending.outcome == "landed"
    assert ".env" not in files_of(repo)


def test_submodules_are_not_worked_on_in_place(tmp_path: Path) -> None:
    # A command could make one a repository whose configuration git obeys, also after the run.
    repo = make_repo(tmp_path / "repo")
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{git(repo, 'rev-parse', 'HEAD')},libs/inner")
    (repo / "libs/inner").mkdir(parents=True)
    git(repo, "commit", "--quiet", "--message", "submodule")
    scene = Scene(repo)

    ending = scene.run(in_place=True).ending

    assert ending.exit_code == 2
    assert "working in place can't put submodules back: libs/inner" in ending.message
    assert scene.asked == 0
    assert scene.run().ending.outcome == "landed"


@pytest.mark.parametrize("name", ["PATH", "LD_LIBRARY_PATH"])
def test_programs_of_ours_are_not_looked_for_where_commands_in_place_write(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitignore": ".venv/\n"})
    write_files(repo, {".venv/pyvenv.cfg": "home = /usr/bin\n"})
    monkeypatch.setenv(name, f"{repo}/node_modules/.bin:{os.environ['PATH']}")
    scene = Scene(repo)

    refused = scene.run(in_place=True, delete_ignored=True).ending
    # An environment in the checkout can't be written to.
    monkeypatch.setenv(
        name, f"{repo}/.venv/bin:{os.environ['PATH'].removeprefix(f'{repo}/node_modules/.bin:')}"
    )
    landed = scene.run(in_place=True, delete_ignored=True).ending

    assert refused.exit_code == 2
    assert f"{name} names {repo}/node_modules/.bin: git would be looked for" in refused.message
    assert landed.outcome == "landed"


def test_working_in_place_needs_the_branch_to_be_checked_out(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "branch", "side")

    ending = Scene(repo).run(in_place=True, branch="side").ending

    assert ending.exit_code == 2
    assert "needs the branch side to be checked out" in ending.message


COMMIT = "git -c user.name=x -c user.email=x@example.org commit -q"
MERGE = "git -c user.name=x -c user.email=x@example.org merge -q --no-ff --no-commit"


DAMAGING = [
    f"{COMMIT} -am x",
    f"{COMMIT} --amend --allow-empty -m x",
    "git switch -qc evil",
    "git checkout -q --detach",
    "git checkout -qf other; git branch -D main",
    "git branch -D other; git branch other/deeper",
    "git tag -d v1; git tag evil",
    "git update-ref -d refs/remotes/origin/main",
    "git symbolic-ref refs/remotes/origin/HEAD refs/heads/other",
    "echo garbage > .git/refs/heads/main",
    "echo garbage > .git/refs/heads/other",
    "git config user.name Evil",
    "echo '[broken' > .git/config",
    "rm .git/config; mkfifo .git/config",
    "rm .git/config; ln -s {outside}/config .git/config",
    "echo evil > .git/hooks/post-commit",
    "chmod -x .git/hooks/post-commit",
    "echo evil > .git/hooks/pre-push; chmod +x .git/hooks/pre-push",
    "mv .git/hooks {outside}/hooks; ln -s {outside}/hooks .git/hooks",
    "rm -rf .git/hooks",
    "mv .git/info {outside}/info; ln -s {outside}/info .git/info",
    "echo '*' > .git/info/exclude; echo '* filter=evil' > .git/info/attributes",
    "rm .git/index",
    "rm .git/index; mkfifo .git/index",
    "echo garbage > .git/index",
    "git add -f README.md; echo x > y; git add y; git rm -q --cached a.txt",
    "echo x > a.txt; git update-index --assume-unchanged a.txt",
    "git update-index --skip-worktree a.txt; echo x > a.txt",
    "echo x > a.txt; git -c user.name=x -c user.email=x@example.org stash -q",
    f"git checkout -q other; echo x > a.txt; {COMMIT} -am x; git checkout -q main; {MERGE} other",
    "git bisect start; git bisect bad; git bisect good HEAD",
    "touch .git/index.lock .git/HEAD.lock .git/config.lock .git/packed-refs.lock; echo x > a.txt",
    "touch .git/refs/heads/main.lock; git pack-refs --all; echo x > a.txt",
    "echo /nowhere > .git/objects/info/alternates; echo x > a.txt",
    "git sparse-checkout set scripts",
]


def test_what_a_command_does_to_the_users_git_is_noticed_and_undone(tmp_path: Path) -> None:
    repo = a_busy_repo(tmp_path / "repo")
    before = state_of(repo)
    wrong = []
    trees = set()
    with checkout(target(Git.open(repo), None), in_place=True) as opened:
        for number, script in enumerate(DAMAGING):
            # given an attempt that finds everything in order, and a command that damages
            write_files(repo, {"src/app.py": APP})
            trees.add(opened.stage([RepoPath.parse("src/app.py")]))
            outside = write_outside(tmp_path / f"outside-{number}")
            # when
            damaging = script.replace("{outside}", str(outside))
            subprocess.run(["sh", "-c", damaging], cwd=repo, check=False, capture_output=True, timeout=60)
            noticed = opened.changed_since_staging()
            opened.restore()
            # then
            if not noticed or state_of(repo) != before or (outside / "config").read_text() != "theirs":
                wrong.append((script, noticed))
    # Where one was not undone, those after it are wrong, too.
    assert wrong == []
    assert len(trees) == 1
    assert state_of(repo) == before


def write_outside(folder: Path) -> Path:
    write_files(folder, {"config": "theirs"})
    return folder


@pytest.mark.parametrize("script", [f"{COMMIT} -am x", "rm .git/config; mkfifo .git/config"])
def test_an_attempt_in_place_that_damages_git_has_failed_and_the_next_run_works(
    tmp_path: Path, script: str
) -> None:
    # given a command that damages, and passes
    repo = a_busy_repo(tmp_path / "repo")
    before = state_of(repo)
    scene = Scene(repo, acceptance_commands=[sh(f"{script}; exit 0")])
    # when
    finished = scene.run(in_place=True, max_attempts=1)
    # then
    assert finished.ending.exit_code == 1, finished.ending
    assert finished.folder is not None
    brief = read_object(finished.folder / "attempt_1" / "failure_brief.json")
    assert "changed what it must not" in str(brief["message"])
    assert state_of(repo) == before
    # and the next run works
    assert Scene(repo).run(in_place=True).ending.outcome == "landed"


def test_a_link_as_configuration_is_put_back_as_a_link(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    (repo / ".git" / "config").rename(tmp_path / "shared")
    (repo / ".git" / "config").symlink_to("../../shared")
    scene = Scene(repo, acceptance_commands=[sh("rm .git/config; echo x > .git/config")])

    assert scene.run(in_place=True, max_attempts=1).ending.exit_code == 1

    assert (repo / ".git" / "config").readlink() == Path("../../shared")
    assert "Ada Author" in (tmp_path / "shared").read_text()


def test_putting_back_a_folder_that_became_a_link_touches_nothing_behind_it(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    folder = repo / ".git"
    write_files(repo, {".git/hooks/pre-push": "mine\n"})
    before = watched(folder, folder)
    remove_tree(folder / "hooks")
    write_files(tmp_path / "outside", {"pre-push": "theirs\n", "other": "theirs\n"})
    (folder / "hooks").symlink_to(tmp_path / "outside")

    put_back(before, watched(folder, folder), remove_tree)

    assert not (folder / "hooks").is_symlink()
    assert (folder / "hooks" / "pre-push").read_text() == "mine\n"
    assert files_of(tmp_path / "outside") == {"other": b"theirs\n", "pre-push": b"theirs\n"}


def test_refs_that_nobody_changed_are_not_written_again(tmp_path: Path) -> None:
    repo = a_busy_repo(tmp_path / "repo")
    state = UserRepository(Git.open(repo))
    state.take()
    git(repo, "update-ref", "refs/heads/other", commit_files(repo, {"a.txt": "2\n"}))
    times = {path: path.stat().st_mtime_ns for path in (repo / ".git" / "refs").rglob("v1")}

    state.restore()

    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert git(repo, "rev-parse", "main", "other") == "\n".join([git(repo, "rev-parse", "v1")] * 2)


def test_an_interruption_of_a_landing_in_place_does_not_take_it_back(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    goal = target(Git.open(repo), None)
    # given a signal that comes during the landing
    with pytest.raises(Interrupted), interruptible(), checkout(goal, in_place=True) as opened:
        write_files(repo, {"src/app.py": APP})
        tree = opened.stage([RepoPath.parse("src/app.py")])
        commit = git(repo, "commit-tree", tree, "-p", goal.baseline, "-m", "landed")
        with shielded():
            os.kill(os.getpid(), signal.SIGINT)
            land(goal, commit)
            opened.advance()
    # then it has landed
    assert git(repo, "rev-parse", "main") == commit
    assert git(repo, "status", "--porcelain") == ""
    assert (repo / "src/app.py").read_text() == APP
    assert not (repo / ".git" / "workorder" / "in_place.json").exists()


# Killed while it worked in place


def killed_in_place(tmp_path: Path) -> tuple[Path, Path]:
    """A repository in the state that a kill leaves in the middle of an attempt; and the note."""
    repo = a_busy_repo(tmp_path / "repo")
    opened = Git.open(repo)
    note = repo / ".git" / "workorder" / "in_place.json"
    note.parent.mkdir()
    content = {"baseline": git(repo, "rev-parse", "HEAD"), "state": UserRepository(opened).fingerprint()}
    note.write_text(json.dumps(content))
    write_files(repo, {"src/app.py": "half", "README.md": "changed\n", "left.tmp": "x\n"})
    git(repo, "add", "src/app.py")
    (repo / ".git" / "index.lock").touch()
    return repo, note


def test_a_kill_in_place_is_undone_by_the_next_run_in_place(tmp_path: Path) -> None:
    repo, note = killed_in_place(tmp_path)
    scene = Scene(repo)

    finished = scene.run(in_place=True)

    assert finished.ending.outcome == "landed"
    assert "undid an attempt that was killed while it worked in place" in scene.progress
    assert git(repo, "status", "--porcelain", "--ignored") == ""
    assert not note.exists()


def test_a_run_that_does_not_work_in_place_takes_nothing_for_rubbish(tmp_path: Path) -> None:
    repo, note = killed_in_place(tmp_path)
    before = files_of(repo)

    finished = Scene(repo).run()

    assert finished.ending.exit_code == 6
    assert "a run that worked in place" in finished.ending.message
    assert "--in-place" in finished.ending.hint
    assert str(note) in finished.ending.hint
    assert files_of(repo) == before


def test_what_changed_in_git_after_a_kill_in_place_is_left_for_a_person(tmp_path: Path) -> None:
    # given a branch that moved, by the killed command or by the user
    repo, note = killed_in_place(tmp_path)
    (repo / ".git" / "index.lock").unlink()
    tip = commit_files(repo, {"mine.txt": "x\n"})
    git(repo, "config", "user.email", "new@example.org")
    # when
    finished = Scene(repo).run(in_place=True)
    # then
    assert finished.ending.exit_code == 6
    assert "this has changed: .git/config, refs/heads/main" in finished.ending.message
    assert git(repo, "rev-parse", "HEAD") == tip
    assert note.exists()
    assert "git log" in finished.ending.hint


@pytest.mark.parametrize("content", ["", "[]", '{"baseline": 1, "state": {}}'])
def test_a_damaged_note_in_place_is_told(tmp_path: Path, content: str) -> None:
    repo, note = killed_in_place(tmp_path)
    note.write_text(content)

    finished = Scene(repo).run(in_place=True)

    assert finished.ending.exit_code == 6
    assert "is damaged" in finished.ending.message
    assert files_of(repo)["src/app.py"] == b"half"


def test_a_landing_in_place_that_was_killed_is_not_taken_back(tmp_path: Path) -> None:
    # given a kill between the landing's last step and the end of the run
    repo = make_repo(tmp_path / "repo")
    old = git(repo, "rev-parse", "HEAD")
    note = repo / ".git" / "workorder" / "in_place.json"
    note.parent.mkdir()
    note.write_text(json.dumps({"baseline": old, "state": UserRepository(Git.open(repo)).fingerprint()}))
    scene = Scene(repo, [a_proposal()])
    write_files(repo, {"src/app.py": APP})
    git(repo, "add", "src/app.py")
    tree = git(repo, "write-tree")
    new = git(repo, "commit-tree", tree, "-p", old, "-m", "landed")
    (note.with_name("landing.json")).write_text(
        json.dumps({"new": new, "old": old, "ref": "refs/heads/main"})
    )
    os.link(note.with_name("landing.json"), repo / ".git" / "index.lock")
    git(repo, "update-ref", "refs/heads/main", new)
    # when
    finished = scene.run(in_place=True, branch="main")
    # then
    assert git(repo, "merge-base", "--is-ancestor", new, "main") == ""
    assert git(repo, "status", "--porcelain") == ""
    assert finished.ending.exit_code != 6
    assert not note.exists()
