"""The grammar of Rust, loaded when the first source is read."""


def grammar() -> object:
    """The grammar, as `trees` takes it."""
    import tree_sitter_rust

    return tree_sitter_rust.language()
