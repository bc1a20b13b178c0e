"""What runs before a model is paid: the red probe and the baseline's own verification.

Both only find out; what follows is for runs and builds. May lean on the checks and on all that gates lean on.
"""
