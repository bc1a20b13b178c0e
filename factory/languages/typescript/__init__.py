"""TypeScript and JavaScript, read by their tree-sitter grammars.

How symbols are written and found, outlines, imports, mutants, marks, commands and words for prompts belong
here. Nothing of a project is executed. May lean on trees and contract.
"""
