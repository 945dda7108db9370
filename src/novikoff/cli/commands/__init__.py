"""The commands, one a file: its options, its help, and what it calls.

What does the work is imported when a command runs: scikit-learn and Numba take longer than everything else at the start.
"""
