"""Programs that use up the machine are killed, and the result says by which limit."""

import subprocess
import sys
from contextlib import ExitStack
from typing import Any

import pytest

from tests.security.attacks import PLAIN
from tests.security.scene import USERS, drive, protected_place

MIB = 1024 * 1024

HOLD = "\nimport time; print('held', flush=True); time.sleep(60)"
FORKS = """
import os, sys, time
for _ in range({count}):
    if os.fork() == 0:
        {child}
        time.sleep(60)
    time.sleep(0.01)
time.sleep(60)
"""

TOUCH = "for n in range(0, len(x), 4096): x[n] = 1"
# Random, but not anew each time: that would be most of the work.
WRITE = """
data = os.urandom({size})
for n in range({count}):
    with open(str(n), "wb") as file:
        file.write(data)
"""
THREADS = """
import threading, time
for _ in range(300):
    threading.Thread(target=time.sleep, args=(60,)).start()
"""
NAMELESS = """
import tempfile
files = [tempfile.TemporaryFile() for _ in range({count})]
for file in files:
    file.write(bytes({size})); file.flush()
"""
EXHAUSTING: dict[str, tuple[str, dict[str, Any], str]] = {
    "memory of one process": (f"x = bytearray(130 * 2**20)\n{TOUCH}{HOLD}", {}, "memory"),
    # As far as the kernel would have refused it, had its limit been near.
    "memory that ends a program by itself": (f"x = bytearray(180 * 2**20)\n{TOUCH}", {}, "memory"),
    "memory of a process that has ended": (
        f"if os.fork() == 0:\n  x = bytearray(180 * 2**20)\n  {TOUCH}\n  os._exit(0)\nos.wait()",
        {},
        "memory",
    ),
    "memory of several processes": (
        FORKS.format(count=6, child=f"x = bytearray(22 * 2**20)\n        {TOUCH}"),
        {},
        "memory",
    ),
    "memory that is shared": (f"import mmap\nx = mmap.mmap(-1, 130 * 2**20)\n{TOUCH}{HOLD}", {}, "memory"),
    "processes": (FORKS.format(count=300, child="pass"), {}, "processes"),
    "processes at once": (
        "for _ in range(300):\n  if os.fork() == 0: break\ntime.sleep(60)",
        {},
        "processes",
    ),
    "threads": (THREADS + "    time.sleep(0.01)", {}, "processes"),
    "threads at once": (THREADS, {}, "processes"),
    "processor time": ("while True: pass", {"cpu_seconds": 1}, "cpu"),
    "processor time of several": ("os.fork(); os.fork()\nwhile True: pass", {"cpu_seconds": 1}, "cpu"),
    "one large file": ("open('large', 'wb').write(bytes(40 * 2**20))", {"file_bytes": 20 * MIB}, "file size"),
    "one large file without end": (
        "with open('large', 'wb') as file:\n  while True: file.write(bytes(2**20))",
        {"file_bytes": 20 * MIB},
        "file size",
    ),
    "one large file without a name": (
        f"{NAMELESS.format(count=1, size=40 * 2**20)}{HOLD}",
        {"file_bytes": 20 * MIB},
        "file size",
    ),
    "many bytes without a name": (
        f"{NAMELESS.format(count=4, size=10 * 2**20)}{HOLD}",
        {"written_bytes": 30 * MIB},
        "bytes written",
    ),
    "many bytes": (WRITE.format(count=100, size=2**20) + HOLD, {"written_bytes": 30 * MIB}, "bytes written"),
    "many bytes at once": (WRITE.format(count=60, size=2**20), {"written_bytes": 30 * MIB}, "bytes written"),
    "many files": (WRITE.format(count=5000, size=0) + HOLD, {"written_files": 1000}, "files written"),
    "many files out of reach": (
        """
for n in range(60):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
"""
        + WRITE.format(count=5000, size=0)
        + HOLD,
        {"written_files": 1000},
        "files written",
    ),
    "output": ("while True: print('x' * 65536)", {"output_bytes": 30 * MIB}, "output"),
}
# Never without a limit of the kernel: it would take the machine with it.
BOMB = """
while True:
    try:
        os.fork()
    except OSError:
        pass
    # Twice as many each time, but not at the cost of the tests beside this one.
    time.sleep(0.02)
"""

