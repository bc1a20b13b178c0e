"""The documents hold together: what is generated is current, links lead somewhere, the site can be built."""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from planner.rules.table import RULES
from tests.docs.reading import FRONT, PAGES, ROOT, anchors, links, name_of, spans

GENERATOR = ROOT / "scripts" / "pages" / "documents.py"
PICTURES = sorted((ROOT / "docs" / "images").iterdir())
FRONT_PICTURE = ROOT / "docs" / "images" / "live.svg"


def generate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, GENERATOR, *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for path in (*FRONT, ROOT / "mkdocs.yml"):
        shutil.copy(path, tmp_path)
    generate("--root", tmp_path)
    return tmp_path


def test_what_is_generated_is_current() -> None:
    done = generate("--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), "run scripts/docs"


def test_what_is_stale_is_named_and_written_anew(copied: Path) -> None:
    page, code, nav = (
        copied / "docs" / "factory.md",
        copied / "docs" / "codes" / "E101.md",
        copied / "mkdocs.yml",
    )
    before = {path: path.read_text("utf-8") for path in (page, code, nav)}
    page.write_text(before[page].replace("| `--jobs N` |", "| `--workers N` |"), "utf-8")
    code.unlink()
    nav.write_text(before[nav].replace("      - E101: codes/E101.md\n", ""), "utf-8")
    (copied / "docs" / "codes" / "E999.md").write_text("# E999\n")

    checked = generate("--check", "--root", copied)
    written = generate("--root", copied)

    names = ["docs/codes/E101.md", "docs/codes/E999.md", "docs/factory.md", "mkdocs.yml"]
    assert checked.returncode == 1
    assert sorted(checked.stdout.splitlines()) == [f"stale: {name}" for name in names]
    assert (written.returncode, written.stderr) == (0, "")
    assert {path: path.read_text("utf-8") for path in before} == before
    assert not (copied / "docs" / "codes" / "E999.md").exists()


def test_a_part_that_nobody_can_generate_is_an_error(copied: Path) -> None:
    (copied / "docs" / "tour.md").write_text("<!-- generated: weather -->\n<!-- end -->\n", "utf-8")
    done = generate("--check", "--root", copied)
    assert (done.returncode, done.stderr) == (1, "error: nobody knows how to generate `weather`\n")


def test_every_code_has_its_page() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "codes").glob("*.md")} - {"index"}
    assert pages == {rule.code for rule in RULES}


def test_the_front_page_is_short() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 8_000


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for text, target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.is_relative_to(ROOT), target
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path), target
        if "`test_" in text:
            assert f"def {text.strip('`')}(" in path.read_text("utf-8"), target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_file_of_ours_that_is_named_exists(page: Path) -> None:
    for span in spans(page):
        name = span.removeprefix("./").split(" ")[0]
        if name == "scripts/verify.sh":
            continue  # That of the user's repository.
        if re.fullmatch(r"(?:planner|factory|scripts|templates|tests|docs)/[a-z0-9_./-]*", name):
            assert (ROOT / name).exists(), span


def test_the_ten_lines_are_those_of_the_demo_s_specification() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    (block,) = re.findall(r"^```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    specification = (ROOT / "scripts" / "demo.d" / "spec.md").read_text("utf-8")
    lines = [line for line in specification.splitlines() if line]
    assert block.splitlines() == lines[:10]
    assert f"Ten of the {len(lines)} lines" in text


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_small_whole_and_tells_nothing_of_the_machine(picture: Path) -> None:
    content = picture.read_bytes()
    if picture.suffix == ".png":
        assert len(content) < 250_000
        return
    assert len(content) < 100_000
    root = ElementTree.fromstring(content)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    text = " ".join("".join(root.itertext()).replace("\xa0", " ").split())
    assert re.search(r"\b[1-9][0-9]* of [1-9][0-9]* landed", text)
    assert not re.search(r"(?<![\w.])/\w+/|https?:(?!//www\.w3\.org)", text)
    assert b"@import" not in content
    assert b"url(http" not in content


def test_the_picture_of_the_front_page_ends_with_all_landed() -> None:
    text = " ".join("".join(ElementTree.parse(FRONT_PICTURE).getroot().itertext()).split())
    assert re.search(r"\b([1-9][0-9]*) of \1 landed", text.replace("\xa0", " "))


def test_the_site_can_be_built_and_asks_no_other_server(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    pytest.importorskip("material", reason="the extra docs is not installed")
    words = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(tmp_path / "site"),
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    built = list((tmp_path / "site").rglob("*.html"))
    assert len(built) > len(RULES)
    for path in built:
        html = path.read_text("utf-8")
        assert "```" not in html, f"a block that is none: {path.name}"
        assert not re.search(r"<(?:link|script|img)[^>]+(?:href|src)=\"?https?://", html), path.name
