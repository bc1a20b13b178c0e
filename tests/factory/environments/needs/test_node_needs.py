"""What a repository asks for of npm's registry, and what of it is refused."""

import json
from dataclasses import replace

import pytest

from factory.configuration.document import ConfiguredEnvironment
from factory.contract.packages.planned import PlannedEnvironment
from factory.environments.environment import Package
from factory.environments.needs.declared import THE_PLAN, BadPackages, CommitFiles, Declared, declared
from factory.environments.needs.node.lock import checked_lock, locked_packages
from factory.environments.needs.node.needs import node_needs, unread_workspaces

HASH = "sha512-" + "A" * 86 + "=="
ENTRY = {"version": "4.1.0", "resolved": "https://registry.npmjs.org/zod/-/zod-4.1.0.tgz", "integrity": HASH}


def commit(**documents: object) -> CommitFiles:
    by_name = {
        {"manifest": "package.json", "lock": "package-lock.json", "pnpm": "pnpm-lock.yaml"}[name]: (
            text if isinstance(text, str) else json.dumps(text)
        ).encode()
        for name, text in documents.items()
    }
    return CommitFiles(frozenset(by_name), by_name.get)


def lock(root: object = None, **packages: object) -> dict[str, object]:
    places = {f"node_modules/{name}": entry for name, entry in packages.items()}
    return {"lockfileVersion": 3, "packages": {"": root or {}, **places}}


def asking(**node: str) -> Declared:
    return Declared(node=node, node_places=dict.fromkeys(node, "workorder.toml"))


@pytest.mark.parametrize("manifest", [None, {"name": "a", "scripts": {"test": "node --test"}}])
def test_without_packages_nothing_is_asked_for(manifest: object) -> None:
    files = commit() if manifest is None else commit(manifest=manifest)

    assert node_needs(files, Declared()) is None


def test_what_is_declared_makes_a_manifest() -> None:
    needs = node_needs(commit(), asking(zod="^4"))

    assert needs is not None
    assert needs.text == b'{\n  "dependencies": {\n    "zod": "^4"\n  },\n  "private": true\n}\n'
    assert needs.lock is None
    assert needs.direct == {"zod"}


def test_what_is_declared_is_added_to_a_manifest_which_stays_as_it_is() -> None:
    text = '{\n\t"name": "a",\n\t"scripts": {"test": "vitest"},\n\t"dependencies": {"beta": "1"}\n}\n'
    needs = node_needs(commit(manifest=text), asking(alpha="^4"))

    assert needs is not None
    assert needs.text is not None
    assert needs.text.startswith(b'{\n\t"name": "a",\n\t"scripts"')
    assert json.loads(needs.text)["dependencies"] == {"alpha": "^4", "beta": "1"}
    # What npm gets has nothing that it would run.
    assert "scripts" not in needs.manifest


def test_what_is_for_development_only_is_added_to_those_packages() -> None:
    wanted = replace(asking(typescript="^5", vite="^7", zod="^4"), node_dev=frozenset({"typescript", "vite"}))
    bare = replace(asking(typescript="^5"), node_dev=frozenset({"typescript"}))
    present = {"name": "a", "dependencies": {"vite": "^7"}, "devDependencies": {"mocha": "^11"}}
    made, added = node_needs(commit(), bare), node_needs(commit(manifest=present), wanted)

    assert made is not None
    assert made.text == b'{\n  "devDependencies": {\n    "typescript": "^5"\n  },\n  "private": true\n}\n'
    assert made.direct == {"typescript"}
    assert added is not None
    assert added.text is not None
    # What a manifest asks for already stays where it is.
    assert json.loads(added.text) == {
        "name": "a",
        "dependencies": {"vite": "^7", "zod": "^4"},
        "devDependencies": {"mocha": "^11", "typescript": "^5"},
    }


@pytest.mark.parametrize("table", ["dependencies", "devDependencies"])
def test_a_manifest_that_asks_for_a_package_in_the_other_table_stays_as_it_is(table: str) -> None:
    files = commit(manifest={table: {"zod": "^4"}}, lock=lock({table: {"zod": "^4"}}, zod=ENTRY))

    for dev in (frozenset[str](), frozenset({"zod"})):
        needs = node_needs(files, replace(asking(zod="^4"), node_dev=dev))
        assert needs is not None
        assert (needs.text, needs.is_open) == (None, False)


