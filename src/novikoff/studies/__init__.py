"""Fits looked at from outside: every update of one, or many of them pass by pass."""
