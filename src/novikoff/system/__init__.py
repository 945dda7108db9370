"""What the other rooms share and that knows nothing of learning: time limits, threads, files, rows that are elsewhere, rounding errors."""
