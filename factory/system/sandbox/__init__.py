"""What generated code may do to the machine: the policy, the levels that enforce it, the watch over limits.

`port` says what a level is; nothing outside this package knows which one runs. `choose` finds the strongest
level that works here. Commands are started elsewhere, in `factory.system.process`.
"""
