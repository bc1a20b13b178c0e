"""The names of a repository's files, as a prompt of the planner lists them within a limit of tokens. Pure."""

from factory.llm.port import estimate_tokens
from factory.llm.template import json_path
from planner.prompt.context import NEW
from planner.prompt.parts import Part, Shown


def file_listing(repo_files: frozenset[str], limit: int) -> Shown:
    """The files, a line each; where that is too much, directories with their numbers of files.

    The deepest directories are folded first. A new repository takes nothing of the limit.

    Args:
        repo_files: the paths.
        limit: the room in tokens.
    """
    if not repo_files:
        return _shown(NEW, 0, repo_files, frozenset())
    for depth in range(max(path.count("/") for path in repo_files) + 1, 0, -1):
        named = frozenset(path for path in repo_files if path.count("/") < depth)
        text = "\n".join(_lines(named, repo_files - named, depth))
        tokens = estimate_tokens(text)
        if tokens <= limit:
            return _shown(text, tokens, named, repo_files - named)
    text = f"({len(repo_files):,} files: there is no room for their names)"
    return _shown(text, 0, frozenset(), repo_files)


def _lines(named: frozenset[str], folded: frozenset[str], depth: int) -> list[str]:
    counts: dict[str, int] = {}
    for path in folded:
        directory = "/".join(path.split("/")[:depth]) + "/"
        counts[directory] = counts.get(directory, 0) + 1
    directories = [f"{json_path(directory)} ({count} files)" for directory, count in counts.items()]
    return sorted([*map(json_path, named), *directories]) if folded else [json_path(p) for p in sorted(named)]


def _shown(text: str, tokens: int, named: frozenset[str], folded: frozenset[str]) -> Shown:
    return Shown(Part.FILES, text, tokens, tuple(sorted(named)), (), (), tuple(sorted(folded)), ())