def test_what_a_lock_of_pnpm_lacks_is_to_be_added_for_what_it_is() -> None:
    files = commit(manifest={"dependencies": {"a": "1"}}, pnpm="lockfileVersion: '9.0'\n")
    wanted = replace(asking(typescript="^5", zod="^4"), node_dev=frozenset({"typescript"}))

    with pytest.raises(BadPackages) as caught:
        node_needs(files, wanted)
    assert caught.value.hint == "run `pnpm add zod` and `pnpm add -D typescript`, and commit"


def test_where_a_plan_and_the_configuration_differ_in_what_a_package_is_for_the_latter_counts() -> None:
    configured = ConfiguredEnvironment.model_validate({"node": {"zod": "^4"}, "node-dev": {"vite": "^7"}})
    both = declared(
        configured, PlannedEnvironment(node={"vite": "^7"}, node_dev={"zod": "^3", "typescript": "^5"})
    )

    assert both.node == {"zod": "^4", "vite": "^7", "typescript": "^5"}
    assert both.node_dev == {"vite", "typescript"}
    assert both.node_places == {
        "zod": "workorder.toml", "vite": "workorder.toml", "typescript": THE_PLAN
    }  # fmt: skip


def test_a_lock_that_holds_all_is_taken_and_its_places_are_not_believed() -> None:
    manifest = {"name": "a", "dependencies": {"zod": "^4"}}
    other = ENTRY | {"resolved": "https://elsewhere.example/zod.tgz"}
    root = {"dependencies": {"zod": "^4"}}

    public = node_needs(commit(manifest=manifest, lock=lock(root, zod=ENTRY)), asking(zod="^4"))
    private = node_needs(commit(manifest=manifest, lock=lock(root, zod=other)), Declared())

    assert public is not None
    assert public.lock is not None
    assert public.text is None
    assert public.lock["packages"]["node_modules/zod"] == ENTRY  # type: ignore[index, call-overload]
    assert private is not None
    assert private.lock is not None
    assert "resolved" not in private.lock["packages"]["node_modules/zod"]  # type: ignore[index, call-overload, operator]


def test_a_lock_that_does_not_fit_is_an_error_that_says_so() -> None:
    files = commit(
        manifest={"dependencies": {"zod": "^4"}}, lock=lock({"dependencies": {"zod": "^3"}}, zod=ENTRY)
    )

    with pytest.raises(BadPackages) as caught:
        node_needs(files, Declared())
    assert str(caught.value).startswith(
        "package-lock.json: does not fit package.json: `zod` in `dependencies`"
    )


@pytest.mark.parametrize(
    "wanted",
    ["git+ssh://git@example.org/a.git", "user/repo", "github:user/repo", "file:../a", "https://e/a.tgz",
     "link:a", 1, "workspace:*", "npm:@a/../b@1"],
)  # fmt: skip
def test_what_comes_from_elsewhere_is_refused_by_name(wanted: object) -> None:
    with pytest.raises(BadPackages, match="`dependencies`: `alpha` is not taken from a registry"):
        node_needs(commit(manifest={"dependencies": {"alpha": wanted}}), Declared())


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("[]", "is not an object"),
        ("{", "is not valid JSON"),
        ({"dependencies": []}, "is no table"),
        ({"dependencies": {"../a": "1"}}, "is not taken from a registry"),
        ({"dependencies": {"a": "1"}, "workspaces": 1}, "`workspaces` is no list of paths"),
        (
            {"dependencies": {"a": "1"}, "overrides": {"b": {"c": "git+https://e/c"}}},
            "`overrides` takes a package",
        ),
    ],
)
def test_a_manifest_that_can_not_be_used(manifest: object, message: str) -> None:
    with pytest.raises(BadPackages, match=message):
        node_needs(commit(manifest=manifest), Declared())


def test_workspaces_with_locks_of_their_own_are_projects() -> None:
    asking = b'{"dependencies": {"zod": "^4"}}'
    data = {"package.json": b'{"workspaces": ["*"]}', "a/package.json": asking, "a/package-lock.json": b"{}"}
    others = {**data, "b/package.json": asking}

    assert node_needs(CommitFiles(frozenset(data), data.get), Declared()) is None
    assert unread_workspaces(CommitFiles(frozenset(data), data.get)) == ""
    told = unread_workspaces(CommitFiles(frozenset(others), others.get))
    assert told.startswith("package.json: workspaces are not read, such as b/package.json: name")


