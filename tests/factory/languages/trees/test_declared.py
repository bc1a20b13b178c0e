"""Declared symbols: taken apart at the colon, and kept by what leaves no less open."""

from dataclasses import replace

import pytest

from factory.languages.port import BadSymbol
from factory.languages.trees.declared import Declared, Head, split

SLUGIFY = Declared("src/lib.rs", "slugify", "function", "(text: &str) -> String", "", "", ("&str",), "String")


def test_the_written_form_goes_on_behind_the_address() -> None:
    assert SLUGIFY.address == "src/lib.rs:slugify"
    assert SLUGIFY.text == "src/lib.rs:slugify(text: &str) -> String"
    assert replace(SLUGIFY, before="async ").text == "src/lib.rs:async slugify(text: &str) -> String"


@pytest.mark.parametrize(
    ("change", "keeps"),
    [
        ({}, True),
        ({"written": "(t: &str) -> String"}, True),
        ({"result": ""}, True),
        ({"parameters": ("",)}, True),
        ({"parameters": ("&str", "&str")}, False),
        ({"parameters": ("String",)}, False),
        ({"result": "str"}, False),
        ({"module": "src/slug.rs", "name": "slug"}, True),
        ({"before": "async "}, False),
        ({"form": "<0>"}, False),
        ({"kind": "value", "parameters": ()}, False),
        ({"kind": "named", "parameters": (), "result": ""}, False),
    ],
)
def test_types_bind_and_names_of_parameters_do_not(change: dict[str, object], keeps: bool) -> None:
    promised = replace(SLUGIFY, **change)  # type: ignore[arg-type]
    assert SLUGIFY.keeps(promised) is keeps


def test_a_name_alone_is_kept_by_types_and_values() -> None:
    promised = Declared("a.go", "Limit", "named")
    assert Declared("a.go", "Limit", "value", result="int").keeps(promised)
    assert Declared("a.go", "Limit", "type").keeps(promised)
    assert not Declared("a.go", "Limit", "function").keeps(promised)


def test_a_text_is_taken_apart() -> None:
    assert split("src/a.ts:async  A.b (x: T): U", ("async",), "") == Head(
        "src/a.ts", "async ", "A.b", "(x: T): U"
    )
    assert split("a.ts:async(x: T)", ("async",), "") == Head("a.ts", "", "async", "(x: T)")


@pytest.mark.parametrize(
    "text", ["src/a.ts", "/a.ts:b", "../a.ts:b", "a.ts:", "a.ts:(x)", "a.ts:b\n", "a.ts:" + "b" * 3_000, ":b"]
)
def test_what_is_no_symbol_is_refused(text: str) -> None:
    with pytest.raises(BadSymbol) as caught:
        split(text, (), "write it well")
    assert caught.value.hint
