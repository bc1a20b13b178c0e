"""The last program before a confined command: sets limits, gives up rights, and becomes the command.

Started by a `Sandbox` as `python -I -S enter.py REPORT_FD ORDERS -- COMMAND …`; ORDERS are those of
`orders`, as `marshal` writes them, in hexadecimal digits. Writes `ready` to REPORT_FD
when nothing but the command itself is left to be started, and after it the error number if that fails.
Whatever goes wrong earlier ends it without that word, so that a command never runs with less protection
than was ordered.

Standard library only, and as little of it as can be, because it starts with every command: `json`, `signal`
and `typing` would take longer than all the rest. Imports nothing of this project.
"""

import _signal  # type: ignore[import-not-found]
import errno
import marshal
import os
import resource
import stat
import struct
import sys

_NICENESS = 5
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
# The same numbers on every architecture.
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446
_CAPSET = {"x86_64": 126, "aarch64": 91}
_LANDLOCK_RULE_PATH_BENEATH = 1


def main() -> None:
    report_fd, orders, command = int(sys.argv[1]), marshal.loads(bytes.fromhex(sys.argv[2])), sys.argv[4:]
    os.set_inheritable(report_fd, False)
    # Whoever watches over the command must come first, also when it keeps every processor busy.
    os.nice(_NICENESS)
    if orders["own_group"]:
        os.setpgid(0, 0)
    _limit(orders["limits"])
    if orders["user"] is not None:
        _become(*orders["user"])
    # After the change of user: until then it would count against the one that we come from.
    _limit(orders["limits_of_user"])
    if orders["landlock"] is not None:
        _give_up_rights()
        _restrict(**orders["landlock"])
    if orders["seccomp"]:
        _filter(bytes.fromhex(orders["seccomp"]))
    # Python ignores these two; a command expects them to be as at its start.
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)
    os.write(report_fd, b"ready")
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(report_fd, str(_error_number(error, command[0])).encode())
        os._exit(127)


def _error_number(error: OSError, program: str) -> int | None:
    """The error number. A program that is nowhere on PATH is missing, even if a directory on it is closed."""
    if error.errno != errno.EACCES or "/" in program:
        return error.errno
    exists = any(os.path.lexists(f"{folder}/{program}") for folder in os.get_exec_path())
    return errno.EACCES if exists else errno.ENOENT


def _limit(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        number = getattr(resource, name)
        _, hard = resource.getrlimit(number)
        # Nobody may raise a limit that stands already.
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))


def _become(user: int, group: int) -> None:
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)


def _call(name: str, *arguments: object) -> int:
    """Call a function of the C library; what it returned.

    Raises:
        OSError: it failed.
    """
    # Only where it is needed: to import it takes a few milliseconds.
    import ctypes

    result: int = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _give_up_rights() -> None:
    """Never gain a privilege again, and give up those that there are."""
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = struct.pack("<Ii", _CAPABILITY_VERSION_3, 0)
    _call("syscall", _CAPSET[os.uname().machine], header, bytes(24))


def _restrict(attributes: str, rules: list[tuple[str, int, int]]) -> None:
    """Enter a Landlock domain: what no rule allows is forbidden.

    Args:
        attributes: struct landlock_ruleset_attr, in hexadecimal digits.
        rules: paths, what is allowed below a directory, and what is allowed if it is a file.
    """
    structure = bytes.fromhex(attributes)
    ruleset = _call("syscall", _LANDLOCK_CREATE_RULESET, structure, len(structure), 0)
    for path, below, on_file in rules:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            # What is not there, or closed to us, is not allowed either.
            continue
        allowed = below if stat.S_ISDIR(os.fstat(opened).st_mode) else on_file
        rule = struct.pack("<Qi", allowed, opened)
        _call("syscall", _LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_RULE_PATH_BENEATH, rule, 0)
        os.close(opened)
    _call("syscall", _LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _filter(program: bytes) -> None:
    import ctypes

    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: a count of instructions and, aligned, where they are.
    structure = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _call("prctl", _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, structure, 0, 0)


if __name__ == "__main__":
    main()
