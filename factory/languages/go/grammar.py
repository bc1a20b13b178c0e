"""The grammar of Go, loaded when the first source is read."""


def grammar() -> object:
    """The grammar, as `trees` takes it."""
    import tree_sitter_go

    return tree_sitter_go.language()
