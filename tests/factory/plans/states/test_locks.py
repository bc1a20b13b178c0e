"""Files that locking the packages of a repository makes."""

import pytest

from factory.plans.states.locks import files_to_come
from factory.plans.states.sources import Sources

NODE = '[environment]\nnode = { zod = "^4" }\n'
PYTHON = '[environment]\npython = ["fastapi"]\n'


def to_come(texts: dict[str, str]) -> frozenset[str]:
    files = {path: text.encode() for path, text in texts.items()}
    return files_to_come(Sources(frozenset(files), files.get))


@pytest.mark.parametrize(
    ("texts", "made"),
    [
        ({"workorder.toml": NODE}, {"package.json", "package-lock.json"}),
        ({"workorder.toml": NODE, "package.json": "{}"}, {"package-lock.json"}),
        ({"workorder.toml": NODE, "package.json": "{}", "pnpm-lock.yaml": ""}, set()),
        ({"workorder.toml": PYTHON}, {"requirements.lock"}),
        ({"workorder.toml": PYTHON, "uv.lock": ""}, set()),
        ({"pyproject.toml": '[tool.workorder.environment]\npython = ["x"]\n'}, {"requirements.lock"}),
        ({"workorder.toml": "[planner]\n"}, set()),
        ({"workorder.toml": "environment = 7\n"}, set()),
        ({"workorder.toml": "no TOML, but environment"}, set()),
        ({"README.md": "environment"}, set()),
    ],
)
def test_what_a_repository_declares_and_has_not_locked(texts: dict[str, str], made: set[str]) -> None:
    assert to_come(texts) == made


def test_each_project_has_files_of_its_own() -> None:
    texts = {
        "workorder.toml": 'projects = ["service", "client"]\n',
        "service/workorder.toml": PYTHON,
        "client/workorder.toml": NODE,
        "client/src/package.json": "{}",
    }
    assert to_come(texts) == {
        "service/requirements.lock",
        "client/package.json",
        "client/package-lock.json",
    }
