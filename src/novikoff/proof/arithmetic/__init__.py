"""Exact arithmetic on floating-point data."""
