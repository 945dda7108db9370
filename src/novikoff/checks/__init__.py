"""Checks of what users pass: X, y, weights and parameters, and which numbers float64 cannot hold."""
