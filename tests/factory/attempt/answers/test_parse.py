"""Which answers are proposals, and what of an old file stays, though a model can't see it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.answers.parse import fitted, parse_answer
from factory.attempt.answers.versions import ContextFile, Versions
from factory.attempt.failure import Failure, FailureClass, Stage
from factory.contract.canonical import dump
from factory.contract.proposal import Repair, WriteProposal
from factory.contract.repo_path import RepoPath
from factory.llm.port import Answer, FinishReason
from tests.support.answers import a_proposal, an_edit, sha256
from tests.support.scripted_model import answer

BOM = "\ufeff"
NOTHING = Versions.of([], None)


@pytest.mark.parametrize(
    ("content", "old", "written"),
    [
        ("a\nb\n", None, "a\nb\n"),
        ("a\r\n", None, "a\r\n"),
        ("a\r\n", b"", "a\r\n"),
        ("a\nb\n", b"x\r\ny\r\n", "a\r\nb\r\n"),
        ("a\r\nb\n", b"x\r\ny\r\n", "a\r\nb\r\n"),
        ("a\r\nb\r\n", b"x\ny\n", "a\nb\n"),
        ("a\nb\r\n", b"x\ny\r\n", "a\nb\r\n"),
        ("a\nb\n", b"no line end", "a\nb\n"),
        ("a\rb\n", b"x\n", "a\rb\n"),
        ("a\n", BOM.encode() + b"x\n", BOM + "a\n"),
        (BOM + "a\n", BOM.encode() + b"x\r\n", BOM + "a\r\n"),
        (BOM + "a\n", b"x\n", BOM + "a\n"),
    ],
)
def test_line_endings_and_a_byte_order_mark_are_kept(content: str, old: bytes | None, written: str) -> None:
    assert fitted(content, old) == written


LINES = st.lists(st.sampled_from(["a", "\n", "\r\n", BOM])).map("".join)


@given(LINES, LINES)
def test_fitting_twice_is_fitting_once(content: str, old: str) -> None:
    once = fitted(content, old.encode())

    assert fitted(once, old.encode()) == once
    assert once.replace("\r\n", "\n").lstrip(BOM) == content.replace("\r\n", "\n").lstrip(BOM)


@given(st.text(max_size=200))
def test_any_answer_is_a_proposal_or_a_failure_with_a_reason(text: str) -> None:
    parsed = parse_answer(answer(text), NOTHING)

    assert isinstance(parsed, Failure)
    assert parsed.message
    parsed.model_dump_json()


@given(st.integers(min_value=0, max_value=len(a_proposal()) - 1))
def test_no_part_of_a_proposal_is_a_proposal(length: int) -> None:
    assert isinstance(parse_answer(answer(a_proposal()[:length]), NOTHING), Failure)


CUT = a_proposal()[:40]
README = ContextFile(RepoPath("README.md"), "a product\n", sha256("a product\n"))
SHOWN = Versions.of([README], None)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("", "not valid JSON: expecting value"),
        ("I can't do that, sorry.", "not valid JSON: expecting value"),
        (CUT, "not valid JSON: "),
        ("[]", "must be an object"),
        ("null", "must be an object"),
        ('"text"', "must be an object"),
        ("{}", "/summary: is missing; /writes: is missing"),
        ('{"summary": "s", "writes": []}', "must write a file, or keep one"),
        ('{"summary": "s", "writes": {}}', "/writes: must be a list"),
        ('{"summary": 1, "writes": [1]}', "/summary: "),
        (
            '{"summary": "s", "summary": "t", "writes": []}',
            'the key "summary" stands twice in one object',
        ),
        ('{"summary": "s", "writes": [], "more": 1}', "/more: is not a known field"),
        (a_proposal().replace("src/app.py", "../x"), "/writes/0/path: the path holds .."),
        (a_proposal().replace("src/app.py", ".git/config"), "/writes/0/path: the path is git's own data"),
        (a_proposal({"src/app.py": "a\0b"}), "the content of `src/app.py` holds NUL"),
        (a_proposal().replace("hello", "\\ud800"), "half of a surrogate pair"),
        (
            a_proposal({"src/app.py": "x" * 200_001}),
            "has 200,001 bytes; the limit for one file is 200,000",
        ),
        (answer(CUT, FinishReason.LENGTH), "the answer was cut off after 20 tokens"),
        (answer("I must not \ud800", FinishReason.REFUSAL), "the model refused: I must not \\ud800"),
        (answer("", FinishReason.CONTENT_FILTER), "the provider's content filter stopped the answer"),
        (a_proposal().replace('"writes"', '"reads"'), "/writes: is missing"),
        (an_edit("src/app.py", ""), "/writes/0: must have either content or edits"),
        (
            an_edit("src/app.py", "", ("a", "b")),
            "`src/app.py` is not among the files that were shown, so it can't be edited",
        ),
        (
            an_edit("README.md", "a product\n", ("two\nproducts", "b")),
            '`README.md` can\'t be made: the passage does not stand in the file: "two\\nproducts"',
        ),
        (an_edit("README.md", "a product\n", ("a", "b\0")), "the content of `README.md` holds NUL"),
        (
            an_edit("README.md", "a product\n", ("a", "x" * 199_992)),
            "has 200,001 bytes; the limit for one file is 200,000",
        ),
    ],
)
def test_what_is_no_proposal(said: str | Answer, message: str) -> None:
    parsed = parse_answer(said if isinstance(said, Answer) else answer(said), SHOWN)

    assert isinstance(parsed, Failure)
    assert (parsed.stage, parsed.failure_class) == (Stage.LLM_OUTPUT_INVALID, FailureClass.MODEL_DEFECT)
    assert message in parsed.message


@pytest.mark.parametrize(
    "said",
    [
        f"Here it is:\n```json\n{a_proposal()}\n```\nDone.",
        f"```\n{a_proposal()}\n```",
        "\ufeff" + a_proposal(),
        "\n\n" + a_proposal() + "\n",
    ],
)
def test_what_is_understood_all_the_same(said: str) -> None:
    assert parse_answer(answer(said), NOTHING) == parse_answer(answer(a_proposal()), NOTHING)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\nc\n", b"a\nB\nB\nc\n"),
        (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nB\r\nc\r\n"),
        (b"\xef\xbb\xbfa\nb\nc", b"\xef\xbb\xbfa\nB\nB\nc"),
    ],
)
def test_a_file_is_edited(before: bytes, after: bytes) -> None:
    said = an_edit("app.py", before, ("a\nb\n", "a\nB\nB\n"))

    parsed = parse_answer(
        answer(said), Versions.of([ContextFile(RepoPath("app.py"), before.decode(), sha256(before))], None)
    )

    assert isinstance(parsed, WriteProposal)
    assert fitted(parsed.writes[0].content, before).encode() == after


class TestAfterAFailure:
    """What failed can be edited by its hash, and kept; what it replaces is the file as it is."""

    FAILED = WriteProposal.model_validate_json(
        a_proposal({"a.py": "one\ntwo\n", "README.md": "b\n"}, bases={"README.md": "a product\n"})
    )
    AFTER = Versions.of([README], FAILED)

    def read(self, versions: Versions = AFTER, **said: Any) -> WriteProposal | Failure:
        return parse_answer(answer(json.dumps({"summary": "s", "writes": [], **said})), versions)

    def write(self, path: str, base: str, **how: Any) -> dict[str, Any]:
        return {"path": path, "base_sha256": base, **how}

    def test_one_passage_is_answered_and_the_rest_is_kept(self) -> None:
        edits = [{"old": "two", "new": "three"}]
        for base in (sha256("one\ntwo\n")[:16], sha256("one\ntwo\n"), sha256("")[:20]):
            parsed = self.read(writes=[self.write("a.py", base, edits=edits)], keep=["README.md"])

            assert isinstance(parsed, WriteProposal)
            written = {write.path: (write.base_sha256, write.content) for write in parsed.writes}
            assert written == {
                "a.py": (sha256(""), "one\nthree\n"),
                "README.md": (sha256("a product\n"), "b\n"),
            }

    def test_an_edit_is_made_in_the_version_that_its_hash_names(self) -> None:
        for base, old in ((sha256("b\n")[:16], "b"), (sha256("a product\n")[:16], "a product")):
            parsed = self.read(writes=[self.write("README.md", base, edits=[{"old": old, "new": "c"}])])

            assert isinstance(parsed, WriteProposal)
            assert parsed.writes[0].content == "c\n"
            assert parsed.writes[0].base_sha256 == sha256("a product\n")

    def test_an_unknown_hash_stays_wrong_so_that_the_scope_refuses_it(self) -> None:
        parsed = self.read(writes=[self.write("a.py", "1" * 16, content="x")])

        assert isinstance(parsed, WriteProposal)
        assert parsed.writes[0].base_sha256 == "1" * 16 + "0" * 48

    def test_a_written_file_is_not_kept_too(self) -> None:
        parsed = self.read(writes=[self.write("a.py", sha256("")[:16], content="x")], keep=["a.py", "a.py"])

        assert isinstance(parsed, WriteProposal)
        assert [(write.path, write.content) for write in parsed.writes] == [("a.py", "x")]

    def test_only_what_is_kept_or_edited_in_it_makes_a_repair_of_what_was_proposed(self) -> None:
        edits = [{"old": "b", "new": "c"}]
        repair = self.read(keep=["a.py"])
        anew = self.write("README.md", sha256("b\n")[:16], content="c\n")
        of_the_file = self.write("README.md", sha256("a product\n")[:16], edits=[{"old": "a", "new": "c"}])

        assert isinstance(repair, Repair)
        assert repair.summaries == ("Wrote the files.", "s")
        edit = self.write("README.md", sha256("b\n")[:16], edits=edits)
        assert isinstance(self.read(writes=[edit]), Repair)
        for write in (anew, of_the_file):
            assert type(self.read(writes=[write])) is WriteProposal
        # Written, it is a proposal like any other; and what it repaired is told with what repairs it.
        assert "repaired" not in dump(repair)  # type: ignore[operator]
        again = self.read(Versions.of([README], repair), keep=["a.py"])
        assert isinstance(again, Repair)
        assert again.summaries == ("Wrote the files.", "s")

    @pytest.mark.parametrize(
        "versions",
        [NOTHING, SHOWN, Versions.of([ContextFile(RepoPath("a.py"), "new\n", sha256("new\n"))], FAILED)],
    )
    def test_nothing_is_kept_that_was_not_proposed_for_the_file_as_it_is(self, versions: Versions) -> None:
        parsed = self.read(versions, keep=["a.py"])

        assert isinstance(parsed, Failure)
        assert (parsed.stage, parsed.where) == (Stage.LLM_OUTPUT_INVALID, "the answer /keep/0")
        assert "`a.py` can't be kept" in parsed.message


def test_remarks_are_bounded_and_never_a_reason_to_refuse() -> None:
    said = json.loads(a_proposal()) | {"remarks": ["  ", "\x1b[31m" + "x" * 600, *map(str, range(20))]}

    parsed = parse_answer(answer(json.dumps(said)), NOTHING)

    assert isinstance(parsed, WriteProposal)
    assert len(parsed.remarks) == 10
    assert len(parsed.remarks[0]) == 500
    assert parsed.remarks[1:] == tuple(map(str, range(9)))
