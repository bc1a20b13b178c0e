"""Hostile programs in the sandbox get nothing; the same programs without one show that they would."""

import pytest

from tests.security.attacks import ATTACKS, ROOT, program
from tests.security.scene import EACH_ONCE, USERS, drive, protected_place

LEVELS = ("bwrap", "bwrap-noproc", "landlock")
LAST_RESORTS = ("bwrap-as-root", "bwrap-noproc-as-root", "landlock-as-root")

CASES = [(user, level) for user in USERS for level in LEVELS] + [
    (ROOT, level) for level in LAST_RESORTS if ROOT in USERS
]


def breaches(user: str, level: str, network: str = "none") -> set[str]:
    """Which attacks succeed."""
    together = {name: attack for name, attack in ATTACKS.items() if not attack.apart}
    groups = [together, *({name: attack} for name, attack in ATTACKS.items() if attack.apart)]
    with protected_place(user) as place:
        requests = [
            {
                "name": f"attacks {number}",
                "argv": ["python", "-c", program(group), str(place), "STARTER"],
                "apart": group is not together,
                "network": network,
            }
            for number, group in enumerate(groups)
        ]
        printed = [answer["output"] for answer in drive(user, level, place, requests).values()]
    assert [text for text in printed if not text.endswith("all were made\n")] == []
    lines = "".join(printed).splitlines()
    return {line.removeprefix("BREACH ") for line in lines if line.startswith("BREACH ")}


def admitted(user: str, level: str) -> set[str]:
    """The attacks of which the level says itself that it does not keep them out."""
    plain_level = level.removesuffix("-as-root")
    levels = {plain_level, f"{plain_level} of {user}"}
    return {name for name, attack in ATTACKS.items() if levels & attack.open_at}


@pytest.mark.parametrize(("user", "level"), CASES)
def test_no_attack_succeeds_but_those_that_the_level_admits(user: str, level: str) -> None:
    assert breaches(user, level) - admitted(user, level) == set()


@pytest.mark.parametrize(("user", "level"), EACH_ONCE)
def test_with_the_machine_s_network_nothing_else_is_open(user: str, level: str) -> None:
    # A Unix socket without a path is part of the network that it is in.
    network = {"connects to the machine", "sees the machine's network", "connects to an abstract socket"}

    found = breaches(user, level, network="host")
    assert found - admitted(user, level) - network == set()
    assert "connects to the machine" in found


@pytest.mark.parametrize("user", USERS)
def test_without_a_sandbox_the_attacks_are_real(user: str) -> None:
    expected = {name for name, attack in ATTACKS.items() if user in attack.works_for}

    assert expected - breaches(user, "none") == set()
