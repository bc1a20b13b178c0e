"""The filter of system calls, run by a small interpreter of its instructions, on both architectures."""

import errno
import struct

import pytest

from factory.system.sandbox.levels.seccomp import ARCHITECTURES, Architecture, program

ALLOWED, KILLED = "allowed", "killed"
UNIX, INET, PACKET, VSOCK = 1, 2, 17, 40
STREAM, DATAGRAM, RAW = 1, 2, 3


def answer(code: bytes, architecture: int, number: int, arguments: tuple[int, ...]) -> str | int:
    """What the filter says about a call: `allowed`, `killed`, or an error number."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *padded)
    instructions = list(struct.iter_unpack("<HBBI", code))
    accumulator, place = 0, 0
    while True:
        operation, if_true, if_false, value = instructions[place]
        place += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, value)
            case 0x54:
                accumulator &= value
            case 0x06:
                kind = value & 0xFFFF0000
                return {0x7FFF0000: ALLOWED, 0x80000000: KILLED}.get(kind, value & 0xFFFF)
            case _:
                holds = {
                    0x15: accumulator == value,
                    0x35: accumulator >= value,
                    0x25: accumulator > value,
                    0x45: bool(accumulator & value),
                }[operation]
                place += if_true if holds else if_false


def asked(
    architecture: Architecture, name: str, *arguments: int, own: bool = True, among: bool = False
) -> str | int:
    code = program(architecture, own_network=own, among_others=among)
    return answer(code, architecture.audit, architecture.calls[name], arguments)


@pytest.fixture(params=sorted(ARCHITECTURES))
def architecture(request: pytest.FixtureRequest) -> Architecture:
    return ARCHITECTURES[request.param]


@pytest.mark.parametrize(
    "name", ["mount", "unshare", "setns", "ptrace", "bpf", "keyctl", "open_by_handle_at"]
)
def test_what_is_forbidden(architecture: Architecture, name: str) -> None:
    assert asked(architecture, name) == errno.EPERM


@pytest.mark.parametrize("name", ["clone3", "io_uring_setup", "memfd_create", "openat2"])
def test_what_seems_not_to_exist(architecture: Architecture, name: str) -> None:
    assert asked(architecture, name) == errno.ENOSYS


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("socket", (UNIX, STREAM), ALLOWED),
        ("socket", (INET, DATAGRAM), ALLOWED),
        ("socket", (PACKET, STREAM), errno.EPERM),
        ("socket", (VSOCK, STREAM), errno.EPERM),
        ("connect", (3,), ALLOWED),
        ("clone", (17,), ALLOWED),
        ("clone", (0x10000000 | 17,), errno.EPERM),
        ("clone", (0x3D0F00,), ALLOWED),
        ("fchmod", (3, 0o755), ALLOWED),
        ("fchmod", (3, 0o4755), errno.EPERM),
        ("fchmodat", (3, 0, 0o2755), errno.EPERM),
        ("openat", (3, 0, 0, 0o4755), ALLOWED),
        ("openat", (3, 0, 0o101, 0o4755), errno.EPERM),
        ("openat", (3, 0, 0o20200001, 0o4755), errno.EPERM),
        ("openat", (3, 0, 0o101, 0o644), ALLOWED),
        ("mknodat", (3, 0, 0o104755), errno.EPERM),
        ("ioctl", (0, 0x5412), errno.EPERM),
        ("ioctl", (0, 0x541C), errno.EPERM),
        ("ioctl", (0, 0x5413), ALLOWED),
        # The kernel looks at the lower half of a command alone.
        ("ioctl", (0, 0x100005412), errno.EPERM),
        ("shmget", (0, 56), ALLOWED),
        ("shmget", (0, 65_537), errno.EPERM),
        ("shmget", (0, 1 << 33), errno.EPERM),
    ],
)
def test_what_depends_on_arguments(
    architecture: Architecture, name: str, arguments: tuple[int, ...], expected: str | int
) -> None:
    assert asked(architecture, name, *arguments) == expected


def test_without_a_network_of_its_own_there_is_none(architecture: Architecture) -> None:
    assert asked(architecture, "socket", INET, STREAM, own=False) == errno.EPERM
    assert asked(architecture, "socket", UNIX, STREAM, own=False) == ALLOWED


def test_among_other_programs_nothing_is_connected_to_or_shared(architecture: Architecture) -> None:
    def among(name: str, *arguments: int) -> str | int:
        return asked(architecture, name, *arguments, own=False, among=True)

    assert among("connect", 3) == errno.EPERM
    assert among("socket", UNIX, STREAM | 0o2000000) == ALLOWED
    assert among("socket", UNIX, DATAGRAM | 0o2000000) == errno.EPERM
    assert among("socketpair", UNIX, STREAM) == ALLOWED
    assert among("socketpair", UNIX, DATAGRAM) == errno.EPERM
    assert among("socketpair", UNIX, RAW) == errno.EPERM
    assert among("socket", UNIX, RAW) == errno.EPERM
    assert among("shmget", 0, 56) == errno.ENOSYS
    assert among("prlimit64", 0, 1) == ALLOWED
    assert among("prlimit64", 1, 1) == errno.EPERM


def test_among_other_programs_the_network_is_no_way_to_their_sockets(architecture: Architecture) -> None:
    def among(name: str, *arguments: int) -> str | int:
        return asked(architecture, name, *arguments, own=True, among=True)

    assert among("connect", 3) == ALLOWED
    assert among("socket", INET, STREAM) == ALLOWED
    assert among("socket", INET, DATAGRAM) == ALLOWED
    assert among("socket", UNIX, STREAM) == errno.EPERM
    assert among("socketpair", UNIX, STREAM) == ALLOWED
    assert among("socketpair", UNIX, DATAGRAM) == errno.EPERM
    assert among("shmget", 0, 56) == errno.ENOSYS


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("fchown", errno.EPERM),
        ("fchownat", errno.EPERM),
        ("setxattr", errno.ENOTSUP),
        ("fsetxattr", errno.ENOTSUP),
        ("lremovexattr", errno.ENOTSUP),
        ("setxattrat", errno.ENOTSUP),
        ("file_setattr", errno.ENOSYS),
        # Programs need it for their own.
        ("fchmodat", ALLOWED),
    ],
)
def test_among_other_files_of_the_user_none_gets_another_group_or_attributes(
    architecture: Architecture, name: str, refused: str | int
) -> None:
    for among_files, expected in ((True, refused), (False, ALLOWED)):
        code = program(architecture, own_network=False, among_others=True, among_files=among_files)
        assert answer(code, architecture.audit, architecture.calls[name], (0, 0, 0o755)) == expected


def test_another_architecture_is_killed(architecture: Architecture) -> None:
    code = program(architecture, own_network=True, among_others=False)

    assert answer(code, 0x40000003, 0, ()) == KILLED


def test_the_second_table_of_x86_is_closed() -> None:
    x86 = ARCHITECTURES["x86_64"]
    code = program(x86, own_network=True, among_others=False)

    assert answer(code, x86.audit, 0x40000000 | x86.calls["mount"], ()) == errno.ENOSYS


def test_every_call_that_is_refused_has_a_number() -> None:
    only_of_x86 = {"chmod", "chown", "lchown", "creat", "ioperm", "iopl", "mknod", "open", "uselib"}

    assert set(ARCHITECTURES["x86_64"].calls) - set(ARCHITECTURES["aarch64"].calls) == only_of_x86
    for architecture in ARCHITECTURES.values():
        assert len(set(architecture.calls.values())) == len(architecture.calls)
