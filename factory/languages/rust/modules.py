"""Which file a module of Rust is: from `src/lib.rs`, `crate::slug` is `src/slug.rs` or `src/slug/mod.rs`."""

from typing import Final

from factory.contract.text import Read
from factory.languages.port import Address

_ROOTS: Final = ("lib.rs", "main.rs")
_FOLDER_FILES: Final = (*_ROOTS, "mod.rs")
_MAX_FOLDERS: Final = 20


def place_of(path: str, module: str, read: Read) -> Address | None:
    """The file and the name that a path leads to; None if it leads to another crate.

    Args:
        path: as `use` names it, such as `crate::slug::Slugger`.
        module: the file where it is named.
        read: gives the files.
    """
    first, *rest = path.removeprefix("::").split("::")
    start: str | None = module
    if first == "crate":
        start = _root(module, read)
    elif first == "super":
        start = _parent(module, read)
        while start is not None and rest[:1] == ["super"]:
            start, rest = _parent(start, read), rest[1:]
    elif first != "self":
        rest = [first, *rest]
        if path.startswith("::") or _inner(module, first, read) is None:
            return None
    while start is not None and len(rest) > 1:
        inner = _inner(start, rest[0], read)
        if inner is None:
            break
        start, rest = inner, rest[1:]
    return Address(start, ".".join(rest)) if start is not None and rest else None


def _folder(module: str) -> str:
    """The directory that a file's modules are in, with a slash behind."""
    folder, slash, name = module.rpartition("/")
    return f"{folder}{slash}" if name in _FOLDER_FILES else f"{module.removesuffix('.rs')}/"


def _inner(module: str, name: str, read: Read) -> str | None:
    """The file of a module that a file declares."""
    candidates = (f"{_folder(module)}{name}.rs", f"{_folder(module)}{name}/mod.rs")
    return next((path for path in candidates if read(path) is not None), None)


def _parent(module: str, read: Read) -> str | None:
    """The file that declares the module of a file."""
    folder, _, name = module.rpartition("/")
    if name == "mod.rs":
        folder = folder.rpartition("/")[0]
    beside = f"{folder}/" if folder else ""
    candidates = (*(f"{beside}{root}" for root in _FOLDER_FILES), f"{folder}.rs")
    return next((path for path in candidates if path != module and read(path) is not None), None)


def _root(module: str, read: Read) -> str | None:
    """The file that a crate begins with."""
    folder = module
    for _ in range(_MAX_FOLDERS):
        folder, slash, _ = folder.rpartition("/")
        for root in _ROOTS:
            path = f"{folder}{slash}{root}"
            if read(path) is not None:
                return path
        if not slash:
            break
    return None
