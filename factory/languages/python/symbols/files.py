"""Which file a module is."""

from collections.abc import Callable, Iterable


def module_files(module: str, root: str = "") -> tuple[str, str]:
    """The paths of a module below a directory: as a file, as a package."""
    base = (f"{root}/" if root else "") + module.replace(".", "/")
    return f"{base}.py", f"{base}/__init__.py"


def module_file(module: str, paths: Iterable[str], is_file: Callable[[str], bool]) -> tuple[str, str] | None:
    """The file among `paths` that is the module, and the directory it is imported from; None if none is.

    Args:
        module: its dotted name.
        paths: the files to choose from, in order.
        is_file: whether there is a file; a directory with an `__init__.py` is a package, and its files are
            not imported from it.
    """
    for path in paths:
        for file in module_files(module):
            if path == file:
                return path, ""
            root = path.removesuffix(f"/{file}")
            if root != path and not is_file(f"{root}/__init__.py"):
                return path, root
    return None
