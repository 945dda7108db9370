"""Solvers: the minimum of an objective over all rows at once, and the proof of how near it is."""
