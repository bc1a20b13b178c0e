"""What languages with a tree-sitter grammar share: bounded trees, symbols, mutants and marks by tables.

Nothing here knows a language: grammars, tables of node types and readers of signatures are handed in by the
languages' own rooms. May lean on contract.
"""
