"""A specification by its lines and as data: blocks, normative lines, quotations. Pure.

Knows no plan. May lean on contract.
"""