HARMLESS = {
    "memory that is shared counts once": (
        f"""
import mmap
x = mmap.mmap(-1, 50 * 2**20)
{TOUCH}
pids = []
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        sum(x[n] for n in range(0, len(x), 4096))
        time.sleep(0.5)
        os._exit(0)
    pids.append(pid)
for pid in pids:
    os.waitpid(pid, 0)
""",
        {"memory_bytes": 96 * MIB},
    ),
    "files that it maps": (
        """
import mmap
data = os.urandom(2**20)
with open("large", "wb") as file:
    for _ in range(100): file.write(data)
x = mmap.mmap(os.open("large", os.O_RDONLY), 0, prot=mmap.PROT_READ)
pids = []
for _ in range(2):
    pid = os.fork()
    sum(x[n] for n in range(0, len(x), 4096))
    if pid == 0:
        time.sleep(0.5)
        os._exit(0)
    pids.append(pid)
for pid in pids:
    os.waitpid(pid, 0)
""",
        {"memory_bytes": 16 * MIB},
    ),
    "files that others map and give back": (
        """
import mmap
data = os.urandom(2**20)
with open("large", "wb") as file:
    for _ in range(100): file.write(data)
for _ in range(15):
    pid = os.fork()
    if pid == 0:
        x = mmap.mmap(os.open("large", os.O_RDONLY), 0, prot=mmap.PROT_READ)
        sum(x[n] for n in range(0, len(x), 4096))
        time.sleep(0.03)
        os._exit(0)
    os.waitpid(pid, 0)
""",
        {"memory_bytes": 16 * MIB},
    ),
    "memory that it reserves": ("x = bytes(600 * 2**20); time.sleep(0.2)", {"memory_bytes": 128 * MIB}),
    "memory that no machine has": (
        "try: bytearray(10**15)\nexcept MemoryError: pass\nelse: raise SystemExit(1)",
        {},
    ),
    "a file with holes": (
        "with open('holes', 'wb') as file: file.truncate(10 * 2**30)\ntime.sleep(0.2)",
        {"file_bytes": MIB, "written_bytes": MIB},
    ),
    "a large file that it only reads": (
        "import sys; file = open(os.path.realpath(sys.executable)); time.sleep(0.2)",
        {"file_bytes": 4096},
    ),
    "files that it only reads": ("assert os.path.exists('.git')", {"written_files": 1}),
}
BASE = {"memory_bytes": 32 * MIB, "processes": 40}
KEEPERS = ("kernel", "watch")


# At each level, for each user and by each keeper all of them are tried once. Elsewhere what differs there:
# whether the processes of a command, their open files and its places are seen.
ALL_TRIED = ((USERS[0], "bwrap", "watch"), (PLAIN, "landlock", "watch"), (USERS[0], "none", "kernel"))
TRIED_EVERYWHERE = (
    "memory of several processes",
    "processes at once",
    "one large file without a name",
    "many bytes at once",
)


@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("level", ("bwrap", "landlock", "none"))
@pytest.mark.parametrize("user", USERS)
def test_what_uses_up_the_machine_is_killed_for_that(user: str, level: str, keeper: str) -> None:
    names = EXHAUSTING if (user, level, keeper) in ALL_TRIED else TRIED_EVERYWHERE
    requests = [
        {
            "name": name,
            "argv": ["python", "-c", f"import os, time\n{EXHAUSTING[name][0]}"],
            "apart": True,
            "timeout": 30,
            "resources": BASE | EXHAUSTING[name][1],
        }
        for name in names
    ]
    with protected_place(user) as place:
        answers = drive(user, level, place, requests, keeper)

    assert {name: answer["killed"] for name, answer in answers.items()} == {
        name: EXHAUSTING[name][2] for name in names
    }
    assert [name for name, answer in answers.items() if answer["timed_out"]] == []


