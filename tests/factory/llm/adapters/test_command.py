"""Programs as models: real processes, started as a user would name them."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from factory.contract.errors import WorkorderError
from factory.llm.adapters.command import CommandModel
from factory.llm.port import FinishReason, ProviderError
from factory.llm.schema_text import prompt_text
from tests.support.requests import a_request

ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath)}


def program(tmp_path: Path, source: str) -> str:
    path = tmp_path / "a model.py"
    path.write_text("import os, sys, time\n" + source)
    return shlex.join([sys.executable, str(path)])


def failure(model: CommandModel) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        model.complete(a_request())
    return caught.value


def test_the_program_reads_the_prompt_and_prints_the_answer(tmp_path: Path) -> None:
    line = program(tmp_path, "sys.stdout.write('got: ' + sys.stdin.read())")
    model = CommandModel(line, environment=ENVIRONMENT)

    answer = model.complete(a_request("Grüße\n"))

    assert answer.text == "got: " + prompt_text(a_request("Grüße\n"))
    assert answer.finish_reason is FinishReason.STOP
    assert answer.usage.estimated
    assert answer.usage.input_tokens > 0
    assert (model.adapter, model.name, answer.model) == ("command", line, line)


def test_the_prompt_holds_system_text_then_schema_then_user_text() -> None:
    text = prompt_text(a_request())

    assert text.startswith("You are careful.\n\nAnswer with exactly one JSON object")
    assert '"additionalProperties": false' in text
    assert text.endswith("}\n\nWrite a plan.\nKeep it short.\n")
    assert prompt_text(a_request(schema=None)) == "You are careful.\n\nWrite a plan.\nKeep it short.\n"


def test_words_are_split_and_no_shell_sees_them(tmp_path: Path) -> None:
    line = program(tmp_path, "print(sys.argv[1:])") + " '$HOME' '; echo hi' 'a b'"

    answer = CommandModel(line, environment=ENVIRONMENT).complete(a_request())

    assert answer.text == "['$HOME', '; echo hi', 'a b']\n"


def test_a_failing_program_is_told_with_its_last_words(tmp_path: Path) -> None:
    source = "print('\\n'.join(f'line {n}' for n in range(50)) + '\\x1b[31m', file=sys.stderr); sys.exit(3)"
    error = failure(CommandModel(program(tmp_path, source), environment=ENVIRONMENT))

    assert "repair the program" in error.hint
    assert error.message.startswith("the program failed with exit code 3\n  | line 42\n")
    assert error.message.endswith("  | line 49\\x1b[31m")
    assert error.where.startswith("command:")


def test_a_failing_program_that_complains_on_standard_output_is_heard(tmp_path: Path) -> None:
    error = failure(
        CommandModel(program(tmp_path, "print('no such model'); sys.exit(1)"), environment=ENVIRONMENT)
    )

    assert "| no such model" in error.message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "the program printed no answer"),
        ("print('  ')", "the program printed no answer"),
        ("sys.stdout.buffer.write(b'ok \\xff')", "the program's answer is not UTF-8: byte 3"),
        ("os.kill(os.getpid(), 15)", "the program was ended by signal 15"),
        ("sys.stdout.write('x' * 20_000_000)", "the program's answer is larger than 8,000,000 bytes"),
    ],
)
def test_what_is_no_answer_is_an_error(tmp_path: Path, source: str, message: str) -> None:
    error = failure(CommandModel(program(tmp_path, source), environment=ENVIRONMENT))

    assert message in error.message


def test_a_program_that_does_not_read_its_input_may_answer(tmp_path: Path) -> None:
    model = CommandModel(program(tmp_path, "print('ok')"), environment=ENVIRONMENT)

    assert model.complete(a_request("x" * 1_000_000)).text == "ok\n"


def test_a_program_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    line = program(tmp_path, "print('thinking', file=sys.stderr, flush=True); time.sleep(60)")
    error = failure(CommandModel(line, environment=ENVIRONMENT, timeout_seconds=1.5))

    assert error.message == "the program gave no answer within 1.5 seconds\n  | thinking"
    assert error.may_be_paid


def test_a_program_that_is_not_there_is_named() -> None:
    error = failure(CommandModel("no-such-program-here --x", environment=ENVIRONMENT))

    assert "could not be started" in error.message
    assert "install `no-such-program-here`" in error.hint


def test_the_program_sees_no_key_unless_it_is_named(tmp_path: Path) -> None:
    line = program(tmp_path, "print([os.environ.get(n) for n in ('OPENAI_API_KEY', 'MY_TOKEN')])")
    environment = ENVIRONMENT | {"OPENAI_API_KEY": "sk-secret-1", "MY_TOKEN": "token-secret-1"}

    def said(more: dict[str, str]) -> str:
        return CommandModel(line, environment=environment | more).complete(a_request()).text

    assert said({}) == "[None, None]\n"
    assert said({"WORKORDER_COMMAND_ENV": "MY_TOKEN"}) == "[None, 'token-secret-1']\n"


def test_a_key_that_the_program_complains_about_is_not_shown(tmp_path: Path) -> None:
    line = program(tmp_path, "sys.exit('bad token ' + os.environ['MY_TOKEN'])")
    environment = ENVIRONMENT | {"MY_TOKEN": "token-secret-1", "WORKORDER_COMMAND_ENV": "MY_TOKEN"}

    error = failure(CommandModel(line, environment=environment))

    assert "bad token [secret]" in error.message
    assert "token-secret-1" not in str(error)


@pytest.mark.parametrize("line", ["", "  ", "'unclosed"])
def test_a_command_line_that_is_none_is_refused(line: str) -> None:
    with pytest.raises(WorkorderError):
        CommandModel(line, environment=ENVIRONMENT)


def test_a_key_on_the_command_line_is_refused_because_it_would_be_recorded() -> None:
    with pytest.raises(WorkorderError) as caught:
        CommandModel("ask --key sk-secret-12345", environment={"OPENAI_API_KEY": "sk-secret-12345"})

    assert "sk-secret-12345" not in str(caught.value)
    assert "WORKORDER_COMMAND_ENV" in caught.value.hint
