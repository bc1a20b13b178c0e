"""Paths that commands and intents name, or that clash."""

import pytest

from planner.check.document import check_document
from tests.support.plans import Json, exists, makes, manifest, order

REPOSITORY = ("app/__init__.py", "app/core.py", "data/sales.csv", "docs/guide.md", "README.md", "Makefile")


def python(code: str) -> str:
    return f'python -c "{code}"'


def found(code: str, *orders: Json, repo: tuple[str, ...] = REPOSITORY) -> list[str]:
    """The pointers at which a code is found."""
    checked = check_document(manifest(*orders), frozenset(repo))
    return [it.pointer for it in checked.diagnostics if it.code == code]


def commands(*texts: str, **fields: object) -> Json:
    return makes(1, "app/cli.py", acceptance_commands=list(texts), **fields)


class TestMissingInput:
    @pytest.mark.parametrize(
        "command",
        [
            "grep -q total docs/report.md",
            "grep -e total -A 3 docs/report.md",
            "cat docs/report.md",
            "diff data/sales.csv data/other.csv",
            "test -f app/extra.py",
            "[ -s docs/report.md ]",
            "head -n 3 docs/report.md",
            "bash -n tools/check.sh",
            "python -m py_compile app/extra.py",
            "pytest tests/unit",
            "python -m app samples/text.txt",
            "python -m app --quiet samples/text.txt",
            "python -m app data/april.csv out.json",
            "python tools/x.py data/april.csv /tmp/out.json",
            "env X=1 timeout 5 grep -q total docs/report.md",
            python("print(open('samples/a.txt').read())"),
            python("from app import f; assert f(open('samples/a.txt', 'rb').read())"),
            python("from pathlib import Path; assert 'a' in Path('docs/report.md').read_text()"),
            python(
                "from pathlib import Path; from app import load; assert load(Path('data/march.csv')) == 3"
            ),
            "grep -q total /tmp/report.xml",
            "python -m app /home/me/words.txt",
            python("assert open('/Users/me/words.txt').read()"),
            python("import json; assert json.load(open('/tmp/report.json'))"),
            python("from app import main; assert main(['sum', 'data/april.csv', str(main)]) == 0"),
            "pytest /workspace/app/tests/test_a.py",
            python("from app import main; assert main(['sum', 'data/april.csv']) == 0"),
        ],
    )
    def test_what_nobody_makes_is_a_warning(self, command: str) -> None:
        assert found("W104", commands(command)) == ["/work_orders/0/acceptance_commands/0"]

    @pytest.mark.parametrize(
        "command",
        [
            "grep -q total README.md",
            "grep -q 'a.b/c' app/cli.py",
            "grep -rn -A 3 'x.y' app data",
            "grep -q all Makefile",
            "! grep -q total docs/report.md",
            "test ! -f docs/report.md",
            "ls app",
            "head -n 1.5 README.md",
            "diff -u data/sales.csv README.md",
            "bash -c 'test -f docs/report.md || exit 0'",
            "cat build/report.md",
            "test -f packages/web/dist/index.js",
            "python -m app missing.txt",
            "python -m app --out reports/a.json",
            "python -m app --report-file reports/a.json data/sales.csv",
            "python -m app data/sales.csv reports/a.json",
            "python -m app data/sales.csv /tmp/report.json",
            "python -m app https://example.com/a/b.csv",
            "python -m app --date 2024/01/01",
            "python -m json.tool data/sales.csv",
            python("from app import f; assert f(['count', 'samples/a.txt']) == 2"),
            python("open('/tmp/a.txt', 'w').write('x')"),
            python("open('/tmp/a.txt', 'w').write('x'); assert open('/tmp/a.txt').read() == 'x'"),
            python("from app import f; f('/tmp/out'); open('/tmp/out/a.json').read()"),
            python("from pathlib import Path; p = Path('/tmp/a.txt'); p.write_text('x'); p.read_text()"),
            python("from pathlib import Path; from app import f; f([], Path('/tmp/a.json'))"),
            python("from pathlib import Path; from app import save; save(Path('data/a.json'))"),
            python(
                "from pathlib import Path; from app import load; assert load(Path('data/missing.csv')) == []"
            ),
            python("from pathlib import Path; assert not Path('docs/report.md').exists()"),
            python("import pytest\nwith pytest.raises(OSError): open('docs/report.md')"),
            python("try: open('docs/report.md')\nexcept OSError: pass"),
            python("import os; os.chdir('docs'); open('guide.md').read()"),
            python("assert open('app/cli.py').read()"),
        ],
    )
    def test_what_is_there_or_may_be_made_is_left_alone(self, command: str) -> None:
        assert found("W104", commands(command)) == []

    @pytest.mark.parametrize(
        ("command", "is_found"),
        [
            ("python app/cli.py data/*.txt", True),
            ("python -m app count data/*", True),
            ("python -m app *.csv", True),
            ("python -m app --top 3 data/sales-?.csv out.json", True),
            ("env X=1 timeout 5 ./tools/x data/[ab].csv", True),
            ("python -m app 'data/*.txt'", False),
            ('python -m app "data/*.txt"', False),
            ("python -m app data/\\*.txt", False),
            ("sh -c 'python -m app data/*.csv'", False),
            ("python -m app next */5 * * * *", False),
            ("python -m app 2*3 4*x/2 nowhere/*", False),
            ("python -m app http://localhost/a.html?b=1", False),
        ],
    )
    def test_a_pattern_that_no_shell_fills_in(self, command: str, is_found: bool) -> None:
        pointers = found("W104", commands(command))
        assert pointers == (["/work_orders/0/acceptance_commands/0"] if is_found else [])
        assert found("E003", commands("python -m pytest tests/test_*.py")) != []

    def test_an_earlier_command_of_the_work_order_may_have_made_it(self) -> None:
        makes_it = "python -m app data/sales.csv /tmp/out/report.json"
        reads_it = "grep -q total /tmp/out/report.json"
        assert found("W104", commands(makes_it, reads_it)) == []
        assert found("W104", commands("python -m app --into /tmp/out", reads_it)) == []
        assert found("W104", commands(reads_it, makes_it)) == ["/work_orders/0/acceptance_commands/0"]
        elsewhere = [command.replace("/tmp", "/var/tmp") for command in (makes_it, reads_it)]
        assert found("W104", commands(*elsewhere)) == ["/work_orders/0/acceptance_commands/1"]
        second = makes(2, "b.py", acceptance_commands=[reads_it])
        assert found("W104", commands(makes_it), second) == ["/work_orders/1/acceptance_commands/0"]

    def test_what_an_earlier_work_order_left_outside_is_gone(self) -> None:
        first = commands("python -m app words /tmp/words.txt")
        second = makes(2, "b.py", acceptance_commands=["python -m app longest /tmp/words.txt"])
        assert found("W104", first, second) == ["/work_orders/1/acceptance_commands/0"]
        # As the last of several it may be written.
        again = makes(2, "b.py", acceptance_commands=["python -m app data/sales.csv /tmp/words.txt"])
        assert found("W104", first, again) == []

    def test_a_file_that_the_intent_names_may_be_made_at_run_time(self) -> None:
        command = "grep -q total reports/sum.txt"
        assert found("W104", commands(command, intent="Running it writes `reports/sum.txt`.")) == []

    def test_a_later_work_order_does_not_help(self) -> None:
        step = commands("grep -q total docs/report.md")
        assert found("W104", step, makes(2, "docs/report.md")) == ["/work_orders/0/acceptance_commands/0"]


