"""What the rules of a Landlock domain open; that they hold is tested in `tests/security`."""

import marshal
import os
import sys
from pathlib import Path

import pytest

from factory.system.process.command import Command
from factory.system.sandbox.levels.landlock import LandlockDomain
from factory.system.sandbox.policy import Policy


def test_an_interpreter_in_a_home_does_not_open_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "ada"
    (home / "bin").mkdir(parents=True)
    (home / "bin/python3").write_text("#!/bin/sh\n")
    # What a virtual environment of this interpreter names as the one it was made with.
    monkeypatch.setattr(sys, "_base_executable", str(home / "bin/python3"))
    policy = Policy(
        root=tmp_path / "checkout", home=tmp_path / "home", temporary=tmp_path / "tmp", shared=tmp_path
    )
    policy.root.mkdir()

    prepared = LandlockDomain(3, becomes_user=False).wrap(
        Command(("true",), policy.root, {}, 1.0, tmp_path / "out"), policy
    )
    prepared.close_inherited()
    os.close(prepared.report_fd)

    orders = marshal.loads(bytes.fromhex(prepared.argv[5]))
    opened = [Path(path) for path, _, _ in orders["landlock"]["rules"]]
    assert home / "bin/python3" in opened
    assert not any(home.is_relative_to(place) for place in opened)
