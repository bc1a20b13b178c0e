"""The ecosystems' own tools, run outside of the sandbox: which there are, what they see, what they print.

They get the user's own configuration of registries and nothing of the repository's, and run no code of a
package. What is asked of them is in `locks` and `provision`. May lean on system and contract.
"""
