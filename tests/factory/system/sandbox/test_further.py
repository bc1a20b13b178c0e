"""Which further directories a repository may have shown to commands."""

from pathlib import Path

import pytest

from factory.system.sandbox.further import further_places
from factory.system.sandbox.port import SandboxRefused


def _places(*paths: str | Path, home: str | Path = "/home/ada") -> tuple[Path, ...]:
    return further_places([str(path) for path in paths], {"HOME": str(home)}, "workorder.toml, sandbox.read")


def test_a_directory_with_data_is_shown_once(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "link").symlink_to("models")

    assert _places(tmp_path / "models", tmp_path / "link", tmp_path / "models") == (
        tmp_path / "models",
        tmp_path / "link",
    )


@pytest.mark.parametrize(
    "path", ["/", "/etc", "/etc/ssl", "/proc", "/proc/self", "/sys/kernel", "/var/lib", "/tmp", "/dev"]
)
def test_a_place_of_the_system_is_never_shown(path: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(path)

    for place in (path, tmp_path / "link"):
        with pytest.raises(SandboxRefused, match="may never see"):
            _places(place)


def test_of_a_home_only_what_holds_no_settings_is_shown(tmp_path: Path) -> None:
    home = tmp_path / "people/ada"
    for name in (".ssh", "data/.cache/models", "models"):
        (home / name).mkdir(parents=True)
    (home / "models" / "link").symlink_to(home / ".ssh")

    assert _places(home / "models", home=home) == (home / "models",)
    for place in (
        home,
        tmp_path / "people",
        home / ".ssh",
        home / "data/.cache/models",
        home / "models/link",
    ):
        with pytest.raises(SandboxRefused, match="may never see"):
            _places(place, home=home)


def test_what_is_no_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    for place in (tmp_path / "missing", tmp_path / "file"):
        with pytest.raises(SandboxRefused, match="there is no directory") as caught:
            _places(place)
        assert caught.value.where == "workorder.toml, sandbox.read"
