"""What a Python source imports: packages that must be installed, and nothing that it can do without."""

import pytest

from factory.languages.python.imports import imported_packages


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import numpy as np, os.path, yaml.loader", {"numpy", "yaml"}),
        ("from rich.table import A\nfrom . import a\nfrom .b import c\nfrom __future__ import x", {"rich"}),
        ("def f():\n    import lazy\nclass A:\n    import inner", {"lazy", "inner"}),
        ("try:\n    import fast\nexcept ImportError:\n    import slow_one", set()),
        ("try:\n    import a\nexcept (OSError, ImportError):\n    a = 0\nelse:\n    import other", {"other"}),
        ("try:\n    import fast\nexcept KeyError:\n    pass\nfinally:\n    import last", {"fast", "last"}),
        ("import typing\nif typing.TYPE_CHECKING:\n    import stubs\nelse:\n    import real", {"real"}),
        ("x = 1", set()),
    ],
)  # fmt: skip
def test_first_names_of_what_must_be_installed(source: str, expected: set[str]) -> None:
    assert imported_packages(source.encode()) == expected


@pytest.mark.parametrize("data", [b"import (", b"\0", b"\xff", b"(" * 10_000 + b")" * 10_000])
def test_what_can_not_be_read_is_none(data: bytes) -> None:
    assert imported_packages(data) is None
