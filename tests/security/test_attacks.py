"""Hostile programs in the sandbox get nothing; the same programs without one show that they would."""

import pytest

from tests.security.attacks import ATTACKS, BREACH, ROOT
from tests.security.scene import USERS, drive, protected_place

LEVELS = ("bwrap", "bwrap-noproc", "landlock")
LAST_RESORTS = ("bwrap-as-root", "bwrap-noproc-as-root", "landlock-as-root")

CASES = [(user, level) for user in USERS for level in LEVELS] + [
    (ROOT, level) for level in LAST_RESORTS if ROOT in USERS
]


def breaches(user: str, level: str) -> dict[str, bool]:
    """Which attacks succeed."""
    with protected_place(user) as place:
        requests = [
            {
                "name": name,
                "argv": ["python", "-c", attack.program, str(place), "STARTER"],
                "apart": attack.apart,
            }
            for name, attack in ATTACKS.items()
        ]
        return {
            name: BREACH in answer["output"] for name, answer in drive(user, level, place, requests).items()
        }


@pytest.mark.parametrize(("user", "level"), CASES)
def test_no_attack_succeeds_but_those_that_the_level_admits(user: str, level: str) -> None:
    plain_level = level.removesuffix("-as-root")
    admitted = {name for name, attack in ATTACKS.items() if plain_level in attack.open_at}

    succeeded = {name for name, broke_out in breaches(user, level).items() if broke_out}

    assert succeeded - admitted == set()


@pytest.mark.parametrize("user", USERS)
def test_without_a_sandbox_the_attacks_are_real(user: str) -> None:
    found = breaches(user, "none")

    failed = {name for name, attack in ATTACKS.items() if user in attack.works_for and not found[name]}
    assert failed == set()
