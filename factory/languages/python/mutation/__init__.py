"""Mutants of Python sources, and sources that leave a mark where they are executed.

Which mutants are tried and what their fates mean is decided in `factory/mutation`. May lean on the port.
"""
