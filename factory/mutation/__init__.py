"""The kill proof: which mutants are tried, and the score of a proposal. Pure.

Which mutants there are belongs to the languages; running them belongs to the proof node. May lean on attempt,
languages and contract.
"""
