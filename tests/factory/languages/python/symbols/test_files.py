"""Which file a module is."""

from factory.languages.python.symbols.files import module_file


def test_a_module_is_found_where_it_is_imported_from() -> None:
    def chosen(module: str, *paths: str) -> tuple[str, str] | None:
        return module_file(module, paths, {*paths, "tally/__init__.py"}.__contains__)

    assert chosen("tally.counting", "a.py", "tally/counting.py") == ("tally/counting.py", "")
    assert chosen("tally.counting", "lib/src/tally/counting/__init__.py") == (
        "lib/src/tally/counting/__init__.py",
        "lib/src",
    )
    assert chosen("counting", "tally/counting.py") is None
    assert chosen("tally", "tally/counting.py") is None
    assert chosen("ally.counting", "tally/counting.py") is None
