"""One file a check, and the registry that says which ones run, in which order.

A check reports by `CheckResult` and never raises for what a command did. It knows neither processes nor
sandboxes: its context runs commands. May lean on the modules of gates and on contract.
"""
