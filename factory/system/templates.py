"""Finds the templates that travel with the packages: beside them in a checkout, inside them in a wheel."""

from pathlib import Path


def template_path(name: str) -> Path:
    """The path of a packaged template.

    Args:
        name: path below `templates/`, such as `prompts/planner.md`.

    Raises:
        FileNotFoundError: the installation is incomplete.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_templates", package.parent / "templates"):
        path = folder / name
        if path.is_file():
            return path
    raise FileNotFoundError(f"the template {name} is missing from the installation")
