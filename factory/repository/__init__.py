"""The user's repository: where a run starts, whether it may, how a commit lands, and recovery after a kill.

The only room that moves the user's branch. Attempts belong to checkout. May lean on attempt, system and
contract.
"""
