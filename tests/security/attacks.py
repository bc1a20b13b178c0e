"""What hostile code tries: small programs that call `breach` when they got what no command may have.

Each runs in the checkout; its arguments are the place around it and the process id of whoever started it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

ROOT, PLAIN = "root", "plain"
BOTH = frozenset({ROOT, PLAIN})

_COMMON = """
import ctypes, errno, os, pathlib, socket, stat, struct, sys, time
place, starter = pathlib.Path(sys.argv[1]), int(sys.argv[2])
library = ctypes.CDLL(None, use_errno=True)
# Also in the memory of each process that is forked from here, at the same place.
word = ctypes.create_string_buffer(b"replaced")
def system_call(name, *arguments):
    numbers = {"x86_64": 0, "aarch64": 1}
    number = {
        "unshare": (272, 97), "clone": (56, 220), "setns": (308, 268), "add_key": (248, 217),
        "memfd_create": (319, 279), "ptrace": (101, 117), "mount": (165, 40), "shmget": (29, 194),
        "process_vm_readv": (310, 270), "open_by_handle_at": (304, 265), "clone3": (435, 435),
        "openat2": (437, 437), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    }[name][numbers[os.uname().machine]]
    return library.syscall(number, *arguments)
def parent():
    # The number that it has in /proc need not be that of its own namespace.
    try:
        return int(open("/proc/self/stat").read().rpartition(")")[2].split()[1])
    except OSError:
        return os.getppid()
"""

_ONE_BY_ONE = """
for name, source in sources.items():
    pid = os.fork()
    if pid == 0:
        def breach(when=True):
            if when:
                print("BREACH", name, flush=True)
        try:
            exec(source)
        except BaseException as error:
            print("failed:", name, repr(error), flush=True)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
print("all were made")
"""


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes:
        source: the program, without the common part.
        works_for: the users for whom it succeeds when nothing protects the machine.
        open_at: the levels that say themselves that they don't keep it out.
        apart: whether it needs a checkout of its own, because it would spoil that of the others.
    """

    source: str
    works_for: frozenset[str] = BOTH
    open_at: frozenset[str] = frozenset()
    apart: bool = False


def program(attacks: Mapping[str, Attack]) -> str:
    """One program that makes each attack in a process of its own; prints BREACH and its name if it worked."""
    sources = {name: attack.source for name, attack in attacks.items()}
    return f"{_COMMON}\nsources = {sources!r}\n{_ONE_BY_ONE}"


LANDLOCK = frozenset({"landlock"})
# Where root can't become another user.
LANDLOCK_AS_ROOT = frozenset({"landlock of root"})
AS_ROOT = frozenset({ROOT})

