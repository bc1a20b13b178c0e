"""What written sources may import and manifests declare, held against lists of files of packages."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from factory.environments.environment import Environment, Package
from factory.gates.checks.imports import Imports
from factory.gates.checks.manifests import Manifests
from factory.gates.packages.python_modules import modules_of
from tests.support.repositories import write_files
from tests.support.results import a_context

PACKAGES = (
    Package("python", "fastapi", "0.120.1", is_direct=True),
    Package("python", "pyyaml", "6.0.2", is_direct=True),
    Package("python", "starlette", "0.49.0"),
    Package("python", "pytest", "9.0.0"),
    Package("node", "zod", "4.1.0", is_direct=True),
    Package("node", "zod-core", "1.0.0"),
    Package("go", "github.com/google/uuid", "1.6.0", is_direct=True),
    Package("rust", "serde", "1.0.200", is_direct=True),
)
SITE = "lib/python3.11/site-packages"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    write_files(
        tmp_path / "environment",
        {
            f"{SITE}/fastapi-0.1.dist-info/RECORD": "fastapi/a.py,,\nfastapi-0.dist-info/RECORD,,\n",
            f"{SITE}/PyYAML-6.dist-info/RECORD": "yaml/a.py,,\n_yaml.abi3.so,,\n../../../bin/y,,\n",
            f"{SITE}/fastapi-0.1.dist-info/METADATA": "Requires-Dist: Between>=1\n",
            f"{SITE}/between-0.1.dist-info/METADATA": "Requires-Dist: starlette (<1)\n",
            "modules/zod/package.json": '{"dependencies": {"zod-core": "1"}}',
            f"{SITE}/starlette-0.49.0.dist-info/RECORD": "starlette/__init__.py,,\n",
            f"{SITE}/pytest-9.0.0.dist-info/top_level.txt": "_pytest\npytest\n",
            f"{SITE}/some_thing-1.dist-info/METADATA": "",
        },
    )
    python = tmp_path / "environment/bin/python"
    return Environment(
        "0" * 64,
        python,
        (python.parent,),
        ("python 3.11.2",),
        packages=PACKAGES,
        node_modules=tmp_path / "environment/modules",
    )


def problem(
    root: Path, environment: Environment, files: Mapping[str, str], before: Mapping[str, str] | None = None
) -> str:
    """What the two checks say of these files, of which `before` had some; empty if nothing."""
    write_files(root / "repo", files)
    old = {path: text.encode() for path, text in (before or {}).items()}
    context = a_context(root / "repo", landing=tuple(files), before=old, allowed_files=list(files))
    for check in (Manifests(environment), Imports(environment)):
        failure = check.run(context).failure
        if failure is not None:
            return f"{failure.message} {failure.hint}"
    return ""


def test_the_modules_of_packages_come_from_their_lists_of_files(environment: Environment) -> None:
    assert modules_of(environment) == {
        "fastapi": {"fastapi"},
        "pyyaml": {"yaml", "_yaml"},
        "starlette": {"starlette"},
        "pytest": {"pytest", "_pytest"},
        "between": {"between"},
        "some-thing": {"some_thing"},
    }


@pytest.mark.parametrize(
    "files",
    [
        {"app.py": "import json, yaml\nfrom fastapi.routing import APIRouter\nfrom . import x\n"},
        {"tests/test_app.py": "import pytest\nimport helpers\n", "tests/helpers.py": ""},
        {"app.py": "from tally.counting import count\n", "tally/counting.py": "", "tally/__init__.py": ""},
        {"app.py": "import inner\n", "src/inner/deep.py": ""},
        {"app.py": "try:\n    import numpy\nexcept ImportError:\n    numpy = None\n"},
        {"app.py": "broken ((\n", "a.txt": "import numpy\n"},
    ],
)
def test_what_is_declared_or_the_repositorys_own_is_imported(
    tmp_path: Path, environment: Environment, files: dict[str, str]
) -> None:
    assert problem(tmp_path, environment, files) == ""


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (
            "app.py",
            "import json\n\nimport numpy.linalg\n",
            "`app.py` imports `numpy` in line 3: that is no declared",
        ),
        (
            "app.py",
            "from starlette.x import y\n",
            "the package starlette is not declared, it is only there because fastapi needs it",
        ),
        ("app.py", "import pytest\n", "`app.py` imports `pytest` in line 1: pytest is there for tests alone"),
        ("app.py", "import importlib\n\nX = importlib.import_module('numpy.x')\n", "`numpy` in line 3"),
        ("app.py", "X = __import__('numpy')\n", "`numpy` in line 1"),
        ("app.ts", 'import { core } from "zod-core";\n', "only there because zod needs it"),
        ("app.py", "import some_thing\n", "imports `some_thing` in line 1"),
        ("app.py", "import numpy\n", "own modules, and fastapi, yaml do without"),
    ],
)
def test_anything_else_is_refused_with_its_line_and_what_may_be(
    tmp_path: Path, environment: Environment, path: str, text: str, said: str
) -> None:
    told = problem(tmp_path, environment, {path: text})
    assert said in told
    assert "only a plan or a person can add a package" in told


def test_what_a_file_imported_before_stays(tmp_path: Path, environment: Environment) -> None:
    old = {"app.py": "import numpy\n"}
    assert problem(tmp_path, environment, {"app.py": "import numpy\nX = 1\n"}, old) == ""
    assert "scipy" in problem(tmp_path, environment, {"app.py": "import numpy, scipy\n"}, old)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["fastapi>=0.100", "PyYAML"]\n'),
        (
            "pyproject.toml",
            '[build-system]\nrequires = ["hatchling"]\n[dependency-groups]\ndev = ["pytest"]\n',
        ),
        ("requirements.txt", "# ours\nfastapi==0.120.1  # pinned\n"),
        ("package.json", '{"dependencies": {"zod": "^4.0.0"}, "scripts": {"test": "node --test"}}'),
        ("go.mod", "module example.com/x\n\ngo 1.22\n\nrequire github.com/google/uuid v1.6.0\n"),
        (
            "Cargo.toml",
            '[dependencies]\nserde = { version = "1", features = ["derive"] }\ncore = { path = "../core" }\n',
        ),
        ("notes.txt", "numpy\n"),
    ],
)
def test_manifests_declare_what_is_there(
    tmp_path: Path, environment: Environment, path: str, text: str
) -> None:
    assert problem(tmp_path, environment, {path: text}) == ""


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["numpy"]\n', "declares `numpy`"),
        (
            "pyproject.toml",
            '[project]\ndependencies = ["fastapi<0.100"]\n',
            "the version that is there is 0.120.1",
        ),
        (
            "pyproject.toml",
            '[project]\ndependencies = ["fastapi @ https://evil.example/x.whl"]\n',
            "declares",
        ),
        ("pyproject.toml", '[build-system]\nrequires = ["evil-backend"]\n', "declares `evil-backend`"),
        ("pyproject.toml", '[tool.uv.sources]\nfastapi = { git = "https://x" }\n', "declares `fastapi`"),
        ("requirements-dev.txt", "--index-url https://evil.example\n", "declares `--index-url"),
        ("requirements.txt", "-r other.txt\n", "declares `-r other.txt`"),
        ("requirements.txt", "starlette\n", "declares `starlette`"),
        ("package.json", '{"dependencies": {"left-pad": "1"}}', "declares `left-pad`"),
        ("package.json", '{"dependencies": {"zod": "github:evil/zod"}}', "names a place"),
        ("package.json", '{"overrides": {"zod": {"x": "1"}}}', "names a place, or more than versions"),
        ("go.mod", "module x\nrequire (\n\tgithub.com/evil/x v1.0.0\n)\n", "declares `github.com/evil/x`"),
        (
            "go.mod",
            "module x\nreplace github.com/google/uuid => github.com/evil/x v1.0.0\n",
            "the version that is",
        ),
        ("Cargo.toml", '[dev-dependencies]\nrand = "0.8"\n', "declares `rand`"),
        ("Cargo.toml", '[dependencies]\nserde = { git = "https://x" }\n', "names a place"),
        ("Cargo.toml", '[patch.crates-io]\nserde = { path = "x", git = "y" }\n', "names a place"),
        ("sub/uv.lock", "version = 1\n", "is a lock, which only its tool writes"),
        ("go.sum", "x\n", "is a lock, which only its tool writes"),
    ],
)
def test_manifests_declare_nothing_else(
    tmp_path: Path, environment: Environment, path: str, text: str, said: str
) -> None:
    assert said in problem(tmp_path, environment, {path: text})


def test_workspaces_are_imported_and_asked_for_by_versions(tmp_path: Path, environment: Environment) -> None:
    words = Package("node", "@shop/words", "1.0.0", is_direct=True)
    with_words = replace(environment, packages=(*environment.packages, words))
    files = {
        "packages/app/package.json": '{"dependencies": {"@shop/words": "^1.0.0", "zod": "^4"}}',
        "packages/app/main.ts": "import { words } from '@shop/words';\nimport { z } from 'zod';\n",
    }
    elsewhere = {"packages/app/package.json": '{"dependencies": {"@shop/words": "github:evil/words"}}'}

    assert problem(tmp_path / "own", with_words, files) == ""
    assert "that is no declared package" in problem(tmp_path / "unknown", environment, files)
    assert "names a place" in problem(tmp_path / "elsewhere", with_words, elsewhere)


def test_what_a_manifest_declared_before_stays(tmp_path: Path, environment: Environment) -> None:
    old = {"pyproject.toml": '[project]\ndependencies = ["numpy>=1"]\n', "uv.lock": "x\n"}
    assert (
        problem(tmp_path, environment, {**old, "pyproject.toml": old["pyproject.toml"] + "# more\n"}, old)
        == ""
    )
    newer = {"pyproject.toml": '[project]\ndependencies = ["numpy>=2"]\n'}
    assert "numpy" in problem(tmp_path, environment, newer, old)


@pytest.mark.parametrize(
    ("files", "refused"),
    [
        ({"src/a.ts": 'import { z } from "zod";\nimport fs from "fs";\n'}, ""),
        ({"src/a.ts": 'import x from "left-pad";\n'}, "left-pad"),
        ({"src/a.ts": 'import x from "lib/deep";\n', "src/lib/deep.ts": ""}, ""),
        ({"src/a.ts": 'import x from "mine";\n', "package.json": '{"name": "mine"}'}, ""),
    ],
)
def test_other_languages_are_judged_by_their_manifests(
    tmp_path: Path, environment: Environment, files: dict[str, str], refused: str
) -> None:
    told = problem(tmp_path, environment, files)
    assert (f"imports `{refused}`" in told) if refused else told == ""
