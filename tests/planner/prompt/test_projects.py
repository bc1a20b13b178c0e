"""What a planner is told of a repository that holds several projects; of others, nothing."""

import re

from factory.contract.repo_path import RepoPath
from factory.plans.states.sources import Sources
from planner.compile.manifest_schema import manifest_schema, revision_schema
from planner.prompt.gather import gather
from planner.prompt.projects.message import projects_message
from planner.prompt.projects.packages import declared_packages

FILES = {
    "workorder.toml": b'projects = ["api", "web"]\n',
    "README.md": b"Two projects.\n",
    "tools/count.py": b"def count() -> int: ...\n",
    "api/pyproject.toml": b'[project]\nname = "api"\ndependencies = ["fastapi>=0.120"]\n',
    "api/requirements-dev.txt": b"# for tests\nhttpx>=0.28  # a client\n-r more.txt\n",
    "api/app.py": b"def app() -> None: ...\n",
    "api/tests/test_app.py": b"def test_app(): ...\n",
    "web/package.json": b'{"dependencies": {"zod": "^4"}, "devDependencies": {"vitest": "^4"}}',
    "web/workorder.toml": b'[environment]\nnode = { hono = "^4" }\nnode-dev = { tsx = "^4" }\n',
    "web/src/slug.ts": b"export function slug(text: string): string { return text }\n",
}


def sources(files: dict[str, bytes] = FILES, alone: str | None = None) -> Sources:
    return Sources(frozenset(files), files.get, None if alone is None else RepoPath.parse(alone))


def facts(text: str) -> list[str]:
    block = re.search(r"<projects id=[^>]*>\n(.*)\n</projects", text, re.DOTALL)
    assert block is not None
    return [line.strip() for line in block[1].splitlines()]


def test_each_project_is_told_with_its_language_packages_and_verification() -> None:
    message = projects_message(sources())
    assert message is not None
    assert "`project`" in message.content and "`verify_contract` is null" in message.content
    assert facts(message.content) == [
        "Project api:",
        "language: Python",
        "packages: fastapi>=0.120, httpx>=0.28",
        "verified by: python -m compileall; python -m pytest",
        "Project web:",
        "language: TypeScript/JavaScript",
        "packages: hono@^4, tsx@^4, zod@^4, vitest@^4",
        "verified by: nothing yet",
        "Beside the projects, `project` is null:",
        "language: Python",
        "packages: none",
        "verified by: python -m compileall; python -m pytest",
    ]


def test_a_repository_that_is_one_project_is_told_nothing() -> None:
    alone = {path: data for path, data in FILES.items() if path != "workorder.toml"}
    assert projects_message(sources(alone)) is None
    assert "project" not in str(manifest_schema()) + str(revision_schema())


def test_outlines_and_configuration_stand_below_the_name_of_their_project() -> None:
    context = gather(sources(), (), "", 24_000)
    assert context.message is not None
    text = context.message.content
    places = [
        text.index(sign, text.index("## Outline"))
        for sign in (
            "# == project api ==",
            "api:app()" if "api:app()" in text else "app() -> None",
            "# == project web ==",
            "web/src/slug.ts:slug",
            "# == beside the projects ==",
            "count() -> int",
        )
    ]
    assert places == sorted(places)
    assert '"zod": "^4"' in text and "fastapi>=0.120" in text
    assert "After each work order" not in text


def test_a_model_chooses_among_the_projects() -> None:
    for schema in (manifest_schema(projects=["api", "web"]), revision_schema(["api", "web"])):
        assert "'enum': ['api', 'web']" in str(schema)


def test_what_can_not_be_read_declares_nothing() -> None:
    broken = {"pyproject.toml": b"[project", "package.json": b"[1", "requirements.txt": b"\xff"}
    assert declared_packages(frozenset(broken), broken.get) == ()
    strange = {"pyproject.toml": b"project = 1", "package.json": b'{"dependencies": [1]}'}
    assert declared_packages(frozenset(strange), strange.get) == ()


def test_of_a_product_that_is_one_directory_nothing_else_is_told() -> None:
    message = projects_message(sources(alone="web"))
    assert message is not None
    assert "The product is the directory `web`" in message.content
    assert facts(message.content)[0] == "Project web:" and len(facts(message.content)) == 4
