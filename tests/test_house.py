"""The house keeps its own rules: every test is collected, and the rooms are those that the documents draw."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("planner", "factory", "workorder")
MAX_MODULES = 14

ROOMS = sorted(path.parent for package in PACKAGES for path in (ROOT / package).rglob("__init__.py"))


def name_of(room: Path) -> str:
    return room.relative_to(ROOT).as_posix()


def modules_of(room: Path) -> list[str]:
    return sorted(path.stem for path in room.glob("*.py") if path.stem not in ("__init__", "__main__"))


# All that tests import is imported, which takes long where other work goes on.
@pytest.mark.timeout(600)
def test_every_test_file_that_git_tracks_is_collected(request: pytest.FixtureRequest) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "tests/**/test_*.py", "tests/test_*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("this is no checkout of git's")
    tracked = {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
    # What runs now has collected them itself, unless it was given less, or more than a plain run finds.
    own = {item.path.relative_to(ROOT).as_posix() for item in request.session.items}
    if set(request.config.args) <= {"tests", str(ROOT / "tests")} and tracked <= own:
        return
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:cacheprovider"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    collected = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert tracked - collected == set()


def test_the_table_of_rooms_is_that_of_the_folders() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    drawn = re.findall(r"^\| `((?:planner|factory|workorder)[a-z/]*)/` \|", text, re.MULTILINE)
    assert sorted(drawn) == sorted(map(name_of, ROOMS))
    assert len(drawn) == len(set(drawn))


@pytest.mark.parametrize("room", ROOMS, ids=name_of)
class TestRoom:
    def test_it_says_what_belongs_there(self, room: Path) -> None:
        text = (room / "__init__.py").read_text("utf-8")
        story = " ".join(text.strip().strip('"').split())
        assert 2 <= len(re.findall(r"[.?](?: |$)", story)) <= 5

    def test_it_holds_no_more_than_a_person_can_look_over(self, room: Path) -> None:
        assert len(modules_of(room)) <= MAX_MODULES

    def test_no_module_repeats_the_name_of_its_folder(self, room: Path) -> None:
        names = modules_of(room)
        assert [name for name in names if name == room.name or name.startswith(f"{room.name}_")] == []

    def test_every_folder_with_modules_is_a_room(self, room: Path) -> None:
        folders = [path for path in room.iterdir() if path.is_dir() and any(path.glob("*.py"))]
        assert [path.name for path in folders if not (path / "__init__.py").exists()] == []
