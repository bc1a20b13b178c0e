"""What a commit's files, its configuration and a plan ask for, and what the locks among the files hold.

Values in, values out: nothing is run, fetched or written here. What is read is hostile, and only packages of
the registries get through. May lean on contract.
"""
