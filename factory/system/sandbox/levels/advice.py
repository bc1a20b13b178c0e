"""What to do when a sandbox can't start: the known complaints of bubblewrap and the kernel."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Advice:
    """One known reason.

    Attributes:
        sign: what the complaint contains.
        reason: what it means, a clause.
        remedies: what to do, each a line; a command stands alone on its line, so that it can be copied.
    """

    sign: str
    reason: str
    remedies: tuple[str, ...]


INSTALL: Final = (
    "install bubblewrap with one of:",
    "apt-get install bubblewrap",
    "dnf install bubblewrap",
    "pacman -S bubblewrap",
)

_CONTAINER: Final = (
    "in Docker, start the container with:",
    "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined …",
)
_APPARMOR: Final = (
    "give bubblewrap its AppArmor profile:",
    "apt-get install apparmor-profiles",
    "install -m 0644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/",
    "apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
    "or on a throw-away CI machine:",
    "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
)

KNOWN: Final = (
    Advice("No permissions to creat", "namespaces are forbidden, by a container or a setting", _CONTAINER),
    Advice("Failed to make / slave", "mounts are forbidden, as in most containers", _CONTAINER),
    Advice(
        "nesting depth or /proc/sys/user/max_",
        "no further namespaces may be made: this runs in a sandbox already, or they are switched off",
        ("run outside that sandbox, or raise the limit:", "sysctl user.max_user_namespaces"),
    ),
    Advice(
        "setting up uid map: Permission denied", "AppArmor restricts namespaces of ordinary users", _APPARMOR
    ),
    Advice(
        "loopback: Failed RTM_NEWADDR", "AppArmor restricts namespaces of ordinary users", _APPARMOR
    ),
    Advice(
        "setting up uid map: Operation not permitted",
        "root has no right to map users here (CAP_SETFCAP)",
        ("run as an ordinary user",),
    ),
    Advice(
        "Can't mount proc", "parts of /proc are masked, as in containers", ("level bwrap-noproc serves here",)
    ),
    Advice(
        "/proc/sys/user/max_user_namespaces: Read-only",
        "/proc/sys can't be written, as in another sandbox",
        ("level bwrap-noproc serves here",),
    ),
    Advice(
        "Resource temporarily unavailable",
        "the user has too many processes",
        ("end some processes, or raise the limit of processes (ulimit -u)",),
    ),
    Advice(
        "can't be given to user",
        "root may not give files away here (CAP_CHOWN)",
        ("run as an ordinary user",),
    ),
    Advice(
        "setgroups", "root may not become another user here", ("run as an ordinary user", *_CONTAINER)
    ),
)  # fmt: skip
"""In the order in which they are looked for."""


def advice_for(complaint: str) -> Advice:
    """What a complaint means; one of its own for a complaint that is not known."""
    for advice in KNOWN:
        if advice.sign in complaint:
            return advice
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    return Advice("", lines[-1] if lines else "it gave no reason", ())
