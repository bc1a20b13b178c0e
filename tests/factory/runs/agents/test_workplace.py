"""Agents of our own in a real checkout, good and hostile, at every level of the sandbox that is here."""

import json
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from factory.attempt.agents.changes import proposal_of
from factory.attempt.failure import Failure
from factory.checkout.throw_away import ThrowAwayCheckout
from factory.contract.documents import read_document
from factory.contract.work_order import WorkOrder
from factory.gates.bench import Bench
from factory.gates.environment import gate_environment
from factory.llm.agents.answer import AgentAnswer
from factory.llm.agents.named import engineer, hire
from factory.llm.agents.workplace import Engineer
from factory.llm.port import Answer, FinishReason, Message, Parameters, ProviderError, Request
from factory.runs.agents.workplace import workplace
from factory.system.git.client import Git
from factory.system.network.allowed import Allowed
from factory.system.removal import remove_tree
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import MIB, Resources
from factory.system.sandbox.port import Sandbox, Terms
from tests.support.environments import bare
from tests.support.repositories import a_work_order, make_repo

LEVELS = ("bwrap", "bwrap-noproc", "landlock")
KEY = "sk-of-the-agent-0123456789"
ORDER = read_document(WorkOrder, json.dumps(a_work_order()).encode(), "WO-01", hint="")
REQUEST = Request(
    purpose="propose",
    messages=(Message(role="user", content="Write src/app.py."),),
    schema_name="agent_changes",
    answer_schema=None,
    parameters=Parameters(max_output_tokens=100),
    attempt=1,
)

HOSTILE = """
import os, pathlib, socket, subprocess, sys
def tried(name, act):
    try:
        print(name, act())
    except Exception as error:
        print(name, "failed:", type(error).__name__)
os.makedirs("src", exist_ok=True)
pathlib.Path("src/app.py").write_text("APP = 1\\n")
pathlib.Path("tests/test_other.py").write_text("def test_other(): pass\\n")
tried("hook", lambda: pathlib.Path(".git/hooks").mkdir(exist_ok=True) or
    pathlib.Path(".git/hooks/post-checkout").write_text("#!/bin/sh\\ntouch HOOKED\\n"))
tried("configuration", lambda: open(".git/config", "a").write("[core]\\n\\tfsmonitor = touch HOOKED\\n"))
tried("forged", lambda: pathlib.Path(sys.argv[1], "forged").write_text("verdict: passed"))
tried("read", lambda: pathlib.Path(sys.argv[1], "private").read_text())
tried("reached", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2) and "REACHED")
print("seen", os.environ.get("OTHER_TOKEN"), os.environ["MY_KEY"])
pathlib.Path(os.environ["HOME"], "left").write_text("for the gates")
daemon = [sys.executable, "-c", "import time; time.sleep(60)", "DAEMON-OF-AN-AGENT"]
subprocess.Popen(daemon, start_new_session=True)
sys.stdout.flush()
"""
ENDLESS = """
import os
for number in range(400):
    with open(f"junk-{number}", "wb") as file:
        file.write(os.urandom(1 << 20))
import time; time.sleep(60)
"""
ACP = """
import json, os, pathlib, sys
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def ask(number, kind, path):
    send(id=number, method="session/request_permission", params={"sessionId": "s",
        "toolCall": {"toolCallId": str(number), "kind": kind, "title": path, "locations": [{"path": path}]},
        "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"},
                    {"optionId": "n", "name": "No", "kind": "reject_once"}]})
    return json.loads(sys.stdin.readline())["result"]["outcome"]["optionId"]
def say(text):
    send(method="session/update", params={"sessionId": "s", "update":
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}})
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        assert not message["params"].get("clientCapabilities", {}).get("terminal")
        send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
    elif message["method"] == "session/new":
        root = message["params"]["cwd"]
        send(id=message["id"], result={"sessionId": "s"})
    elif message["method"] == "session/prompt":
        if "--nonsense" in sys.argv:
            # In one write: who reads it may hang up after the first line.
            os.write(1, b'[1, 2]\\n{"id": 99, "method": 7}\\n'); os._exit(3)
        asked = [("edit", root + "/src/app.py"), ("edit", root + "/tests/test_other.py"),
                 ("delete", root + "/src/app.py"), ("execute", "/bin/sh")]
        answers = [ask(number, *what) for number, what in enumerate(asked)]
        send(id=50, method="fs/write_text_file", params={"sessionId": "s", "path": "/tmp/x", "content": "x"})
        refused = "error" in json.loads(sys.stdin.readline())
        pathlib.Path("src").mkdir(exist_ok=True)
        pathlib.Path("src/app.py").write_text("APP = 1\\n")
        say(f"asked {''.join(answers)}, refused {refused}")
        send(id=message["id"], result={"stopReason": "end_turn",
            "usage": {"totalTokens": 12, "inputTokens": 10, "outputTokens": 2}})
"""