def test_workspaces_of_pnpm_are_not_read() -> None:
    data = {
        "package.json": b'{"dependencies": {"a": "1"}}',
        "pnpm-lock.yaml": b"packages: {}",
        "pnpm-workspace.yaml": b"packages: ['packages/*']\n",
        "packages/b/package.json": b'{"dependencies": {"a": "1"}}',
    }
    bare = {**data, "package.json": b"{}"}

    with pytest.raises(
        BadPackages, match=r"pnpm-workspace\.yaml: workspaces are not supported with pnpm yet"
    ):
        node_needs(CommitFiles(frozenset(data), data.get), Declared())
    told = unread_workspaces(CommitFiles(frozenset(bare), bare.get))
    assert told.startswith("pnpm-workspace.yaml: workspaces are not read, such as packages/b/package.json")
    alone = {**data, "pnpm-workspace.yaml": b"packages: ['.']\n"}
    assert node_needs(CommitFiles(frozenset(alone), alone.get), Declared()) is not None


def test_a_lock_that_is_not_read_is_named() -> None:
    data = {"package.json": b'{"dependencies": {"a": "1"}}', "yarn.lock": b""}

    with pytest.raises(BadPackages, match=r"yarn\.lock: is not read"):
        node_needs(CommitFiles(frozenset(data), data.get), Declared())


def test_an_alias_of_a_package_of_the_registry_is_one() -> None:
    assert (
        node_needs(commit(manifest={"dependencies": {"a": "npm:@b/c@^1", "d": ""}}), Declared()) is not None
    )


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (ENTRY | {"resolved": "git+ssh://git@example.org/a.git#abc"}, "alpha does not come from a registry"),
        (ENTRY | {"resolved": "file:../alpha"}, "alpha does not come from a registry"),
        ({"link": True, "resolved": "packages/alpha"}, "alpha does not come from a registry"),
        ({"version": "1"}, "alpha has no hash"),
        (ENTRY | {"integrity": "md5-x"}, "alpha has no hash"),
        ("text", "is not a lock"),
    ],
)
def test_a_lock_of_something_elsewhere_is_refused_by_name(entry: object, message: str) -> None:
    with pytest.raises(BadPackages, match=message):
        checked_lock(json.dumps(lock(alpha=entry)))


@pytest.mark.parametrize("place", ["../a", "node_modules/../../a", "packages/a", "node_modules/-g"])
def test_a_lock_that_leads_outside_is_refused(place: str) -> None:
    with pytest.raises(BadPackages, match="no place of a package"):
        checked_lock(json.dumps({"lockfileVersion": 3, "packages": {place: ENTRY}}))


def test_a_lock_before_there_were_hashes_of_all_is_refused() -> None:
    with pytest.raises(BadPackages, match="format before npm 7"):
        checked_lock('{"lockfileVersion": 1, "dependencies": {}}')


def test_packages_of_a_lock() -> None:
    document = checked_lock(
        json.dumps(
            {
                "lockfileVersion": 3,
                "packages": {
                    "": {},
                    "node_modules/zod": ENTRY,
                    "node_modules/zod/node_modules/@a/b": ENTRY | {"version": "1", "hasInstallScript": True},
                    "node_modules/fsevents": ENTRY
                    | {"optional": True, "os": ["darwin"], "hasInstallScript": True},
                },
            }
        )
    )
    assert locked_packages(document, frozenset({"zod"})) == (
        Package("node", "@a/b", "1"),
        Package("node", "zod", "4.1.0", is_direct=True),
    )


def test_another_range_than_the_manifest_asks_for_is_refused() -> None:
    with pytest.raises(BadPackages, match=r"`zod` is declared as `\^4`, and package.json asks for `\^3`"):
        node_needs(commit(manifest={"dependencies": {"zod": "^3"}}), asking(zod="^4"))


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        (f"packages:\n  zod@4.1.0:\n    resolution: {{integrity: {HASH}}}\n", True),
        ("packages:\n  a@1:\n    resolution: {tarball: https://e/a.tgz}\n", False),
        ("packages:\n  a@1:\n    resolution: {type: git, repo: x, commit: y}\n", False),
        ("- 1\n", False),
        ("a: [\n", False),
        ("!!python/object/apply:os.system [id]\n", False),
    ],
)
def test_a_lock_of_pnpm(text: str, is_taken: bool) -> None:
    files = commit(manifest={"dependencies": {"zod": "^4"}}, pnpm=text)
    if is_taken:
        needs = node_needs(files, Declared())
        assert needs is not None
        assert needs.pnpm == text
    else:
        with pytest.raises(BadPackages, match=r"pnpm-lock\.yaml"):
            node_needs(files, Declared())