class TestClashingPaths:
    @pytest.mark.parametrize(
        ("orders", "pointer"),
        [
            ((makes(1, "out"), makes(2, "out/a.txt")), "/work_orders/1/allowed_files/0"),
            ((makes(1, "out/a.txt"), makes(2, "out")), "/work_orders/1/allowed_files/0"),
            ((makes(1, "out", "out/a/b.txt"),), "/work_orders/0/allowed_files/1"),
            ((makes(1, "Makefile/rules.txt"),), "/work_orders/0/allowed_files/0"),
            ((makes(1, "docs"),), "/work_orders/0/allowed_files/0"),
        ],
    )
    def test_a_file_can_not_be_a_directory(self, orders: tuple[Json, ...], pointer: str) -> None:
        assert found("E109", *orders) == [pointer]

    @pytest.mark.parametrize(
        "orders",
        [
            (makes(1, "app/cli.py", "app/cli/render.py"),),
            (makes(1, "app/cli.py"), makes(2, "app/cli/__init__.py")),
            (makes(1, "app/core/more.py"),),
        ],
    )
    def test_a_module_can_not_be_a_package_beside_it(self, orders: tuple[Json, ...]) -> None:
        assert len(found("E109", *orders)) == 1

    def test_a_directory_of_data_may_have_the_name_of_a_module(self) -> None:
        assert found("E109", makes(1, "app/cli.py", "app/cli/words.txt", "app/client/a.py")) == []

    def test_names_that_only_begin_alike_are_left_alone(self) -> None:
        assert (
            found("E109", makes(1, "out", "out.d/a.txt", "outer/b.txt"), makes(2, "out", "docs/a.md")) == []
        )
        # In a work order without conditions a name may stand for a directory.
        assert found("E109", order(allowed_files=["docs", "docs/a.md"])) == []


