"""Files in fenced blocks: what is a file, what is an example, what is neither."""

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.answers.parse import parse_answer
from factory.attempt.answers.versions import ContextFile, Versions
from factory.attempt.failure import Failure
from factory.attempt.prompt import JSON_NAME, TEMPLATE_NAME, with_form
from factory.contract.canonical import EMPTY_SHA256
from factory.contract.proposal import Write, WriteProposal
from factory.contract.repo_path import RepoPath
from factory.system.templates import template_path
from tests.support.answers import a_proposal
from tests.support.repositories import VERIFY_PASSES, make_repo
from tests.support.runs import Scene, summary_of
from tests.support.scripted_model import answer

KNOWN = {"src/a.py": "1" * 64, "README.md": EMPTY_SHA256, "Makefile": EMPTY_SHA256}
A: Final = RepoPath.parse("src/a.py")
SHOWN: Final = Versions({A: ContextFile(A, "one\ntwo\n", KNOWN["src/a.py"])}, {})


def files(reply: str) -> dict[str, str]:
    read = parse_answer(answer(reply), SHOWN, KNOWN)
    assert isinstance(read, WriteProposal), read
    return {str(write.path): write.content for write in read.writes}


@pytest.mark.parametrize(
    "reply",
    [
        "```src/a.py\nx\n```",
        "```python src/a.py\nx\n```",
        "I wrote it.\n\n**src/a.py**\n\n```python\nx\n```\nThat's all.",
        "### `src/a.py`:\n```\nx\n```",
        "<think>```src/a.py\nno\n```</think>\n~~~~src/a.py\r\nx\r\n~~~~",
        "### src/a.py\n```json\nx\n```",
        "**File:** `src/a.py`\n```python\nx\n```",
        # Fences that open nothing: one too many, and one that is never closed.
        "It says:\n```\nx\n```\n```\nThat's it.\n```src/a.py\nx\n```",
        "```src/a.py\nx\n```\nRun it:\n```sh\npython src/a.py",
        "```markdown\nSo:\n```src/a.py\nx\n```\n```\n",
        "````\n```src/a.py\nno\n```\n````\n```src/a.py\nx\n```",
        'For example:\n```\n{"a": 1}\n```\nso:\n```src/a.py\nx\n```',
    ],
)
def test_a_file_is_a_block_with_its_path(reply: str) -> None:
    assert files(reply) == {"src/a.py": "x\n"}


@pytest.mark.parametrize(
    "comment", ["# src/a.py", "// File: src/a.py", "/* `src/a.py` */", "<!-- src/a.py -->"]
)
def test_a_comment_in_the_first_line_is_the_path_of_a_block_without_one(comment: str) -> None:
    assert files(f"Here:\n```python\n{comment}\nx\n```") == {"src/a.py": f"{comment}\nx\n"}
    with_path = f"```README.md\n{comment}\nx\n```"
    assert files(with_path) == {"README.md": f"{comment}\nx\n"}


def test_many_fences_that_open_nothing_take_no_time() -> None:
    read = parse_answer(answer("```a\n" * 10_000), SHOWN, KNOWN)

    assert isinstance(read, Failure)
    assert "the block of an example is not closed" in read.message


def test_several_files_fences_in_a_file_and_an_empty_one() -> None:
    reply = "Done.\n\n````README.md\n```sh\nls\n```\n````\n\n```Makefile\n```\n"

    assert files(reply) == {"README.md": "```sh\nls\n```\n", "Makefile": ""}


def test_fences_with_a_word_in_a_file_are_closed_before_the_file_is() -> None:
    guide = "# Use\n```sh\nls\n```\nThen:\n\n```\nmore\n"

    assert files("```README.md\n# Use\n```sh\nls\n```\nThen\n```\n\n```src/a.py\nx\n```") == {
        "README.md": "# Use\n```sh\nls\n```\nThen\n",
        "src/a.py": "x\n",
    }
    # One that is never closed is a line like any other.
    assert files("```src/a.py\nt = '''\n```sh\n'''\n```\nSo:\n```README.md\nx\n```") == {
        "src/a.py": "t = '''\n```sh\n'''\n",
        "README.md": "x\n",
    }
    read = parse_answer(answer(f"```README.md\n{guide}```\n```\n"), SHOWN, KNOWN)
    assert isinstance(read, Failure)
    assert "it can't be told where the block of README.md ends" in read.description


def test_an_example_after_a_file_with_a_longer_fence_is_no_doubt() -> None:
    reply = "````README.md\n```\nls\n```\n````\nRun it:\n```\npython src/a.py\n```"

    assert files(reply) == {"README.md": "```\nls\n```\n"}


def test_what_is_kept_and_remarked_stands_in_lines_between_the_blocks() -> None:
    proposed = Write(path=A, base_sha256=KNOWN["src/a.py"], content="one\n2\n")
    versions = Versions(SHOWN.files, {A: proposed})

    read = parse_answer(answer("Good.\n\n**KEEP:** `src/a.py`\nREMARK: R1 is odd.\n"), versions, KNOWN)

    assert isinstance(read, WriteProposal)
    assert (read.summary, read.remarks) == ("Good.", ("R1 is odd.",))
    assert [write.content for write in read.writes] == ["one\n2\n"]


