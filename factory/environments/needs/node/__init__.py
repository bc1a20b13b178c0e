"""npm's registry: which packages manifests and workspaces ask for, and what the locks of npm and pnpm hold.

Values in, values out, as in the room above. May lean on what is declared and on contract.
"""
