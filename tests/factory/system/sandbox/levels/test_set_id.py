"""What must not remain in a directory after hostile code has run there."""

import os
import stat
from pathlib import Path

from factory.checkout.state.git_state import remove_tree
from factory.system.sandbox.levels.set_id import strip_set_id


def test_set_user_bits_are_taken_off_and_nothing_else(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    outside.chmod(0o4755)
    root = tmp_path / "root"
    (root / "-deep/er").mkdir(parents=True)
    for name, mode in {"a": 0o4755, "-deep/er/b\n": 0o6711, "c": 0o644}.items():
        (root / name).write_text("x")
        (root / name).chmod(mode)
    (root / "link").symlink_to(outside)
    (root / "-deep").chmod(0o2755)
    os.mkfifo(root / "pipe")

    assert strip_set_id(root) == 2

    modes = {name: stat.S_IMODE((root / name).stat().st_mode) for name in ("a", "-deep/er/b\n", "c", "-deep")}
    assert modes == {"a": 0o755, "-deep/er/b\n": 0o711, "c": 0o644, "-deep": 0o2755}
    assert stat.S_IMODE(outside.stat().st_mode) == 0o4755


def test_no_depth_hides_one(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    opened = os.open(root, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d" * 10, dir_fd=opened)
        below = os.open("d" * 10, os.O_RDONLY, dir_fd=opened)
        os.close(opened)
        opened = below
    file = os.open("hidden", os.O_CREAT | os.O_RDWR, 0o755, dir_fd=opened)
    os.fchmod(file, 0o4755)
    try:
        assert strip_set_id(root) == 1
        assert stat.S_IMODE(os.fstat(file).st_mode) == 0o755
    finally:
        os.close(file)
        os.close(opened)
        remove_tree(root)
