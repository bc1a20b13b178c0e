"""Workspaces of npm: which directories they are, how the lock covers them, and what of them is refused."""

import json
from collections.abc import Mapping

import pytest

from factory.environments.environment import Package
from factory.environments.needs.declared import BadPackages, CommitFiles, Declared
from factory.environments.needs.node.globs import chosen
from factory.environments.needs.node.lock import locked_packages
from factory.environments.needs.node.needs import NodeNeeds, node_needs

HASH = "sha512-" + "A" * 86 + "=="
ENTRY = {"version": "4.1.0", "integrity": HASH}
DIRECTORIES = (
    "ab", "dir", "dir/x", "dir/x/y", "packages/.hid", "packages/a", "packages/b", "packages/b/c",
    "tools/one", "tools/test",
)  # fmt: skip
ROOT = {"name": "shop", "workspaces": ["packages/*"], "dependencies": {"ms": "^2"}}
WORDS = {"name": "@shop/words", "version": "1.0.0", "dependencies": {"zod": "^4"}, "bin": "cli.js"}
APP = {"name": "app", "scripts": {"test": "node --test"}, "dependencies": {"@shop/words": "*"}}
FILES = {"package.json": ROOT, "packages/app/package.json": APP, "packages/words/package.json": WORDS}
LOCKED: dict[str, object] = {
    "": ROOT,
    "node_modules/@shop/words": {"resolved": "packages/words", "link": True},
    "node_modules/app": {"resolved": "packages/app", "link": True},
    "node_modules/ms": {"version": "2.1.3", "integrity": HASH},
    "node_modules/zod": ENTRY,
    "packages/app": {"name": "app", "dependencies": {"@shop/words": "*"}},
    "packages/words": WORDS,
}


def commit(documents: Mapping[str, object], lock: Mapping[str, object] | None = None) -> CommitFiles:
    data = {path: json.dumps(document).encode() for path, document in documents.items()}
    if lock is not None:
        data["package-lock.json"] = json.dumps({"lockfileVersion": 3, "packages": lock}).encode()
    return CommitFiles(frozenset(data), data.get)


def needed(documents: Mapping[str, object], lock: Mapping[str, object] | None = None) -> NodeNeeds:
    needs = node_needs(commit(documents, lock), Declared())
    assert needs is not None
    return needs


def refusal(documents: Mapping[str, object], lock: Mapping[str, object] | None = None) -> str:
    with pytest.raises(BadPackages) as caught:
        node_needs(commit(documents, lock), Declared())
    assert caught.value.hint
    return str(caught.value)


# As npm 11 reads the same directories.
@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ("packages/*", "packages/a packages/b"),
        ("packages/**", "packages/a packages/b packages/b/c"),
        ("dir/**", "dir dir/x dir/x/y"),
        ("dir/** !dir/x", "dir dir/x/y"),
        ("dir/** !dir/x/**", "dir"),
        ("packages/** !packages/b", "packages/a packages/b/c"),
        ("packages/** !packages/b/** packages/b/c", "packages/a packages/b packages/b/c"),
        ("!packages/b packages/*", "packages/a"),
        ("./packages/a/ /ab", "ab packages/a"),
        ("**", "ab dir dir/x dir/x/y packages/a packages/b packages/b/c tools/one tools/test"),
        ("*", "ab dir"),
        ("packages/{a,b/c}", "packages/a packages/b/c"),
        ("packages/[^a]", "packages/b"),
        ("a?", "ab"),
        ("**/test", "tools/test"),
        ("packages/.*", "packages/.hid"),
        ("packages/.hid", "packages/.hid"),
        ("!!ab", "ab"),
        ("tools/* !**/test", "tools/one"),
        ("packages/* packages/.hid !**", ""),
        ("**/x/**", "dir/x dir/x/y"),
        ("packages//a", "packages/a"),
        ("ab !a*", ""),
        ("packages/b/c !packages/b", "packages/b/c"),
        ("packages/*/", "packages/a packages/b"),
        ("nowhere/*", ""),
    ],
)
def test_patterns_name_the_directories_that_npm_takes(patterns: str, expected: str) -> None:
    assert list(chosen(patterns.split(), DIRECTORIES)) == expected.split()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("../other", "names no directories below that of package.json"),
        ("packages/../../x", "names no directories below"),
        (".", "names no directories below"),
        ("", "names no directories below"),
        ("packages/+(a|b)", "is a pattern that Workorder does not read"),
        ("packages\\a", "is a pattern that Workorder does not read"),
        ("{a,b}" * 40, "more than 300 patterns"),
        ("a" * 400, "is a pattern that Workorder does not read"),
    ],
)
def test_a_pattern_that_can_not_be_read_is_named(pattern: str, message: str) -> None:
    with pytest.raises(BadPackages, match=message):
        chosen([pattern], DIRECTORIES)


@pytest.mark.parametrize("named", [["packages/*"], {"packages": ["packages/*"], "nohoist": ["**"]}])
def test_a_lock_that_covers_the_workspaces_is_taken(named: object) -> None:
    needs = needed({**FILES, "package.json": {**ROOT, "workspaces": named}}, LOCKED)

    assert not needs.is_open
    assert [(one.name, one.directory) for one in needs.workspaces] == [
        ("app", "packages/app"),
        ("@shop/words", "packages/words"),
    ]
    # What npm gets has nothing that it would run or link but packages.
    assert needs.manifests["packages/app/package.json"] == {
        "name": "app",
        "dependencies": {"@shop/words": "*"},
    }
    assert needs.lock is not None
    assert "bin" not in needs.lock["packages"]["packages/words"]  # type: ignore[index, call-overload, operator]
    assert needs.direct == {"ms", "zod"}
    assert locked_packages(needs.lock, needs.direct) == (
        Package("node", "ms", "2.1.3", is_direct=True),
        Package("node", "zod", "4.1.0", is_direct=True),
    )