@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("level", ("bwrap", "landlock"))
@pytest.mark.parametrize("user", USERS)
def test_a_program_that_multiplies_is_killed_for_that(user: str, level: str, keeper: str) -> None:
    request = {
        "name": "bomb",
        "argv": ["python", "-c", "import os, time" + BOMB],
        "timeout": 30,
        "resources": BASE,
    }
    with protected_place(user) as place:
        bomb = drive(user, level, place, [request], keeper)["bomb"]

    assert (bomb["killed"], bomb["timed_out"], bomb["seconds"] < 20) == ("processes", False, True)


ATTACKS = {
    "processes": "while True:\n  try: os.fork()\n  except OSError: pass",
    "memory": "kept = []\nwhile True: kept.append(os.urandom(1) * 2**20)",
}


@pytest.mark.parametrize(("user", "level"), [(USERS[0], "bwrap"), (PLAIN, "landlock")])
def test_with_a_control_group_attacks_end_at_once_on_a_busy_machine(user: str, level: str) -> None:
    requests = [
        {
            "name": limit,
            "argv": ["python", "-c", "import os\n" + source],
            "apart": True,
            "timeout": 60,
            "resources": {"memory_bytes": 160 * MIB, "processes": 256},
        }
        for limit, source in ATTACKS.items()
    ]
    with ExitStack() as busy, protected_place(user) as place:
        # What starts is no part of it.
        drive(user, level, place, [], "kernel")
        for _ in range(2):
            loop = busy.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            busy.callback(loop.kill)
        answers = drive(user, level, place, requests, "kernel")

    # Far longer than it takes: other tests may run beside this one.
    assert {
        name: (attack["killed"], attack["timed_out"], attack["seconds"] < 10)
        for name, attack in answers.items()
    } == {limit: (limit, False, True) for limit in ATTACKS}


@pytest.mark.parametrize(("user", "keeper"), [(USERS[0], "kernel"), (PLAIN, "watch")])
def test_what_stays_within_the_limits_is_left_alone(user: str, keeper: str) -> None:
    requests = [
        {
            "name": name,
            "argv": ["python", "-c", "import os, time\n" + source],
            "apart": True,
            "resources": limits,
        }
        for name, (source, limits) in HARMLESS.items()
    ]
    with protected_place(user) as place:
        answers = drive(user, "none", place, requests, keeper)

    assert [(answer["exit_code"], answer["killed"]) for answer in answers.values()] == [(0, None)] * len(
        HARMLESS
    )


FILLING = """
import os, sys
written = 0
try:
    with open(os.path.join(os.environ.get(sys.argv[1], sys.argv[1]), "fill"), "wb") as file:
        while written < 600 * 2**20:
            written += file.write(bytes(2**20))
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.parametrize("user", USERS)
def test_places_in_memory_are_bounded(user: str) -> None:
    places = ["/dev/shm", "/var/tmp"]
    requests = [
        {
            "name": f"fills {name.replace('/', ' ')}",
            "argv": [
                "sh",
                "-c",
                f'exec python -c "$1" "{f"${name}" if name.isupper() else name}"',
                "sh",
                FILLING,
            ],
            "apart": True,
            "resources": {"file_bytes": 1024 * MIB},
        }
        for name in places
    ]
    with protected_place(user) as place:
        answers = drive(user, "bwrap", place, requests)

    assert {answer["output"] for answer in answers.values()} == {"No space left on device\n"}


@pytest.mark.parametrize("user", USERS)
def test_the_rest_of_the_sandbox_cannot_be_written(user: str) -> None:
    program = """
import os
for folder in ("/", "/dev", "/etc", "/run", "/proc", "/usr", "/home"):
    try:
        open(os.path.join(folder, "x"), "w")
    except OSError:
        continue
    print(folder)
"""
    with protected_place(user) as place:
        answers = drive(user, "bwrap", place, [{"name": "writes", "argv": ["python", "-c", program]}])

    assert answers["writes"]["output"] == ""
