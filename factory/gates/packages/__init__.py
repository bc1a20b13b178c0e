"""What sources may import and manifests may declare: the packages of the environment that were asked for.

Reads manifests and the environment's own lists of files; runs nothing. Not here: what a check is (gates), and
how packages come to be there (environments). May lean on environments, languages, system and contract.
"""
