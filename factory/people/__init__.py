"""What people say and decide about a build or a run, as records: who, when, about which contract.

What follows from them is decided where it is heeded. May lean on the contract, on bounded files and on git.
"""
