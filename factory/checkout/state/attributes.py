"""The extended attributes of directories, access lists included: commands may set them, git never looks.

Left in place, they would tell one attempt of another, and decide about the permissions of all that is made
in the directory later.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_OF_OWNERS: Final = ("user.", "system.posix_acl_")
"""The beginnings of the names of those that the owner of a directory may set."""


def attributes(folder: Path) -> Mapping[str, bytes]:
    """The values of those that its owner may set, by name; none where the file system has none.

    Raises:
        OSError: they can't be read.
    """
    if not hasattr(os, "listxattr"):
        return {}
    try:
        names = os.listxattr(folder, follow_symlinks=False)
    except OSError:
        return {}
    return {
        name: os.getxattr(folder, name, follow_symlinks=False)
        for name in sorted(names)
        if name.startswith(_OF_OWNERS)
    }


def put_attributes_back(folder: Path, wanted: Mapping[str, bytes]) -> None:
    """Give a directory these attributes, as `attributes` told them, and no others of that kind.

    Raises:
        OSError: they can't be set.
    """
    present = attributes(folder)
    for name in present.keys() - wanted.keys():
        os.removexattr(folder, name, follow_symlinks=False)
    for name, value in wanted.items():
        if present.get(name) != value:
            os.setxattr(folder, name, value, follow_symlinks=False)
