"""The commands that verify a crate of Rust, and the texts that a new one begins with."""

import re
from collections.abc import Mapping
from typing import Final

from factory.languages.port import Verification

CHECK: Final = Verification("cargo check", ("cargo", "check", "--offline", "--all-targets"))
"""Everything compiles."""

COMPILE: Final = ("cargo", "check", "--offline")
"""What fails where the product doesn't compile."""

TEST: Final = Verification("cargo test", ("cargo", "test", "--offline"), tests=True)
"""Everything compiles, examples included, and the tests pass; `cargo check` would compile it all again."""

HOLDS_TESTS: Final = re.compile(rb"#\[\s*(?:[\w:]+::)?test\b|```")
"""What a source with tests holds, of which examples in the documentation are some."""

VERIFY_SH: Final = """\
#!/usr/bin/env bash
# Verifies the whole crate: everything compiles, and the tests pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Nothing is wrong with a repository that is to become a crate.
[ -f Cargo.toml ] || exit 0
cargo test --offline
"""

GITIGNORE: Final = """\
/target/
"""

STARTER: Final[Mapping[str, str]] = {"scripts/verify.sh": VERIFY_SH, ".gitignore": GITIGNORE}
"""The files that a new project begins with."""
