"""Makes docs/images/report*.png: the report of a build in which a work order failed, in a browser.

    .venv/test/bin/python scripts/pages/report_pictures.py
    .venv/test/bin/python scripts/pages/report_pictures.py --page FILE --name NAME

A real build: the demo's plan, compiled from its recording, offline; a program answers as the recording does,
but for one work order whose answers it spoils. Needs Debian's chromium. Times and commit ids are of the run.
With --page it is the report of another build that is shown.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import sync_playwright

CHECKOUT: Final = Path(__file__).resolve().parents[2]
IMAGES: Final = CHECKOUT / "docs" / "images"
DEMO: Final = CHECKOUT / "scripts" / "demo.d"
SPOILED: Final = "WO-04"
_CHROMIUM: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
)
_ORDER: Final = re.compile(r'"id": "(WO-[0-9]+)"')
_WORDS: Final = ("every minute", "each minute")
# What the recording answers, by the work order that its prompt is about.
_ANSWER: Final = """
import json, pathlib, re, sys
prompt = sys.stdin.read()
order = re.search(r'"id": "(WO-[0-9]+)"', prompt)[1]
answers = json.loads((pathlib.Path(__file__).parent / "answers.json").read_text())
sys.stdout.write(answers[order])
"""


def main() -> None:
    """Build, and take the pictures; or take those of a page that is there."""
    options = _options()
    if options.page is not None:
        _take(options.page.resolve(), options.name)
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _prepare(root)
        _run(root, "planner", "compile", "--spec", str(DEMO / "spec.md"), "--outdir", "plan",
             "--grain", "fine", "--llm", f"replay:{DEMO / 'recording'}")  # fmt: skip
        model = f"command:{shlex.join([sys.executable, str(root / 'answer.py')])}"
        _run(root, "factory", "build", "--repo", "repo", "--plan", "plan", "--out", "runs", "--jobs", "2",
             "--mutants", "2", "--keep-going", "--price", "1.25,10", "--llm", model, ends_with=1)  # fmt: skip
        page = root / "runs" / "report.html"
        _run(root, "factory", "report", "--out", "runs", "--html", str(page))
        _take(page, options.name)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Takes the pictures of a report.")
    parser.add_argument("--page", type=Path, help="the report of another build")
    parser.add_argument("--name", default="report", help="how the pictures' names in docs/images begin")
    return parser.parse_args()


def _prepare(root: Path) -> None:
    """Put the program, its answers and an empty repository below `root`."""
    (root / "answer.py").write_text(_ANSWER)
    (root / "answers.json").write_text(json.dumps(_answers()))
    git = ["git", "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "--quiet", "repo"], cwd=root, check=True)
    for name, value in (("user.name", "Workorder demo"), ("user.email", "demo@example.invalid")):
        subprocess.run(["git", "-C", "repo", "config", name, value], cwd=root, check=True)
    commit = ["git", "-C", "repo", "commit", "--quiet", "--allow-empty", "--message", "Start with nothing"]
    subprocess.run(commit, cwd=root, check=True)


def _answers() -> dict[str, str]:
    """What the recording answers for each work order, one of them spoiled so that its own tests fail."""
    answers = {}
    for path in sorted((DEMO / "recording").glob("*.json")):
        entry = json.loads(path.read_text("utf-8"))
        order = _ORDER.search(entry["request"]["messages"][-1]["content"])
        if entry["request"]["purpose"] == "propose" and order is not None:
            answers[order[1]] = entry["answer"]["text"]
    spoiled = json.loads(answers[SPOILED])
    for write in spoiled["writes"]:
        if not write["path"].startswith("tests/"):
            write["content"] = write["content"].replace(*_WORDS)
    return answers | {SPOILED: json.dumps(spoiled)}


def _run(root: Path, *words: str, ends_with: int = 0) -> None:
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run([sys.executable, "-P", "-m", *words], cwd=root, env=environment, check=False)
    if done.returncode != ends_with:
        raise SystemExit(f"error: {words[0]} {words[1]} ended with exit code {done.returncode}")


def _take(page: Path, name: str) -> None:
    """The report on a desk, in light and in dark, and on a telephone."""
    wide, narrow = (1000, 1060), (360, 740)
    pictures: tuple[tuple[str, tuple[int, int], Literal["light", "dark"]], ...] = (
        ("", wide, "light"),
        ("-dark", wide, "dark"),
        ("-phone", narrow, "light"),
    )
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=list(_CHROMIUM))
        for suffix, (width, height), scheme in pictures:
            opened = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            opened.goto(page.as_uri())
            opened.screenshot(path=IMAGES / f"{name}{suffix}.png")
            opened.close()
        browser.close()


if __name__ == "__main__":
    main()
