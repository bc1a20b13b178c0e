"""What `factory doctor` finds: of the machine, and of the languages, packages and services of a repository.

Looks and tries, and changes nothing of the repository. May lean on every room below.
"""
