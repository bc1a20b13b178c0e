"""What a plan means to its specification, and the work order that one for a new repository begins with. Pure.

What a plan means without a specification is for `factory.plans`. May lean on specification, contract and
languages.
"""
