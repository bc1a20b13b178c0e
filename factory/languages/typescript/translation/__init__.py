"""JavaScript as the Python that means the same, so that one set of rules judges the code of both. Pure.

Not here: judging it. May lean on the trees and on the grammar of the room around it.
"""
