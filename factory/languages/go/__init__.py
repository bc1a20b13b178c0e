"""Go, behind the port of languages: symbols by file, mutants, imports, and the texts of a new module.

Sources are read with tree-sitter's grammar, by the room `trees`; no program of Go's is run here. May lean on
trees, the port and contract.
"""