class TestOtherContents:
    def told(self, first: str, second: str) -> list[str]:
        changed = {"preconditions": [exists("app/table.py")]}
        return found(
            "W109",
            makes(1, "app/table.py", intent=f"Write it. {first}"),
            makes(2, "app/table.py", intent=f"Change it. {second}", **changed),
        )

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("`app/table.py` holds nothing but the table `A`.", "`app/table.py` holds only the table `B`."),
            ("Write `app/table.py`, which exports exactly `A`, `B`.", "`app/table.py` exports exactly `B`."),
        ],
    )
    def test_what_takes_away_what_was_asked_for(self, first: str, second: str) -> None:
        assert self.told(first, second) == ["/work_orders/1/intent"]

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("`app/table.py` exports exactly `A`.", "`app/table.py` then exports exactly `A` and `B`."),
            ("`app/table.py` is empty.", "`app/table.py` exports exactly `B`."),
            ("`app/table.py` has the table `A`.", "`app/table.py` has only tables."),
            ("`app/other.py` holds only `A`.", "`app/other.py` holds only `B`."),
        ],
    )
    def test_what_grows_is_left_alone(self, first: str, second: str) -> None:
        assert self.told(first, second) == []


class TestLetterCase:
    @pytest.mark.parametrize("path", ["readme.md", "App/more.py", "app/Core.py"])
    def test_another_spelling_of_what_is_there_is_a_warning(self, path: str) -> None:
        assert found("W106", makes(1, path)) == ["/work_orders/0/allowed_files/0"]

    def test_two_work_orders_may_not_spell_a_name_differently(self) -> None:
        assert found("W106", makes(1, "lib/Names.py"), makes(2, "lib/names.py")) == [
            "/work_orders/1/allowed_files/0"
        ]
        assert found("W106", makes(1, "lib/names.py"), makes(2, "lib/names.py", "lib/name.py")) == []

    def test_what_the_repository_has_in_both_spellings_is_left_alone(self) -> None:
        assert found("W106", makes(1, "a.py", "A.py"), repo=("a.py", "A.py")) == []