ATTACKS = {
    # Files
    "reads a file outside": Attack("breach('canary' in (place / 'outside/secret').read_text())"),
    "writes a file outside": Attack("(place / 'outside/victim').open('a').write('x'); breach()"),
    "lists what is beside the checkout": Attack("breach('outside' in os.listdir(place))"),
    "reads a key in the user's home": Attack("breach(bool((place / 'user/.ssh/id').read_text()))"),
    "links a file from outside": Attack("os.link(place / 'outside/victim', 'linked'); breach()"),
    "follows a link that it made": Attack(
        "os.symlink(place / 'outside/victim', 'link'); open('link', 'a').write('x'); breach()"
    ),
    "changes permissions and times of a file outside": Attack(
        "victim = place / 'outside/victim'; victim.chmod(0o600); os.utime(victim); breach()",
        open_at=LANDLOCK,
    ),
    "changes the group of a file outside": Attack(
        "os.chown(place / 'outside/victim', -1, os.getgid()); breach()",
        open_at=LANDLOCK_AS_ROOT,
    ),
    "changes the attributes of a file outside": Attack(
        "os.setxattr(place / 'outside/victim', 'user.found', b'later'); breach()",
        open_at=LANDLOCK_AS_ROOT,
    ),
    "moves the checkout away": Attack(
        "os.rename(os.getcwd(), place / 'outside/moved'); breach()", apart=True
    ),
    "reads the passwords": Attack("breach(bool(open('/etc/shadow').read()))", AS_ROOT),
    "writes to the system": Attack(
        "open('/usr/sandbox-attack', 'x'); os.unlink('/usr/sandbox-attack'); breach()", AS_ROOT
    ),
    "opens a file by its handle": Attack(
        """
handle = ctypes.create_string_buffer(136)
ctypes.memmove(handle, (128).to_bytes(4, "little"), 4)
mount = ctypes.c_int()
assert library.name_to_handle_at(-100, b"/etc/shadow", handle, ctypes.byref(mount), 0) == 0
breach(system_call("open_by_handle_at", os.open("/", os.O_RDONLY), handle, os.O_RDONLY) >= 0)
""",
        AS_ROOT,
    ),
    # Git and environments
    "writes a hook": Attack(
        "os.makedirs('.git/hooks', exist_ok=True); open('.git/hooks/pre-commit', 'w'); breach()",
        open_at=LANDLOCK,
    ),
    "configures git": Attack("open('.git/config', 'a').write('[core]'); breach()", open_at=LANDLOCK),
    "replaces .git": Attack(
        "os.rename('.git', 'g'); os.mkdir('.git'); breach()", open_at=LANDLOCK, apart=True
    ),
    "writes into the repository's objects": Attack("open(place / 'objects/new', 'w'); breach()"),
    "plants code in a virtual environment": Attack(
        "open('.venv/evil.pth', 'w').write('import os'); breach()", open_at=LANDLOCK
    ),
    # Namespaces, mounts and the kernel
    "makes a user namespace": Attack("breach(system_call('unshare', 0x10000000) == 0)"),
    "makes a user namespace by clone": Attack(
        """
pid = system_call("clone", 0x10000000 | 17, 0, 0, 0, 0)
if pid == 0:
    os._exit(0)
breach(pid > 0)
"""
    ),
    "mounts over the read-only": Attack(
        """
assert system_call("unshare", 0x00020000 | (0x10000000 if os.geteuid() else 0)) == 0
assert system_call("mount", b"none", b"/", 0, 0x4000 | (1 << 18), 0) == 0
breach(system_call("mount", b"tmpfs", bytes(place / "checkout"), b"tmpfs", 0, 0) == 0)
"""
    ),
    "makes a read-only place writable": Attack(
        """
target = bytes(place / "checkout/.git")
system_call("unshare", 0x00020000)
system_call("mount", b"none", b"/", 0, 0x4000 | (1 << 18), 0)
system_call("mount", target, target, 0, 4096, 0)
breach(system_call("mount", b"none", target, 0, 32 | 4096, 0) == 0)
""",
        AS_ROOT,
    ),
    "enters another namespace": Attack(
        "breach(system_call('setns', os.open(f'/proc/{starter}/ns/net', os.O_RDONLY), 0) == 0)", AS_ROOT
    ),
    "steers the kernel": Attack("os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY); breach()", AS_ROOT),
    "steers the kernel by /sys": Attack(
        """
for file in pathlib.Path("/sys/kernel").iterdir():
    try:
        os.close(os.open(file, os.O_WRONLY))
    except OSError:
        continue
    breach()
""",
        AS_ROOT,
    ),
    "reads the kernel's messages": Attack("breach(os.open('/dev/kmsg', os.O_RDONLY) >= 0)", AS_ROOT),
    "makes a device": Attack("os.mknod('d', stat.S_IFBLK | 0o666, os.makedev(1, 0)); breach()", AS_ROOT),
    "has capabilities": Attack(
        """
status = dict(line.split(":\\t") for line in open("/proc/self/status") if ":\\t" in line)
breach(int(status["CapEff"], 16) != 0)
""",
        AS_ROOT,
    ),
    "may gain privileges": Attack(
        """
status = dict(line.split(":\\t") for line in open("/proc/self/status") if ":\\t" in line)
breach(status["NoNewPrivs"].strip() == "0")
"""
    ),
    "becomes root": Attack("os.setuid(0); os.listdir('/root'); breach()", AS_ROOT),
    "keeps a key in the kernel": Attack("breach(system_call('add_key', b'user', b'x', b'y', 1, -2) > 0)"),
    "makes memory that no limit counts": Attack("breach(system_call('memfd_create', b'x', 0) >= 0)"),
    "makes a large shared segment": Attack("breach(system_call('shmget', 0, 1 << 20, 0o600) >= 0)"),
    "traces": Attack("breach(system_call('ptrace', 0, 0, 0, 0) == 0)"),
    # Other processes
    "signals who started it": Attack("os.kill(starter, 0); breach()"),
    "limits who started it": Attack(
        "import resource; resource.prlimit(starter, resource.RLIMIT_CORE, (0, 0)); breach()"
    ),
    "reads the environment of who started it": Attack(
        "breach(b'SECRET_CANARY' in open(f'/proc/{starter}/environ', 'rb').read())"
    ),
    "reads a command line": Attack(
        "breach(b'driver' in open(f'/proc/{starter}/cmdline', 'rb').read())",
        open_at=frozenset({"bwrap-noproc"}),
    ),
    "reads the memory of who started it": Attack(
        "os.open(f'/proc/{starter}/mem', os.O_RDONLY); breach()", AS_ROOT
    ),
    "finds descriptors of who started it": Attack(
        "breach(any(int(name) > 2 and name != '3' for name in os.listdir('/proc/self/fd')))", frozenset()
    ),
    # The process above, which may be the one that judges: here it is the one that makes all the attacks.
    "writes into the memory of its parent": Attack("os.open(f'/proc/{parent()}/mem', os.O_WRONLY); breach()"),
    "writes into the memory of its parent by a thread": Attack(
        "os.open(f'/proc/{parent()}/task/{parent()}/mem', os.O_RDWR); breach()"
    ),
    "writes into the memory of its parent by a call": Attack(
        """
here = struct.pack("PN", ctypes.addressof(word), 8)
breach(system_call("process_vm_writev", os.getppid(), here, 1, here, 1, ctypes.c_long(0)) == 8)
"""
    ),
    "writes into the memory of any process": Attack(
        """
for entry in pathlib.Path("/proc").iterdir():
    if entry.name.isdigit() and int(entry.name) != os.getpid():
        try:
            os.close(os.open(entry / "mem", os.O_WRONLY))
        except OSError:
            continue
        breach()
for number in range(1, 100):
    try:
        os.close(os.open(f"/proc/{number}/mem", os.O_WRONLY))
    except OSError:
        continue
    breach(number != os.getpid())
""",
    ),
    "writes into its own memory past what is read-only": Attack(
        "os.open('/proc/self/mem', os.O_WRONLY); breach()"
    ),
    "traces its parent": Attack("breach(system_call('ptrace', 0x4206, os.getppid(), 0, 0) == 0)"),
    "takes a descriptor of its parent": Attack(
        "breach(system_call('pidfd_getfd', os.pidfd_open(os.getppid()), 1, 0) >= 0)"
    ),
    # Network and sockets
    "connects to the machine": Attack(
        "socket.create_connection(('127.0.0.1', int((place / 'checkout/port').read_text())), 5); breach()"
    ),
    "connects to a socket in the file system": Attack(
        "s = socket.socket(socket.AF_UNIX); s.connect(str(place / 'outside/socket')); breach()"
    ),
    "connects to an abstract socket": Attack(
        "s = socket.socket(socket.AF_UNIX); s.connect(f'\\0workorder-{starter}'); breach()"
    ),
    "sends a datagram to a socket in the file system": Attack(
        """
s = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]
s.sendto(b"x", str(place / "outside/datagrams")); breach()
"""
    ),
    "sends a raw datagram to a socket in the file system": Attack(
        """
s = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)[0]
s.sendto(b"x", str(place / "outside/datagrams")); breach()
"""
    ),
    "sees the machine's network": Attack(
        "breach([name for _, name in socket.if_nameindex()] != ['lo'] or os.path.exists('/sys/class/net'))"
    ),
    "sniffs": Attack("socket.socket(socket.AF_PACKET, socket.SOCK_RAW); breach()", AS_ROOT),
    "reaches shared memory of the machine": Attack(
        "breach(os.path.exists(f'/dev/shm/{place.name}'))", open_at=LANDLOCK
    ),
    # Terminal and modes
    "types into a terminal": Attack(
        """
import fcntl, pty, termios
_, terminal = pty.openpty()
os.setsid() if os.getpid() != os.getsid(0) else None
fcntl.ioctl(terminal, termios.TIOCSCTTY, 1)
fcntl.ioctl(terminal, termios.TIOCSTI, b"x"); breach()
""",
        AS_ROOT,
    ),
    "sets the set-user bit": Attack(
        "open('s', 'w'); os.chmod('s', 0o4755); breach(bool(os.stat('s').st_mode & stat.S_ISUID))"
    ),
    "makes a file with the set-user bit by another call": Attack(
        "how = struct.pack('QQQ', os.O_CREAT | os.O_WRONLY, 0o4755, 0)\n"
        "system_call('openat2', -100, b'u', how, len(how))\n"
        "breach(bool(os.stat('u').st_mode & stat.S_ISUID))"
    ),
    "makes a file with the set-user bit": Attack(
        "os.close(os.open('t', os.O_CREAT, 0o4755)); breach(bool(os.stat('t').st_mode & stat.S_ISUID))"
    ),
}
