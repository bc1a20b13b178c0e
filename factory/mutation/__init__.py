"""Mutants of a source and the score of a proposal. Pure.

Which mutants there are and what their fates mean belongs here; running them belongs to the proof node. May
lean on attempt and contract.
"""
