"""What a repository asks for of Python: every file that says so, and what of it is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.configuration.document import ConfiguredEnvironment
from factory.contract.packages.planned import PlannedEnvironment
from factory.environments.needs.declared import (
    BadPackages,
    BadPlannedPackages,
    CommitFiles,
    Declared,
    declared,
)
from factory.environments.needs.python.lock_files import read_pylock, read_uv_lock
from factory.environments.needs.python.needs import OWN_LOCK, lock_input, own_lock, python_lock, python_needs
from factory.environments.needs.python.pins import Pin
from factory.environments.needs.python.requirements_file import read_requirements

MARKERS = {
    "implementation_name": "cpython",
    "implementation_version": "3.11.2",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_release": "6",
    "platform_system": "Linux",
    "platform_version": "6",
    "python_full_version": "3.11.2",
    "platform_python_implementation": "CPython",
    "python_version": "3.11",
    "sys_platform": "linux",
}
A, B = "a" * 64, "b" * 64
PROJECT = """\
[project]
name = "Shop"
requires-python = ">=3.11"
dependencies = ["alpha>=1", "tomli>=2; python_version < '3.11'"]
[project.optional-dependencies]
test = ["beta", "shop[extra]"]
extra = ["gamma"]
docs = ["sphinx"]
[dependency-groups]
dev = [{ include-group = "lint" }]
lint = ["delta"]
"""
UV_LOCK = f"""\
version = 1
[[package]]
name = "alpha"
version = "1.5"
source = {{ registry = "https://example.org/simple" }}
dependencies = [{{ name = "beta" }}, {{ name = "winonly", marker = "sys_platform == 'win32'" }}]
wheels = [{{ url = "https://example.org/a.whl", hash = "sha256:{A}" }}]
[[package]]
name = "beta"
version = "2.0"
source = {{ registry = "https://example.org/simple" }}
wheels = [{{ url = "https://example.org/b.whl", hash = "sha256:{B}" }}]
[[package]]
name = "winonly"
version = "1.0"
source = {{ registry = "https://example.org/simple" }}
[[package]]
name = "shop"
version = "0.1"
source = {{ editable = "." }}
dependencies = [{{ name = "alpha" }}]
"""


def commit(texts: dict[str, str]) -> CommitFiles:
    by_name = {name: text.encode() for name, text in texts.items()}
    return CommitFiles(frozenset(by_name), by_name.get)


def test_a_repository_without_anything_asks_for_the_runner_alone() -> None:
    needs = python_needs(commit({}), Declared())

    assert lock_input(needs, ()) == "pytest\n"
    assert needs.notes == ("pytest is added to what the project declares",)


def test_dependencies_and_what_tests_need_are_taken_and_nothing_else() -> None:
    needs = python_needs(commit({"pyproject.toml": PROJECT}), Declared())

    assert lock_input(needs, ()) == (
        'alpha>=1\nbeta\ndelta\ngamma\npytest\ntomli>=2; python_version < "3.11"\n'
    )
    assert "pyproject.toml: group dev, extra test taken, because tests need what they name" in needs.notes
    assert str(needs.requires_python) == ">=3.11"


def test_files_add_up_with_what_is_declared() -> None:
    wanted = declared(
        ConfiguredEnvironment.model_validate({"python": ("fastapi",), "python-version": "3.12"}),
        PlannedEnvironment(python=("httpx",), python_version="3.11"),
    )
    texts = {
        "requirements.txt": "alpha # why\n-r more/base.txt\n-c limits.txt\n",
        "more/base.txt": "beta\\\n  >=2\n",
        "limits.txt": "gamma<3\n",
        "requirements-dev.txt": "pytest>=8\n--prefer-binary\n",
        "docs/requirements.txt": "sphinx\n",
    }
    needs = python_needs(commit(texts), wanted)

    assert lock_input(needs, ()) == "alpha\nbeta>=2\nfastapi\nhttpx\npytest>=8\n"
    assert [str(each) for each in needs.constraints] == ["gamma<3"]
    assert needs.version == "3.12"
    assert not needs.notes


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-e .", "requirements.txt:2: an editable package is not taken"),
        ("--index-url https://example.org", "the option `--index-url`"),
        ("--extra-index-url=https://example.org", "the option `--extra-index-url`"),
        ("-f /tmp", "the option `-f`"),
        ("--find-links /tmp", "the option `--find-links`"),
        ("--trusted-host x", "the option `--trusted-host`"),
        ("alpha @ https://example.org/a.whl", "names a place"),
        ("git+https://example.org/a", "must be a package's name"),
        ("./a.whl", "must be a package's name"),
        ("file:///tmp/a.whl", "must be a package's name"),
        ("alpha --install-option=x", "the option `--install-option=x`"),
        ("alpha --hash=md5:00", "the option `--hash=md5:00`"),
        ("-r ../outside.txt", "is no file of the repository"),
        ("-r /etc/passwd", "is no file of the repository"),
        ("-r missing.txt", "is no file of the repository"),
        ("alpha \\\n --index-url x", "the option `--index-url`"),
    ],
)
def test_a_line_that_is_no_package_of_an_index_is_refused_by_name(line: str, message: str) -> None:
    with pytest.raises(BadPackages) as caught:
        python_needs(commit({"requirements.txt": f"# all\n{line}\n"}), Declared())

    assert message in str(caught.value)
    assert "requirements.txt:2" in caught.value.where


def test_files_that_name_each_other_are_read_once() -> None:
    texts = {
        "requirements.txt": "alpha\n-r requirements-dev.txt\n",
        "requirements-dev.txt": "-r requirements.txt\nbeta\n",
    }

    assert {str(line.requirement) for line in read_requirements("requirements.txt", commit(texts))} == {
        "alpha",
        "beta",
    }


@given(st.text(alphabet="ab=<>-er.tx\\\n #:/@;[]'\"", max_size=60))
def test_any_text_is_packages_or_an_error(text: str) -> None:
    try:
        lines = read_requirements("requirements.txt", commit({"requirements.txt": text}))
    except BadPackages:
        return
    assert all(line.requirement.url is None for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        "no toml",
        '[project]\ndependencies = "alpha"\n',
        '[project]\ndependencies = ["alpha @ file:///tmp/x"]\n',
        "[dependency-groups]\ndev = [1]\n",
        '[dependency-groups]\ndev = [{include-group = "dev"}]\n',
        '[project]\nrequires-python = "three"\n',
    ],
)
def test_a_project_file_that_can_not_be_used_is_named(text: str) -> None:
    with pytest.raises(BadPackages, match=r"pyproject\.toml"):
        python_needs(commit({"pyproject.toml": text}), Declared())


# Locks


def test_uv_lock_is_read_for_the_platform_and_its_places_are_not_believed() -> None:
    assert read_uv_lock(UV_LOCK, MARKERS) == (
        Pin("alpha", "1.5", (f"sha256:{A}",)),
        Pin("beta", "2.0", (f"sha256:{B}",)),
    )


@pytest.mark.parametrize("source", ["git = 'https://example.org/a'", "url = 'https://e/a'", "path = '../a'"])
def test_a_lock_of_something_elsewhere_is_refused_by_name(source: str) -> None:
    text = UV_LOCK.replace(
        'source = { registry = "https://example.org/simple" }', f"source = {{ {source} }}", 1
    )

    with pytest.raises(BadPackages, match="alpha comes from elsewhere than an index"):
        read_uv_lock(text, MARKERS)


def test_a_lock_without_a_wheel_is_refused_by_name() -> None:
    with pytest.raises(BadPackages, match=r"beta 2\.0 has no wheel with a hash"):
        read_uv_lock(UV_LOCK.replace(f'"sha256:{B}"', '""'), MARKERS)


@pytest.mark.parametrize(
    "text", ["", "no toml", "package = 1", "[[package]]\nname = 'x'\n", UV_LOCK + "[[package]]\n"]
)
def test_a_broken_uv_lock_is_an_error(text: str) -> None:
    try:
        read_uv_lock(text, MARKERS)
    except BadPackages as error:
        assert error.where == "uv.lock"
    else:
        assert text.startswith("version")


def test_pylock_is_read_for_the_platform() -> None:
    text = f"""\
