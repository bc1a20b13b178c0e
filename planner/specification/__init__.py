"""A specification by its lines and as data: blocks and normative lines. Pure.

Knows no plan. May lean on contract, and on the room of specifications that both stages share.
"""
