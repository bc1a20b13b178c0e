"""Pages in a real browser: what only it can tell. Skipped by name where one is missing."""
