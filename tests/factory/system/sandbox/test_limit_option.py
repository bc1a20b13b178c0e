"""`--limit`: every limit can be given, and what is none is told."""

import pytest

from factory.contract.errors import WorkorderError
from factory.system.sandbox.limit_option import parse_limits
from factory.system.sandbox.policy import GIB, MIB, Resources


def test_limits_are_read() -> None:
    limits = parse_limits("mem=2G,procs=128, file=200M,disk=512MiB,wall=300,cpu=1.5,files=10,output=64k")

    assert limits == Resources(
        wall_seconds=300.0,
        cpu_seconds=2,
        memory_bytes=2 * GIB,
        processes=128,
        file_bytes=200 * MIB,
        written_bytes=512 * MIB,
        written_files=10,
        output_bytes=65_536,
    )


def test_what_is_not_given_stays() -> None:
    base = Resources(processes=7)

    assert parse_limits("cpu=9", base) == Resources(processes=7, cpu_seconds=9)
    assert parse_limits("cpu=9").processes == Resources().processes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no limit"),
        ("memory=1G", "'memory' is no limit"),
        ("mem", "'' is no value for mem"),
        ("mem=1P", "'1P' is no value for mem"),
        ("mem=-1G", "'-1G' is no value for mem"),
        ("mem=1", "'1' is too little for mem"),
        ("procs=0", "'0' is too little for procs"),
        ("procs=1.5", "'1.5' is no value for procs"),
        ("wall=inf", "'inf' is no value for wall"),
        ("wall=0", "'0' is too little for wall"),
        ("cpu=1,cpu=2", "cpu stands twice"),
        ("files=\u0661", "'\u0661' is no value for files"),
    ],
)
def test_what_is_no_limit_is_told(text: str, message: str) -> None:
    with pytest.raises(WorkorderError) as raised:
        parse_limits(text)

    assert (raised.value.message, raised.value.where) == (message, "--limit")
    assert raised.value.hint


@pytest.mark.parametrize(
    "limit", ["cpu", "memory", "processes", "file size", "bytes written", "files written", "output"]
)
def test_each_limit_that_can_kill_can_be_told(limit: str) -> None:
    assert any(character.isdigit() for character in Resources().description(limit))
