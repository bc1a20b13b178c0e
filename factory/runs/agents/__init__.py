"""An agent in the place of the model: where it works, and the node SE that lets it.

Other nodes know no difference. May lean on what runs leans on.
"""
