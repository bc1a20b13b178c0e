"""A person in the place of the model: a worktree of theirs to work in, and what they did there as a proposal.

From the proposal on nothing differs from a model's. May lean on what runs leans on.
"""
