"""What a coordinator and a worker say to each other: documents in JSON, with their hashes, and files. Pure.

Nothing else goes between them, so that nothing has to be believed to be read: of what comes in, the size, the
schema, the hashes and the name of the trial are held against what was asked.
"""

import platform
from collections.abc import Mapping
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from factory.contract.canonical import canonical_json, dump, sha256_hex
from factory.contract.errors import Fault
from factory.contract.repo_path import RepoPath, UnsafePath
from factory.trials.conditions import Setting
from factory.trials.evidence import MAX_BYTES, MAX_FILE_BYTES
from factory.trials.identity import own_version
from factory.trials.request import TrialAnswer, TrialRequest

MAX_DOCUMENT_BYTES: Final = 64_000_000
_SHOWN: Final = 200

DocumentT = TypeVar("DocumentT", bound=BaseModel)


class Garbage(Exception):
    """What came in is not what was agreed; the message says how."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Task(_Value):
    """One trial, as a worker gets it.

    Attributes:
        schema_version: of this document.
        version: what speaks to whom, see `peer`.
        name: the trial's.
        repository: the name of the repository, the same in every build of it.
        root: the commit whose history a worker must have; what else it needs comes with the task.
        setting: SHA-256 of the setting, which a worker must have, too.
        request: what is asked.
        kept_tests: the ids of tests that passed before and must pass again.
    """

    schema_version: Literal[1] = 1
    version: str
    name: str
    repository: str
    root: str
    setting: str
    request: TrialRequest
    kept_tests: tuple[str, ...] = ()


class Supplies(_Value):
    """What a worker lacks before it can work for a build.

    Attributes:
        version: what speaks to whom, see `peer`.
        repository: the repository's name.
        root: the commit whose history is sent, as a pack in pieces.
        object_format: the hash that the repository names objects by.
        pack: SHA-256 of the whole pack.
        offset: where this piece begins.
        total: how many bytes the pack has.
        tags: the repository's tags, as `for-each-ref` prints them.
        setting: the setting.
    """

    version: str
    repository: str
    root: str
    object_format: str
    pack: str
    offset: int
    total: int
    tags: str
    setting: Setting


class Fetch(_Value):
    """From where a worker may take a history itself.

    Attributes:
        version: what speaks to whom, see `peer`.
        repository: the repository's name.
        root: the commit whose history is wanted.
        object_format: the hash that the repository names objects by.
        remote: a repository that may have it, see `parse_remote`.
    """

    version: str
    repository: str
    root: str
    object_format: str
    remote: str


class Problem(_Value):
    """Why a worker could not run a trial, which is not what was tried.

    Attributes:
        fault: whose fault it is.
        message: what is wrong.
        where: the place.
        hint: what to do.
    """

    fault: Fault
    message: str
    where: str = ""
    hint: str = ""


class Reply(_Value):
    """What a worker says.

    Attributes:
        schema_version: of this document.
        name: the trial that it is about; empty for supplies.
        worker: who says it, for people.
        outcome: `answered`; `lacks`: supplies are needed first; `unfit`: this worker can't, another may;
            `failed`: no worker could; `supplied`.
        answer: what came out.
        evidence: the SHA-256 of each file that comes with it.
        has: with `lacks`: the roots whose history is there already.
        problem: why it could not.
        seconds: how long the trial took.
    """

    schema_version: Literal[1] = 1
    name: str
    worker: str
    outcome: Literal["answered", "lacks", "unfit", "failed", "supplied"]
    answer: TrialAnswer | None = None
    evidence: dict[RepoPath, str] = {}
    has: tuple[str, ...] = ()
    problem: Problem | None = None
    seconds: float = 0.0


def peer() -> str:
    """What must be the same on both sides: Workorder, Python's minor version, the kind of machine."""
    python = ".".join(platform.python_version_tuple()[:2])
    return f"workorder-{own_version()}-python-{python}-{platform.system()}-{platform.machine()}".lower()


def encoded(document: BaseModel) -> bytes:
    """A document as it travels."""
    return canonical_json(dump(document))


def packed(reply: Reply, files: Mapping[RepoPath, bytes]) -> dict[str, object]:
    """A reply with its files, as plain values: bytes and text."""
    text = encoded(reply)
    return {
        "document": text,
        "sha256": sha256_hex(text),
        "files": {str(path): data for path, data in files.items()},
    }


def unpacked(value: object, name: str) -> tuple[Reply, dict[RepoPath, bytes]]:
    """A reply and its files, if they are what was agreed.

    Args:
        value: what came in.
        name: the trial that was asked for; empty for supplies.

    Raises:
        Garbage: they are not.
    """
    if not isinstance(value, dict) or set(value) != {"document", "sha256", "files"}:
        raise Garbage("it is no reply")
    text, claimed, files = value["document"], value["sha256"], value["files"]
    if not isinstance(text, bytes) or len(text) > MAX_DOCUMENT_BYTES or not isinstance(files, dict):
        raise Garbage("it is no reply")
    if sha256_hex(text) != claimed:
        raise Garbage("its document is not the one that its hash names")
    reply = decoded(Reply, text)
    if reply.name != name:
        raise Garbage("it answers another question")
    if reply.outcome == "answered" and reply.answer is None:
        raise Garbage("it holds no answer")
    return reply, _checked(files, reply.evidence)


def decoded(kind: type[DocumentT], text: bytes) -> DocumentT:
    """A document that came in.

    Raises:
        Garbage: it is none of this kind.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = "/".join(map(str, first["loc"]))
        raise Garbage(f"its document has another form: {place}: {first['msg']}"[:_SHOWN]) from error


def _checked(files: dict[object, object], named: Mapping[RepoPath, str]) -> dict[RepoPath, bytes]:
    checked: dict[RepoPath, bytes] = {}
    for name, data in files.items():
        if not isinstance(name, str) or not isinstance(data, bytes) or len(data) > MAX_FILE_BYTES:
            raise Garbage("a file of its evidence is none")
        try:
            path = RepoPath.parse(name)
        except UnsafePath as error:
            raise Garbage("a file of its evidence has a name that leads elsewhere") from error
        if sha256_hex(data) != named.get(path):
            raise Garbage("a file of its evidence is not the one that its hash names")
        checked[path] = data
    if set(checked) != set(named) or sum(map(len, checked.values())) > MAX_BYTES:
        raise Garbage("its evidence is not what it says")
    return checked