def test_what_no_lock_covers_is_open() -> None:
    more = {**WORDS, "dependencies": {"zod": "^4", "ms": "^2"}}
    third = {"packages/third/package.json": {"name": "third"}}

    assert needed(FILES).is_open
    assert needed({**FILES, "packages/words/package.json": more}, LOCKED).before is not None
    assert needed({**FILES, **third}, LOCKED).is_open


def test_workspaces_are_there_without_a_package_of_a_registry() -> None:
    files = {"package.json": {"workspaces": ["a"]}, "a/package.json": {}}

    assert [one.name for one in needed(files).workspaces] == ["a"]
    # Nobody has made it yet.
    assert node_needs(commit({"package.json": {"workspaces": ["a", "b/*"]}}), Declared()) is None


def test_a_workspace_without_a_name_has_that_of_its_directory() -> None:
    files = {"package.json": {"workspaces": ["**"]}, "@shop/words/package.json": {}, "x/y/package.json": {}}

    assert [one.name for one in needed(files).workspaces] == ["@shop/words", "y"]


@pytest.mark.parametrize(
    ("path", "change", "message"),
    [
        ("app", {"name": "@shop/words"}, "two workspaces have the name `@shop/words`: packages/app and pack"),
        ("app", {"name": "../out"}, "packages/app/package.json: a workspace can't have this name: ../out"),
        ("app", {"name": 1}, "packages/app/package.json: a workspace can't have this name: 1"),
        ("app", {"version": "one"}, "packages/app/package.json: `version` is none: one"),
        (
            "app",
            {"dependencies": {"@shop/words": "workspace:*"}},
            "packages/app/package.json: `dependencies`: `@shop/words` is not taken from a registry: workspa",
        ),
        ("words", {"dependencies": {"zod": "^3"}}, "does not fit packages/words/package.json: `zod` in `dep"),
    ],
)
def test_a_workspace_that_can_not_be_used(path: str, change: object, message: str) -> None:
    name = f"packages/{path}/package.json"
    assert isinstance(change, dict)

    assert message in refusal({**FILES, name: {**FILES[name], **change}}, LOCKED)


def test_a_workspace_is_asked_for_by_a_version() -> None:
    asking = {**APP, "dependencies": {"@shop/words": "file:../words"}}

    assert "ask for `*`, or for its version" in refusal({**FILES, "packages/app/package.json": asking})


def test_a_directory_that_not_every_system_can_have_is_no_workspace() -> None:
    files = {"package.json": {"workspaces": ["*"]}, "aux/package.json": {}}

    assert refusal(files).startswith("aux/package.json: a workspace can't lie there")


def test_a_directory_without_a_manifest_is_no_workspace() -> None:
    files = {"package.json": {"workspaces": ["docs"]}, "docs/index.md": ""}

    assert refusal(files).startswith("package.json: `workspaces` names `docs`, which has no package.json")


@pytest.mark.parametrize(
    ("place", "entry", "message"),
    [
        ("packages/app/node_modules/ms", ENTRY, "one of each is supported: ms 4.1.0 in packages/app"),
        (
            "packages/app/node_modules/@shop/words",
            ENTRY,
            "`packages/app` asks for another version of the workspace `@shop/words` than the repository has",
        ),
        ("packages/old", {"name": "old"}, "holds packages/old, which is no workspace"),
        ("node_modules/old", {"resolved": "packages/old", "link": True}, "to packages/old, which is no work"),
        ("node_modules/old", {"resolved": "packages/app", "link": True}, "to packages/app, which is no work"),
        ("node_modules/None", {"resolved": "../out", "link": True}, "to ../out, which is no workspace"),
        ("node_modules/x", {"resolved": "file:x"}, "x does not come from a registry"),
    ],
)
def test_a_lock_that_holds_something_else_is_refused(place: str, entry: object, message: str) -> None:
    assert message in refusal(FILES, {**LOCKED, place: entry})


@pytest.mark.parametrize(
    ("name", "versions", "message"),
    [
        ("app", "^1", "`app` is declared, and is a workspace of the repository"),
        ("zod", "^3", "`zod` is declared as `^3`, and packages/words/package.json asks for `^4`"),
    ],
)
def test_what_is_declared_beside_workspaces_must_not_contradict_them(
    name: str, versions: str, message: str
) -> None:
    declared = Declared(node={name: versions}, node_places={name: "workorder.toml"})

    with pytest.raises(BadPackages) as caught:
        node_needs(commit(FILES, LOCKED), declared)
    assert message in str(caught.value)


def test_what_a_workspace_asks_for_needs_no_other_declaration() -> None:
    needs = node_needs(commit(FILES, LOCKED), Declared(node={"zod": "^4"}))

    assert needs is not None
    assert needs.text is None
    assert not needs.is_open


def test_workspaces_with_a_lock_of_pnpm_are_refused() -> None:
    said = refusal({**FILES, "pnpm-lock.yaml": {}})

    assert said.startswith("package.json: workspaces are not supported with pnpm yet")
