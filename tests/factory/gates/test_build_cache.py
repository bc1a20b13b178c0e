"""Go's build cache is there for every pass, and no command of one pass reaches what the next one finds."""

import os
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.system.sandbox.levels.choose import choose
from factory.system.sandbox.port import Sandbox, SandboxRefused, Terms
from tests.support.answers import a_proposal
from tests.support.repositories import make_repo
from tests.support.runs import Scene
from tests.support.toolchains import PROGRAMS, needs_go

GO = {
    "go.mod": "module example.com/slug\n\ngo 1.19\n",
    "slug.go": 'package slug\n\nimport "strings"\n\nfunc Slug(a string) string { return strings.Title(a) }\n',
    "slug_test.go": """package slug

import "testing"

func TestSlug(t *testing.T) {
\tif Slug("a") != "A" {
\t\tt.Fatal()
\t}
}
""",
}
ATTACK = """
import os, pathlib, sys
cache = pathlib.Path.home() / ".cache/go-build"
links = [path for path in cache.glob("*/*") if path.is_symlink()]
assert len(links) > 100, len(links)
for path in links[:3]:
    file = path.resolve()
    for change in (lambda: open(path, "ab"), file.unlink, lambda: file.chmod(0o666)):
        try:
            change()
        except OSError:
            continue
        sys.exit("it was changed")
assert not (cache / "left").exists()
(cache / "left").touch()
assert os.path.exists("more.go")
"""


@pytest.fixture
def sandbox() -> Sandbox:
    """The level that keeps commands from what they may only read, for who owns it, too."""
    try:
        return choose("bwrap", allow_unsandboxed=False, environment=os.environ)
    except SandboxRefused as refused:
        pytest.skip(str(refused))


@needs_go
def test_the_cache_is_there_in_each_pass_and_no_command_changes_it(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    scene = Scene(
        make_repo(tmp_path / "repo", {**GO, "attack.py": ATTACK}),
        [a_proposal({"more.go": "package slug\n\n// Least is the least length.\nconst Least = 1\n"})],
        allowed_files=["more.go"],
        acceptance_commands=["python3 attack.py"],
    )

    finished = scene.run(second_pass=True, terms=Terms(sandbox))

    assert finished.ending.exit_code is ExitCode.PASS, finished.ending
