"""The state of a build: `state.json` as a model, its transitions, and how it is written, resumed and reset.

`state.json` is a view; what is done, git says. `machine` and `model` are pure. May lean on runs' records and
all below.
"""