@contextmanager
def checkout_of(sandbox: Sandbox) -> Iterator[ThrowAwayCheckout]:
    """A checkout where users of a sandbox can get, which the directory of the tests is closed to."""
    place = Path(tempfile.mkdtemp(prefix="workorder-agents-", dir="/tmp")).resolve()
    place.chmod(0o755)
    try:
        repo = make_repo(place / "repo", {"tests/test_other.py": "def test_other(): assert False\n"})
        scratch = place / "scratch"
        scratch.mkdir(mode=0o700)
        git = Git.open(repo)
        baseline = git.commit_id("HEAD")
        assert baseline is not None
        yield ThrowAwayCheckout(git, scratch, baseline, sandbox.owner_of)
    finally:
        remove_tree(place)


def sandbox_at(level: str) -> Sandbox:
    found = next((found for found in levels(os.environ) if found.name == level), None)
    if found is None or found.sandbox is None:
        pytest.skip(f"{level}: {found.reason if found is not None else 'not here'}")
    return found.sandbox


def work(
    checkout: ThrowAwayCheckout,
    sandbox: Sandbox,
    named: Engineer,
    resources: Resources | None = None,
) -> Answer:
    """What the agent makes of the checkout."""
    variables = gate_environment(
        {"PATH": os.environ["PATH"]}, bare(), home=checkout.home, temporary=checkout.temporary
    )
    terms = Terms(sandbox, resources=resources or Resources())
    place = workplace(Bench(checkout, bare(), variables, 60.0, terms), ORDER)
    return hire(named, place, None).complete(REQUEST)


def agent(
    folder: Path, text: str, *words: object, kind: str = "agent", hosts: tuple[Allowed, ...] = ()
) -> Engineer:
    """An agent that is a Python program."""
    program = folder / "agent.py"
    program.write_text(text)
    return engineer(
        f"{kind}:{sys.base_prefix}/bin/python3 {program} {' '.join(map(str, words))}",
        variables=["MY_KEY"],
        files=[program],
        hosts=hosts,
        timeout_seconds=60.0,
        environment={"PATH": os.environ["PATH"], "MY_KEY": KEY, "OTHER_TOKEN": "of-somebody-else"},
    )


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def is_alive(mark: str) -> bool:
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes())
        except OSError:
            continue
    return any(mark.encode() in line for line in lines)


