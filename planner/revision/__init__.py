"""Amending a plan: what a changed specification touches, and what a revised plan is held against. Pure.

Asking for the revision belongs to compile. May lean on specification and factory's plans.
"""
