"""Packages as people and plans declare them, and nothing of how they are locked or installed. Pure."""
