"""What a plan or a work order is held against without its specification, for both stages.

Reading the files that are judged is for whoever asks. Pure. May lean on system's console for visible text,
and on contract.
"""
