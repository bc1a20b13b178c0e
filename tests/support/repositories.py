"""Real git repositories and work orders for tests."""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from factory.contract.strict_json import JsonObject, JsonValue

Files: TypeAlias = Mapping[str, "str | bytes"]

VERIFY_PASSES: Files = {"README.md": "a product\n", "scripts/verify.sh": "exit 0\n"}
"""The smallest repository whose verification passes, at once."""


def git(repo: Path, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
    """Call git as the user would, and return its output without the final newline; it must succeed."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=repo,
        input=stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        check=False,
    )
    assert done.returncode == 0, f"git {' '.join(arguments)}: {os.fsdecode(done.stderr)}"
    return os.fsdecode(done.stdout).removesuffix("\n")


def write_files(root: Path, files: Files) -> None:
    """Write files below `root`; missing directories are made."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def make_repo(
    path: Path, files: Files = VERIFY_PASSES, *, branch: str = "main", options: tuple[str, ...] = ()
) -> Path:
    """A repository at `path` with one commit that holds `files`, and an identity in its configuration.

    The first of its kind is made by git and kept as a template; the others are copies of that.

    Args:
        path: its root; made if it is missing.
        files: what is committed; with none there is no commit either.
        branch: the branch that is checked out.
        options: further options of `git init`.
    """
    path.mkdir(parents=True, exist_ok=True)
    if TEMPLATES is None or any(path.iterdir()):
        return _new_repo(path, files, branch, options)
    kind = repr((sorted(files.items()), branch, options)).encode()
    template = TEMPLATES / hashlib.sha256(kind).hexdigest()
    if not template.exists():
        template.mkdir()
        _new_repo(template, files, branch, options)
    shutil.copytree(template, path, symlinks=True, dirs_exist_ok=True)
    if files:
        # The index knows the template's files by their stamps.
        git(path, "update-index", "--refresh")
    return path


TEMPLATES: Path | None = None
"""Where templates are kept; set for a whole session of tests."""


def _new_repo(path: Path, files: Files, branch: str, options: tuple[str, ...]) -> Path:
    git(path, "init", "--quiet", f"--initial-branch={branch}", "--template=", *options)
    with (path / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write("[user]\n\tname = Ada Author\n\temail = ada@example.org\n[commit]\n\tgpgSign = false\n")
    if files:
        commit_files(path, files, "first")
    return path


def commit_files(repo: Path, files: Files, message: str = "more") -> str:
    """Write files and commit everything; the new commit's id."""
    write_files(repo, files)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", message)
    return git(repo, "rev-parse", "HEAD")


def copy_repo(repo: Path, to: Path, *, keeps_times: bool = False) -> Path:
    """What `cp -r` makes of a repository: nothing in it has changed, but git's index knows the old files.

    Args:
        repo: its root.
        to: the root of the copy.
        keeps_times: whether files have the times of the old ones, as `cp -a` and `rsync -a` give them.
    """
    return Path(shutil.copytree(repo, to, True, None, shutil.copy2 if keeps_times else shutil.copy))


def files_of(root: Path) -> dict[str, bytes]:
    """Every file below `root` with its bytes, git's own excepted; of a link, where it leads."""
    contents = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] == ".git":
            continue
        if path.is_symlink():
            contents[name] = b"-> " + os.fsencode(path.readlink())
        elif path.is_file():
            contents[name] = path.read_bytes()
    return contents


def a_work_order(**changes: JsonValue) -> JsonObject:
    """A valid work order: `src/app.py` may be written, `true` accepts it; `changes` replace fields."""
    return {
        "id": "WO-01",
        "title": "Add the application",
        "intent": "Write src/app.py.",
        "preconditions": [],
        "postconditions": [],
        "allowed_files": ["src/app.py"],
        "forbidden": [],
        "acceptance_commands": ["true"],
        "context_files": [],
        "notes": None,
        **changes,
    }


def write_work_order(path: Path, **changes: JsonValue) -> Path:
    """Write `a_work_order(**changes)` to the file `path`, and return `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(a_work_order(**changes)), encoding="utf-8")
    return path
