"""Engines: machines beside this one that run trials, and how they are reached.

A coordinator has keys, ledger, budget and branch; a worker has none of them. What goes between the two are
values in bytes, and packs of git. Which trials there are is not decided here. May lean on runs, and not on
builds; only the room `dask` knows its library.
"""
