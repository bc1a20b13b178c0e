"""The exit code that is reported is the command's own: what it started can't make a failure a success."""

import inspect
import os
from typing import Any

import pytest

from factory.gates.verdict.programs import begin
from tests.security.attacks import PLAIN
from tests.security.scene import USERS, drive, protected_place

LEVELS = ("bwrap", "bwrap-noproc", "landlock")

# The process above, by the number that it has in /proc, which need not be that of its own namespace.
PARENT = """
import os
def parent():
    try:
        return int(open("/proc/self/stat").read().rpartition(")")[2].split()[1])
    except OSError:
        return os.getppid()
"""

# Waits for what it judges, and then says that it failed.
JUDGE = """
import subprocess, sys
subprocess.run([sys.executable, "product.py"])
sys.exit(3)
"""

# Has a process end with success where it waits in the kernel: its next instructions are exit_group(0).
FORGE = """
{parent}
TARGET = {target}
SUCCESS = {{"x86_64": "31ffb8e70000000f05", "aarch64": "000080d2c80b80d2010000d4"}}[os.uname().machine]
place = int(open(f"/proc/{{TARGET}}/syscall").read().split()[-1], 16)
with open(f"/proc/{{TARGET}}/mem", "wb", buffering=0) as memory:
    memory.seek(place)
    memory.write(bytes.fromhex(SUCCESS))
print("written", flush=True)
"""

# A judge that is closed, and a child of it that tries whatever it may be able to reach.
CLOSED_JUDGE = """
{closing}
close_to_others()
import os, subprocess, sys
reading, writing = os.pipe()
os.write(writing, b"verdict")
sys.stdout.flush()
subprocess.run([sys.executable, "product.py", str(reading), str(writing)])
print("all were tried", os.listdir("/proc/self/fd") != [], flush=True)
"""
LOOK = f"""
{PARENT}
import sys
judge = f"/proc/{{parent()}}"
descriptors = [f"fd/{{number}}" for number in sys.argv[1:]]
for name in ("mem", "environ", "maps", "syscall", "auxv", *descriptors):
    for flags in (os.O_RDONLY, os.O_WRONLY):
        try:
            descriptor = os.open(f"{{judge}}/{{name}}", flags | os.O_NONBLOCK)
            if name == "syscall" and flags == os.O_RDONLY:
                # Root may open it, and learns nothing.
                os.read(descriptor, 1)
            os.close(descriptor)
        except OSError:
            continue
        print("OPENED", name.split("/")[0], flags)
"""

SIGNALS = {
    "kills its parent": "os.kill(os.getppid(), signal.SIGKILL)",
    "stops its parent": "os.kill(os.getppid(), signal.SIGSTOP)",
    "kills all": "os.kill(-1, signal.SIGKILL)",
    "kills its group": "os.killpg(0, signal.SIGKILL)",
    "interrupts all": "os.kill(-1, signal.SIGINT); time.sleep(0.5)",
    "ends all politely": "os.kill(-1, signal.SIGTERM); time.sleep(0.5)",
    "kills the first processes": """
for number in range(1, 5):
    if number != os.getpid():
        try: os.kill(number, signal.SIGKILL)
        except OSError: pass
""",
    "writes to every descriptor": """
for number in range(3, 256):
    try: os.write(number, b"ready\\nexit_code=0 leftovers=0 peak=0 written=0 cpu=0\\n")
    except OSError: pass
""",
    "writes to every descriptor of others": """
for process in (os.getppid(), *range(1, 40)):
    for number in range(3, 40):
        try: opened = os.open(f"/proc/{process}/fd/{number}", os.O_WRONLY | os.O_NONBLOCK)
        except OSError: continue
        os.write(opened, b"exit_code=0 leftovers=0 peak=0 written=0 cpu=0\\n")
""",
}


@pytest.fixture(params=USERS)
def user(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def judged(user: str, level: str, products: dict[str, str], judge: str = JUDGE) -> dict[str, Any]:
    """How the judge of each product ended."""
    with protected_place(user) as place:
        requests = [
            {
                "name": name,
                "argv": ["python", "-c", f"open('product.py', 'w').write({source!r})\n{judge}"],
                "apart": True,
                "timeout": 5,
            }
            for name, source in products.items()
        ]
        return drive(user, level, place, requests)


@pytest.mark.parametrize("level", LEVELS)
def test_no_process_writes_success_into_its_judge(level: str, user: str) -> None:
    products = {"parent": FORGE.format(parent=PARENT, target="parent()")}
    if level == "bwrap":
        # Elsewhere it is the machine's own.
        products["first process"] = FORGE.format(parent=PARENT, target="1")

    answers = judged(user, level, products)

    assert {answer["exit_code"] for answer in answers.values()} == {3}
    assert [answer for answer in answers.values() if "written" in answer["output"]] == []


def test_without_a_sandbox_success_is_written_into_a_judge(user: str) -> None:
    (answer,) = judged(user, "none", {"parent": FORGE.format(parent=PARENT, target="parent()")}).values()

    assert (answer["exit_code"], answer["output"]) == (0, "written\n")


@pytest.mark.parametrize(
    ("level", "user"),
    [
        *((level, user) for level in LEVELS for user in USERS),
        # Root with its rights is kept out of nothing.
        ("none", PLAIN),
    ],
)
def test_a_judge_that_closes_itself_is_closed(level: str, user: str) -> None:
    judge = CLOSED_JUDGE.format(closing=inspect.getsource(begin))
    (answer,) = judged(user, level, {"look": LOOK}, judge).values()

    lines = answer["output"].splitlines()
    assert [line for line in lines if line.startswith("OPENED")] == []
    assert lines[-1].startswith("all were tried") or level == "landlock"


@pytest.mark.parametrize("level", LEVELS)
def test_a_judge_that_stays_open_can_be_read(level: str, user: str) -> None:
    judge = CLOSED_JUDGE.format(closing="def close_to_others(): pass")
    (answer,) = judged(user, level, {"look": LOOK}, judge).values()

    assert "OPENED mem" in answer["output"]
    assert f"OPENED mem {os.O_WRONLY}" not in answer["output"]


@pytest.mark.parametrize("level", LEVELS)
def test_no_signal_and_no_word_makes_a_failure_a_success(level: str, user: str) -> None:
    products = {name: f"import os, signal, time\n{source}" for name, source in SIGNALS.items()}

    answers = judged(user, level, products)

    assert {name for name, answer in answers.items() if answer["exit_code"] == 0} == set()
    assert answers["writes to every descriptor"]["exit_code"] == 3
    # Where its judge has not yet read that it was started, the judge can't start it: it fails with 1 then.
    assert answers["writes to every descriptor of others"]["exit_code"] in (1, 3)
