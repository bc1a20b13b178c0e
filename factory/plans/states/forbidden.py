"""What `forbidden` means: where it contradicts what a work order allows, and what words in it name."""

from collections.abc import Collection, Iterator

from factory.contract.repo_path import Forbidden, Prose, RepoPath, forbids, path_in


def contradictions(
    allowed: Collection[RepoPath], forbidden: Collection[Forbidden]
) -> Iterator[tuple[int, RepoPath]]:
    """Each entry of `forbidden`, by its index, that contradicts what is allowed, with the first such file.

    A path contradicts an allowed file that it forbids. Words only narrow what is allowed, because many
    people list files that are there to be read, and say in words that they stay; but some file must be left.
    """
    is_left = any(not any(forbids(entry, path) for entry in forbidden) for path in allowed)
    for index, entry in enumerate(forbidden):
        path = next((path for path in allowed if forbids(entry, path)), None)
        if path is not None and not (isinstance(entry, Prose) and is_left):
            yield index, path


def named_paths(prose: Prose, files: Collection[str]) -> tuple[RepoPath, ...]:
    """The files and directories that words name, in the words' order.

    A word counts only if the repository has it, or if it ends in a slash; so do all words together.

    Args:
        prose: the words.
        files: the repository's files.
    """
    above = {file.rsplit("/", depth)[0] for file in files for depth in range(1, file.count("/") + 1)}
    places = above.union(files)
    if (whole := prose.removesuffix("/")) in places:
        return (RepoPath(whole),)
    words = [(word, path_in(word)) for word in prose.split()]
    named = [path for word, path in words if path and (path in places or f"{path}/" in word)]
    return tuple(dict.fromkeys(named))
