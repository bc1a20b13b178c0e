"""The system calls that confined code is refused, as a classic BPF program for seccomp(2).

Everything else is allowed: this filter closes what namespaces and Landlock leave open, such as further
namespaces, kernel keyrings, io_uring, and memory that no limit counts. Pure: it makes bytes.
"""

import errno
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_MORE: Final = 0x25  # BPF_JMP | BPF_JGT | BPF_K
_BITS: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_AND: Final = 0x54  # BPF_ALU | BPF_AND | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K

_ALLOW: Final = 0x7FFF0000
_KILL_PROCESS: Final = 0x80000000
_ERRNO: Final = 0x00050000

# Offsets in struct seccomp_data: nr, arch, instruction_pointer, args[6].
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

_X32_BIT: Final = 0x40000000

_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_SOCK_TYPE_MASK, _SOCK_DGRAM, _SOCK_RAW = 0xF, 2, 3
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
_NEW_NAMESPACES: Final = 0x7E020000
_SET_ID_BITS: Final = 0o6000
# O_CREAT and __O_TMPFILE: only then does the mode mean anything.
_CREATING: Final = 0o20000100
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_LARGEST_SHARED_SEGMENT: Final = 65_536


@dataclass(frozen=True)
class Architecture:
    """A processor's numbers.

    Attributes:
        audit: its AUDIT_ARCH constant.
        calls: the number of each system call by name; a call that it doesn't have is missing.
        has_x32: whether there is a second table of calls behind a bit of the number.
    """

    audit: int
    calls: Mapping[str, int]
    has_x32: bool = False


# Since Linux 5.0 new calls have the same number everywhere.
_COMMON: Final = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435,
    "openat2": 437, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "memfd_secret": 447,
    "fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "file_setattr": 469,
}  # fmt: skip

ARCHITECTURES: Final[Mapping[str, Architecture]] = {
    "x86_64": Architecture(
        0xC000003E,
        {
            **_COMMON,
            "open": 2, "ioctl": 16, "shmget": 29, "shmat": 30, "socket": 41, "connect": 42, "socketpair": 53,
            "clone": 56, "semget": 64, "msgget": 68, "creat": 85, "chmod": 90, "fchmod": 91, "chown": 92,
            "fchown": 93, "lchown": 94, "ptrace": 101, "syslog": 103,
            "mknod": 133, "uselib": 134, "vhangup": 153, "pivot_root": 155, "adjtimex": 159,
            "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167,
            "swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172,
            "ioperm": 173, "init_module": 175, "delete_module": 176, "quotactl": 179, "setxattr": 188,
            "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199,
            "lookup_dcookie": 212,
            "clock_settime": 227, "mq_open": 240, "kexec_load": 246, "add_key": 248, "request_key": 249,
            "keyctl": 250, "openat": 257, "mknodat": 259, "fchownat": 260, "fchmodat": 268, "unshare": 272,
            "perf_event_open": 298, "fanotify_init": 300, "name_to_handle_at": 303, "open_by_handle_at": 304,
            "prlimit64": 302, "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310,
            "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "memfd_create": 319,
            "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
        },
        has_x32=True,
    ),
    "aarch64": Architecture(
        0xC00000B7,
        {
            **_COMMON,
            "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15,
            "fremovexattr": 16, "lookup_dcookie": 18, "ioctl": 29,
            "mknodat": 33, "umount2": 39, "mount": 40, "pivot_root": 41,
            "chroot": 51, "fchmod": 52, "fchmodat": 53, "fchownat": 54, "fchown": 55,
            "openat": 56, "vhangup": 58, "quotactl": 60,
            "acct": 89, "unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106,
            "clock_settime": 112, "syslog": 116, "ptrace": 117, "reboot": 142, "sethostname": 161,
            "setdomainname": 162, "settimeofday": 170, "adjtimex": 171, "mq_open": 180, "msgget": 186,
            "semget": 190, "shmget": 194, "shmat": 196, "socket": 198, "socketpair": 199, "connect": 203,
            "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225,
            "perf_event_open": 241, "prlimit64": 261, "fanotify_init": 262, "name_to_handle_at": 264,
            "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268, "process_vm_readv": 270,
            "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "memfd_create": 279, "bpf": 280,
            "userfaultfd": 282, "kexec_file_load": 294,
        },
    ),
}  # fmt: skip

_FORBIDDEN: Final = (
    "acct", "add_key", "adjtimex", "bpf", "chroot", "clock_adjtime", "clock_settime", "delete_module",
    "fanotify_init", "finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "init_module", "ioperm",
    "iopl", "kcmp", "kexec_file_load", "kexec_load", "keyctl", "lookup_dcookie", "mount", "mount_setattr",
    "move_mount", "name_to_handle_at", "open_by_handle_at", "open_tree", "perf_event_open", "pidfd_getfd",
    "pivot_root", "process_madvise", "process_vm_readv", "process_vm_writev", "ptrace", "quotactl", "reboot",
    "request_key", "setdomainname", "sethostname", "setns", "settimeofday", "swapoff", "swapon", "syslog",
    "umount2", "unshare", "uselib", "userfaultfd", "vhangup",
)  # fmt: skip
# Programs have another way for each of these, and take it when the kernel seems not to know the call.
# clone3 and openat2 take their flags through a pointer, which a filter can't follow; memory of the others is
# counted by no limit.
_UNKNOWN: Final = (
    "clone3", "io_uring_enter", "io_uring_register", "io_uring_setup", "memfd_create", "memfd_secret",
    "msgget", "openat2",
)  # fmt: skip

