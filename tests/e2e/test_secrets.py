"""A key never reaches the disk: neither through the model's program, nor through a provider's answer."""

from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.cli import main
from tests.support.answers import a_proposal
from tests.support.openai_stand_in import Fault, OpenAiStandIn, error_body
from tests.support.repositories import make_repo, write_work_order

KEY = "sk-proj-4711-very-secret-0815"


def everything_below(folder: Path) -> str:
    return "\n".join(
        f"{path}\n{path.read_bytes().decode('utf-8', 'replace')}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    )


class Run:
    """`factory run` with a model, and all that it left."""

    def __init__(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self._out = tmp_path / "out"
        self._repo = make_repo(tmp_path / "repo")
        self._order = write_work_order(
            tmp_path / "order.json",
            acceptance_commands=["python -c 'import os; print(dict(os.environ)); os.stat(\"src/app.py\")'"],
        )

    def __call__(self, llm: str) -> tuple[int, str]:
        """The exit code; and everything on the screen, in the artifacts and in the repository."""
        arguments = ("--repo", self._repo, "--work-order", self._order, "--out", self._out, "--llm", llm)
        code = main(["run", *map(str, arguments)])
        screen = self._capsys.readouterr()
        return code, f"{screen.out}{screen.err}{everything_below(self._out)}{everything_below(self._repo)}"


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return Run(tmp_path, capsys)


def program(tmp_path: Path, source: str) -> str:
    (tmp_path / "model.py").write_text(f"import os, sys\nsys.stdin.read()\n{source}")
    return f"command:python {tmp_path / 'model.py'}"


def test_a_program_does_not_get_a_key_that_is_not_named(run: Run, tmp_path: Path) -> None:
    code, left = run(program(tmp_path, f"assert 'OPENAI_API_KEY' not in os.environ\nprint({a_proposal()!r})"))

    assert code == ExitCode.PASS
    assert KEY not in left


def test_a_program_that_tells_its_key_when_it_fails(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKORDER_COMMAND_ENV", "OPENAI_API_KEY")

    code, left = run(program(tmp_path, "sys.exit('denied for key ' + os.environ['OPENAI_API_KEY'])"))

    assert code == ExitCode.PROVIDER
    assert "denied for key [secret]" in left
    assert KEY not in left


def test_a_key_among_the_words_of_the_program_is_refused(run: Run) -> None:
    code, left = run(f"command:python model.py --key {KEY}")

    assert code == ExitCode.REFUSED
    assert KEY not in left


@pytest.mark.parametrize("llm", ["gpt-5.2", "anthropic:claude-x", "mistral:m"])
def test_a_provider_that_repeats_the_key(run: Run, monkeypatch: pytest.MonkeyPatch, llm: str) -> None:
    name = {"gpt-5.2": "OPENAI"}.get(llm, llm.partition(":")[0].upper())
    with OpenAiStandIn() as server:
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
        monkeypatch.setenv(f"{name}_BASE_URL", server.base_url)
        server.faults.extend([Fault(401, error_body(f"Incorrect API key provided: {KEY}"))] * 5)

        code, left = run(llm)

    assert code == ExitCode.PROVIDER
    assert "Incorrect API key provided" in left
    assert KEY not in left
