"""The interpreter and the packages that a project's commands find: locked, provisioned, kept, read-only.

The ecosystems' own tools do the work, outside of the sandbox, and run no code of a package. Not here: what
a command's environment variables are beside that (gates). May lean on configuration, system and contract.
"""
