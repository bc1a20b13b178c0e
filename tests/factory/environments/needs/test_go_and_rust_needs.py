"""What Go modules and Rust packages ask for, and what of it is refused."""

import pytest

from factory.environments.environment import Package
from factory.environments.needs.declared import BadPackages, CommitFiles
from factory.environments.needs.go import go_needs
from factory.environments.needs.rust import rust_needs

GO_MOD = """\
module example.com/shop // ours

go 1.19

require example.com/alpha v1.0.0
require (
	example.com/beta v1.1.0 // indirect
	example.com/gamma/v2 v2.0.0-rc.1
)
replace example.com/gamma/v2 => ./gamma
"""
GO_SUM = "example.com/alpha v1.0.0 h1:x=\nexample.com/beta v1.1.0 h1:y=\n"
CARGO = '[package]\nname = "shop"\nversion = "0.1.0"\n[dependencies]\nalpha = "1"\nown = { path = "own" }\n'
CRATE = """\
[[package]]
name = "alpha"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "00"
[[package]]
name = "shop"
version = "0.1.0"
"""


def commit(texts: dict[str, str]) -> CommitFiles:
    data = {name: text.encode() for name, text in texts.items()}
    return CommitFiles(frozenset(data), data.get)


def test_the_modules_of_go() -> None:
    needs = go_needs(commit({"go.mod": GO_MOD, "go.sum": GO_SUM, "gamma/go.mod": "module x\n", "a.go": "x"}))

    assert needs is not None
    assert needs.is_locked
    assert set(needs.texts) == {"go.mod", "go.sum", "gamma/go.mod"}
    assert needs.packages == (
        Package("go", "example.com/alpha", "v1.0.0", is_direct=True),
        Package("go", "example.com/beta", "v1.1.0"),
        Package("go", "example.com/gamma/v2", "v2.0.0-rc.1", is_direct=True),
    )
    assert go_needs(commit({})) is None


def test_a_lock_of_go_that_does_not_fit_is_an_error_that_says_so() -> None:
    with pytest.raises(
        BadPackages, match=r"go\.sum: does not fit go\.mod: example\.com/beta v1\.1\.0 is not in it"
    ):
        go_needs(commit({"go.mod": GO_MOD, "go.sum": GO_SUM.splitlines()[0]}))


@pytest.mark.parametrize(
    "line",
    [
        "require ../x v1.0.0",
        "require --flag v1.0.0",
        "require example.com/a main",
        "replace example.com/a => ../outside",
        "replace example.com/a => /etc",
        "replace example.com/a =>",
    ],
)
def test_what_leads_elsewhere_is_refused(line: str) -> None:
    with pytest.raises(BadPackages, match=r"go\.mod"):
        go_needs(commit({"go.mod": f"module x\n{line}\n"}))


def test_the_crates_of_rust() -> None:
    files = {"Cargo.toml": CARGO, "own/Cargo.toml": "[package]\n", "Cargo.lock": CRATE, "src/main.rs": "x"}
    needs = rust_needs(commit(files))

    assert needs is not None
    assert needs.packages == (Package("rust", "alpha", "1.0.0", is_direct=True),)
    assert needs.wants
    assert needs.sources == ("src/main.rs",)
    assert rust_needs(commit({})) is None


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('evil = { git = "https://example.org/a" }\n', "`evil` does not come from crates.io"),
        ('evil = { version = "1", registry = "other" }\n', "`evil` does not come from crates.io"),
        ('evil = { path = "../outside" }\n', "`evil` lies outside of the repository"),
        ('[target."cfg(unix)".dependencies]\nevil = { git = "x" }\n', "`evil` does not come from crates.io"),
        ('[workspace.dependencies]\nevil = { git = "x" }\n', "`evil` does not come from crates.io"),
        ('[patch.crates-io]\nalpha = { git = "x" }\n', "replaces crates by others"),
        ("[dependencies]\n", "is not valid TOML"),
        ("evil = 1\n", "`evil` is no dependency"),
    ],
)
def test_a_crate_from_elsewhere_is_refused_by_name(more: str, message: str) -> None:
    with pytest.raises(BadPackages, match=message):
        rust_needs(commit({"Cargo.toml": CARGO + more}))


@pytest.mark.parametrize(
    "lock", [CRATE.replace("registry+https://github.com/rust-lang/crates.io-index", "git+https://e/a#1"),
             CRATE.replace('checksum = "00"\n', "")],
)  # fmt: skip
def test_a_lock_of_something_elsewhere_is_refused_by_name(lock: str) -> None:
    with pytest.raises(BadPackages, match=r"alpha does not come from crates\.io"):
        rust_needs(commit({"Cargo.toml": CARGO, "Cargo.lock": lock}))
