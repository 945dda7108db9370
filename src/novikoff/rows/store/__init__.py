"""Blocks of rows, kept in memory or in a file, and gathered from there."""
