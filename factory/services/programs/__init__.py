"""The program that runs inside the sandbox, around a command that needs services.

Its text goes through a descriptor, and it imports nothing of this project. What it is told, and what is read
of what it says, is for the room around it.
"""
