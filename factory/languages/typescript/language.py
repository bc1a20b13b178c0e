"""TypeScript and JavaScript, as the port asks for them."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from factory.languages import port
from factory.languages.by_file import ByFile
from factory.languages.port import Addressed, Definitions, Mutant, Outlined, Read, Verification
from factory.languages.trees.conspicuous import Unusual, conspicuous
from factory.languages.trees.declared import Declared
from factory.languages.trees.excerpts import excerpt
from factory.languages.trees.marks import marked as with_marks
from factory.languages.trees.mutants import mutants as mutants_of
from factory.languages.trees.spans import spans
from factory.languages.typescript.grammar import SUFFIXES, grammar_of
from factory.languages.typescript.imports import imported_packages
from factory.languages.typescript.mutation import BLOCKS, TABLE, mark
from factory.languages.typescript.outline import names, outline
from factory.languages.typescript.project import PROJECT_FILES, STARTER, is_test, verification
from factory.languages.typescript.sources import Sources
from factory.languages.typescript.written import keeps, parse_symbol

_SPOKEN_OF: Final = re.compile(r"\b(?:TypeScript|JavaScript|Node\.js|npm|vitest|package\.json|tsconfig)\b")
_SYMBOLS: Final = """\
A symbol names the file and what it exports: `src/slug.ts:slugify(text: string, max?: number): string`, \
`src/slug.ts:Slugger`, `src/slug.ts:Slugger.next(text: string): string`, \
`src/slug.ts:Slugger.constructor(max: number)`, `src/slug.ts:LIMIT: number`, `src/slug.ts:Options`, \
`src/slug.ts:Options.max?: number`. What a file re-exports is exported by it, too."""
_WORDS: Final = f"""\
TypeScript and JavaScript. {_SYMBOLS} Tests are `tests/NAME.test.ts` (or `.js`), run by `npx --no-install \
vitest run tests/NAME.test.ts` where vitest is declared, by `node --import tsx --test tests/NAME.test.ts` \
where tsx is declared, else in JavaScript by `node --test tests/NAME.test.js`: sources in TypeScript must \
be compiled before such a test imports them, so an intent says how, best by one helper that runs the \
declared compiler once into a directory that git ignores, and a work order writes it. Where the repository \
declares another runner (ava, jest, mocha, …), tests are written for that one, stand where it looks for \
them, and are run by it (`npx --no-install ava tests/NAME.js`). Name the runner itself, not `npm test`. A \
package, its `type` and its dependencies stand in `package.json`, the compiler's options in \
`tsconfig.json`; relative imports of modules of ECMAScript end in `.js`. A package that is for development \
only, such as a compiler, is required as `dev:typescript@^5`. Where a plan requires packages and the \
repository has no `package.json`, one that names them under `dependencies` and `devDependencies` is there \
before the first work order: a work order that needs `"type": "module"`, scripts or other fields changes it \
and keeps these two as they are, word for word."""

_UNUSUAL: Final = Unusual(
    ends=("process.exit", "process.reallyExit", "process.abort", "process.kill", "Deno.exit"),
    judges=("assert", "expect", "jest", "test", "vi"),
    words=("NODE_TEST_CONTEXT", "VITEST", "VITEST_WORKER_ID", "JEST_WORKER_ID"),
)


class TypeScript(ByFile):
    """See `Language`."""

    key: Final = "typescript"
    name: Final = "TypeScript/JavaScript"
    suffixes: Final = SUFFIXES
    project_files: Final = PROJECT_FILES
    lacks: Final[Mapping[str, str]] = {}
    symbol_words: Final = _SYMBOLS
    words: Final = _WORDS
    programs = ("node", "npx")
    spoken_of = _SPOKEN_OF

    def compiling(self, files: Collection[str], read: Read) -> tuple[str, ...]:
        """The compiler, where it verifies the project; JavaScript was parsed when a mutant was made."""
        commands = verification(files, read)
        return next((command.words for command in commands if "tsc" in command.words), ())

    def is_test(self, path: str) -> bool:
        """Whether a source belongs to the tests, by its name and folders."""
        return is_test(path)

    def verification(self, files: Collection[str], read: Read) -> tuple[Verification, ...]:
        """The compiler and the runner that are declared; see `project`."""
        return verification(files, read)

    def parse_symbol(self, text: str) -> Declared:
        """A symbol from its written form; see `written`."""
        return parse_symbol(text)

    def keeps(self, defined: port.Symbol, promised: port.Symbol) -> bool:
        """Whether what is there is what was promised."""
        if not isinstance(defined, Declared) or not isinstance(promised, Declared):
            return False
        return keeps(defined, promised)

    def find(self, symbol: Addressed, read: Read) -> Definitions:
        """What a file exports at an address, followed to where it is declared."""
        return Sources(read).find(symbol.module, symbol.name)

    def outline(self, path: str, data: bytes) -> Outlined:
        """The exported names of a source with their signatures."""
        return outline(path, data)

    def names(self, path: str, data: bytes) -> Outlined:
        """The exported names of a source and the titles of its tests."""
        return names(path, data)

    def excerpt(self, path: str, source: str, names: Collection[str]) -> port.Excerpt | None:
        """What users of some names need of a module."""
        return excerpt(grammar_of(path), source, names)

    def spans(self, path: str, data: bytes) -> tuple[port.Span, ...]:
        """Where the functions, methods and types of a source stand."""
        return spans(grammar_of(path), data)

    def imports(self, path: str, data: bytes) -> frozenset[str] | None:
        """The packages that a source imports."""
        return imported_packages(path, data)

    def conspicuous(self, path: str, data: bytes) -> tuple[tuple[int, str], ...]:
        """The lines that a person should look at, and why."""
        return conspicuous(grammar_of(path), _UNUSUAL, data)

    def mutants(self, path: str, source: str, lines: Collection[int], *, limit: int) -> tuple[Mutant, ...]:
        """Mutants of the lines that count; see `mutation`."""
        return mutants_of(grammar_of(path), TABLE, source, lines, limit=limit)

    def marked(self, path: str, source: str, marks: Mapping[int, str]) -> str | None:
        """A source whose statements leave marks."""
        return with_marks(grammar_of(path), BLOCKS, source, marks, mark)

    def starter(self, files: Collection[str]) -> Mapping[str, str]:
        """The texts of files that a new project begins with."""
        return STARTER


TYPESCRIPT: Final = TypeScript()
