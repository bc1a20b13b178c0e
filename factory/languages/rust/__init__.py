"""Rust, behind the port of languages: symbols by file, mutants, imports, and the texts of a new crate.

Sources are read with tree-sitter's grammar, by the room `trees`; no program of Rust's is run here. May lean
on trees, the port and contract.
"""