lock-version = "1.0"
[[packages]]
name = "alpha"
version = "1.0"
wheels = [{{ name = "a.whl", url = "https://e/a.whl", hashes = {{ sha256 = "{A}" }} }}]
[[packages]]
name = "winonly"
version = "1.0"
marker = "sys_platform == 'win32'"
[[packages]]
name = "fordev"
version = "1.0"
marker = "'dev' in dependency_groups"
wheels = [{{ name = "f.whl", hashes = {{ sha256 = "{B}" }} }}]
[[packages]]
name = "shop"
directory = {{ path = "." }}
"""
    assert [pin.name for pin in read_pylock(text, MARKERS)] == ["alpha", "fordev"]
    with pytest.raises(BadPackages, match=r"winonly comes from elsewhere than an index \(vcs\)"):
        read_pylock(text.replace("marker = \"sys_platform == 'win32'\"", "vcs = { type = 'git' }"), MARKERS)


def test_a_lock_that_does_not_fit_is_an_error_that_says_so() -> None:
    texts = {"pyproject.toml": '[project]\nname = "shop"\ndependencies = ["alpha>=2"]\n', "uv.lock": UV_LOCK}
    needs = python_needs(commit(texts), Declared())

    with pytest.raises(BadPackages) as caught:
        python_lock(needs, commit(texts), MARKERS)
    assert str(caught.value).startswith(
        "uv.lock: does not fit what the project declares: `alpha>=2` is not locked"
    )
    assert "uv lock" in caught.value.hint


def test_a_lock_with_all_that_is_asked_for_is_whole_and_else_it_is_kept_and_added_to() -> None:
    texts = {"pyproject.toml": '[project]\nname = "shop"\ndependencies = ["alpha"]\n', "uv.lock": UV_LOCK}
    with_runner = UV_LOCK.replace('name = "beta"', 'name = "pytest"')

    lacking = python_lock(python_needs(commit(texts), Declared()), commit(texts), MARKERS)
    assert (lacking.is_whole, lacking.source) == (False, OWN_LOCK)
    needs = python_needs(commit(texts), Declared())
    assert lock_input(needs, lacking.pins) == "alpha\nalpha==1.5\nbeta==2.0\npytest\n"
    whole = python_lock(needs, commit(texts | {"uv.lock": with_runner}), MARKERS)
    assert (whole.is_whole, whole.source) == (True, "uv.lock")


def test_requirements_with_hashes_are_a_lock_and_without_they_are_not() -> None:
    line = f"pytest==8.4 --hash=sha256:{A}\nalpha==1.0 \\\n    --hash=sha256:{B} \\\n    --hash=sha256:{A}\n"
    locked = python_needs(commit({"requirements.txt": line}), Declared())
    assert locked.lock == "requirements.txt"
    assert python_lock(locked, commit({"requirements.txt": line}), MARKERS).pins == (
        Pin("alpha", "1.0", (f"sha256:{A}", f"sha256:{B}")),
        Pin("pytest", "8.4", (f"sha256:{A}",)),
    )
    assert python_needs(commit({"requirements.txt": line + "beta\n"}), Declared()).lock is None


def test_our_own_lock_counts_as_long_as_it_follows_from_the_same() -> None:
    asks = {"requirements.txt": "alpha>=1\n"}
    needs = python_needs(commit(asks), Declared())
    inputs = python_lock(needs, commit(asks), MARKERS).inputs
    pins = f"alpha==1.0 --hash=sha256:{A}\npytest==9.0 --hash=sha256:{B}\n"
    own = {OWN_LOCK: own_lock(pins, inputs, "3.11")}

    assert python_lock(needs, commit(asks | own), MARKERS).is_whole
    other = {"requirements.txt": "alpha>=2\n"}
    assert not python_lock(python_needs(commit(other), Declared()), commit(other | own), MARKERS).is_whole
    newer = MARKERS | {"python_version": "3.12"}
    assert not python_lock(needs, commit(asks | own), newer).is_whole
    # Without what is asked for, the line that says that it follows from it is of no use.
    cut = {OWN_LOCK: own_lock(f"pytest==9.0 --hash=sha256:{B}\n", inputs, "3.11")}
    assert not python_lock(needs, commit(asks | cut), MARKERS).is_whole
    with pytest.raises(BadPackages, match="was not made by Workorder"):
        python_lock(needs, commit(asks | {OWN_LOCK: pins}), MARKERS)


def test_whose_fault_a_package_is() -> None:
    wanted = declared(ConfiguredEnvironment(python=("alpha",)), PlannedEnvironment(python=("Beta_x>=1",)))

    assert type(wanted.error("m", "alpha", "h")) is BadPackages
    assert wanted.error("m", "alpha", "h").where == "workorder.toml"
    assert type(wanted.error("m", "beta-x", "h")) is BadPlannedPackages


@pytest.mark.parametrize(
    ("text", "version"),
    [("3.12\n", "3.12"), ("3.12.4\n", "3.12"), ("cpython-3.13", "3.13"), ("pypy3.10\n", None), ("2.7", None)],
)
def test_the_file_that_names_a_version(text: str, version: str | None) -> None:
    assert python_needs(commit({".python-version": text}), Declared()).version == version


def test_locks_of_tools_that_are_not_read_are_told() -> None:
    needs = python_needs(commit({"poetry.lock": ""}), Declared())

    assert next(iter(needs.unread)).startswith("poetry.lock is not read")
