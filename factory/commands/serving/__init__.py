"""Builds in a browser while they go on: the page of the report, served to one person on this machine.

A second edge beside the command line: it shows what `report` reads, and a button does what a command does. It
decides nothing and executes nothing. `guard` says who may ask. May lean on what commands may lean on, and on
Starlette, which nothing else knows.
"""
