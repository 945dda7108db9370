"""The lectures' exercises, with checks."""