class TestUnlistedPath:
    @pytest.mark.parametrize(
        "sentence",
        [
            "Words in `app/stopwords.txt` are left out.",
            "Write the keys to `app/keys.py` and import them from there.",
            "Write the keys to app/keys.py.",
            "The longest text is read from `config/app.toml`.",
            "Add `to_celsius` to the table in `app/registry.py`.",
            "Create `web/index.ts`; it starts the program.",
            "What is refused stands in `docs/cases/refused.txt`, which the test reads line by line.",
            "The usage line is read from `config/messages.json`.",
            "Then describe `sum` in `docs/export.md`, with one example for each format.",
        ],
    )
    def test_a_file_in_no_list_is_a_warning(self, sentence: str) -> None:
        step = makes(1, "app/cli.py", intent=f"Write `app/cli.py`. {sentence}")
        assert found("W105", step) == ["/work_orders/0/intent"]

    @pytest.mark.parametrize(
        "sentence",
        [
            "Create go.mod (module words, go 1.19) and the package.",
            "Create tests with an empty tests/__init__.py, without which nothing is found.",
            "Add `conftest.py`, which may be empty.",
        ],
    )
    def test_what_the_first_demand_makes_is_a_file_whatever_follows(self, sentence: str) -> None:
        step = makes(1, "app/cli.py", intent=sentence)
        assert found("W105", step) == ["/work_orders/0/intent"]
        assert found("W105", step, makes(2, "go.mod", "tests/__init__.py", "conftest.py")) == []

    @pytest.mark.parametrize(
        "sentence",
        [
            "Create `data/results.json`.",
            "Create an empty file `data/results.json`.",
            "Write the results to `data/results.json`.",
            "Write the results of all rounds into the file data/results.json.",
            "Also add `docs/format.md`.",
            "Add `app/cli.py` and `data/words.txt`.",
            "Copy the words into `data/words.txt`; they are sorted.",
        ],
    )
    def test_data_that_is_to_be_made_is_a_file_like_others(self, sentence: str) -> None:
        step = makes(1, "app/cli.py", intent=f"Write `app/cli.py`. {sentence}")
        assert found("W105", step) == ["/work_orders/0/intent"]
        assert found("W105", step, makes(2, "data/results.json", "docs/format.md", "data/words.txt")) == []

    @pytest.mark.parametrize(
        "sentence",
        [
            "Write a function that saves the results to `data/results.json`.",
            "Write `app/cli.py`: `python -m app` writes the results to `data/results.json`.",
            "Add the command `save`, which writes to `data/results.json`.",
            "`save(path)` writes `data/results.json`.",
            "At run time write the results to `data/results.json`.",
            "Write the results to `out/results.json`.",
        ],
    )
    def test_data_that_the_product_makes_is_left_alone(self, sentence: str) -> None:
        step = makes(
            1, "app/cli.py", intent=sentence, acceptance_commands=["python check.py out/results.json"]
        )
        assert found("W105", step) == []

    @pytest.mark.parametrize(
        "sentence",
        [
            "Write `app/cli.py` and use `app/core.py`, see `docs/guide.md`.",
            "Later `app/later.py` will use it.",
            "Answer `/notes/1/text.txt` and http://localhost/app/a.py with 404.",
            "The report, for example `app/report.json`, is written.",
            "A file that can't be read (missing as `app/none.txt`) ends the program.",
            "Do not create `app/extra.py`.",
            "`python -m app app/words.txt` prints the words.",
            "It writes `out/report.json` and reads `data/march.csv`.",
            "Settings are read from `~/.config/app.toml` and `$HOME/app.toml`.",
            "Each `<name>/main.py`, `*/a.py` and `{x}/b.py` is read.",
            "The tests in `tests/test_cli.py` are written with `tmp_path`.",
            "It reads `keys.py` and writes `settings.toml`.",
            "Import `cli.py` as `src/../app/core.py`.",
            "`core.py` and `app/cli.py` use `app/core.load(x)`.",
            "Leave `frozen/old.py` and `vendor/x.py` as they are, and use them.",
        ],
    )
    def test_what_is_there_or_made_at_run_time_is_left_alone(self, sentence: str) -> None:
        forbidden = ["frozen", "vendor/x.py"]
        step = makes(1, "app/cli.py", intent=sentence, forbidden=forbidden)
        assert found("W105", step, makes(2, "app/later.py")) == []

    @pytest.mark.parametrize(
        "sentence",
        [
            "The build writes `dist/index.js` and `packages/web/dist/index.d.ts`.",
            "The entry of the package reads `./build/main.js`.",
            "Create `dist/words.json`.",
            "The build adds `target/gen/words.rs`.",
        ],
    )
    def test_what_a_build_makes_is_left_alone(self, sentence: str) -> None:
        step = makes(1, "src/index.ts", intent=sentence)
        assert found("W105", step) == []

    def test_what_is_kept_where_builds_put_theirs_is_a_file_like_others(self) -> None:
        step = makes(1, "src/build/cli.py", intent="Write the keys to `src/build/keys.py`.")
        assert found("W105", step) == ["/work_orders/0/intent"]

    def test_a_module_of_typescript_is_imported_by_the_name_of_what_is_compiled(self) -> None:
        step = makes(2, "src/index.ts", intent="Export everything of `./errors.js` and use `src/page.js`.")
        assert found("W105", makes(1, "src/errors.ts"), step, makes(3, "src/page.tsx")) == []
        assert found("W105", step) == ["/work_orders/0/intent", "/work_orders/0/intent"]