# Landlock knows no owners and no attributes, and a filter no paths: it is those of all files or of none.
# Programs of an ordinary user get along without; to those of root it is an error.
_OWNERS: Final = ("chown", "fchown", "fchownat", "lchown")
_ATTRIBUTES: Final = (
    "fremovexattr", "fsetxattr", "lremovexattr", "lsetxattr", "removexattr", "removexattrat", "setxattr",
    "setxattrat",
)  # fmt: skip

_Instruction = tuple[int, int, int, int]


def program(
    architecture: Architecture, *, own_network: bool, among_others: bool, among_files: bool = False
) -> bytes:
    """The filter, as an array of struct sock_filter.

    Args:
        architecture: the processor's numbers.
        own_network: whether the network may be used, because it is the sandbox's own or the user opened it.
        among_others: whether sockets, shared memory and processes of other programs could be reached, so that
            nothing may be connected to by a path, shared, or limited.
        among_files: whether other files could be reached by an ordinary user, so that none may be given
            another group or attributes.
    """
    blocks = _blocks(own_network=own_network, among_others=among_others)
    if among_files:
        blocks |= {name: [_refuse(errno.EPERM)] for name in _OWNERS}
        blocks |= {name: [_refuse(errno.ENOTSUP)] for name in _ATTRIBUTES}
        blocks["file_setattr"] = [_refuse(errno.ENOSYS)]
    code: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture.audit),
        _answer(_KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if architecture.has_x32:
        code += [(_AT_LEAST, 0, 1, _X32_BIT), _refuse(errno.ENOSYS)]
    for name, block in sorted(blocks.items()):
        number = architecture.calls.get(name)
        if number is not None:
            code += [(_EQUAL, 0, len(block), number), *block]
    code.append(_answer(_ALLOW))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _blocks(*, own_network: bool, among_others: bool) -> dict[str, list[_Instruction]]:
    """What to do about each call; each block ends in an answer."""
    blocks = {name: [_refuse(errno.EPERM)] for name in _FORBIDDEN}
    blocks |= {name: [_refuse(errno.ENOSYS)] for name in _UNKNOWN}
    networks = [_AF_INET, _AF_INET6, _AF_NETLINK] if own_network else []
    blocks |= {
        "socket": _unless_one_of(0, [_AF_UNIX, *networks]),
        "clone": _if_bits(0, _NEW_NAMESPACES),
        "chmod": _if_bits(1, _SET_ID_BITS),
        "fchmod": _if_bits(1, _SET_ID_BITS),
        "fchmodat": _if_bits(2, _SET_ID_BITS),
        "fchmodat2": _if_bits(2, _SET_ID_BITS),
        "creat": _if_bits(1, _SET_ID_BITS),
        "mknod": _if_bits(1, _SET_ID_BITS),
        "mknodat": _if_bits(2, _SET_ID_BITS),
        "open": _if_created_with_bits(1, 2, _SET_ID_BITS),
        "openat": _if_created_with_bits(2, 3, _SET_ID_BITS),
        "ioctl": _if_one_of(1, (_TIOCSTI, _TIOCLINUX)),
        "shmget": _if_more(1, _LARGEST_SHARED_SEGMENT),
    }
    if among_others:
        blocks |= {name: [_refuse(errno.ENOSYS)] for name in ("mq_open", "semget", "shmat", "shmget")}
        # A datagram needs no connection, and names its destination behind a pointer. As a raw one it is the
        # same to a Unix socket.
        datagram = _if_masked(1, _SOCK_TYPE_MASK, (_SOCK_DGRAM, _SOCK_RAW))
        blocks["socketpair"] = datagram
        # The destination of a connection stands behind a pointer, too: either no socket is connected, or
        # there is none of the kind that has a path.
        if own_network:
            blocks["socket"] = _unless_one_of(0, networks)
        else:
            blocks["connect"] = [_refuse(errno.EPERM)]
            blocks["socket"] = [*datagram[:-1], *blocks["socket"]]
        # Only its own: a process that is over a limit that it is given is killed by the kernel.
        blocks["prlimit64"] = _unless_one_of(0, [0])
    return blocks


def _answer(action: int) -> _Instruction:
    return (_RETURN, 0, 0, action)


def _refuse(error: int) -> _Instruction:
    return _answer(_ERRNO | error)


def _low(argument: int) -> _Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)


def _high(argument: int) -> _Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument + 4)


def _if_bits(argument: int, bits: int) -> list[_Instruction]:
    return [_low(argument), (_BITS, 0, 1, bits), _refuse(errno.EPERM), _answer(_ALLOW)]


def _if_created_with_bits(flags: int, mode: int, bits: int) -> list[_Instruction]:
    return [_low(flags), (_BITS, 0, 3, _CREATING), *_if_bits(mode, bits)]


def _if_masked(argument: int, mask: int, values: Iterable[int]) -> list[_Instruction]:
    return [_low(argument), (_AND, 0, 0, mask), *_if_one_of(argument, values)[1:]]


def _if_one_of(argument: int, values: Iterable[int]) -> list[_Instruction]:
    code = [_low(argument)]
    for value in values:
        code += [(_EQUAL, 0, 1, value), _refuse(errno.EPERM)]
    return [*code, _answer(_ALLOW)]


def _unless_one_of(argument: int, values: Iterable[int]) -> list[_Instruction]:
    code = [_low(argument)]
    for value in values:
        code += [(_EQUAL, 0, 1, value), _answer(_ALLOW)]
    return [*code, _refuse(errno.EPERM)]


def _if_more(argument: int, largest: int) -> list[_Instruction]:
    return [
        _high(argument),
        (_EQUAL, 0, 2, 0),
        _low(argument),
        (_MORE, 0, 1, largest),
        _refuse(errno.EPERM),
        _answer(_ALLOW),
    ]
