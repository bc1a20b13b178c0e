"""How a command is confined: bubblewrap, Landlock or limits alone, chosen and entered.

One level a file; `choose` tries them with the real command line. May lean on the port, the policy, process
and git's names of places.
"""
