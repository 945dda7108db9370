"""What the other folders share: reading X, y and weights; which numbers float64 holds, and how far
rounding may move sums of them; the clock; threads.  And, for messages and files, how counts, names and commands
are written, and temporary files.
"""