@pytest.mark.parametrize(("sought", "becomes"), [("2", "one\nx\n"), ("two", "one\nx\n"), ("one", "x\n2\n")])
def test_an_edit_is_of_what_was_proposed_or_else_of_what_is_there(sought: str, becomes: str) -> None:
    proposed = Write(path=A, base_sha256=KNOWN["src/a.py"], content="one\n2\n")
    reply = f"```src/a.py\n<<<<<<< SEARCH\n{sought}\n=======\nx\n>>>>>>> REPLACE\n```"

    read = parse_answer(answer(reply), Versions(SHOWN.files, {A: proposed}), KNOWN)

    assert isinstance(read, WriteProposal), read
    assert (read.writes[0].content, read.writes[0].base_sha256) == (becomes, KNOWN["src/a.py"])


def test_json_in_a_block_of_its_own_is_understood() -> None:
    assert isinstance(
        parse_answer(answer(f"Here:\n```json\n{a_proposal()}\n```"), SHOWN, KNOWN), WriteProposal
    )


def test_passages_are_replaced() -> None:
    edit = "<<<<<<< SEARCH\ntwo\n=======\n2\nthree\n>>>>>>> REPLACE\n"

    assert files(f"```src/a.py\n{edit}```") == {"src/a.py": "one\n2\nthree\n"}


def test_the_prose_is_the_summary_and_the_hash_is_that_of_the_file_as_it_was_shown() -> None:
    read = parse_answer(answer("It adds x.\n\n```src/a.py\nx\n```"), SHOWN, KNOWN)

    assert isinstance(read, WriteProposal)
    assert (read.summary, read.writes[0].base_sha256) == ("It adds x.", "1" * 64)


def test_who_answers_with_json_all_the_same_is_understood() -> None:
    assert isinstance(parse_answer(answer(a_proposal()), SHOWN, KNOWN), WriteProposal)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("```src/a.py\nx\n", "the block of src/a.py is not closed"),
        ("Just do it.", "the answer holds no block with a path"),
        ("```python\nx\n```", "the answer holds no block with a path"),
        ("```../evil.py\nx\n```", "path"),
        (
            "```src/a.py\nx\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n```",
            "the block of src/a.py holds edits and other text",
        ),
        (
            "```src/a.py\n<<<<<<< SEARCH\n=======\n1\n>>>>>>> REPLACE\n```",
            "an edit of src/a.py searches for nothing",
        ),
        ("KEEP: src/a.py", "`src/a.py` can't be kept"),
        ("```src/a.py\n<<<<<<< SEARCH\nfive\n=======\n5\n>>>>>>> REPLACE\n```", "does not stand in the file"),
    ],
)
def test_what_is_no_answer_says_why(reply: str, message: str) -> None:
    read = parse_answer(answer(reply), SHOWN, KNOWN)

    assert isinstance(read, Failure)
    assert message in read.description


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("`~#\n<=> "), max_size=200))
def test_no_reply_is_too_strange(reply: str) -> None:
    assert isinstance(parse_answer(answer(reply), SHOWN, KNOWN), WriteProposal | Failure)


def test_the_prompt_asks_for_blocks_and_no_schema_is_sent(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), ["Done.\n\n```python src/app.py\nprint('hello')\n```\n"])

    finished = scene.run()

    assert summary_of(finished)["outcome"] == "landed"
    (request,) = scene.model.requests  # type: ignore[attr-defined]
    assert request.answer_schema is None
    system = request.messages[0].content
    assert "fenced block" in system
    assert '"writes"' not in system
    assert "base_sha256" not in request.messages[1].content


def test_json_may_be_asked_for_instead(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"))

    finished = scene.run(answer_format="json")

    assert summary_of(finished)["outcome"] == "landed"
    (request,) = scene.model.requests  # type: ignore[attr-defined]
    assert request.answer_schema is not None
    system = request.messages[0].content
    assert "fenced block" not in system
    template = template_path(TEMPLATE_NAME).read_text("utf-8")
    form = with_form(template, template_path(JSON_NAME).read_text("utf-8"))
    assert system.split("3. Every symbol")[0] == form.split("3. Every symbol")[0]


def test_a_retry_keeps_what_was_right_and_edits_what_it_proposed(tmp_path: Path) -> None:
    # Given a file that an attempt changed, and one that it made
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "app.py": "a = 1\n"})
    first = "It adds.\n\n```app.py\na = 1\nb = 3\n```\n```more.py\nc = 4\n```\n"
    again = (
        "It was two.\n\nKEEP: `more.py`\n- REMARK: The plan may mean 3.\n\n"
        "```app.py\n<<<<<<< SEARCH\nb = 3\n=======\nb = 2\n>>>>>>> REPLACE\n```\n"
    )
    scene = Scene(
        repo,
        [first, again],
        allowed_files=["app.py", "more.py"],
        acceptance_commands=['python -c "from app import b; from more import c; assert (b, c) == (2, 4)"'],
    )

    finished = scene.run()

    assert summary_of(finished)["outcome"] == "landed"
    assert (repo / "app.py").read_text() == "a = 1\nb = 2\n"
    assert "The plan may mean 3." in "\n".join(scene.progress)
