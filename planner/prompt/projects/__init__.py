"""What a prompt says of a repository that holds several projects: its language, packages and checks each.

Their outlines stand with those of all sources, in the room above. May lean on the same as that room.
"""
