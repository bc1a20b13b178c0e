"""Modules that a judge imports, and which a file of the repository would take the place of. Pure."""

import unicodedata
from typing import Final

from factory.contract.repo_path import RepoPath

_ROOTS: Final = ("", "src/")
"""Where modules are imported from before anybody else's: the checkout, and what projects put in front."""

# Without those that are part of the interpreter itself, which no file replaces.
_NAMES: Final = """
    abc argparse array ast asyncio base64 bdb binascii bisect bz2 calendar cmd code codecs codeop collections
    concurrent contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis doctest
    email encodings enum fcntl fnmatch functools genericpath getpass gettext glob gzip hashlib heapq html
    importlib inspect io ipaddress json keyword linecache locale logging lzma math ntpath numbers opcode
    operator os pathlib pdb pickle platform posixpath pprint pyexpat queue quopri random re readline reprlib
    runpy select selectors shlex shutil signal site socket ssl stat string struct subprocess tempfile termios
    textwrap threading token tokenize tomllib traceback types typing unicodedata unittest urllib uuid warnings
    weakref xml zipfile zipimport zlib

    pytest _pytest py pluggy iniconfig packaging pygments exceptiongroup tomli colorama typing_extensions
    anyio coverage execnet hypothesis sniffio xdist pytest_asyncio pytest_benchmark pytest_cov pytest_django
    pytest_mock pytest_randomly pytest_rerunfailures pytest_timeout pytest_xdist
"""
_JUDGES_MODULES: Final = frozenset(_NAMES.split())
"""What pytest imports of the standard library, and pytest with what it leans on and its common plugins."""


def shadowed(path: RepoPath) -> str | None:
    """The judge's module that a file would be imported in place of; None if there is none."""
    name = unicodedata.normalize("NFKC", path).casefold()
    for root in _ROOTS:
        place = name.removeprefix(root).removesuffix(".py").removesuffix("/__init__")
        if name.startswith(root) and name.endswith(".py") and place in _JUDGES_MODULES:
            return place
    return None
