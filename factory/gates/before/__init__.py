"""What runs before a model is paid: toolchains and services must start, then the red probe and the baseline.

They only find out; what follows is for runs and builds. May lean on the checks and on all that gates lean on.
"""
