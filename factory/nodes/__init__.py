"""The four nodes of a run. Each takes the state and what it may touch, and returns what it changed."""
