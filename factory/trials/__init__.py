"""Trials as values: what is asked of checks, what they answer, under which name that is remembered.

Where trials run is a port: here are the one that runs them in the caller's own checkout and the memory in
front of any; other machines are the business of `engines`. Asks no model and lands nothing. May lean on gates
and mutation, and not on runs.
"""
