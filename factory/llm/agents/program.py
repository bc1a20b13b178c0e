"""A headless agent: the prompt on standard input and in a file; when it ends, it is done."""

from pathlib import Path

from factory.llm.agents.reported import read_report
from factory.llm.agents.session import Said, Session, printed
from factory.system.process.command import Outcome
from factory.system.process.launch import run


def talk(session: Session, prompt: str, folder: Path) -> tuple[Outcome, Said]:
    """Start it and wait for its end; see `Talk`."""
    stdout, stderr = folder / "stdout", folder / "stderr"
    outcome = run(session.command(stdout, stderr, stdin=prompt.encode("utf-8", "backslashreplace")))
    out, err = printed(stdout), printed(stderr)
    report = read_report(out)
    transcript = out + (f"\n[standard error]\n{err}" if err.strip() else "")
    return outcome, Said(transcript, report.words, report.usage, failed=report.failed)
