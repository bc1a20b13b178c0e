"""SE: nobody is asked about a work order that can't be carried out; what was asked and answered is kept."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from factory.attempt.answers.versions import ContextFile
from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, FailureClass
from factory.contract.note import Note, notes_hash
from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonValue
from factory.contract.work_order import WorkOrder
from factory.llm.port import Answer, FinishReason, ProviderError
from factory.runs.nodes.se import read_context, too_much
from factory.system.files.tree import Tree
from tests.support.answers import a_proposal, an_edit, sha256
from tests.support.repositories import VERIFY_PASSES, a_work_order, commit_files, make_repo, write_files
from tests.support.runs import Scene, read_object, summary_of
from tests.support.scripted_model import ScriptedModel, answer


def order(**changes: Any) -> WorkOrder:
    return WorkOrder.model_validate(a_work_order(**changes))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "tree"
    write_files(
        root, {"src/app.py": "app\n", "docs/a.md": "a\n", "latin.txt": b"Gr\xfc\xdfe", "zero.txt": "a\0b"}
    )
    (root / "link").symlink_to("docs/a.md")
    (root / "linked").symlink_to("docs")
    (root / "bigger.txt").write_bytes(b"z" * 200_001)
    return Tree(root)


def test_the_model_sees_context_files_then_allowed_files_each_once(tree: Tree) -> None:
    files = read_context(
        order(context_files=["docs/a.md", "src/app.py", "none.md"], allowed_files=["src/app.py", "new.py"]),
        tree,
    )

    assert files == [
        ContextFile(RepoPath("docs/a.md"), "a\n", sha256("a\n")),
        ContextFile(RepoPath("src/app.py"), "app\n", sha256("app\n")),
        ContextFile(RepoPath("none.md"), None),
    ]


def test_what_describes_a_project_is_shown_to_who_writes_its_sources(tree: Tree) -> None:
    module = "module example.com/slug\n\ngo 1.19\n"
    write_files(tree.root, {"go.mod": module, "sub/go.mod": "module sub\n", "package.json": "{}\n"})
    (tree.root / "tsconfig.json").write_bytes(b"\xff")
    shown = {
        name: [file.path for file in found]
        for name in ("slug/slug.go", "web/app.ts", "app.py", "go.mod")
        if not isinstance(found := read_context(order(allowed_files=[name]), tree), Failure)
    }
    assert shown == {
        "slug/slug.go": ["go.mod"],
        "web/app.ts": ["package.json"],
        "app.py": [],
        "go.mod": ["go.mod"],
    }
    below = read_context(order(allowed_files=["sub/a.go"], project="sub"), tree)
    assert below == [ContextFile(RepoPath("sub/go.mod"), "module sub\n", sha256("module sub\n"))]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"context_files": ["latin.txt"]},
            "`latin.txt` is not UTF-8 (byte 2), so it can't be a context file",
        ),
        (
            {"allowed_files": ["latin.txt"]},
            "`latin.txt` is not UTF-8 (byte 2), so it can't be a write target",
        ),
        (
            {"context_files": ["zero.txt"]},
            "`zero.txt` holds NUL, which no text does, so it can't be a context file",
        ),
        ({"context_files": ["docs"]}, "`docs` is a directory, not a file"),
        ({"allowed_files": ["link"]}, "`link` is a symbolic link, not a file"),
        (
            {"allowed_files": ["linked/b.md"]},
            "`linked/b.md` leads through `linked`, which is a symbolic link",
        ),
        ({"allowed_files": ["src/app.py/x"]}, "`src/app.py/x` leads through `src/app.py`, which is a file"),
        ({"context_files": ["bigger.txt"]}, "`bigger.txt` is larger than 200,000 bytes"),
    ],
)
def test_files_that_cannot_be_shown_whole_are_a_defect_of_the_plan(
    changes: dict[str, Any], message: str, tree: Tree
) -> None:
    failure = read_context(order(**changes), tree)

    assert isinstance(failure, Failure)
    assert (failure.message, failure.failure_class) == (message, FailureClass.PLAN_DEFECT)


def test_the_limit_of_all_files_is_on_what_is_shown_of_them() -> None:
    big = ContextFile(RepoPath("big.py"), "x" * 150_000)
    other = ContextFile(RepoPath("other.py"), "y" * 50_001)

    failure = too_much([big, other])

    assert failure is not None
    assert failure.message == "the files to show have 200,001 bytes together; the limit is 200,000"
    assert failure.failure_class is FailureClass.PLAN_DEFECT
    assert too_much([replace(big, part="x"), other]) is None


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            {"kind": "file_exists", "path": "src/none.py"},
            "error[E101] WO-01 /preconditions/0: `src/none.py` does not exist at this point",
        ),
        (
            {"kind": "file_absent", "path": "README.md"},
            "error[E101] WO-01 /preconditions/0: `README.md` exists at this point",
        ),
        (
            {"kind": "file_absent", "path": "dangling"},
            "error[E101] WO-01 /preconditions/0: `dangling` exists at this point",
        ),
    ],
)
def test_a_false_precondition_ends_the_run_before_a_model_is_asked(
    condition: dict[str, str], message: str, tmp_path: Path
) -> None:
    repo = make_repo(tmp_path / "repo")
    (repo / "dangling").symlink_to("nowhere")
    commit_files(repo, {})
    scene = Scene(repo, preconditions=[dict(condition)])

    finished = scene.run()

    assert finished.ending.exit_code == ExitCode.PLAN_DEFECT
    assert message in finished.ending.message
    assert scene.asked == 0


@pytest.mark.parametrize("field", ["provides", "consumes"])
def test_a_symbol_that_cannot_be_read_ends_the_run_before_a_model_is_asked(
    field: str, tmp_path: Path
) -> None:
    symbols: JsonValue = ["src.app:greet() -> str", "greet(name)"]
    scene = Scene(make_repo(tmp_path / "repo"), **{field: symbols})

    finished = scene.run()

    assert finished.ending.exit_code == ExitCode.PLAN_DEFECT
    assert f"error[E304] WO-01 /{field}/1: the symbol `greet(name)` does not begin with a module" in (
        finished.ending.message
    )
    assert scene.asked == 0


@pytest.mark.parametrize("path", ["README.md", "scripts", "scripts/verify.sh"])
def test_a_precondition_that_holds_lets_the_run_go_on(path: str, tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), preconditions=[{"kind": "file_exists", "path": path}])

    assert scene.run().ending.exit_code == ExitCode.PASS


def test_the_nearest_agents_files_and_the_notes_are_shown_as_they_were_at_first(tmp_path: Path) -> None:
    # Given a work order that may write an AGENTS.md of its own, and an attempt that does so and fails
    files = {**VERIFY_PASSES, "AGENTS.md": "of the root\n", "docs/AGENTS.md": "of docs\n", "docs/a.md": "a\n"}
    first = a_proposal({"src/AGENTS.md": "of an attempt\n"})
    scene = Scene(
        make_repo(tmp_path / "repo", files),
        [first, a_proposal()],
        context_files=["docs/a.md"],
        allowed_files=["src/AGENTS.md", "src/app.py"],
        postconditions=[{"kind": "file_exists", "path": "src/app.py"}],
        acceptance_commands=["test -f src/app.py"],
    )

    finished = scene.run(notes=(Note("a.md", "a note\n"),))

    assert finished.ending.exit_code == ExitCode.PASS
    assert finished.folder is not None
    for number in (1, 2):
        prompt = (finished.folder / f"attempt_{number}" / "se_prompt.txt").read_text()
        assert "commands: bash scripts/verify.sh." in prompt
        shown = re.findall(r'<(?:agents_md|note) id="\w+">\n"(.*)"\n\n(.*)\n', prompt)
        assert shown == [("a.md", "a note"), ("AGENTS.md", "of the root"), ("docs/AGENTS.md", "of docs")]
    recorded = read_object(finished.folder / "run.json")["settings"]
    assert isinstance(recorded, dict)
    assert recorded["knowledge"] == notes_hash((Note("a.md", "a note\n"),))


@pytest.mark.parametrize("field", ["context_files", "allowed_files"])
def test_an_agents_file_that_is_shown_anyway_is_not_shown_twice(field: str, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "AGENTS.md": "of the root\n"})
    paths = {"context_files": [], "allowed_files": ["src/app.py"]}
    scene = Scene(repo, **{**paths, field: [*paths[field], "AGENTS.md"]})  # type: ignore[arg-type]

    finished = scene.run()

    assert finished.folder is not None
    prompt = (finished.folder / "attempt_1" / "se_prompt.txt").read_text()
    assert prompt.count("of the root") == 1
    assert "<agents_md" not in prompt


class TestAnswers:
    """An answer that is no proposal spends an attempt, and the next prompt says why."""

    CUT = a_proposal()[:40]

    NONE: ClassVar[Sequence[tuple[str | Answer, str]]] = [
        ("I can't do that, sorry.", "the answer holds no block with a path"),
        (a_proposal().replace("hello", "\\ud800"), "half of a surrogate pair"),
        (answer(CUT, FinishReason.LENGTH), "the answer was cut off after 20 tokens"),
        (answer("I must not \ud800", FinishReason.REFUSAL), "the model refused: I must not \\ud800"),
        (an_edit("README.md", "a product\n", ("a", "b\0")), "the content of `README.md` holds NUL"),
    ]

    def test_what_is_no_proposal(self, tmp_path: Path) -> None:
        answers = [said for said, _ in self.NONE]
        scene = Scene(make_repo(tmp_path / "repo"), [*answers, a_proposal()], context_files=["README.md"])

        finished = scene.run(max_attempts=len(answers) + 1)

        assert finished.ending.exit_code == ExitCode.PASS
        assert finished.folder is not None
        for number, (said, message) in enumerate(self.NONE, start=1):
            attempt = finished.folder / f"attempt_{number}"
            brief = read_object(attempt / "failure_brief.json")
            assert (brief["stage"], brief["failure_class"]) == ("llm_output_invalid", "model_defect")
            assert message in str(brief["message"])
            assert not (attempt / "proposed_writes.json").exists()
            prompt = (finished.folder / f"attempt_{number + 1}" / "se_prompt.txt").read_text()
            assert "# Your attempt before failed" in prompt
            assert '"stage": "llm_output_invalid"' in prompt
            # What was said to its end is repeated, so that not all of it has to be thought of again.
            whole = said if isinstance(said, str) else ""
            assert ("Your answer was:\n<answer" in prompt) == (whole != ""), message
            assert whole.replace("\ud800", "\\ud800") in prompt

    def test_what_is_understood_is_kept_as_it_was_said(self, tmp_path: Path) -> None:
        said = f"Here it is:\n```json\n{a_proposal()}\n```\nDone."
        finished = Scene(make_repo(tmp_path / "repo"), [said]).run()

        assert finished.ending.exit_code == ExitCode.PASS
        assert finished.folder is not None
        assert (finished.folder / "attempt_1" / "llm_response.txt").read_text() == said

    def test_a_file_is_edited(self, tmp_path: Path) -> None:
        before, after = b"\xef\xbb\xbfa\r\nb\r\nc", b"\xef\xbb\xbfa\r\nB\r\nB\r\nc"
        repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "app.py": before})
        said = an_edit("app.py", before, ("a\nb\n", "a\nB\nB\n"))
        scene = Scene(repo, [said], allowed_files=["app.py"], acceptance_commands=["grep -q B app.py"])

        finished = scene.run()

        assert finished.ending.exit_code == ExitCode.PASS
        assert (repo / "app.py").read_bytes() == after
        # What is kept is the file as it was proposed, whole.
        assert finished.folder is not None
        proposed: Any = read_object(finished.folder / "attempt_1" / "proposed_writes.json")
        assert list(proposed["writes"][0]) == ["base_sha256", "content", "path"]
        assert "B\nB\nc" in proposed["writes"][0]["content"]

    @pytest.mark.parametrize(
        ("before", "shown"),
        [
            ("a\nb\n", r"It proposed this as `app.py`.*:\n<file id=\"\w+\">\na\nC\n</file"),
            # Of a long file, and whatever its line endings are, only what it would have changed.
            (
                "a\r\n" * 99 + "b\r\n",
                r"changes to `app.py`.*:\n<diff id=\"\w+\">\n@@ .* @@\n a\n a\n a\n-b\n\+C\n \n</diff",
            ),
        ],
    )
    def test_what_was_proposed_of_a_file_is_shown_after_a_failure(
        self, before: str, shown: str, tmp_path: Path
    ) -> None:
        repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "app.py": before})
        proposed = before.replace("\r\n", "\n").replace("b", "C")
        scene = Scene(
            repo,
            # The second answer edits what the first one proposed.
            [an_edit("app.py", before, ("b", "C")), an_edit("app.py", proposed, ("C", "B"))],
            allowed_files=["app.py"],
            acceptance_commands=["grep -q B app.py"],
        )

        finished = scene.run()

        assert finished.ending.exit_code == ExitCode.PASS
        assert finished.folder is not None
        prompt = (finished.folder / "attempt_2" / "se_prompt.txt").read_text()
        assert re.search(shown, prompt)

    def test_what_may_only_be_read_can_not_be_edited(self, tmp_path: Path) -> None:
        scene = Scene(
            make_repo(tmp_path / "repo"),
            [an_edit("README.md", "a product\n", ("a", "b")), a_proposal()],
            context_files=["README.md"],
        )

        finished = scene.run()

        assert finished.folder is not None
        brief = read_object(finished.folder / "attempt_1" / "failure_brief.json")
        assert brief["stage"] == "write_scope_violation"

    def test_a_file_of_the_greatest_size_is_written(self, tmp_path: Path) -> None:
        finished = Scene(make_repo(tmp_path / "repo"), [a_proposal({"src/app.py": "x" * 200_000})]).run()

        assert finished.ending.exit_code == ExitCode.PASS


def test_a_provider_that_fails_spends_no_attempt(tmp_path: Path) -> None:
    error = ProviderError("rate limit", where="openai", hint="wait a minute")
    scene = Scene(make_repo(tmp_path / "repo"), [error, a_proposal()])

    finished = scene.run()

    assert finished.ending.exit_code == ExitCode.PROVIDER
    assert finished.ending.message == "the model gave no answer: rate limit (openai)"
    assert finished.ending.hint == "wait a minute"
    assert scene.asked == 1


def test_everything_that_was_asked_and_answered_is_kept(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), context_files=["README.md"])

    finished = scene.run()

    assert finished.folder is not None
    attempt = finished.folder / "attempt_1"
    assert sorted(path.name for path in attempt.iterdir()) == [
        "acceptance_1.output.txt",
        "acceptance_result.json",
        "changes.diff",
        "llm_response.txt",
        "llm_usage.json",
        "proposed_writes.json",
        "se_prompt.txt",
        "verify.output.txt",
        "verify_result.json",
        "write_result.json",
    ]
    assert (attempt / "llm_response.txt").read_text() == a_proposal()
    assert "text" not in read_object(attempt / "llm_usage.json")
    assert summary_of(finished)["model_answers"] == 1


def test_a_second_attempt_gets_a_request_of_its_own(tmp_path: Path) -> None:
    model = ScriptedModel([a_proposal(), a_proposal()])
    scene = Scene(make_repo(tmp_path / "repo"), acceptance_commands=["false"])
    scene.model = model

    scene.run()

    assert [request.attempt for request in model.requests] == [1, 2]
