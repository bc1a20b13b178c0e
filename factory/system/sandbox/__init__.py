"""What a command may touch and use: the port, the policy, and the value of `--limit`.

Levels and the watch have rooms inside. Which policy a check gets is for gates. May lean on files and
contract.
"""
