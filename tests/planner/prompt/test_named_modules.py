"""How directly a specification names a module."""

import pytest

from planner.prompt.named_modules import NamedModules

FILES = {"shop/cart.py": b"class CartLine: ...\nasync def add_item(): ...\n"}


@pytest.mark.parametrize(
    ("text", "path", "rank"),
    [
        ("Extend shop/cart.py.", "shop/cart.py", 0),
        ("Extend `shop.cart`.", "shop/cart.py", 0),
        ("A cart has a limit.", "shop/cart.py", 0),
        ("A CartLine has a limit.", "shop/cart.py", 1),
        ("add_item takes a limit", "shop/cart.py", 1),
        ("The shop opens at nine.", "shop/__init__.py", 0),
        # A name inside a longer one is not that name.
        ("A workshop opens at nine.", "shop/__init__.py", 2),
        ("This specification", "io.py", 2),
        ("Extend data.py.", "a.py", 2),
        ("Anything", "shop/gone.py", 2),
    ],
)
def test_a_module_is_named_by_whole_names(text: str, path: str, rank: int) -> None:
    assert NamedModules(text, FILES.get).rank(path) == rank