@pytest.mark.parametrize("level", LEVELS)
def test_a_hostile_agent_changes_nothing_but_its_proposal(level: str, tmp_path: Path, listener: int) -> None:
    sandbox = sandbox_at(level)
    private = tmp_path / "out"
    private.mkdir()
    (private / "private").write_text("of the user")
    with checkout_of(sandbox) as checkout:
        answer = work(checkout, sandbox, agent(tmp_path, HOSTILE, private, listener))
        left = sorted(path.name for path in checkout.home.iterdir())
        hooks = list((checkout.root / ".git").glob("hooks/*"))
        other = (checkout.root / "tests/test_other.py").read_text()
        assert checkout.changed_since_staging() == ()
        assert not (checkout.root / "src").exists()
    changed = AgentAnswer.of(answer.text)
    failure = proposal_of(changed, answer.finish_reason)

    assert [(write.path, write.content) for write in changed.writes] == [("src/app.py", "APP = 1\n")]
    assert [refused.path for refused in changed.refused] == ["tests/test_other.py"]
    assert isinstance(failure, Failure)
    assert "-def test_other(): assert False\n+def test_other(): pass" in failure.excerpt
    assert (left, hooks, "assert False" in other) == ([], [], True)
    assert not (private / "forged").exists()
    assert not is_alive("DAEMON-OF-AN-AGENT")
    assert "REACHED" not in changed.transcript
    assert "of the user" not in changed.transcript
    assert "seen None [secret]" in changed.transcript
    assert KEY not in answer.text


def test_an_agent_that_fills_the_disk_is_ended_and_nothing_of_it_stays(tmp_path: Path) -> None:
    sandbox = sandbox_at("bwrap")
    with checkout_of(sandbox) as checkout:
        with pytest.raises(ProviderError, match="reached a limit: bytes written") as raised:
            work(checkout, sandbox, agent(tmp_path, ENDLESS), Resources(written_bytes=20 * MIB))
        assert raised.value.may_be_paid
        assert not list(checkout.root.glob("junk*"))


@pytest.mark.parametrize(
    ("text", "what", "paid"),
    [
        ("import sys; print('no credit'); sys.exit(3)", r"ended with exit code 3\n  \| no credit", True),
        ("print('{\"is_error\": true}')", "says that it failed", True),
        ("import os; os.kill(os.getpid(), 11)", "was ended by signal 11", True),
    ],
)
def test_one_that_crashes_is_the_providers_failure(tmp_path: Path, text: str, what: str, paid: bool) -> None:
    with checkout_of(Unconfined()) as checkout, pytest.raises(ProviderError, match=what) as raised:
        work(checkout, Unconfined(), agent(tmp_path, text))
    assert raised.value.may_be_paid is paid
    assert "--engineer-file" in raised.value.hint


def test_the_network_is_what_is_allowed_and_recorded(tmp_path: Path, listener: int) -> None:
    text = f"""
import os, socket, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
for target in ("127.0.0.1:{listener}", "example.com:443"):
    connection = socket.create_connection((proxy.hostname, proxy.port))
    connection.sendall(f"CONNECT {{target}} HTTP/1.1\\r\\n\\r\\n".encode())
    print(target, connection.recv(100)[:12])
"""
    sandbox = sandbox_at("bwrap")
    with checkout_of(sandbox) as checkout:
        named = agent(tmp_path, text, hosts=(Allowed("127.0.0.1", listener),))
        changed = AgentAnswer.of(work(checkout, sandbox, named).text)

    assert [(contact.target, contact.refused) for contact in changed.network] == [
        (f"127.0.0.1:{listener}", ""),
        ("example.com:443", "not among the allowed hosts"),
    ]
    assert f"127.0.0.1:{listener} b'HTTP/1.1 200'" in changed.transcript
    assert "ended without a change" in str(proposal_of(changed, FinishReason.STOP))


def test_an_agent_of_the_protocol_gets_permissions_by_rule(tmp_path: Path) -> None:
    pytest.importorskip("acp", reason="the Agent Client Protocol is not installed")
    sandbox = sandbox_at("bwrap")
    with checkout_of(sandbox) as checkout:
        answer = work(checkout, sandbox, agent(tmp_path, ACP, kind="acp"))
        with pytest.raises(ProviderError, match="ended with exit code 3"):
            work(checkout, sandbox, agent(tmp_path, ACP, "--nonsense", kind="acp"))
    changed = AgentAnswer.of(answer.text)

    assert [write.path for write in changed.writes] == ["src/app.py"]
    assert changed.refused == ()
    # The file of the work order and a command may be, another file and a deletion not.
    assert changed.summary == "asked ynny, refused True"
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.estimated) == (10, 2, False)
    assert "[permission] delete" in changed.transcript
